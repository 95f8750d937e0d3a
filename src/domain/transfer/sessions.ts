/** Sessions and their turns as lines. */
import { listTurnsToExport, type TurnKey } from "../../db/queries/exports.ts";
import * as imports from "../../db/queries/imports.ts";
import { lockSession, type SessionRow } from "../../db/queries/sessions.ts";
import * as turns from "../../db/queries/turns.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { SESSION_TOKENS_MAX, SESSION_TURNS_MAX } from "../../schema/session.ts";
import { SessionLine, TurnLine } from "../../schema/transfer_lines.ts";
import { findLinks, storeLinks } from "../unit/mentions/link.ts";
import { readText } from "../unit/mentions/read.ts";
import { allocateDocNos, indexTexts, type PreparedText, prepareTexts } from "../unit/indexing.ts";
import { linkNewer } from "../unit/newer.ts";
import { isSameTurn } from "../sessions/same_turn.ts";
import { newParticipants, recordTurn, toldTurns } from "../sessions/append_turns.ts";
import { countTokens } from "../common/tokens.ts";
import {
  authorOf,
  type Importing,
  type LineKind,
  type LineOutcome,
  mapDeep,
  mayChange,
  NOT_ITS_OWN,
  recordedTime,
  refuse,
  toTime,
  withhold,
} from "./line_kind.ts";
import { plainKind } from "./plain.ts";
import { findHolders, findNamesakes } from "./external_ids.ts";
import { IMPORT_LOCK } from "./unit_writer.ts";
import { linkTurns } from "../sessions/tails.ts";

export const SESSIONS: LineKind<SessionLine> = plainKind<SessionLine>({
  kind: "session",
  table: "session",
  resourceType: "session",
  schema: SessionLine,
  toLine(row, { asOf }) {
    // A session that ended since then was open at that time.
    const hadEnded = row["ended_at"] !== null && (asOf === null || new Date(row["ended_at"] as string) <= asOf);
    return {
      kind: "session",
      id: row["id"],
      version: row["version"],
      status: hadEnded ? row["status"] : "open",
      title: row["title"],
      agentId: row["agent_id"],
      externalId: row["external_id"],
      sensitivity: row["sensitivity"],
      tags: row["tags"],
      metadata: row["metadata"],
      scratchpad: row["scratchpad"],
      scratchpadVersion: row["scratchpad_version"],
      timezone: row["timezone"],
      startedAt: toTime(row["started_at"]),
      endedAt: hadEnded ? toTime(row["ended_at"]) : null,
      episodeId: hadEnded ? row["episode_id"] : null,
      collapse: hadEnded ? row["collapse"] : null,
      createdAt: toTime(row["created_at"]),
      updatedAt: toTime(row["updated_at"]),
      createdBy: row["created_by"],
    } as SessionLine;
  },
  toColumns: (line, importing) => ({
    version: line.version,
    status: line.status,
    title: line.title,
    agent_id: line.agentId,
    external_id: externalIdOf(importing, line),
    sensitivity: line.sensitivity,
    tags: [...new Set(line.tags)],
    metadata: line.metadata,
    ...scratchpadOf(importing, line),
    timezone: line.timezone ?? null,
    started_at: recordedTime(importing, line, line.startedAt),
    ended_at: recordedTime(importing, line, line.endedAt),
    ...believeCollapse(importing, line),
    created_at: line.createdAt,
    updated_at: recordedTime(importing, line, line.updatedAt),
    created_by: authorOf(importing, line, line.createdBy),
  }),
  async newColumns(tx, count) {
    const numbers = await imports.allocateGroupNos(tx, count);
    return numbers.map((group_no) => ({ group_no, turn_count: 0, token_count: 0, participants: [] }));
  },
  fixed: ["external_id"],
  administered: ["episode_id", "collapse", "scratchpad", "scratchpad_version"],
  versionOf: (line) => line.version,
  createdAt: (line) => line.createdAt,
  mapIds: (line, map) => ({
    ...line,
    id: map(line.id),
    episodeId: line.episodeId && map(line.episodeId),
    collapse: mapDeep(line.collapse, map),
  }),
  findStandIns: findHolders,
  async check(tx, lines, importing) {
    for (const line of await findNamesakes(tx, lines)) withhold(importing, line, "externalId");
    const discarded = lines.filter((line) => line.status === "discarded");
    const stopped = new Map<string, LineOutcome>();
    for (const { id } of discarded) {
      const [turn] = await turns.listTurns(tx, id, { order: "asc", limit: 1 });
      if (turn === undefined) continue;
      stopped.set(id, refuse("conflict", "Cannot import: it was discarded at its source and has turns here"));
    }
    return stopped;
  },
});

/** An external id that another session has is left out. */
function externalIdOf({ withheld }: Importing, line: SessionLine): string | null {
  return withheld.get(line)?.has("externalId") ? null : line.externalId ?? null;
}

/** Purging a session erases what it collapsed to, so only an administrator can import these references. */
function believeCollapse(importing: Importing, line: SessionLine) {
  const { episodeId: episode_id, collapse } = line;
  if (importing.keepsAuthors) return { episode_id, collapse };
  if (episode_id !== null || collapse !== null) withhold(importing, line, "collapse");
  return { episode_id: null, collapse: null };
}

/** Prompts contain the scratchpad verbatim, so only an administrator may import it. */
function scratchpadOf(importing: Importing, line: SessionLine) {
  if (importing.keepsAuthors) return { scratchpad: line.scratchpad, scratchpad_version: line.scratchpadVersion };
  if (Object.keys(line.scratchpad).length > 0) withhold(importing, line, "scratchpad");
  return { scratchpad: {}, scratchpad_version: 1 };
}

/** The turns of sessions, in their order. The counts of a session grow as its turns come. */
export const TURNS: LineKind<TurnLine> = {
  kind: "turn",
  tables: ["turn"],
  schema: TurnLine,
  async page(tx, view, after, limit) {
    const rows = await listTurnsToExport(tx, view, after as TurnKey | undefined, limit);
    const last = rows.at(-1);
    return {
      isLast: rows.length < limit,
      next: last && { sessionId: last["session_id"], position: last["position"] } as TurnKey,
      lines: rows.map((row) => ({
        kind: "turn",
        id: row["id"],
        version: row["version"],
        sessionId: row["session_id"],
        position: row["position"],
        messageId: row["message_id"],
        role: row["role"],
        name: row["name"],
        content: row["content"],
        pinned: row["pinned"],
        tags: row["tags"],
        metadata: row["metadata"],
        occurredAt: toTime(row["occurred_at"]),
        utcOffset: row["utc_offset"],
        recordedAt: toTime(row["recorded_at"]),
      })),
    };
  },
  async findClashes({ ids }, tx, lines) {
    const here = new Map((await turns.findTurns(tx, lines.map((line) => line.id))).map((row) => [row.id, row]));
    return lines.filter((line) => {
      const row = here.get(line.id);
      return row !== undefined && row.sessionId !== ids.get(line.sessionId);
    }).map(({ id }) => ({ id }));
  },
  mapIds: (line, map) => ({ ...line, id: map(line.id), sessionId: map(line.sessionId) }),
  async prepare({ ctx }, lines): Promise<ReadonlyMap<string, PreparedText>> {
    const here = await ctx.tx((tx) => turns.findTurns(tx, lines.map((line) => line.id)), { readOnly: true });
    const known = new Set(here.map((row) => row.id));
    const fresh = lines.filter((line) => !known.has(line.id));
    const texts = fresh.map((line) => ({
      kind: "turn" as const,
      // A placeholder for the session's sensitivity, which is known when its row is locked.
      sensitivity: "internal" as const,
      text: line.content,
      author: line.role,
      ...(line.name !== null && { speaker: line.name }),
    }));
    const prepared = await prepareTexts(ctx, texts);
    return new Map(fresh.map((line, i) => [line.id, prepared[i]!]));
  },
  async write(importing, tx, lines, prepared) {
    await lockNames(tx, [IMPORT_LOCK]);
    const outcomes = new Map<TurnLine, LineOutcome>();
    // Rows are locked in one order, so that two imports cannot deadlock.
    for (const [sessionId, group] of [...Map.groupBy(lines, (line) => line.sessionId)].sort(byKey)) {
      const written = await writeTurns(importing, tx, sessionId, group, prepared as ReadonlyMap<string, PreparedText>);
      group.forEach((line, i) => outcomes.set(line, written[i]!));
    }
    return lines.map((line) => outcomes.get(line)!);
  },
};

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

async function writeTurns(
  importing: Importing,
  tx: Tx,
  sessionId: string,
  lines: readonly TurnLine[],
  prepared: ReadonlyMap<string, PreparedText>,
): Promise<LineOutcome[]> {
  const session = await lockSession(tx, sessionId);
  if (session === undefined) return lines.map(() => refuse("not_found", "Cannot import: its session is not here"));
  const [byId, byMessage, erased] = await Promise.all([
    turns.findTurns(tx, lines.map((line) => line.id)),
    turns.findTurnsByMessage(tx, sessionId, lines.map((line) => line.messageId)),
    imports.findErased(tx, lines.map((line) => line.id)),
  ]);
  const ids = new Map(byId.map((row) => [row.id, row]));
  const messages = new Map<string, { role: string; name: string | null; content: string }>(
    byMessage.map((row) => [row.messageId, row]),
  );
  const fresh: { readonly line: TurnLine; readonly text: PreparedText }[] = [];
  const outcomes: LineOutcome[] = [];
  let room = roomOf(session);
  for (const line of lines) {
    const row = ids.get(line.id);
    const said = messages.get(line.messageId);
    if (erased.has(line.id)) outcomes.push(refuse("RESURRECTION_BLOCKED", "Cannot import: it was erased here"));
    else if (row !== undefined && row.sessionId !== sessionId) {
      outcomes.push(refuse("conflict", "Cannot import: its id belongs to something else here"));
    } else if (row !== undefined) outcomes.push(await updateTurn(importing, tx, row, line));
    else if (said !== undefined) {
      outcomes.push(
        isSameTurn(said, line) ? "unchanged" : refuse("conflict", "Cannot import: its message id is another turn's"),
      );
    } else if (!mayChange(importing, session)) {
      outcomes.push(NOT_ITS_OWN);
    } else if (session.status === "discarded") {
      outcomes.push(refuse("conflict", "Cannot import: its session was discarded"));
    } else {
      const text = prepared.get(line.id);
      room = { turns: room.turns - 1, tokens: room.tokens - countTokens(line.content) };
      if (text === undefined) {
        outcomes.push(refuse("conflict", "Cannot import: it was changed here meanwhile; try again"));
      } else if (room.turns < 0 || room.tokens < 0) {
        outcomes.push(refuse("conflict", "Cannot import: its session is full"));
      } else {
        messages.set(line.messageId, line);
        fresh.push({ line: believeTurn(importing, line), text: { ...text, sensitivity: session.sensitivity } });
        outcomes.push("created");
      }
    }
  }
  if (fresh.length > 0) await insertTurns(importing, tx, session, fresh);
  return outcomes;
}

function roomOf(session: SessionRow): { turns: number; tokens: number } {
  return { turns: SESSION_TURNS_MAX - session.turnCount, tokens: SESSION_TOKENS_MAX - session.tokenCount };
}

/** The turn as far as the key may state it: only an administrator imports a pin, or a future time of recording. */
function believeTurn(importing: Importing, line: TurnLine): TurnLine {
  if (importing.keepsAuthors) return line;
  if (line.pinned) withhold(importing, line, "pinned");
  return { ...line, pinned: false, recordedAt: recordedTime(importing, line, line.recordedAt) };
}

async function updateTurn(importing: Importing, tx: Tx, row: turns.TurnRow, line: TurnLine): Promise<LineOutcome> {
  if (!isSameTurn(row, line)) return refuse("conflict", "Cannot import: the turn says something else here");
  // The pin is the only part of a turn that can change.
  if (row.version >= line.version || !importing.keepsAuthors) return "unchanged";
  await imports.updateImportedTurn(tx, line);
  recordTurn(tx, "turn.imported", { ...row, version: line.version });
  return "updated";
}

/** Adds turns at the end of their session, as if they were added here. */
async function insertTurns(
  importing: Importing,
  tx: Tx,
  session: SessionRow,
  fresh: readonly { readonly line: TurnLine; readonly text: PreparedText }[],
): Promise<void> {
  const named = fresh.map(({ line, text }) =>
    readText({ type: "turn", sensitivity: session.sensitivity, text: line.content, speaker: line.name }, text.names)
  );
  const [docNos, features, links] = await Promise.all([
    allocateDocNos(tx, fresh.length),
    linkTurns(importing.ctx, tx, { id: session.id, nextPosition: session.turnCount }, fresh.map(({ text }) => text)),
    findLinks(tx, named),
  ]);
  const rows = fresh.map(({ line }, i) => ({
    ...line,
    position: session.turnCount + i,
    docNo: docNos[i]!,
    features: features[i]!,
    tags: [...new Set(line.tags)],
    occurredAt: new Date(line.occurredAt),
    utcOffset: line.utcOffset ?? null,
    recordedAt: new Date(line.recordedAt),
    entityIds: links[i]!.entityIds,
  }));
  await turns.insertTurns(tx, session, rows);
  await linkNewer(tx, toldTurns(session, rows.map((row, i) => ({ ...row, prepared: fresh[i]!.text }))));
  const known = new Set(session.participants);
  await indexTexts(
    tx,
    rows.map(({ docNo, position, name }, i) => ({
      docNo,
      position,
      groupNo: session.groupNo,
      prepared: fresh[i]!.text,
      speakerKnown: name !== null && known.has(name),
    })),
  );
  await storeLinks(
    tx,
    rows.map(({ id: subjectId, docNo, occurredAt: mentionedAt }, i) => ({
      docNo,
      subjectId,
      type: "turn",
      sensitivity: session.sensitivity,
      mentionedAt,
      live: true,
      links: { mentioned: links[i]!.mentioned, unknown: [] },
      given: [],
    })),
  );
  await imports.addImportedTurns(tx, session.id, {
    turns: rows.length,
    tokens: fresh.reduce((sum, { line }) => sum + countTokens(line.content), 0),
    participants: newParticipants(session.participants, rows),
  });
  for (const row of rows) recordTurn(tx, "turn.imported", { ...row, sensitivity: session.sensitivity });
}
