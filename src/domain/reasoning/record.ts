/** Records a chain of reasoning. */
import type { OperationContext } from "../../context.ts";
import { contentHash } from "../../crypto/hash.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as queries from "../../db/queries/reasoning.ts";
import type { PreconditionRow, ReasoningRow } from "../../db/queries/reasoning.ts";
import { replaceSearch } from "../../db/queries/reasoning_search.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits, lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import {
  REASONING_OUTCOMES,
  type ReasoningEntry,
  type ReasoningOutcome,
  type RecordReasoningBody,
} from "../../schema/reasoning.ts";
import { mostSensitive, requireClearance } from "../unit/trust.ts";
import { requireNamed } from "../unit/store.ts";
import { toEntry } from "./fields.ts";
import { type GoalKey, keyOf, termsOf } from "./goals.ts";
import { standingOf } from "./reliability.ts";
import { type EmbeddedGoal, embedGoal } from "./vectors.ts";

/** A recording before its write. */
export interface PreparedRecording extends GoalKey {
  readonly body: RecordReasoningBody;
  readonly terms: readonly string[];
  /** Undefined: the provider is down, and a worker embeds it later. */
  readonly embedded: EmbeddedGoal | undefined;
}

/** Hashes and embeds a recording; it does not use the database. */
export async function prepareRecording(ctx: OperationContext, body: RecordReasoningBody): Promise<PreparedRecording> {
  if (body.sensitivity !== undefined) requireClearance(ctx, body.sensitivity);
  return {
    ...keyOf(body.goal, body.context),
    body,
    terms: termsOf(body.goal),
    embedded: await embedGoal(ctx, body.goal, "document"),
  };
}

/**
 * Records a chain. Goal, context and sensitivity identify an entry. If it is recorded again with an outcome at least as
 * good (success before partial before failure), the new chain replaces the held one as the next version; one with a
 * worse outcome is only counted. A recording that repeats the last one changes nothing. Votes concern steps and answer:
 * when these change, voting begins anew.
 * @throws ServiceError `validation_failed` when a precondition is not known or the sensitivity is out of bounds,
 * `conflict` when a precondition does not hold
 */
export async function recordReasoning(
  ctx: OperationContext,
  body: RecordReasoningBody,
): Promise<{ readonly entry: ReasoningEntry; readonly created: boolean }> {
  const prepared = await prepareRecording(ctx, body);
  return await ctx.tx((tx) => writeRecording(ctx, tx, prepared));
}

/** The transaction's part of `recordReasoning`. */
export async function writeRecording(
  ctx: OperationContext,
  tx: Tx,
  prepared: PreparedRecording,
): Promise<{ readonly entry: ReasoningEntry; readonly created: boolean }> {
  const { body } = prepared;
  await lockNames(tx, [`reasoning:${prepared.goalKey}`]);
  const rests = await requirePreconditions(tx, body);
  const sensitivity = sensitivityOf(ctx, body, rests.units);
  const [held] = await queries.findEntriesByKey(tx, prepared.goalKey, [sensitivity], { lock: true });
  const attempt = attemptOf(tx, prepared, rests.rows);
  const next = held === undefined ? undefined : mergeAttempt(held, attempt, tx.now);
  if (next !== undefined && next === held) return { entry: toEntry(held, tx.now), created: false };
  const row = next ?? firstEntry(tx, prepared, attempt, sensitivity);
  const replaces = held === undefined || row.contentHash === attempt.contentHash;
  await queries.upsertEntry(tx, row);
  if (replaces) {
    await queries.replacePreconditions(tx, row, rests.rows);
    await replaceSearch(tx, row, prepared.terms, prepared.embedded);
    if (held !== undefined && row.helpful + row.harmful < held.helpful + held.harmful) {
      await queries.deleteVotes(tx, row.id);
    }
  }
  tx.record({
    kind: held === undefined ? "reasoning.recorded" : "reasoning.updated",
    resourceType: "reasoning",
    resourceId: row.id,
    version: row.version,
    sensitivity: row.sensitivity,
    payload: { outcome: body.outcome },
  });
  const [written] = await queries.findEntries(tx, [row.id]);
  return { entry: toEntry(written!, tx.now), created: held === undefined };
}

/** The units that the chain rests on, locked until the chain is stored, so that later changes of them can retire it. */
async function requirePreconditions(
  tx: Tx,
  body: RecordReasoningBody,
): Promise<{ readonly units: UnitRow<unknown>[]; readonly rows: PreconditionRow[] }> {
  const wanted = body.preconditions;
  if (wanted.length === 0) return { units: [], rows: [] };
  const ids = wanted.map((one) => one.factId);
  const found = new Map((await findUnits(tx, ids, { lock: "share" })).map((unit) => [unit.id, unit]));
  const units = requireNamed(found, ids, "preconditions");
  const rows = new Map<string, string>();
  const changed = wanted.filter(({ factId, contentHash: hash }) => {
    const unit = found.get(factId)!;
    rows.set(factId, unit.contentHash);
    return hash !== undefined && hash !== unit.contentHash;
  });
  if (changed.length > 0) {
    throw refused("says something else now", changed.map(({ factId }) => found.get(factId)!));
  }
  const fallen = await queries.findFallen(tx, [...rows.keys()]);
  if (fallen.length > 0) throw refused("is no longer in force", fallen.map((id) => found.get(id)!));
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  return { units, rows: sorted.map(([factId, hash]) => ({ factId, contentHash: hash })) };
}

function refused(reason: string, units: readonly UnitRow<unknown>[]): ServiceError {
  return new ServiceError("conflict", `Cannot record the chain: a unit that it rests on ${reason}: ${units[0]!.id}`, {
    extra: { preconditions: units.map(({ id, contentHash: hash }) => ({ factId: id, contentHash: hash })) },
  });
}

function sensitivityOf(ctx: OperationContext, body: RecordReasoningBody, units: readonly UnitRow<unknown>[]) {
  const least: Sensitivity = units.length === 0
    ? "public"
    : mostSensitive("public", ...units.map((unit) => unit.sensitivity));
  const sensitivity = body.sensitivity ?? mostSensitive("internal", least);
  if (!isCleared(least, sensitivity)) {
    throw new ServiceError("validation_failed", `Cannot record the chain: it rests on units that are ${least}`, {
      errors: [{ path: "sensitivity", message: `must be at least ${least}` }],
    });
  }
  requireClearance(ctx, sensitivity);
  return sensitivity;
}

/** One recording, as an entry keeps it. */
type Attempt =
  & Pick<ReasoningRow, "steps" | "answer" | "outcome" | "tokensSpent" | "agentId" | "tags" | "contentHash">
  & Pick<ReasoningRow, "attemptHash" | "goal" | "context">
  & { readonly expiresAt: Date | null; readonly chainHash: string };

function attemptOf(tx: Tx, { body }: PreparedRecording, preconditions: readonly PreconditionRow[]): Attempt {
  const { steps, answer, outcome, tokensSpent } = body;
  const agentId = body.agentId ?? null;
  const tags = [...new Set(body.tags)];
  const expiresAt = body.ttlSeconds !== undefined
    ? new Date(tx.now.getTime() + 1_000 * body.ttlSeconds)
    : body.expiresAt === undefined
    ? null
    : new Date(body.expiresAt);
  const hash = contentHash({ steps, answer, outcome, preconditions });
  return {
    goal: body.goal,
    context: body.context ?? null,
    steps,
    answer,
    outcome,
    tokensSpent,
    agentId,
    tags,
    expiresAt,
    contentHash: hash,
    attemptHash: contentHash([hash, tokensSpent, agentId, tags]),
    chainHash: chainHashOf({ steps, answer }),
  };
}

function chainHashOf({ steps, answer }: Pick<ReasoningRow, "steps" | "answer">): string {
  return contentHash([steps, answer]);
}

function rankOf(outcome: ReasoningOutcome): number {
  return REASONING_OUTCOMES.length - REASONING_OUTCOMES.indexOf(outcome);
}

function firstEntry(
  tx: Tx,
  { goalKey, contextKind, contextKey }: PreparedRecording,
  { chainHash: _, ...attempt }: Attempt,
  sensitivity: Sensitivity,
): Omit<ReasoningRow, "preconditions"> {
  return {
    ...attempt,
    id: uuidv7(tx.now),
    version: 1,
    goalKey,
    contextKind,
    contextKey,
    standing: "active",
    helpful: 0,
    harmful: 0,
    broken: false,
    attempts: { success: 0, partial: 0, failure: 0, [attempt.outcome]: 1 },
    useCount: 0,
    tokensSaved: 0,
    lastUsedAt: null,
    sensitivity,
    createdAt: tx.now,
    updatedAt: tx.now,
    createdBy: tx.actor,
  };
}

/** The entry after one more recording of the same goal; the row itself if nothing changes. */
function mergeAttempt(held: ReasoningRow, { chainHash, ...attempt }: Attempt, now: Date): ReasoningRow {
  const isRepeated = attempt.attemptHash === held.attemptHash;
  const isSameExpiry = attempt.expiresAt?.getTime() === held.expiresAt?.getTime();
  const replaces = rankOf(attempt.outcome) >= rankOf(held.outcome);
  if (isRepeated && (isSameExpiry || !replaces)) return held;
  const attempts = isRepeated
    ? held.attempts
    : { ...held.attempts, [attempt.outcome]: held.attempts[attempt.outcome] + 1 };
  const updatedAt = held.updatedAt > now ? held.updatedAt : now;
  const counted = { ...held, version: held.version + 1, updatedAt, attempts, attemptHash: attempt.attemptHash };
  if (!replaces) return counted;
  const isSameChain = chainHash === chainHashOf(held);
  const helpful = isSameChain ? held.helpful : 0;
  const harmful = isSameChain ? held.harmful : 0;
  return {
    ...counted,
    ...attempt,
    attempts,
    helpful,
    harmful,
    standing: standingOf(attempt.outcome, helpful, harmful),
    broken: false,
  };
}
