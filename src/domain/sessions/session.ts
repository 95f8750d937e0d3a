/** Sessions: start, read, list, discard. An open session becomes collapsed or discarded, and stays so. */
import type { OperationContext } from "../../context.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import { eraseRecalls } from "../../db/queries/recall_diary.ts";
import * as queries from "../../db/queries/sessions.ts";
import { findBornOf } from "../../db/queries/revisions.ts";
import * as turnQueries from "../../db/queries/turns.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type {
  ListSessionsQuery,
  PurgedSession,
  Session,
  SessionSummary,
  StartSessionBody,
} from "../../schema/session.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { unindexTexts } from "../unit/unindexing.ts";
import { requireClearance } from "../unit/trust.ts";
import { eraseOrphans } from "../unit/erase.ts";
import { eraseQuotes } from "../unit/erase_quotes.ts";
import { eraseEventsOf } from "../tasks/erase.ts";
import { PURGE_DEADLINE_MS, purgeUnits } from "../unit/purge.ts";
import { beginTail, forgetTail } from "./tails.ts";

/** Discarding removes all turns of a session from the index in one transaction. */
const DISCARD_DEADLINE_MS = 60_000;
/** The sensitivity of a session whose author states none. */
const DEFAULT_SENSITIVITY = "internal";

/**
 * Starts a session, or finds the one with the external id in the body, whatever its state.
 * @throws ServiceError `validation_failed` when its sensitivity is above the key's clearance; `conflict` when the
 * session with the external id differs from the body, or is above the key's clearance
 */
export async function startSession(
  ctx: OperationContext,
  body: StartSessionBody,
): Promise<{ readonly isNew: boolean; readonly session: Session }> {
  requireClearance(ctx, body.sensitivity);
  const { externalId } = body;
  const started = await ctx.tx(async (tx) => {
    const known = externalId === undefined ? undefined : await queries.findSessionByExternalId(tx, externalId);
    if (known !== undefined) return toFound(known, body);
    const session = await queries.insertSession(tx, {
      id: uuidv7(tx.now),
      title: body.title ?? null,
      agentId: body.agentId ?? null,
      externalId: externalId ?? null,
      sensitivity: body.sensitivity,
      tags: [...new Set(body.tags)],
      metadata: body.metadata,
      scratchpad: body.scratchpad,
      startedAt: body.startedAt === undefined ? tx.now : new Date(body.startedAt),
      timezone: body.timezone ?? null,
    });
    // Another request has created it in the meantime, or it exists above this caller's clearance.
    if (session === undefined) return toFound(await queries.findSessionByExternalId(tx, externalId!), body);
    recordSession(tx, "session.created", session);
    return { isNew: true, session: toSession(session) };
  });
  if (started.isNew) beginTail(ctx, started.session.id);
  return started;
}

/** @throws ServiceError `conflict` */
function toFound(found: queries.SessionRow | undefined, body: StartSessionBody) {
  if (found === undefined) {
    throw new ServiceError("conflict", "Cannot start the session: its externalId is taken", {
      errors: [{ path: "externalId", message: "is taken" }],
    });
  }
  const session = toSession(found);
  const errors = listOther(body, session).map((path) => ({ path, message: "is not what the session has" }));
  if (errors.length === 0) return { isNew: false, session };
  throw new ServiceError("conflict", `Cannot start the session: ${session.id} has its externalId and is another`, {
    errors,
    extra: { sessionId: session.id },
  });
}

/** The given members in which a session differs from a body. Empty members count as not given. */
function listOther(body: StartSessionBody, session: Session): string[] {
  const given = {
    ...{ title: body.title, agentId: body.agentId, metadata: body.metadata, scratchpad: body.scratchpad },
    sensitivity: body.sensitivity === DEFAULT_SENSITIVITY ? undefined : body.sensitivity,
    tags: [...new Set(body.tags)],
    timezone: body.timezone,
    startedAt: body.startedAt === undefined ? undefined : new Date(body.startedAt).toISOString(),
  };
  const isGiven = (value: unknown) =>
    value !== undefined && (typeof value !== "object" || Object.keys(value as object).length > 0);
  return Object.entries(given).filter(([name, value]) =>
    isGiven(value) && canonicalJson(value) !== canonicalJson(session[name as keyof Session])
  ).map(([name]) => name);
}

/** @throws ServiceError `not_found` */
export async function readSession(ctx: OperationContext, id: string): Promise<Session> {
  return toSession(requireSession(await ctx.tx((tx) => queries.findSession(tx, id), { readOnly: true })));
}

/** Lists sessions by creation, the newest first unless the caller asks otherwise. */
export async function listSessions(ctx: OperationContext, query: ListSessionsQuery): Promise<Page<SessionSummary>> {
  const { limit, order, status, agentId, externalId, q: text, participant } = query;
  const after = decodeCursor("sessions", order, query.cursor, isId);
  const filter = { status, agentId, externalId, text, participant, order, after, limit: limit + 1 };
  const rows = await ctx.tx(
    (tx) => queries.listSessions(tx, filter),
    { readOnly: true, fromReplica: true },
  );
  return toPage(rows, limit, toSummary, (row) => encodeCursor("sessions", order, row.id));
}

/**
 * Discards an open session: its turns are deleted and leave recall, its scratchpad is emptied. The session itself stays
 * as a record without content (title, agent, tags, metadata, times). Citations in other knowledge stay, with their
 * quotes. A discarded session is returned as it is; a collapsed one is refused, so that no knowledge from it loses its
 * sources.
 * @throws ServiceError `not_found`, `invalid_transition`, `version_mismatch`
 */
export async function discardSession(
  ctx: OperationContext,
  id: string,
  ifMatch: number | undefined,
): Promise<Session> {
  const row = await ctx.tx(async (tx) => {
    const session = requireSession(await queries.lockSession(tx, id));
    requireVersion(session.version, ifMatch);
    if (session.status === "discarded") return session;
    requireOpen(session, "discard");
    return (await emptySession(ctx, tx, id)).session;
  }, { deadlineMs: DISCARD_DEADLINE_MS });
  return toSession(row);
}

interface Emptied {
  readonly session: queries.SessionRow;
  /** The texts of the deleted turns. */
  readonly texts: readonly string[];
}

/** Deletes the turns of a session that the transaction has locked, with the replies that hold them. */
async function emptySession(ctx: OperationContext, tx: Tx, id: string): Promise<Emptied> {
  const turns = await turnQueries.deleteTurns(tx, id);
  forgetTail(ctx, tx, id);
  await eraseReplies(tx, id);
  await eraseRecalls(tx, turns.map((turn) => ({ id: turn.id, text: turn.content })), id);
  const orphans = await unindexTexts(
    tx,
    turns.map((turn) => ({
      docNo: turn.docNo,
      kind: "turn" as const,
      sensitivity: turn.sensitivity,
      text: turn.content,
      ...(turn.name !== null && { speaker: turn.name }),
      firstOfGroup: turn.position === 0,
    })),
  );
  await eraseOrphans(ctx, tx, orphans);
  for (const turn of turns) {
    const { id: resourceId, sensitivity } = turn;
    const payload = { sessionId: id, position: turn.position, docNo: turn.docNo };
    tx.record({
      kind: "turn.deleted",
      resourceType: "turn",
      resourceId,
      version: turn.version + 1,
      sensitivity,
      payload,
    });
  }
  const discarded = await queries.discardSession(tx, id);
  recordSession(tx, "session.discarded", discarded, { turns: turns.length });
  return { session: discarded, texts: turns.map((turn) => turn.content) };
}

/** The members of a collapsed session's row that a purge reads; an imported row may hold anything. */
interface CollapsedTo {
  readonly facts?: readonly { readonly factId: string; readonly outcome: string }[];
  readonly decisions?: readonly { readonly decisionId: string }[];
}

/**
 * Erases everything that came from a session in any state: its turns, the episode, the facts and the decisions that it
 * collapsed to, with units derived from these and the chains of reasoning that rest on them. Known facts that the
 * session only repeated stay. Events that name the session are erased, and so is what playbooks and self edits say
 * about it. The session itself stays as a record without content.
 * @throws ServiceError `not_found`, `version_mismatch`, `conflict` when it is too much at once; `insufficient_scope`
 * when a part of a unit's history is above the key's clearance.
 */
export async function purgeSession(
  ctx: OperationContext,
  id: string,
  ifMatch: number | undefined,
): Promise<PurgedSession> {
  return await ctx.tx(async (tx) => {
    const session = requireSession(await queries.lockSession(tx, id));
    requireVersion(session.version, ifMatch);
    return await purgeLocked(ctx, tx, session);
  }, { deadlineMs: PURGE_DEADLINE_MS });
}

/**
 * The episode, the facts and the decisions that a session collapsed to. The session's row is not proof, because a file
 * may have brought it: each unit must have named the session since its first version.
 */
async function findMade(tx: Tx, session: queries.SessionRow): Promise<string[]> {
  const { facts = [], decisions = [] } = (session.collapse ?? {}) as CollapsedTo;
  const told = facts.filter(({ outcome }) => outcome !== "corroborated").map(({ factId }) => factId);
  told.push(...decisions.map(({ decisionId }) => decisionId));
  if (session.episodeId !== null) told.push(session.episodeId);
  return told.length === 0 ? [] : await findBornOf(tx, session.id, told);
}

/**
 * Does what `purgeSession` does, for a session that the transaction has locked.
 * @param cascade whether to erase also the knowledge that it collapsed to and the events that name it
 */
export async function purgeLocked(
  ctx: OperationContext,
  tx: Tx,
  session: queries.SessionRow,
  cascade = true,
): Promise<PurgedSession> {
  const erased = cascade
    ? await purgeUnits(ctx, tx, await findMade(tx, session), `came from session ${session.id}`)
    : [];
  const emptied = session.status === "discarded" ? { session, texts: [] } : await emptySession(ctx, tx, session.id);
  await eraseQuotes(tx, session.id, emptied.texts);
  if (cascade) await eraseEventsOf(ctx, tx, session.id);
  return {
    session: toSession(emptied.session),
    turns: session.status === "discarded" ? 0 : session.turnCount,
    erased: erased.map((unit) => ({ id: unit.id, type: unit.type })),
  };
}

export function requireSession(row: queries.SessionRow | undefined): queries.SessionRow {
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the session");
  return row;
}

/** @throws ServiceError `invalid_transition` naming the state. */
export function requireOpen(session: queries.SessionRow, verb: string): void {
  if (session.status === "open") return;
  throw new ServiceError("invalid_transition", `Cannot ${verb} the session: it is ${session.status}`, {
    extra: { sessionStatus: session.status },
  });
}

/** @throws ServiceError `version_mismatch` */
export function requireVersion(version: number, ifMatch: number | undefined): void {
  if (ifMatch === undefined || ifMatch === version) return;
  throw new ServiceError("version_mismatch", `Cannot apply the change: the version is ${version}, not ${ifMatch}`);
}

export function recordSession(
  tx: Tx,
  kind: `session.${string}`,
  session: Pick<queries.SessionRow, "id" | "version" | "sensitivity">,
  payload?: Readonly<Record<string, unknown>>,
): void {
  const { id: resourceId, version, sensitivity } = session;
  tx.record({ kind, resourceType: "session", resourceId, version, sensitivity, ...(payload && { payload }) });
}

export function toSession(row: queries.SessionRow): Session {
  return { ...toSummary(row), scratchpad: row.scratchpad };
}

function toSummary(row: queries.SessionRow): SessionSummary {
  return {
    id: row.id,
    version: row.version,
    status: row.status,
    title: row.title,
    agentId: row.agentId,
    externalId: row.externalId,
    sensitivity: row.sensitivity,
    tags: row.tags,
    metadata: row.metadata as SessionSummary["metadata"],
    turnCount: row.turnCount,
    tokenCount: row.tokenCount,
    participants: row.participants,
    scratchpadVersion: row.scratchpadVersion,
    ...(row.timezone !== null && { timezone: row.timezone }),
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    episodeId: row.episodeId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: row.createdBy,
  };
}
