/** What an agent does to its own memory. */
import * as self from "../domain/self/mod.ts";
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
  summary: "Edit one's own memory",
  description:
    "Up to 100 operations with one reason. `atomic`: all or nothing; the first operation that cannot be applied refuses " +
    "the whole edit with its own code, `operationIndex` says which, and nothing is kept. `per_item`: each in a " +
    "transaction of its own, with an outcome of its own; the reply is 201 also where some are refused. Under an " +
    "`Idempotency-Key` the outcomes are the same and commit together, with the reply. An operation may " +
    "name what an earlier one adds: `$1` by place, `$name` by the `ref` of an `add`.\n\nKnowledge that is `user_stated` " +
    "or `verified` is not overwritten: an operation that would update, retract or forget it, or supersede it by another " +
    "fact, becomes a review item of the kind `self_edit`; of an atomic edit nothing is applied then, and the whole edit " +
    "waits for one decision. A fact that contradicts a more trusted one is stored as contested, as always. Every edit " +
    "is kept and can be reverted; an `erase` cannot, and needs the scope `memory:delete` too.",
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
}, (ctx, { body }) => self.editSelf(ctx, body));

/** Lists edits, the newest first. */
export const listSelfEdits = operation({
  id: "listSelfEdits",
  summary: "List edits of the memory",
  scope: "memory:read",
  query: ListSelfEditsQuery,
  reply: SelfEditPage,
}, (ctx, { query }) => self.listSelfEdits(ctx, query));

/** Reads an edit with its operations and their outcomes. */
export const getSelfEdit = operation({
  id: "getSelfEdit",
  summary: "Read an edit of the memory",
  scope: "memory:read",
  params: SelfEditParams,
  reply: SelfEdit,
  versioned: true,
}, (ctx, { params }) => self.getSelfEdit(ctx, params.id));

/** Takes an edit back. */
export const revertSelfEdit = operation({
  id: "revertSelfEdit",
  summary: "Revert an edit of the memory",
  description:
    "Every unit that it changed gets back what it said before, as a new version; what it added is archived; facts that " +
    "it superseded come back into force. What was erased cannot come back: such an operation is `refused` with " +
    "`erased`, the others are reverted. `conflict` names in `changedSince` what was changed since, unless `force`. The " +
    "reply is the edit that takes it back, which can be reverted in its turn. Where that would overwrite knowledge that " +
    "is `user_stated` or `verified` and was changed since, or by a person's decision, a person decides again.",
  scope: "self:write",
  params: SelfEditParams,
  body: RevertSelfEditBody,
  status: 201,
  reply: SelfEdit,
  versioned: true,
  errors: ["conflict", "invalid_transition", "version_mismatch"],
  example: { body: { reason: "It was a misunderstanding." } },
}, (ctx, { params, body, expectedVersion }) => self.revertSelfEdit(ctx, params.id, body, expectedVersion));

/** Computes the profile. */
export const getSelfProfile = operation({
  id: "getSelfProfile",
  summary: "Read the profile of the memory",
  description:
    "Who and what the memory is about, preferences and instructions, key facts, decisions, open tasks and the latest " +
    "changes, as members and as Markdown for a system prompt, within a token budget. It is current with the change feed " +
    "at least up to `asOfSeq`: a write is seen by the next read.",
  scope: "memory:read",
  query: SelfProfileQuery,
  reply: SelfProfile,
}, (ctx, { query }) => self.getSelfProfile(ctx, query));

/** Looks over the memory. */
export const reflectSelf = operation({
  id: "reflectSelf",
  summary: "Reflect on the memory",
  description:
    "Looks over the facts and turns of a window, and over what is stale, worth little, about to expire or due for " +
    "review, by rules alone, and proposes operations with evidence and confidence. A bounded number of each is looked at; " +
    "`truncated` says that there was more. Nothing is changed unless `apply` asks for it: then what is found with at " +
    "least `minConfidence` becomes an edit per item, under the rights of any edit; proposals beyond them go to review.",
  scope: "self:write",
  cost: BATCH,
  body: ReflectBody,
  reply: Reflection,
  example: { body: { lastHours: 24, focus: ["contradiction", "near_duplicate"], limit: 10 } },
}, (ctx, { body }) => self.reflectSelf(ctx, body));
