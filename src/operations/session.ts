/** Sessions of agents: turns, kept verbatim, and the knowledge that a session collapses to. */
import * as collapsing from "../domain/sessions/collapse.ts";
import * as contexts from "../domain/sessions/context.ts";
import * as erasing from "../domain/sessions/erase_turn.ts";
import * as turns from "../domain/sessions/turns.ts";
import * as scratchpads from "../domain/sessions/scratchpad.ts";
import * as sessions from "../domain/sessions/session.ts";
import {
  CollapsedSession,
  ListSessionsQuery,
  PatchScratchpadBody,
  PurgedSession,
  Scratchpad,
  Session,
  SessionContext,
  SessionContextQuery,
  SessionPage,
  SessionParams,
  StartSessionBody,
} from "../schema/session.ts";
import {
  AddTurnsBody,
  AddTurnsReply,
  ErasedTurn,
  EraseTurnParams,
  EraseTurnQuery,
  ListTurnsQuery,
  PinTurnBody,
  Turn,
  TurnPage,
} from "../schema/turn.ts";
import { BATCH, ONE } from "./cost.ts";
import { BATCH_BYTES_MAX, operation, Replied } from "./operation.ts";

const EXAMPLE_TURN = {
  role: "user",
  name: "Caroline",
  content: "I adopted a dog last Friday. Her name is Pixel.",
  messageId: "msg-2",
  occurredAt: "2026-03-01T09:30:00Z",
};

export const startSession = operation({
  id: "startSession",
  summary: "Start a session",
  description:
    "With `externalId`, the caller's own name of a conversation, it finds the session that has this name, or starts it: of two requests at once, one starts it and the other finds it. A session that is found may be collapsed or discarded; its `status` says so.",
  scope: "session:write",
  body: StartSessionBody,
  status: 201,
  otherStatus: { status: 200, description: "The session that has the externalId already" },
  reply: Session,
  versioned: true,
  errors: ["conflict"],
  example: { body: { title: "Weekly call", agentId: "assistant-1", tags: ["support"] } },
}, async (ctx, { body }) => {
  const { isNew, session } = await sessions.startSession(ctx, body);
  return new Replied(session, isNew ? 201 : 200);
});

/** Lists sessions, the newest first. */
export const listSessions = operation({
  id: "listSessions",
  summary: "List sessions",
  scope: "memory:read",
  query: ListSessionsQuery,
  reply: SessionPage,
}, (ctx, { query }) => sessions.listSessions(ctx, query));

/** Reads a session with its scratchpad. */
export const getSession = operation({
  id: "getSession",
  summary: "Read a session",
  scope: "memory:read",
  params: SessionParams,
  reply: Session,
  versioned: true,
}, (ctx, { params }) => sessions.readSession(ctx, params.id));

/** Adds one turn, or up to 500 in one transaction. */
export const addTurns = operation({
  id: "addTurns",
  summary: "Add a turn, or a batch of turns",
  description:
    "Turns are kept verbatim and can be recalled as soon as the reply arrives. A batch is added as a whole or not at all. A repeated `messageId` with the same role, name and content is the same turn (`duplicate`; 200 if nothing was new); with other content it is refused with `conflict`. A session holds at most 262,144 turns and about a million tokens.",
  scope: "session:write",
  cost: { ...ONE, bySize: { of: "turn", each: 100 } },
  params: SessionParams,
  body: AddTurnsBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  status: 201,
  otherStatus: { status: 200, description: "Nothing was new" },
  reply: AddTurnsReply,
  errors: ["conflict", "invalid_transition"],
  example: { body: EXAMPLE_TURN },
}, async (ctx, { params, body }) => {
  const { created, reply } = await turns.addTurns(ctx, params.id, body);
  return new Replied(reply, created ? 201 : 200);
});

/** Lists the turns of a session, the oldest first. */
export const listTurns = operation({
  id: "listTurns",
  summary: "List the turns of a session",
  scope: "memory:read",
  params: SessionParams,
  query: ListTurnsQuery,
  reply: TurnPage,
}, (ctx, { params, query }) => turns.listTurns(ctx, params.id, query));

/** Pins a turn for the collapse, or removes the pin. */
export const pinTurn = operation({
  id: "pinTurn",
  summary: "Pin a turn",
  description: "A pinned turn always becomes a fact when the session collapses. `If-Match` takes the turn's version.",
  scope: "session:write",
  params: SessionParams,
  body: PinTurnBody,
  reply: Turn,
  versioned: true,
  errors: ["invalid_transition", "version_mismatch"],
  example: { body: { messageId: "msg-1" } },
}, (ctx, { params, body, expectedVersion }) => turns.pinTurn(ctx, params.id, body, expectedVersion));

/** Erases what one turn says. */
export const eraseTurn = operation({
  id: "eraseTurn",
  summary: "Erase a turn",
  description:
    "Erases the content of a turn of a session in any state for ever: text, tags, metadata, index and embedding. The turn stays as a place without text (`erasedAt`); sent again, it is a duplicate and brings nothing back. Facts that cite it, and the episode of the session, become stale and lose their quotes; with `cascade`, the facts that cite nothing else and the episode are erased, with all that was derived from them.",
  scope: "memory:delete",
  params: EraseTurnParams,
  query: EraseTurnQuery,
  reply: ErasedTurn,
  errors: ["conflict"],
  example: {
    reply: {
      turn: {
        id: "01890000-0000-7000-8000-000000000002",
        sessionId: "01890000-0000-7000-8000-000000000001",
        version: 2,
        position: 0,
        messageId: "msg-1",
        role: "user",
        name: null,
        content: "",
        sensitivity: "internal",
        pinned: false,
        tags: [],
        metadata: {},
        occurredAt: "2026-03-01T09:30:00.000Z",
        recordedAt: "2026-03-01T09:30:00.000Z",
        erasedAt: "2026-03-02T10:00:00.000Z",
      },
      receipt: null,
      erased: [],
      stale: [{ id: "01890000-0000-7000-8000-000000000003", type: "fact" }],
    },
  },
}, (ctx, { params, query }) => erasing.eraseTurn(ctx, params.id, params.messageId, query));

/** Changes the scratchpad by a JSON merge patch. */
export const patchScratchpad = operation({
  id: "patchScratchpad",
  summary: "Update the scratchpad",
  description:
    "The body is a JSON merge patch (RFC 7386), also accepted as `application/merge-patch+json`. `If-Match` takes the scratchpad's version, not the session's.",
  scope: "session:write",
  params: SessionParams,
  body: PatchScratchpadBody,
  reply: Scratchpad,
  versioned: true,
  errors: ["invalid_transition", "version_mismatch"],
  example: { body: { goal: "book a flight", seats: 2, draft: null } },
}, (ctx, { params, body, expectedVersion }) => scratchpads.patchScratchpad(ctx, params.id, body, expectedVersion));

/** Reads the context that an agent needs to go on, within a token budget. */
export const getSessionContext = operation({
  id: "getSessionContext",
  summary: "Read the context of a session within a token budget",
  description:
    "The scratchpad (complete, up to half of the budget), the most recent turns (complete, without a gap), an extractive summary of the turns before them, and knowledge recalled from elsewhere. Tokens are approximate: a quarter of a token per ASCII character, half a token for other alphabets, one for scripts without spaces.",
  scope: "memory:read",
  params: SessionParams,
  query: SessionContextQuery,
  reply: SessionContext,
}, (ctx, { params, query }) => contexts.readContext(ctx, params.id, query));

/** Collapses a session into facts and an episode. */
export const collapseSession = operation({
  id: "collapseSession",
  summary: "Collapse a session into knowledge",
  description:
    "Pinned turns and statements worth keeping become facts that cite their turns, and decisions; an episode with a summary links the facts. Each says by itself whom, what and which day it means: names stand for pronouns, dates for `yesterday` and the like. What the session itself takes back later is not kept (`rejected.outdated`). The turns stay and can still be recalled. It is one transaction and safe to repeat: a session that is already collapsed gives the same reply. At most 500 facts and 100 decisions: those of pinned turns first, then the most certain ones.",
  scope: "session:write",
  cost: BATCH,
  params: SessionParams,
  reply: CollapsedSession,
  errors: ["conflict", "invalid_transition"],
}, (ctx, { params }) => collapsing.collapseSession(ctx, params.id));

/** Discards an open session. */
export const discardSession = operation({
  id: "discardSession",
  summary: "Discard a session",
  description:
    "Deletes the turns, also from recall, and empties the scratchpad; the session stays as a record without content. A session that is already discarded stays as it is. A collapsed session cannot be discarded, because its turns are the sources of its facts.",
  scope: "session:write",
  params: SessionParams,
  reply: Session,
  versioned: true,
  errors: ["invalid_transition"],
}, (ctx, { params, expectedVersion }) => sessions.discardSession(ctx, params.id, expectedVersion));

/** Erases a session with everything that was made from it. */
export const purgeSession = operation({
  id: "purgeSession",
  summary: "Erase a session and everything made from it",
  description:
    "Erases for ever, in any state: the turns, the episode, the facts and the decisions that the session collapsed to, what was derived from these, and the chains of reasoning that rest on them. Facts that were known before and that the session only repeated stay, with their quotes. The session stays as a record without content. More than 1,000 units are refused.",
  scope: "memory:delete",
  params: SessionParams,
  reply: PurgedSession,
  errors: ["conflict"],
}, (ctx, { params, expectedVersion }) => sessions.purgeSession(ctx, params.id, expectedVersion));
