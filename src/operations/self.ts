/** The operations by which an agent edits and examines its own memory. */
import * as edit from "../domain/self/edit.ts";
import * as profile from "../domain/self/profile.ts";
import * as read from "../domain/self/read.ts";
import * as reflect from "../domain/self/reflect.ts";
import * as revert from "../domain/self/revert.ts";
import {
  ListSelfEditsQuery,
  RevertSelfEditBody,
  SelfEdit,
  SelfEditBody,
  SelfEditPage,
  SelfEditParams,
} from "../schema/self_edit.ts";
import { SelfProfile, SelfProfileQuery } from "../schema/self_profile.ts";
import { ReflectBody, Reflection } from "../schema/self_reflection.ts";
import { BATCH, ONE } from "./cost.ts";
import { BATCH_BYTES_MAX, operation } from "./operation.ts";

/** Edits the memory. */
export const editSelf = operation({
  id: "editSelf",
  summary: "Edit the agent's own memory",
  description:
    "Up to 100 operations with one reason. `atomic`: all or nothing. The first operation that cannot be applied refuses the whole edit with its own code, and `operationIndex` names it. `per_item`: each operation has its own transaction and outcome; the reply is 201 even if some are refused. With an `Idempotency-Key` all of them commit together with the reply, with the same outcomes. An operation may refer to what an earlier one adds: `$1` by position, `$name` by the `ref` of an `add`.\n\nAn agent cannot overwrite knowledge that is `user_stated` or `verified`: an operation that would update, retract, forget or supersede it becomes a review item of the kind `self_edit`. An atomic edit then waits as a whole, and nothing is applied before the decision. A fact that contradicts a more trusted one is stored as contested, as always. Every edit is recorded and can be reverted, except for `erase`, which also needs the scope `memory:delete`.",
  scope: "self:write",
  cost: { ...ONE, bySize: { of: "operation", each: 10 } },
  body: SelfEditBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  status: 201,
  reply: SelfEdit,
  versioned: true,
  errors: ["not_found", "erased", "conflict", "invalid_transition", "version_mismatch"],
  example: {
    body: {
      reason: "She told me that she moved.",
      mode: "atomic",
      agentId: "assistant",
      operations: [
        {
          op: "add",
          type: "fact",
          ref: "home",
          body: { statement: "Caroline lives in Rome.", subject: "Caroline", predicate: "lives in", object: "Rome" },
        },
        { op: "pin", id: "$home" },
        { op: "add", type: "entity", ref: "caroline", body: { canonicalName: "Caroline", entityType: "person" } },
        { op: "relate", verb: "about", sourceId: "$home", targetId: "$caroline" },
        {
          op: "add",
          type: "decision",
          body: { title: "Where to send the parcel", decision: "We send it to Rome.", evidenceIds: ["$1"] },
        },
      ],
    },
  },
}, (ctx, { body }) => edit.editSelf(ctx, body));

/** Lists edits, the newest first. */
export const listSelfEdits = operation({
  id: "listSelfEdits",
  summary: "List edits of the memory",
  scope: "memory:read",
  query: ListSelfEditsQuery,
  reply: SelfEditPage,
}, (ctx, { query }) => read.listSelfEdits(ctx, query));

/** Reads an edit with its operations and their outcomes. */
export const getSelfEdit = operation({
  id: "getSelfEdit",
  summary: "Read an edit of the memory",
  scope: "memory:read",
  params: SelfEditParams,
  reply: SelfEdit,
  versioned: true,
}, (ctx, { params }) => read.getSelfEdit(ctx, params.id));

export const revertSelfEdit = operation({
  id: "revertSelfEdit",
  summary: "Revert an edit of the memory",
  description:
    "Every changed unit gets its previous content back, as a new version. Units that the edit added are archived, and facts that it superseded are reinstated. Erased units cannot come back: such an operation is `refused` with `erased`, the others are reverted. If units were changed since, the request is refused with `conflict`, and `changedSince` names them, unless `force` is set. The reply is the edit that reverts this one; it can be reverted in turn. If the revert would overwrite `user_stated` or `verified` knowledge that was changed since, or a person's decision, a person has to decide again.",
  scope: "self:write",
  params: SelfEditParams,
  body: RevertSelfEditBody,
  status: 201,
  reply: SelfEdit,
  versioned: true,
  errors: ["conflict", "invalid_transition", "version_mismatch"],
  example: { body: { reason: "It was a misunderstanding." } },
}, (ctx, { params, body, expectedVersion }) => revert.revertSelfEdit(ctx, params.id, body, expectedVersion));

/** Computes the profile. */
export const getSelfProfile = operation({
  id: "getSelfProfile",
  summary: "Read the profile of the memory",
  description:
    "Who and what the memory is about: preferences and instructions, key facts, decisions, open tasks and the latest changes, as members and as Markdown for a system prompt, within a token budget. It reflects the change feed at least up to `asOfSeq`: the next read sees a write.",
  scope: "memory:read",
  query: SelfProfileQuery,
  reply: SelfProfile,
}, (ctx, { query }) => profile.getSelfProfile(ctx, query));

/** Makes a reflection: reports problems in the memory. */
export const reflectSelf = operation({
  id: "reflectSelf",
  summary: "Reflect on the memory",
  description:
    "Examines the facts and turns of a window, and units that are stale, of little worth, about to expire or due for review. It uses rules only and proposes operations with evidence and confidence. The number of examined items is bounded; `truncated` says that there were more. Nothing changes unless `apply` is set: then findings with at least `minConfidence` become an edit in the mode `per_item`, with the rights of any edit; proposals beyond these rights go to review.",
  scope: "self:write",
  cost: BATCH,
  body: ReflectBody,
  reply: Reflection,
  example: { body: { lastHours: 24, focus: ["contradiction", "near_duplicate"], limit: 10 } },
}, (ctx, { body }) => reflect.reflectSelf(ctx, body));
