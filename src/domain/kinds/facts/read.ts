/** Reads facts: their present and earlier states, and their history. */
import type { OperationContext } from "../../../context.ts";
import { findCitedTurns } from "../../../db/queries/citations.ts";
import { readSpoken } from "../../../db/queries/recall_slots.ts";
import { findRevision, findUnitAt, type RevisionRow } from "../../../db/queries/revisions.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { Page } from "../../../schema/common.ts";
import type {
  Fact,
  FactCitations,
  FactHistoryEntry,
  FactHistoryQuery,
  FactRevision,
  GetFactQuery,
  ListFactsQuery,
} from "../../../schema/fact.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../../common/cursor.ts";
import { pageOfRevisions, toRevisionShape } from "../../unit/revisions.ts";
import { listUnits, type UnitFilter } from "../../../db/queries/unit_lists.ts";
import { toCommonFilter } from "../../unit/read.ts";
import { findInterrupting } from "../../unit/slots.ts";
import { requireUnit } from "../../unit/store.ts";
import { type FactBody, type FactRow, foldTerm, LIVE_STATUSES, toFact } from "./fields.ts";

const READ_ONLY = { readOnly: true };

/**
 * Reads a fact in any state, or as it was known at a time.
 * @throws ServiceError `not_found`, also when it was not known then; `erased`
 */
export async function getFact(ctx: OperationContext, id: string, query: GetFactQuery = {}): Promise<Fact> {
  return await ctx.tx(async (tx) => {
    const fact = await requireUnit<FactBody>(tx, "fact", id);
    if (query.knownAt === undefined) return toFact(fact, tx.now);
    const knownAt = new Date(query.knownAt);
    const row = await findUnitAt<FactBody>(tx, id, knownAt);
    if (row === undefined) throw new ServiceError("not_found", "Cannot find the fact: it was not known at that time");
    return toFact(row, knownAt);
  }, READ_ONLY);
}

/** Lists facts by creation, the newest first unless the caller asks otherwise. */
export async function listFacts(ctx: OperationContext, query: ListFactsQuery): Promise<Page<Fact>> {
  const { limit, order } = query;
  const after = decodeCursor("facts", order, query.cursor, isId);
  const filter = toFilter(query);
  return await ctx.tx(async (tx) => {
    const rows = await listUnits<FactBody>(tx, "fact", filter, { order, after, limit: limit + 1 });
    const time = filter.knownAt ?? tx.now;
    const toCursor = (row: { readonly id: string }) => encodeCursor("facts", order, row.id);
    const page = toPage(rows, limit, (row) => toFact(row, time), toCursor);
    if (filter.asOf === undefined) return page;
    const interrupted = await findInterrupted(tx, rows, { ...filter, asOf: filter.asOf });
    return { ...page, data: page.data.filter(({ id }) => !interrupted.has(id)) };
  }, { readOnly: true, fromReplica: true });
}

/** The facts of a list that were not true at its time, because a bounded fact within their validity was. */
async function findInterrupted(
  tx: Tx,
  rows: readonly FactRow[],
  { asOf, knownAt }: UnitFilter & { readonly asOf: Date },
): Promise<ReadonlySet<string>> {
  const keys = [...new Set(rows.flatMap(({ tripleKey }) => tripleKey ?? []))];
  if (keys.length === 0) return new Set();
  const said = await readSpoken(tx, keys, { knownAt: knownAt ?? null, historic: true, superseded: false });
  return new Set(rows.filter((row) => findInterrupting(row, said, asOf) !== undefined).map(({ id }) => id));
}

function toFilter(query: ListFactsQuery): UnitFilter {
  const { sessionId, messageId, subject, predicate, externalId } = query;
  const cited = sessionId !== undefined || messageId !== undefined;
  const named = subject !== undefined || predicate !== undefined;
  return {
    // Facts that are over may have been true at an earlier time.
    statuses: query.status ?? (query.asOf === undefined ? LIVE_STATUSES : [...LIVE_STATUSES, "superseded", "expired"]),
    ...toCommonFilter(query),
    entityId: query.entityId,
    asOf: query.asOf === undefined ? undefined : new Date(query.asOf),
    externalId,
    bodyIn: { factType: query.factType },
    bodyContains: cited || named
      ? {
        ...(cited && { citations: [{ ...(sessionId && { sessionId }), ...(messageId && { messageId }) }] }),
        ...(named && {
          folded: {
            ...(subject !== undefined && { subject: foldTerm(subject) }),
            ...(predicate !== undefined && { predicate: foldTerm(predicate) }),
          },
        }),
      }
      : undefined,
  };
}

/** The fact as a version showed it when it was written; the present version as it is now. */
function toFactOf(row: RevisionRow, now: Date): Fact {
  return toFact(row.unit as FactRow, row.replacedAt === null ? now : row.revisedAt);
}

/**
 * Lists every version of a fact in full, the newest first unless the caller asks otherwise.
 * @throws ServiceError `not_found`, `erased`
 */
export async function listFactRevisions(
  ctx: OperationContext,
  id: string,
  query: FactHistoryQuery,
): Promise<Page<FactRevision>> {
  return await pageOfRevisions(ctx, "fact", id, query, (tx, rows) => {
    return rows.map((row) => ({ ...toRevisionShape(row), fact: toFactOf(row, tx.now) }));
  });
}

/**
 * Lists the states of a fact, each with its author and reason, the oldest first unless the caller asks otherwise.
 * @throws ServiceError `not_found`, `erased`
 */
export async function getFactHistory(
  ctx: OperationContext,
  id: string,
  query: FactHistoryQuery,
): Promise<Page<FactHistoryEntry>> {
  return await pageOfRevisions(ctx, "fact", id, query, async (tx, rows) => {
    const byVersion = new Map(rows.map((row) => [row.version, row]));
    const first = Math.min(...byVersion.keys());
    const before = first > 1 && rows.length > 0 ? await findRevision(tx, id, first - 1) : undefined;
    if (before !== undefined) byVersion.set(before.version, before);
    return rows.map((row) => {
      const fact = toFactOf(row, tx.now);
      const previous = byVersion.get(row.version - 1);
      const { status, validFrom, validTo } = fact;
      const changed = previous === undefined ? [] : changedMembers(toFactOf(previous, tx.now), fact);
      return { ...toRevisionShape(row), status, validFrom, validTo, changed };
    });
  });
}

/** Members that differ in every version. */
const ALWAYS_CHANGED: ReadonlySet<string> = new Set(["version", "updatedAt"]);

function changedMembers(before: Fact, after: Fact): string[] {
  const names = Object.keys(after) as (keyof Fact)[];
  return names.filter((name) =>
    !ALWAYS_CHANGED.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name])
  );
}

/**
 * Lists the messages that a fact comes from, with the turns that are stored here and visible.
 * @throws ServiceError `not_found`, `erased`
 */
export async function listFactCitations(ctx: OperationContext, id: string): Promise<FactCitations> {
  return await ctx.tx(async (tx) => {
    const { body } = await requireUnit<FactBody>(tx, "fact", id);
    const turns = body.citations.length === 0 ? [] : await findCitedTurns(tx, body.citations);
    const data = body.citations.map(({ messageId, sessionId, quote }) => {
      const named = turns.filter((turn) =>
        turn.messageId === messageId && (!sessionId || turn.sessionId === sessionId)
      );
      const ids = new Set(named.map((turn) => turn.id));
      const [turn] = ids.size === 1 ? named : [];
      return {
        messageId,
        sessionId: sessionId ?? turn?.sessionId ?? null,
        quote: quote ?? null,
        turn: turn === undefined ? null : {
          id: turn.id,
          sessionId: turn.sessionId,
          role: turn.role,
          name: turn.name,
          content: turn.content,
          occurredAt: turn.occurredAt.toISOString(),
        },
      };
    });
    return { factId: id, data, nextCursor: null };
  }, READ_ONLY);
}
