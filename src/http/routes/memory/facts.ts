/** Facts, version 3. Interface §4.3, decisions §6 "memory/facts". */
import * as facts from "../../../domain/kinds/facts/mod.ts";
import {
  CreateFactBatchBody,
  CreateFactBody,
  Fact,
  FactBatchReply,
  FactPage,
  FactRevisionPage,
  GetFactQuery,
  ListFactsQuery,
  UpdateFactBody,
  WrittenFact,
} from "../../../schema/fact.ts";
import { ListQuery } from "../../../schema/common.ts";
import { UnitParams } from "../../../schema/unit.ts";
import { BATCH_BYTES_MAX, endpoint, Replied } from "../../endpoint.ts";

/** Creates a fact; a contradiction is stored as contested, not refused. Interface §4.3. */
export const createFact = endpoint({
  method: "post",
  path: "/memory/facts",
  operationId: "createFact",
  summary: "Create a fact",
  description:
    "What a live fact says already is not stored again: that fact is returned with 200 and one more corroboration. " +
    "With a triple, a live fact with the same subject and predicate, another object and overlapping validity is " +
    "superseded when the new one is newer and trusted at least as much; otherwise the new one is `contested` and a " +
    "review opens. `duplicateOf` names a live fact that says nearly the same.",
  scope: "memory:write",
  body: CreateFactBody,
  status: 201,
  otherStatus: { status: 200, description: "A live fact that says the same, corroborated" },
  response: WrittenFact,
  versioned: true,
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
  const { isNew, fact } = await facts.createFact(ctx, body);
  return new Replied(fact, isNew ? 201 : 200);
});

/** Creates up to 500 facts in one transaction, with a result each. */
export const createFacts = endpoint({
  method: "post",
  path: "/memory/facts/batch",
  operationId: "createFacts",
  summary: "Create up to 500 facts",
  description:
    "In one transaction and in order: a fact is held against those before it in the batch too. Each has a result of " +
    "its own; one that is refused, such as for an unknown source, is left out and the others are stored. A body that " +
    "is not valid is refused as a whole, with the path of each fault.",
  scope: "memory:write",
  body: CreateFactBatchBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  response: FactBatchReply,
  example: {
    body: {
      facts: [
        { statement: "Caroline prefers tea.", factType: "preference", attribution: "user_stated" },
        { statement: "The build runs on two cores.", attribution: "tool_observed" },
      ],
    },
  },
}, (ctx, { body }) => facts.createFacts(ctx, body.facts));

/** Lists facts, the newest first. */
export const listFacts = endpoint({
  method: "get",
  path: "/memory/facts",
  operationId: "listFacts",
  summary: "List facts",
  scope: "memory:read",
  query: ListFactsQuery,
  response: FactPage,
}, (ctx, { query }) => facts.listFacts(ctx, query));

/** Reads a fact in any state. */
export const getFact = endpoint({
  method: "get",
  path: "/memory/facts/{id}",
  operationId: "getFact",
  summary: "Read a fact",
  scope: "memory:read",
  params: UnitParams,
  query: GetFactQuery,
  response: Fact,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, query }) => facts.getFact(ctx, params.id, query));

/** Revises a fact; what it says goes through conflict detection again. */
export const updateFact = endpoint({
  method: "patch",
  path: "/memory/facts/{id}",
  operationId: "updateFact",
  summary: "Revise a fact",
  description:
    "Each change makes a revision; a patch that changes nothing makes none. Null clears a member. A fact that is not " +
    "live is restored before it is changed. `status: retracted` says that it was wrong. What it says goes through " +
    "conflict detection again, as something stated now.",
  scope: "memory:write",
  params: UnitParams,
  body: UpdateFactBody,
  response: WrittenFact,
  versioned: true,
  errors: ["erased", "invalid_transition"],
  example: { body: { confidence: 0.9, tags: ["people", "checked"], reason: "asked again" } },
}, (ctx, { params, body, ifMatch }) => facts.updateFact(ctx, params.id, body, ifMatch));

/** Archives a fact: a soft deletion that can be undone. */
export const archiveFact = endpoint({
  method: "delete",
  path: "/memory/facts/{id}",
  operationId: "archiveFact",
  summary: "Archive a fact",
  description: "It leaves recall and lists, and can be restored. An archived fact is answered as it is.",
  scope: "memory:delete",
  params: UnitParams,
  response: Fact,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, ifMatch }) => facts.archiveFact(ctx, params.id, { ifMatch }));

/** Lists every version of a fact, the newest first. */
export const listFactRevisions = endpoint({
  method: "get",
  path: "/memory/facts/{id}/revisions",
  operationId: "listFactRevisions",
  summary: "List the versions of a fact",
  scope: "memory:read",
  params: UnitParams,
  query: ListQuery,
  response: FactRevisionPage,
  errors: ["erased"],
}, (ctx, { params, query }) => facts.listFactRevisions(ctx, params.id, query));
