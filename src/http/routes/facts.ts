/** Facts, version 2: pin, forget and restore beside create, read and patch. Interface §2.1, decisions §6 "facts (v2)". */
import * as facts from "../../domain/kinds/facts/mod.ts";
import {
  CreateFactBody,
  Fact,
  FactCitations,
  FactHistoryPage,
  FactHistoryQuery,
  FactPage,
  ForgetFactReply,
  GetFactQuery,
  ListFactsQuery,
  UpdateFactBody,
  WrittenFact,
} from "../../schema/fact.ts";
import { ForgetBody, UnitParams } from "../../schema/unit.ts";
import { endpoint, Replied } from "../endpoint.ts";

/** Creates a fact, as `POST /v1/memory/facts` does. */
export const createFactV2 = endpoint({
  method: "post",
  path: "/facts",
  operationId: "createFactV2",
  summary: "Create a fact",
  description: "Does what `POST /v1/memory/facts` does.",
  scope: "memory:write",
  body: CreateFactBody,
  status: 201,
  otherStatus: { status: 200, description: "A live fact that says the same, corroborated" },
  response: WrittenFact,
  versioned: true,
  example: { body: { statement: "Caroline adopted a dog named Pixel.", attribution: "user_stated" } },
}, async (ctx, { body }) => {
  const { isNew, fact } = await facts.createFact(ctx, body);
  return new Replied(fact, isNew ? 201 : 200);
});

/** Lists facts, the newest first. */
export const listFactsV2 = endpoint({
  method: "get",
  path: "/facts",
  operationId: "listFactsV2",
  summary: "List facts",
  scope: "memory:read",
  query: ListFactsQuery,
  response: FactPage,
}, (ctx, { query }) => facts.listFacts(ctx, query));

/** Reads a fact in any state. */
export const getFactV2 = endpoint({
  method: "get",
  path: "/facts/{id}",
  operationId: "getFactV2",
  summary: "Read a fact",
  scope: "memory:read",
  params: UnitParams,
  query: GetFactQuery,
  response: Fact,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, query }) => facts.getFact(ctx, params.id, query));

/** Revises a fact, as `PATCH /v1/memory/facts/{id}` does. */
export const updateFactV2 = endpoint({
  method: "patch",
  path: "/facts/{id}",
  operationId: "updateFactV2",
  summary: "Revise a fact",
  description: "Does what `PATCH /v1/memory/facts/{id}` does.",
  scope: "memory:write",
  params: UnitParams,
  body: UpdateFactBody,
  response: WrittenFact,
  versioned: true,
  errors: ["erased", "invalid_transition"],
  example: { body: { metadata: { source: "call" } } },
}, (ctx, { params, body, ifMatch }) => facts.updateFact(ctx, params.id, body, ifMatch));

/** Pins a fact: it is always recalled, apart from what a query finds. */
export const pinFact = endpoint({
  method: "post",
  path: "/facts/{id}/pin",
  operationId: "pinFact",
  summary: "Pin a fact",
  scope: "memory:write",
  params: UnitParams,
  response: Fact,
  versioned: true,
  errors: ["erased", "version_mismatch"],
}, (ctx, { params, ifMatch }) => facts.pinFact(ctx, params.id, true, { ifMatch }));

/** Takes the pin away. */
export const unpinFact = endpoint({
  method: "delete",
  path: "/facts/{id}/pin",
  operationId: "unpinFact",
  summary: "Unpin a fact",
  scope: "memory:write",
  params: UnitParams,
  response: Fact,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, ifMatch }) => facts.pinFact(ctx, params.id, false, { ifMatch }));

/** Archives a fact, or erases it for ever. */
export const forgetFact = endpoint({
  method: "post",
  path: "/facts/{id}/forget",
  operationId: "forgetFact",
  summary: "Forget a fact",
  description:
    "`archive` can be restored. `erase` removes content, revisions, index and embedding for ever and answers with a " +
    "receipt; the id is 410 from then on and cannot come back. Chains of reasoning that rest on it are erased with it; " +
    "units that do become stale, or with `cascade` are erased, too.",
  scope: "memory:delete",
  params: UnitParams,
  body: ForgetBody,
  response: ForgetFactReply,
  errors: ["conflict", "erased", "version_mismatch"],
  example: { body: { mode: "archive", reason: "no longer needed" } },
}, (ctx, { params, body, ifMatch }) => facts.forgetFact(ctx, params.id, body, { ifMatch }));

/** Restores an archived, superseded or expired fact. */
export const restoreFact = endpoint({
  method: "post",
  path: "/facts/{id}/restore",
  operationId: "restoreFact",
  summary: "Restore a fact",
  description:
    "An archived fact returns to the state before, a superseded one gets its validity back, a passed expiry is taken " +
    "away. Where a live fact contradicts it now, it becomes `contested` and a review opens.",
  scope: "memory:write",
  params: UnitParams,
  response: Fact,
  versioned: true,
  errors: ["erased", "invalid_transition", "version_mismatch"],
}, (ctx, { params, ifMatch }) => facts.restoreFact(ctx, params.id, { ifMatch }));

/** Lists the messages that a fact comes from, with their turns. Interface §2.1 "Citations". */
export const listFactCitations = endpoint({
  method: "get",
  path: "/facts/{id}/citations",
  operationId: "listFactCitations",
  summary: "List the citations of a fact",
  scope: "memory:read",
  params: UnitParams,
  response: FactCitations,
  errors: ["erased"],
}, (ctx, { params }) => facts.listFactCitations(ctx, params.id));

/** Tells the life of a fact: each state with who and why, the oldest first. */
export const getFactHistory = endpoint({
  method: "get",
  path: "/facts/{id}/history",
  operationId: "getFactHistory",
  summary: "Read the history of a fact",
  scope: "memory:read",
  params: UnitParams,
  query: FactHistoryQuery,
  response: FactHistoryPage,
  errors: ["erased"],
}, (ctx, { params, query }) => facts.getFactHistory(ctx, params.id, query));
