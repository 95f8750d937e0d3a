/** The operations on facts: statements that are held to be true, with conflict detection. */
import * as create from "../domain/kinds/facts/create.ts";
import * as lifecycle from "../domain/kinds/facts/lifecycle.ts";
import * as read from "../domain/kinds/facts/read.ts";
import * as update from "../domain/kinds/facts/update.ts";
import * as upsert from "../domain/kinds/facts/upsert.ts";
import { ListQuery } from "../schema/common.ts";
import {
  CreateFactBatchBody,
  CreateFactBody,
  ExternalFactParams,
  Fact,
  FactBatchReply,
  FactCitations,
  FactHistoryPage,
  FactHistoryQuery,
  FactPage,
  FactRevisionPage,
  ForgetFactReply,
  GetFactQuery,
  ListFactsQuery,
  UpdateFactBody,
  UpsertFactBody,
  WrittenFact,
} from "../schema/fact.ts";
import { ForgetBody, UnitParams } from "../schema/unit.ts";
import { BATCH } from "./cost.ts";
import { BATCH_BYTES_MAX, operation, Replied } from "./operation.ts";

/** Creates a fact; a contradiction is stored as contested, not refused. */
export const createFact = operation({
  id: "createFact",
  summary: "Create a fact",
  description:
    "If a fact in force already says the same, capitals, kinds of quotes and the full stop apart, no second one is stored: that fact is returned with 200, and its `corroborationCount` increases. It takes the further members of the request; `leftOut` names those that it cannot take. A statement that is more sensitive than the fact becomes a fact of its own. A fact with a triple (subject, predicate, object) contradicts facts in force with the same subject and predicate, another object and overlapping validity, if the predicate has one value at a time (`exclusive`). If the new fact is newer and at least as trusted, it supersedes them from its beginning on; until then they stay in force. If it is trusted less, it is stored as `contested` and a review opens. A fact that is bounded on both sides interrupts longer ones and ends none, and one that is older than a known fact ends where that one begins. A fact without a triple is read by rules: `claims` has what they found. If it says that something has changed, it supersedes the facts that say what was before; if it only says something else, all stay, recall marks the older ones (`outdatedBy`), and a review opens. `duplicateOf` names a fact in force that says nearly the same and does not contradict it.",
  scope: "memory:write",
  body: CreateFactBody,
  status: 201,
  otherStatus: { status: 200, description: "An existing fact that says the same, corroborated" },
  reply: WrittenFact,
  versioned: true,
  errors: ["conflict"],
  example: {
    body: {
      statement: "Caroline lives in Rome.",
      subject: "Caroline",
      predicate: "lives in",
      object: "Rome",
      attribution: "user_stated",
      tags: ["people"],
      citations: [{ messageId: "msg-2", quote: "I moved to Rome last week." }],
    },
  },
}, async (ctx, { body }) => {
  const { isNew, fact } = await create.createFact(ctx, body);
  return new Replied(fact, isNew ? 201 : 200);
});

/** Creates up to 500 facts in one transaction, with a result each. */
export const createFacts = operation({
  id: "createFacts",
  summary: "Create up to 500 facts",
  description:
    "One transaction, in order: each fact is also compared with those before it in the batch. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.",
  scope: "memory:write",
  cost: BATCH,
  body: CreateFactBatchBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  reply: FactBatchReply,
  example: {
    body: {
      facts: [
        { statement: "Caroline prefers tea.", factType: "preference", attribution: "user_stated" },
        { statement: "The build runs on two cores.", attribution: "tool_observed" },
      ],
    },
  },
}, (ctx, { body }) => create.createFacts(ctx, body.facts));

/** Lists facts, the newest first. */
export const listFacts = operation({
  id: "listFacts",
  summary: "List facts",
  scope: "memory:read",
  query: ListFactsQuery,
  reply: FactPage,
}, (ctx, { query }) => read.listFacts(ctx, query));

/** Reads a fact in any state. */
export const getFact = operation({
  id: "getFact",
  summary: "Read a fact",
  scope: "memory:read",
  params: UnitParams,
  query: GetFactQuery,
  reply: Fact,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, query }) => read.getFact(ctx, params.id, query));

/** Creates or revises the fact that has an external id. */
export const upsertFact = operation({
  id: "upsertFact",
  summary: "Create or revise a fact by its external id",
  description:
    "The external id is the name that the caller's own system has for the fact, percent-encoded in the path. Without such a fact it is created, as by `POST /v1/memory/facts`; a fact in force that says the same and has no external id takes it. Otherwise the fact is revised, and its conflicts are looked for as in any revision; a body that changes nothing makes no revision. `supersedes` counts when the fact is created; for an existing fact it may only name what that has replaced. A fact that is not in force must be restored before it can be changed. A fact that was erased has no name any more, so the id is free. Two requests at once about the same id wait for each other.",
  scope: "memory:write",
  params: ExternalFactParams,
  body: UpsertFactBody,
  status: 200,
  otherStatus: { status: 201, description: "A new fact" },
  reply: WrittenFact,
  versioned: true,
  errors: ["conflict", "invalid_transition"],
  example: { body: { statement: "Caroline lives in Rome.", attribution: "imported", tags: ["crm"] } },
}, async (ctx, { params, body, expectedVersion }) => {
  const { isNew, fact } = await upsert.upsertFact(ctx, params.externalId, body, expectedVersion);
  return new Replied(fact, isNew ? 201 : 200);
});

/** Reads the fact that has an external id, in any state. */
export const getFactByExternalId = operation({
  id: "getFactByExternalId",
  summary: "Read a fact by its external id",
  scope: "memory:read",
  params: ExternalFactParams,
  reply: Fact,
  versioned: true,
}, (ctx, { params }) => upsert.getFactByExternalId(ctx, params.externalId));

/** Revises a fact; conflict detection judges it again. */
export const updateFact = operation({
  id: "updateFact",
  summary: "Revise a fact",
  description:
    "Each change creates a revision; a patch that changes nothing creates none. Null clears a member. A fact that is not in force must be restored before it can be changed. `status: retracted` declares that it was wrong. A changed statement goes through conflict detection again, as if it were stated now.",
  scope: "memory:write",
  params: UnitParams,
  body: UpdateFactBody,
  reply: WrittenFact,
  versioned: true,
  errors: ["erased", "invalid_transition"],
  example: { body: { confidence: 0.9, tags: ["people", "checked"], reason: "asked again" } },
}, (ctx, { params, body, expectedVersion }) => update.updateFact(ctx, params.id, body, expectedVersion));

/** Archives a fact: a soft deletion that can be undone. */
export const archiveFact = operation({
  id: "archiveFact",
  summary: "Archive a fact",
  description:
    "The fact disappears from recall and lists and can be restored. A fact that is already archived stays as it is.",
  scope: "memory:delete",
  params: UnitParams,
  reply: Fact,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, expectedVersion }) => lifecycle.archiveFact(ctx, params.id, { ifMatch: expectedVersion }));

/** Lists every version of a fact, the newest first. */
export const listFactRevisions = operation({
  id: "listFactRevisions",
  summary: "List the versions of a fact",
  scope: "memory:read",
  params: UnitParams,
  query: ListQuery,
  reply: FactRevisionPage,
  errors: ["erased"],
}, (ctx, { params, query }) => read.listFactRevisions(ctx, params.id, query));

/** Pins a fact: recall always returns it, in addition to the results of the query. */
export const pinFact = operation({
  id: "pinFact",
  summary: "Pin a fact",
  scope: "memory:write",
  params: UnitParams,
  reply: Fact,
  versioned: true,
  errors: ["erased", "version_mismatch"],
}, (ctx, { params, expectedVersion }) => lifecycle.pinFact(ctx, params.id, true, { ifMatch: expectedVersion }));

export const unpinFact = operation({
  id: "unpinFact",
  summary: "Unpin a fact",
  scope: "memory:write",
  params: UnitParams,
  reply: Fact,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, expectedVersion }) => lifecycle.pinFact(ctx, params.id, false, { ifMatch: expectedVersion }));

/** Archives a fact, or erases it for ever. */
export const forgetFact = operation(
  {
    id: "forgetFact",
    summary: "Forget a fact",
    description:
      "`archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.",
    scope: "memory:delete",
    params: UnitParams,
    body: ForgetBody,
    reply: ForgetFactReply,
    errors: ["conflict", "erased", "version_mismatch"],
    example: { body: { mode: "archive", reason: "no longer needed" } },
  },
  (ctx, { params, body, expectedVersion }) => lifecycle.forgetFact(ctx, params.id, body, { ifMatch: expectedVersion }),
);

/** Restores an archived, superseded or expired fact. */
export const restoreFact = operation({
  id: "restoreFact",
  summary: "Restore a fact",
  description:
    "An archived fact returns to its previous state, a superseded one gets its validity back, an expiry that has passed is removed. If a fact in force contradicts it now, it becomes `contested` and a review opens.",
  scope: "memory:write",
  params: UnitParams,
  reply: Fact,
  versioned: true,
  errors: ["erased", "invalid_transition", "version_mismatch"],
}, (ctx, { params, expectedVersion }) => lifecycle.restoreFact(ctx, params.id, { ifMatch: expectedVersion }));

/** Lists the messages that a fact comes from, with their turns. */
export const listFactCitations = operation({
  id: "listFactCitations",
  summary: "List the citations of a fact",
  scope: "memory:read",
  params: UnitParams,
  reply: FactCitations,
  errors: ["erased"],
}, (ctx, { params }) => read.listFactCitations(ctx, params.id));

/** Lists the states of a fact, each with its author and reason, the oldest first. */
export const getFactHistory = operation({
  id: "getFactHistory",
  summary: "Read the history of a fact",
  scope: "memory:read",
  params: UnitParams,
  query: FactHistoryQuery,
  reply: FactHistoryPage,
  errors: ["erased"],
}, (ctx, { params, query }) => read.getFactHistory(ctx, params.id, query));
