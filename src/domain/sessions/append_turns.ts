/** Adds turns to a session, in one transaction with their index entries, links and changes. */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import { askNames, findKnownNames, type NamesThere } from "../../db/queries/mentions.ts";
import * as sessions from "../../db/queries/sessions.ts";
import * as queries from "../../db/queries/turns.ts";
import type { Tx } from "../../db/tx.ts";
import { offsetIn, statedOffset } from "../../language/local_time.ts";
import { ServiceError } from "../../errors.ts";
import { SESSION_PARTICIPANTS_MAX, SESSION_TOKENS_MAX, SESSION_TURNS_MAX } from "../../schema/session.ts";
import type { AddTurnBody } from "../../schema/turn.ts";
import { workspaceZone } from "../common/zones.ts";
import { countTokens } from "../common/tokens.ts";
import { listSufficient, openUnknown } from "../kinds/entities/open_names.ts";
import { allocateDocNos, indexTexts, type PreparedText, prepareTexts } from "../unit/indexing.ts";
import { countAllKeys, findNames, linksOf, storeLinks } from "../unit/mentions/link.ts";
import { type NameBook, readText, type TextWithNames, toBook } from "../unit/mentions/read.ts";
import { linkNewer, seekWords, type ToldStatement } from "../unit/newer.ts";
import { type Resolution, resolveTurns } from "./same_turn.ts";
import { requireOpen, requireSession } from "./session.ts";
import { isTailKnown, linkTurns } from "./tails.ts";

/** The outcome of an input: it was stored, or it duplicates a stored turn. */
export interface AppendOutcome {
  readonly row: queries.TurnRow;
  readonly duplicate: boolean;
}

/**
 * Adds turns in their order, all or none, in one transaction. It assigns positions under a lock on the session's row.
 * @throws ServiceError `not_found`, `invalid_transition`; `conflict` when a message id is that of another turn or the
 *   session is full.
 */
export async function appendTurns(
  ctx: OperationContext,
  sessionId: string,
  inputs: readonly AddTurnBody[],
  pathOf?: (index: number) => string,
): Promise<AppendOutcome[]> {
  // If this process has written to the session, the session is not read first; in either case the lock below decides.
  const repeated = isTailKnown(ctx, sessionId) ? undefined : await findRepeated(ctx, sessionId, inputs, pathOf);
  // Turns that a closed session already has are returned as they are, so that a caller may repeat a request.
  if (repeated !== undefined) return repeated;
  const texts = inputs.map((input) => ({
    kind: "turn" as const,
    // A placeholder: the session's own sensitivity replaces it once the session is locked.
    sensitivity: ctx.maxSensitivity,
    text: input.content,
    author: input.role,
    ...(input.name !== undefined && { speaker: input.name }),
  }));
  const prepared = await prepareTexts(ctx, texts);
  const named = inputs.map(({ content, name }, i) =>
    readText({ type: "turn", sensitivity: ctx.maxSensitivity, text: content, speaker: name }, prepared[i]!.names)
  );
  const zone = await workspaceZone(ctx);
  return await ctx.tx(async (tx) => {
    const locked = sessions.lockSession(tx, sessionId);
    const asked = askNames(tx, countAllKeys(named));
    const [row] = await Promise.all([locked, asked]);
    const session = requireSession(row);
    const { sensitivity } = session;
    const resolutions = await resolveInputs(tx, sessionId, inputs, pathOf);
    const fresh = inputs.flatMap((input, index): NewTurn[] =>
      resolutions[index]!.kind !== "new" ? [] : [{
        input,
        prepared: { ...prepared[index]!, sensitivity },
        named: { ...named[index]!, sensitivity },
      }]
    );
    if (fresh.length > 0) requireOpen(session, "add turns to");
    const rows = fresh.length === 0
      ? []
      : await insertTurns(ctx, tx, { ...session, timezone: session.timezone ?? zone }, fresh, asked);
    return outcomesOf(resolutions, rows);
  });
}

/**
 * Reads the session first, so that no text is analysed and embedded for a session that is closed. @returns the stored
 * turns when it is closed and has them all; undefined when it is open
 */
async function findRepeated(
  ctx: OperationContext,
  sessionId: string,
  inputs: readonly AddTurnBody[],
  pathOf?: (index: number) => string,
): Promise<AppendOutcome[] | undefined> {
  return await ctx.tx(async (tx) => {
    const seen = requireSession(await sessions.findSession(tx, sessionId));
    if (seen.status === "open") return undefined;
    const resolutions = await resolveInputs(tx, sessionId, inputs, pathOf);
    if (resolutions.some(({ kind }) => kind === "new")) requireOpen(seen, "add turns to");
    return outcomesOf(resolutions, []);
  }, { readOnly: true });
}

/** A turn that the session does not have yet. */
interface NewTurn {
  readonly input: AddTurnBody;
  readonly prepared: PreparedText;
  readonly named: TextWithNames;
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
  fresh: readonly NewTurn[],
  asked: Promise<NamesThere>,
): Promise<queries.TurnRow[]> {
  const tokens = fresh.reduce((sum, { input }) => sum + countTokens(input.content), 0);
  requireRoom(session, fresh.length, tokens);
  const named = fresh.map((turn) => turn.named);
  const sought = seekWords(tx, fresh.filter(({ input }) => input.role === "user"));
  const [docNos, features, known] = await Promise.all([
    allocateDocNos(tx, fresh.length),
    linkTurns(ctx, tx, { id: session.id, nextPosition: session.turnCount }, fresh.map(({ prepared }) => prepared)),
    findNames(tx, named, asked),
  ]);
  const book = await openSpeakers(ctx, tx, session, fresh, known);
  const links = named.map((text) => linksOf(text, book));
  const turns = fresh.map(({ input }, index) => {
    const id = uuidv7(tx.now);
    const occurredAt = input.occurredAt === undefined ? tx.now : new Date(input.occurredAt);
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
      occurredAt,
      utcOffset: statedOffset(input.occurredAt ?? "") ?? offsetIn(session.timezone, occurredAt),
      features: features[index]!,
      entityIds: links[index]!.entityIds,
    };
  });
  const participants = new Set(session.participants);
  // Sent together: no statement needs the result of another.
  await Promise.all([
    queries.insertTurns(tx, session, turns),
    linkNewer(tx, toldTurns(session, turns.map((turn, i) => ({ ...turn, prepared: fresh[i]!.prepared }))), sought),
    indexTexts(
      tx,
      turns.map(({ docNo, position, name }, index) => ({
        docNo,
        position,
        groupNo: session.groupNo,
        prepared: fresh[index]!.prepared,
        speakerKnown: name !== null && participants.has(name),
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
    sessions.addToSession(tx, session.id, {
      turns: turns.length,
      tokens,
      participants: newParticipants(session.participants, turns),
    }),
  ]);
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

/** What users say in turns, as it is linked to what they said before. */
export function toldTurns(
  session: { readonly id: string },
  turns: readonly {
    readonly id: string;
    readonly role: string;
    readonly docNo: number;
    readonly occurredAt: Date;
    readonly name?: string | null | undefined;
    readonly prepared: PreparedText;
  }[],
): ToldStatement[] {
  return turns.flatMap(({ id, role, docNo, occurredAt: at, name, prepared }) =>
    role !== "user"
      ? []
      : [{ ...{ id, isTurn: true, docNo, at, speaker: name ?? null, sessionId: session.id }, prepared }]
  );
}

/**
 * Creates an entity for each person who speaks in the session for the first time, unless there is one. @returns the
 * known names with those of the new entities
 */
async function openSpeakers(
  ctx: OperationContext,
  tx: Tx,
  session: sessions.SessionRow,
  turns: readonly NewTurn[],
  known: NameBook,
): Promise<NameBook> {
  const participants = new Set(session.participants);
  const first = turns.filter(({ input: { name } }) => name !== undefined && !participants.has(name));
  const unknown = listSufficient(first.map((turn) => turn.named)).filter((name) => !known.has(name.key));
  if (unknown.length === 0) return known;
  await openUnknown(ctx, tx, unknown);
  return new Map([...known, ...toBook(await findKnownNames(tx, unknown.map((name) => name.key)))]);
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
): AppendOutcome[] {
  const outcomes: AppendOutcome[] = [];
  let next = 0;
  for (const resolution of resolutions) {
    if (resolution.kind === "new") outcomes.push({ row: rows[next++]!, duplicate: false });
    else if (resolution.kind === "stored") outcomes.push({ row: resolution.row, duplicate: true });
    else outcomes.push({ row: outcomes[resolution.index]!.row, duplicate: true });
  }
  return outcomes;
}

/** Records a change of a turn for the feed. */
export function recordTurn(tx: Tx, kind: `turn.${string}`, row: queries.TurnRow): void {
  const { id: resourceId, version, sensitivity, sessionId, position, docNo } = row;
  const payload = { sessionId, position, docNo };
  tx.record({ kind, resourceType: "turn", resourceId, version, sensitivity, payload });
}
