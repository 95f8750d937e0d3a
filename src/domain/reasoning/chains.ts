/** Reasoning chains: reads, lists, votes on and deletes them. */
import type { OperationContext } from "../../context.ts";
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import * as queries from "../../db/queries/reasoning.ts";
import type { ReasoningRow } from "../../db/queries/reasoning.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type {
  ListReasoningQuery,
  ReasoningEntry,
  ReasoningFeedbackBody,
  ReasoningFeedbackReply,
} from "../../schema/reasoning.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { toEntry } from "./fields.ts";
import { termsOf } from "./goals.ts";
import { standingOf } from "./reliability.ts";
import { requireVersion } from "../unit/store.ts";
import { voterOf, VOTERS_MAX } from "../common/voters.ts";

const READ_ONLY = { readOnly: true };

/** @throws ServiceError `not_found` */
export async function getReasoning(ctx: OperationContext, id: string): Promise<ReasoningEntry> {
  return await ctx.tx(async (tx) => toEntry(await requireEntry(tx, id), tx.now), READ_ONLY);
}

/** Lists entries by their first recording, the newest first unless the caller asks otherwise. */
export async function listReasoning(ctx: OperationContext, query: ListReasoningQuery): Promise<Page<ReasoningEntry>> {
  const { limit, order } = query;
  const terms = query.q === undefined ? undefined : termsOf(query.q);
  const filter = {
    terms: terms?.length === 0 ? undefined : terms,
    statuses: query.status,
    outcomes: query.outcome,
    agentId: query.agentId,
    factId: query.factId,
    order,
    after: decodeCursor("reasoning", order, query.cursor, isId),
    limit: limit + 1,
  };
  return await ctx.tx(async (tx) => {
    const rows = await queries.listEntries(tx, filter);
    return toPage(rows, limit, (row) => toEntry(row, tx.now), (row) => encodeCursor("reasoning", order, row.id));
  }, { readOnly: true, fromReplica: true });
}

/**
 * Takes a vote about an entry. Each agent has one vote, and a second replaces the first; the votes of a key's agents
 * weigh one together. A vote may demote or retire the entry, or bring it back.
 * @throws ServiceError `not_found`
 */
export async function giveReasoningFeedback(
  ctx: OperationContext,
  body: ReasoningFeedbackBody,
): Promise<ReasoningFeedbackReply> {
  const helpful = body.outcome === "helpful" || body.outcome === "success";
  return await ctx.tx(async (tx) => {
    const row = await requireEntry(tx, body.entryId, { lock: true });
    const vote = { agentId: body.agentId ?? tx.actor, helpful, note: body.note ?? null };
    const voter = voterOf(tx.actor, body.agentId);
    const before = await queries.findVote(tx, row.id, voter);
    const replaced = before !== undefined;
    if (before?.helpful !== helpful || before.note !== vote.note) {
      await queries.upsertVote(tx, row, { ...vote, voter }, VOTERS_MAX);
    }
    const counts = await queries.countVotes(tx, row.id);
    if (counts.helpful === row.helpful && counts.harmful === row.harmful) {
      return { entry: toEntry(row, tx.now), vote, replaced };
    }
    const standing = standingOf(row.outcome, counts.helpful, counts.harmful);
    const updatedAt = row.updatedAt > tx.now ? row.updatedAt : tx.now;
    const next: ReasoningRow = { ...row, ...counts, standing, version: row.version + 1, updatedAt };
    await queries.upsertEntry(tx, next);
    recordEntry(tx, standing === row.standing ? "voted" : standing === "active" ? "reactivated" : standing, next);
    return { entry: toEntry(next, tx.now), vote, replaced };
  });
}

/**
 * Deletes an entry for good, with its votes, and returns it as it was.
 * @throws ServiceError `not_found`, `version_mismatch`
 */
export async function deleteReasoning(
  ctx: OperationContext,
  id: string,
  ifMatch: number | undefined,
): Promise<ReasoningEntry> {
  return await ctx.tx(async (tx) => {
    const row = await requireEntry(tx, id, { lock: true });
    requireVersion(row, ifMatch);
    await eraseEntry(tx, row);
    return toEntry(row, tx.now);
  });
}

/** Deletes an entry that the transaction has locked, with its votes and the kept replies that mention it. */
export async function eraseEntry(tx: Tx, row: ReasoningRow): Promise<void> {
  await queries.deleteEntry(tx, row.id);
  await eraseReplies(tx, row.id);
  recordEntry(tx, "deleted", row);
}

async function requireEntry(tx: Tx, id: string, options: { readonly lock?: boolean } = {}): Promise<ReasoningRow> {
  const [row] = await queries.findEntries(tx, [id], options);
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the reasoning entry");
  return row;
}

function recordEntry(tx: Tx, event: string, row: ReasoningRow): void {
  tx.record({
    kind: `reasoning.${event}`,
    resourceType: "reasoning",
    resourceId: row.id,
    version: row.version,
    sensitivity: row.sensitivity,
  });
}
