/** Turns: what was said, kept verbatim and found by recall as soon as the reply arrives. */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import * as sessions from "../../db/queries/sessions.ts";
import * as queries from "../../db/queries/turns.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import { SESSION_PARTICIPANTS_MAX, SESSION_TOKENS_MAX, SESSION_TURNS_MAX } from "../../schema/session.ts";
import type {
  AddedTurn,
  AddedTurnBatch,
  AddTurnBody,
  AddTurnsBody,
  ListTurnsQuery,
  PinTurnBody,
  Turn,
} from "../../schema/turn.ts";
import { findLinks, storeLinks } from "../unit/mentions/link.ts";
import { toTurn } from "../common/turn.ts";
import { listSufficient, openNames } from "../kinds/entities/open_names.ts";
import { type NamedText, readText } from "../unit/mentions/read.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { allocateDocNos, indexTexts, type PreparedText, prepareTexts } from "../unit/indexing.ts";
import { countTokens } from "../common/tokens.ts";
import { type Resolution, resolveTurns } from "./same_turn.ts";
import { requireOpen, requireSession, requireVersion } from "./session.ts";
import { linkTurns } from "./tails.ts";

interface Outcome {
  readonly row: queries.TurnRow;
  readonly duplicate: boolean;
}

/** Adds one turn or a batch; the body decides which reply there is. */
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
 * Adds turns in order, all or none, in one transaction; positions are given out under the session's row lock.
 * @throws ServiceError `not_found`, `invalid_transition`; `conflict` when a message id is that of another turn or the
 *   session is full.
 */
export async function appendTurns(
  ctx: OperationContext,
  sessionId: string,
  inputs: readonly AddTurnBody[],
  pathOf?: (index: number) => string,
): Promise<Outcome[]> {
  // Read first, so that no text is analysed and embedded for a session that takes none; the lock below decides.
  const { seen, repeated } = await ctx.tx(async (tx) => {
    const seen = requireSession(await sessions.findSession(tx, sessionId));
    if (seen.status === "open") return { seen };
    const resolutions = await resolveInputs(tx, sessionId, inputs, pathOf);
    if (resolutions.some(({ kind }) => kind === "new")) requireOpen(seen, "add turns to");
    return { seen, repeated: outcomesOf(resolutions, []) };
  }, { readOnly: true });
  // Turns that a closed session has are answered as they are, so that a request may be repeated.
  if (repeated !== undefined) return repeated;
  const texts = inputs.map((input) => ({
    kind: "turn" as const,
    sensitivity: seen.sensitivity,
    text: input.content,
    author: input.role,
    ...(input.name !== undefined && { speaker: input.name }),
  }));
  const prepared = await prepareTexts(ctx, texts);
  return await ctx.tx(async (tx) => {
    const session = requireSession(await sessions.lockSession(tx, sessionId));
    const resolutions = await resolveInputs(tx, sessionId, inputs, pathOf);
    const fresh = inputs.flatMap((input, index) =>
      resolutions[index]!.kind === "new" ? [{ input, prepared: prepared[index]! }] : []
    );
    if (fresh.length > 0) requireOpen(session, "add turns to");
    const rows = fresh.length === 0 ? [] : await insertTurns(ctx, tx, session, fresh);
    return outcomesOf(resolutions, rows);
  });
}

async function resolveInputs(
  tx: Tx,
  sessionId: string,
  inputs: readonly AddTurnBody[],
  pathOf?: (index: number) => string,
): Promise<Resolution<queries.TurnRow>[]> {
  const messageIds = inputs.flatMap((input) => input.messageId ?? []);
  const known = messageIds.length === 0 ? [] : await queries.findTurnsByMessage(tx, sessionId, messageIds);
  return resolveTurns(inputs, new Map(known.map((row) => [row.messageId, row])), pathOf);
}

async function insertTurns(
  ctx: OperationContext,
  tx: Tx,
  session: sessions.SessionRow,
  fresh: readonly { readonly input: AddTurnBody; readonly prepared: PreparedText }[],
): Promise<queries.TurnRow[]> {
  const tokens = fresh.reduce((sum, { input }) => sum + countTokens(input.content), 0);
  requireRoom(session, fresh.length, tokens);
  const named = fresh.map(({ input, prepared }): NamedText =>
    readText(
      { type: "turn", sensitivity: session.sensitivity, text: input.content, speaker: input.name },
      prepared.names,
    )
  );
  await openSpeakers(ctx, tx, session, fresh.map(({ input }, i) => ({ speaker: input.name, text: named[i]! })));
  const [docNos, features, links] = await Promise.all([
    allocateDocNos(tx, fresh.length),
    linkTurns(ctx, tx, { id: session.id, nextPosition: session.turnCount }, fresh.map(({ prepared }) => prepared)),
    findLinks(tx, named),
  ]);
  const turns = fresh.map(({ input }, index) => {
    const id = uuidv7(tx.now);
    return {
      id,
      position: session.turnCount + index,
      docNo: docNos[index]!,
      messageId: input.messageId ?? id,
      role: input.role,
      name: input.name ?? null,
      content: input.content,
      pinned: input.pinned,
      tags: [...new Set(input.tags)],
      metadata: input.metadata,
      occurredAt: input.occurredAt === undefined ? tx.now : new Date(input.occurredAt),
      features: features[index]!,
      entityIds: links[index]!.entityIds,
    };
  });
  await queries.insertTurns(tx, session, turns);
  const known = new Set(session.participants);
  await Promise.all([
    indexTexts(
      tx,
      turns.map(({ docNo, position, name }, index) => ({
        docNo,
        position,
        groupNo: session.groupNo,
        prepared: fresh[index]!.prepared,
        speakerKnown: name !== null && known.has(name),
      })),
    ),
    storeLinks(
      tx,
      turns.map(({ docNo, id: subjectId, occurredAt: mentionedAt }, index) => ({
        docNo,
        subjectId,
        type: "turn",
        sensitivity: session.sensitivity,
        mentionedAt,
        live: true,
        links: links[index]!,
        given: [],
      })),
    ),
  ]);
  await sessions.addToSession(tx, session.id, {
    turns: turns.length,
    tokens,
    participants: newParticipants(session.participants, turns),
  });
  const rows = turns.map((turn): queries.TurnRow => ({
    ...turn,
    version: 1,
    sessionId: session.id,
    sensitivity: session.sensitivity,
    tags: [...turn.tags],
    recordedAt: tx.now,
  }));
  for (const row of rows) recordTurn(tx, "turn.created", row);
  return rows;
}

/** Who speaks in the session for the first time becomes an entity, unless it is one. */
async function openSpeakers(
  ctx: OperationContext,
  tx: Tx,
  session: sessions.SessionRow,
  turns: readonly { readonly speaker: string | undefined; readonly text: NamedText }[],
): Promise<void> {
  const known = new Set(session.participants);
  const fresh = turns.filter(({ speaker }) => speaker !== undefined && !known.has(speaker));
  await openNames(ctx, tx, listSufficient(fresh.map(({ text }) => text)));
}

/** @throws ServiceError `conflict` when the session is full. */
function requireRoom(session: sessions.SessionRow, turns: number, tokens: number): void {
  if (session.turnCount + turns <= SESSION_TURNS_MAX && session.tokenCount + tokens <= SESSION_TOKENS_MAX) return;
  const bounds = `${SESSION_TURNS_MAX} turns and ${SESSION_TOKENS_MAX} tokens`;
  throw new ServiceError("conflict", `Cannot add turns: a session holds at most ${bounds}; start another one`);
}

/** Names that a session does not list yet, as many as it can hold. */
export function newParticipants(
  known: readonly string[],
  turns: readonly { readonly name: string | null }[],
): string[] {
  const names = new Set(turns.flatMap((turn) => turn.name ?? []));
  for (const name of known) names.delete(name);
  return [...names].slice(0, Math.max(0, SESSION_PARTICIPANTS_MAX - known.length));
}

function outcomesOf(
  resolutions: readonly Resolution<queries.TurnRow>[],
  rows: readonly queries.TurnRow[],
): Outcome[] {
  const outcomes: Outcome[] = [];
  let next = 0;
  for (const resolution of resolutions) {
    if (resolution.kind === "new") outcomes.push({ row: rows[next++]!, duplicate: false });
    else if (resolution.kind === "stored") outcomes.push({ row: resolution.row, duplicate: true });
    else outcomes.push({ row: outcomes[resolution.index]!.row, duplicate: true });
  }
  return outcomes;
}

/**
 * The turns of a session in their order, oldest first unless asked otherwise.
 * @throws ServiceError `not_found`
 */
export async function listTurns(
  ctx: OperationContext,
  sessionId: string,
  query: ListTurnsQuery,
): Promise<Page<Turn>> {
  const { limit, order, pinned } = query;
  // The list's name holds the session: a cursor of one session says nothing about another's positions.
  const list = `turns:${sessionId}`;
  const isPosition = (key: unknown): key is number => Number.isInteger(key) && Math.abs(key as number) < 2 ** 31;
  const after = decodeCursor(list, order, query.cursor, isPosition);
  const rows = await ctx.tx(async (tx) => {
    requireSession(await sessions.findSession(tx, sessionId));
    return queries.listTurns(tx, sessionId, { order, pinned, after, limit: limit + 1 });
  }, { readOnly: true });
  return toPage(rows, limit, toTurn, (row) => encodeCursor(list, order, row.position));
}

/**
 * Pins a turn of an open session, or takes the pin away. A pinned turn always becomes a fact when the session collapses.
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

/** Tells the feed about a turn. */
export function recordTurn(tx: Tx, kind: `turn.${string}`, row: queries.TurnRow): void {
  const { id: resourceId, version, sensitivity, sessionId, position, docNo } = row;
  const payload = { sessionId, position, docNo };
  tx.record({ kind, resourceType: "turn", resourceId, version, sensitivity, payload });
}
