/** Looks up a chain before somebody reasons anew. The only model that it calls embeds the goal. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/reasoning.ts";
import type { ReasoningRow } from "../../db/queries/reasoning.ts";
import * as search from "../../db/queries/reasoning_search.ts";
import type { Tx } from "../../db/tx.ts";
import { isCleared, SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import type { ResolveReason, ResolveReasoningBody, ResolveReasoningReply } from "../../schema/reasoning.ts";
import { countTokens } from "../common/tokens.ts";
import { toEntry } from "./fields.ts";
import { contextSimilarity, goalSimilarity, goalTextOf, keyOf, termsOf } from "./goals.ts";
import { settleFound } from "../unit/preconditions.ts";
import { reliabilityOf } from "./reliability.ts";
import { type EmbeddedGoal, embedGoal } from "./vectors.ts";

/** Entries are looked up by this many of a goal's rarest terms. */
const TERMS_MAX = 6;
/** Terms in more goals than this are common; of a common one, this many entries are read, the newest first. */
const COMMON_MIN = 2_000;
/** Entries that are compared by words, and by vectors. */
const SHARING_MAX = 50;
const NEAREST_MAX = 20;
/** Similar entries whose preconditions are checked, the most similar first. */
const CHECKED_MAX = 10;
/** If a run asks again within this time, it counts as a retry. */
const RUN_MS = 86_400_000;

/** A candidate entry, and the reason not to serve it, if there is one. */
interface ChainVerdict {
  readonly row: ReasoningRow;
  readonly similarity: number;
  /** The reason not to serve it; null: it may be served. */
  readonly against: Exclude<ResolveReason, "exact" | "similar" | "no_match"> | null;
}

/**
 * Finds the chain for a goal in a context: the one with exactly this goal and context, or else the most similar one
 * above the threshold, among those whose preconditions all hold. Each hit counts a use; the tokens saved are the
 * chain's cost less the tokens of the served answer.
 */
export async function resolveReasoning(
  ctx: OperationContext,
  body: ResolveReasoningBody,
): Promise<ResolveReasoningReply> {
  const embedded = body.threshold < 1 ? await embedGoal(ctx, body.goal, "query") : undefined;
  const most = body.maxSensitivity ?? ctx.maxSensitivity;
  const levels = SENSITIVITIES.filter((level) => isCleared(level, most));
  const reply = await ctx.tx((tx) => findChain(tx, body, embedded, levels));
  // Counted after the commit, so that a repeated transaction counts once.
  if (reply.tokensSaved > 0) ctx.deps.telemetry.metrics.countTokensSaved("reasoning_cache", reply.tokensSaved);
  return reply;
}

async function findChain(
  tx: Tx,
  body: ResolveReasoningBody,
  embedded: EmbeddedGoal | undefined,
  levels: readonly Sensitivity[],
): Promise<ResolveReasoningReply> {
  const key = keyOf(body.goal, body.context);
  const exact = (await queries.findEntriesByKey(tx, key.goalKey, levels))
    .map((row) => judge(tx, row, 1, body.minReliability, true)).sort(byMerit);
  const exactHit = exact.find((verdict) => verdict.against === null);
  const { similar, nearest } = exactHit !== undefined || body.threshold >= 1
    ? { similar: [], nearest: 0 }
    : await findSimilar(tx, body, embedded, levels, exact.map(({ row }) => row.id));
  await settleFound(tx, [...exact, ...similar].filter(isNews).map(({ row }) => row.id).sort());
  const hit = exactHit ?? similar.find((verdict) => verdict.against === null);
  if (hit !== undefined) {
    const tokensSaved = await countUse(tx, hit.row, body.runId);
    const [served] = tokensSaved === undefined ? [] : await queries.findEntries(tx, [hit.row.id]);
    if (served !== undefined) return toReply(tx, { ...hit, row: served }, exactHit !== undefined, tokensSaved!);
  }
  const best = exact[0] ?? similar[0];
  if (best === undefined || best === hit) {
    return {
      hit: false,
      reason: "no_match",
      entry: null,
      candidateId: null,
      similarity: nearest,
      reliability: null,
      tokensSaved: 0,
      preconditions: [],
    };
  }
  return toReply(tx, best, false, 0);
}

/** Judges entries with other goals above the threshold, most similar first, and tells how near the nearest one is. */
async function findSimilar(
  tx: Tx,
  body: ResolveReasoningBody,
  embedded: EmbeddedGoal | undefined,
  levels: readonly Sensitivity[],
  known: readonly string[],
): Promise<{ readonly similar: ChainVerdict[]; readonly nearest: number }> {
  const ids = new Set(await findCandidates(tx, body.goal, embedded));
  for (const id of known) ids.delete(id);
  if (ids.size === 0) return { similar: [], nearest: 0 };
  const text = goalTextOf(body.goal);
  const asked = { ...keyOf(body.goal, body.context), context: body.context };
  const compared = (await search.readSimilar(tx, [...ids], levels, embedded)).map((row) => {
    const context = contextSimilarity(asked, row);
    const goal = context === 0 ? 0 : goalSimilarity(text, goalTextOf(row.goal), row.cosine ?? undefined);
    return { id: row.id, similarity: round(Math.min(goal, context)) };
  }).sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1));
  const nearest = compared[0]?.similarity ?? 0;
  const found = compared.filter(({ similarity }) => similarity > 0 && similarity >= body.threshold).slice(
    0,
    CHECKED_MAX,
  );
  if (found.length === 0) return { similar: [], nearest };
  const rows = new Map((await queries.findEntries(tx, found.map(({ id }) => id))).map((row) => [row.id, row]));
  const similar = found.flatMap(({ id, similarity }) => {
    const row = rows.get(id);
    return row === undefined ? [] : [judge(tx, row, similarity, body.minReliability, false)];
  });
  return { similar, nearest };
}

/** Finds entries that share rare words with the goal, or whose vectors are near. */
async function findCandidates(tx: Tx, goal: string, embedded: EmbeddedGoal | undefined): Promise<string[]> {
  const counts = await search.countGoals(tx, termsOf(goal), COMMON_MIN + 1);
  const rarest = counts.sort((a, b) => a.n - b.n || (a.term < b.term ? -1 : 1)).slice(0, TERMS_MAX);
  const sharing = rarest.length === 0 ? [] : await search.findSharing(tx, rarest.map(({ term }) => term), {
    min: Math.ceil(rarest.length / 2),
    perTerm: COMMON_MIN,
    limit: SHARING_MAX,
  });
  const nearest = embedded === undefined ? [] : await search.findNearestGoals(tx, embedded, NEAREST_MAX);
  return [...sharing, ...nearest];
}

/** Judges whether an entry may be served now. One statement has read the entry and its preconditions. */
function judge(tx: Tx, row: ReasoningRow, similarity: number, minReliability: number, isExact: boolean): ChainVerdict {
  const { mean } = reliabilityOf(row.outcome, row.helpful, row.harmful);
  const against = row.outcome !== "success"
    ? "not_successful"
    : row.preconditions.some((one) => !one.holds)
    ? "precondition_changed"
    : row.expiresAt !== null && row.expiresAt <= tx.now
    ? "expired"
    : row.standing === "retired"
    ? "retired"
    : (row.standing === "demoted" && !isExact) || mean < minReliability
    ? "unreliable"
    : null;
  return { row, similarity, against };
}

/** Entries that may be served come first, then the most reliable ones. */
function byMerit(a: ChainVerdict, b: ChainVerdict): number {
  const reliability = ({ row }: ChainVerdict) => reliabilityOf(row.outcome, row.helpful, row.harmful).mean;
  return Number(a.against !== null) - Number(b.against !== null) || reliability(b) - reliability(a);
}

/** Whether the preconditions differ from what the entry notes. */
function isNews({ row }: ChainVerdict): boolean {
  return row.broken !== row.preconditions.some((one) => !one.holds);
}

/** Counts a use unless it is a retry. Returns the tokens saved; undefined if the entry was deleted in the meantime. */
async function countUse(tx: Tx, row: ReasoningRow, runId: string | undefined): Promise<number | undefined> {
  const since = new Date(tx.now.getTime() - RUN_MS);
  if (runId !== undefined && !await queries.addRun(tx, row, runId, since)) return 0;
  const tokensSaved = Math.max(0, row.tokensSpent - countTokens(row.answer));
  return await queries.addUse(tx, row.id, tokensSaved) ? tokensSaved : undefined;
}

function toReply(tx: Tx, { row, similarity, against }: ChainVerdict, isExact: boolean, tokensSaved: number) {
  return {
    hit: against === null,
    reason: against ?? (isExact ? "exact" as const : "similar" as const),
    entry: against === null ? toEntry(row, tx.now) : null,
    candidateId: row.id,
    similarity,
    reliability: reliabilityOf(row.outcome, row.helpful, row.harmful),
    tokensSaved,
    preconditions: [...row.preconditions],
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
