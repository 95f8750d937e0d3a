/** Sessions of agents: what is said, kept verbatim, and what it collapses to. Interface §4.1, decisions §6 "session". */
import { z } from "@hono/zod-openapi";
import * as collapsing from "../../domain/sessions/collapse.ts";
import * as contexts from "../../domain/sessions/context.ts";
import * as turns from "../../domain/sessions/turns.ts";
import * as scratchpads from "../../domain/sessions/scratchpad.ts";
import * as sessions from "../../domain/sessions/session.ts";
import {
  AddedTurn,
  AddedTurnBatch,
  AddTurnsBody,
  CollapsedSession,
  ListSessionsQuery,
  ListTurnsQuery,
  PatchScratchpadBody,
  PinTurnBody,
  PurgedSession,
  Scratchpad,
  Session,
  SessionContext,
  SessionContextQuery,
  SessionPage,
  SessionParams,
  StartSessionBody,
  Turn,
  TurnPage,
} from "../../schema/session.ts";
import { BATCH_BYTES_MAX, endpoint, Replied } from "../endpoint.ts";

const EXAMPLE_TURN = {
  role: "user",
  name: "Caroline",
  content: "I adopted a dog last Friday. Her name is Pixel.",
  messageId: "msg-2",
  occurredAt: "2026-03-01T09:30:00Z",
};

/** Starts a session. */
export const startSession = endpoint({
  method: "post",
  path: "/session",
  operationId: "startSession",
  summary: "Start a session",
  scope: "session:write",
  body: StartSessionBody,
  status: 201,
  response: Session,
  versioned: true,
  example: { body: { title: "Weekly call", agentId: "assistant-1", tags: ["support"] } },
}, (ctx, { body }) => sessions.startSession(ctx, body));

/** Lists sessions, the newest first. */
export const listSessions = endpoint({
  method: "get",
  path: "/session",
  operationId: "listSessions",
  summary: "List sessions",
  scope: "memory:read",
  query: ListSessionsQuery,
  response: SessionPage,
}, (ctx, { query }) => sessions.listSessions(ctx, query));

/** Reads a session with its scratchpad. */
export const getSession = endpoint({
  method: "get",
  path: "/session/{id}",
  operationId: "getSession",
  summary: "Read a session",
  scope: "memory:read",
  params: SessionParams,
  response: Session,
  versioned: true,
}, (ctx, { params }) => sessions.readSession(ctx, params.id));

/** Adds one turn, or up to 500 in one transaction. */
export const addTurns = endpoint({
  method: "post",
  path: "/session/{id}/turns",
  operationId: "addTurns",
  summary: "Add a turn, or a batch of turns",
  description:
    "Turns are kept verbatim and can be recalled when the reply arrives. A batch is added whole or not at all. " +
    "A repeated `messageId` with the same role, name and content is the same turn (`duplicate`; 200 when nothing was new); " +
    "with another it is refused with `conflict`. A session holds at most 262,144 turns and about a million tokens.",
  scope: "session:write",
  params: SessionParams,
  body: AddTurnsBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  status: 201,
  otherStatus: { status: 200, description: "Nothing was new" },
  response: z.union([AddedTurn, AddedTurnBatch]),
  errors: ["conflict", "invalid_transition"],
  example: { body: EXAMPLE_TURN },
}, async (ctx, { params, body }) => {
  const { created, reply } = await turns.addTurns(ctx, params.id, body);
  return new Replied(reply, created ? 201 : 200);
});

/** Lists the turns of a session, the oldest first. */
export const listTurns = endpoint({
  method: "get",
  path: "/session/{id}/turns",
  operationId: "listTurns",
  summary: "List the turns of a session",
  scope: "memory:read",
  params: SessionParams,
  query: ListTurnsQuery,
  response: TurnPage,
}, (ctx, { params, query }) => turns.listTurns(ctx, params.id, query));

/** Pins a turn for the collapse, or takes the pin away. */
export const pinTurn = endpoint({
  method: "post",
  path: "/session/{id}/pin",
  operationId: "pinTurn",
  summary: "Pin a turn",
  description: "A pinned turn always becomes a fact when the session collapses. `If-Match` names the turn's version.",
  scope: "session:write",
  params: SessionParams,
  body: PinTurnBody,
  response: Turn,
  versioned: true,
  errors: ["invalid_transition", "version_mismatch"],
  example: { body: { messageId: "msg-1" } },
}, (ctx, { params, body, ifMatch }) => turns.pinTurn(ctx, params.id, body, ifMatch));

/** Changes the scratchpad by a JSON merge patch. */
export const patchScratchpad = endpoint({
  method: "post",
  path: "/session/{id}/scratch",
  operationId: "patchScratchpad",
  summary: "Update the scratchpad",
  description:
    "The body is a JSON merge patch (RFC 7386); `application/merge-patch+json` is understood, too. `If-Match` " +
    "names the scratchpad's version, not the session's.",
  scope: "session:write",
  params: SessionParams,
  body: PatchScratchpadBody,
  response: Scratchpad,
  versioned: true,
  errors: ["invalid_transition", "version_mismatch"],
  example: { body: { goal: "book a flight", seats: 2, draft: null } },
}, (ctx, { params, body, ifMatch }) => scratchpads.patchScratchpad(ctx, params.id, body, ifMatch));

/** What an agent needs to go on, within a token budget. */
export const getSessionContext = endpoint({
  method: "get",
  path: "/session/{id}/context",
  operationId: "getSessionContext",
  summary: "Context within a token budget",
  description: "The scratchpad (whole, up to half of the budget), the most recent turns (whole, without a gap), an " +
    "extractive summary of the turns before them, and what recall knows beyond them. Tokens are approximate: a quarter " +
    "of a token for an ASCII character, half of one for other alphabets, one for scripts without spaces.",
  scope: "memory:read",
  params: SessionParams,
  query: SessionContextQuery,
  response: SessionContext,
}, (ctx, { params, query }) => contexts.readContext(ctx, params.id, query));

/** Collapses a session into facts and an episode. */
export const collapseSession = endpoint({
  method: "post",
  path: "/session/{id}/collapse",
  operationId: "collapseSession",
  summary: "Collapse a session into knowledge",
  description:
    "Pinned turns and statements worth keeping become facts that cite their turns, an episode with a summary " +
    "links them; the turns stay and can still be recalled. One transaction. Safe to repeat: a session that is collapsed " +
    "already answers with the same reply. At most 500 facts: those of pinned turns first, then the most certain.",
  scope: "session:write",
  params: SessionParams,
  response: CollapsedSession,
  errors: ["conflict", "invalid_transition"],
}, (ctx, { params }) => collapsing.collapseSession(ctx, params.id));

/** Discards an open session. */
export const discardSession = endpoint({
  method: "delete",
  path: "/session/{id}",
  operationId: "discardSession",
  summary: "Discard a session",
  description:
    "The turns are deleted and leave recall, the scratchpad is emptied; the session stays as a record without " +
    "content. A session that is discarded already is answered as it is. A collapsed session cannot be discarded: its " +
    "turns are the sources of what it collapsed to.",
  scope: "session:write",
  params: SessionParams,
  response: Session,
  versioned: true,
  errors: ["invalid_transition"],
}, (ctx, { params, ifMatch }) => sessions.discardSession(ctx, params.id, ifMatch));

/** Erases a session with all that was made of it. */
export const purgeSession = endpoint({
  method: "post",
  path: "/session/{id}/purge",
  operationId: "purgeSession",
  summary: "Erase a session and what was made of it",
  description:
    "For ever, and in any state: the turns, the episode and the facts that the session collapsed to, what was derived from " +
    "these, and the chains of reasoning that rest on them. Facts that were known before and that the session only said " +
    "again stay, with their quotes. The session stays as a record without content. More than 1,000 units at once are refused.",
  scope: "memory:delete",
  params: SessionParams,
  response: PurgedSession,
  errors: ["conflict"],
}, (ctx, { params, ifMatch }) => sessions.purgeSession(ctx, params.id, ifMatch));
