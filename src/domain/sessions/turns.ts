/** Turns: stored verbatim, and found by recall as soon as the reply arrives. */
import type { OperationContext } from "../../context.ts";
import * as sessions from "../../db/queries/sessions.ts";
import * as queries from "../../db/queries/turns.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type { AddedTurn, AddedTurnBatch, AddTurnsBody, ListTurnsQuery, PinTurnBody, Turn } from "../../schema/turn.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { toTurn } from "../common/turn.ts";
import { appendTurns, recordTurn } from "./append_turns.ts";
import { requireOpen, requireSession, requireVersion } from "./session.ts";

/** Adds one turn or a batch; the form of the body decides the form of the reply. */
export async function addTurns(
  ctx: OperationContext,
  sessionId: string,
  body: AddTurnsBody,
): Promise<{ readonly created: boolean; readonly reply: AddedTurn | AddedTurnBatch }> {
  if ("turns" in body) {
    await ctx.noteItems?.(body.turns.length);
    const outcomes = await appendTurns(ctx, sessionId, body.turns);
    const turns = outcomes.map(({ row, duplicate }) => {
      return { id: row.id, messageId: row.messageId, position: row.position, duplicate };
    });
    const duplicates = outcomes.filter((outcome) => outcome.duplicate).length;
    const created = outcomes.length - duplicates;
    return { created: created > 0, reply: { sessionId, created, duplicates, turns } };
  }
  const [outcome] = await appendTurns(ctx, sessionId, [body], () => "messageId");
  const { row, duplicate } = outcome!;
  return { created: !duplicate, reply: { ...toTurn(row), duplicate } };
}

/**
 * Lists the turns of a session in their order, the oldest first unless the caller asks otherwise.
 * @throws ServiceError `not_found`
 */
export async function listTurns(
  ctx: OperationContext,
  sessionId: string,
  query: ListTurnsQuery,
): Promise<Page<Turn>> {
  const { limit, order, pinned } = query;
  // The list's name holds the session, because a cursor of one session has no meaning in another.
  const list = `turns:${sessionId}`;
  const isPosition = (key: unknown): key is number => Number.isInteger(key) && Math.abs(key as number) < 2 ** 31;
  const after = decodeCursor(list, order, query.cursor, isPosition);
  const rows = await ctx.tx(async (tx) => {
    requireSession(await sessions.findSession(tx, sessionId));
    return queries.listTurns(tx, sessionId, { order, pinned, after, limit: limit + 1 });
  }, { readOnly: true, fromReplica: true });
  return toPage(rows, limit, toTurn, (row) => encodeCursor(list, order, row.position));
}

/**
 * Pins a turn of an open session, or removes the pin. A pinned turn always becomes a fact when the session collapses.
 * @throws ServiceError `not_found`, `invalid_transition`, `version_mismatch`
 */
export async function pinTurn(
  ctx: OperationContext,
  sessionId: string,
  body: PinTurnBody,
  ifMatch?: number,
): Promise<Turn> {
  const row = await ctx.tx(async (tx) => {
    const session = requireSession(await sessions.lockSession(tx, sessionId));
    requireOpen(session, "pin a turn of");
    const turn = body.turnId !== undefined
      ? await queries.findTurn(tx, sessionId, body.turnId)
      : (await queries.findTurnsByMessage(tx, sessionId, [body.messageId!]))[0];
    if (turn === undefined) throw new ServiceError("not_found", "Cannot find the turn in this session");
    requireVersion(turn.version, ifMatch);
    if (turn.pinned === body.pinned) return turn;
    const changed = await queries.setTurnPinned(tx, turn.id, body.pinned);
    await sessions.touchSession(tx, sessionId);
    recordTurn(tx, body.pinned ? "turn.pinned" : "turn.unpinned", changed);
    return changed;
  });
  return toTurn(row);
}
