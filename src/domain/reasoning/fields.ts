/** A reasoning entry as callers see it. */
import type { ReasoningRow } from "../../db/queries/reasoning.ts";
import type { ReasoningEntry, ReasoningStatus, RetiredReason } from "../../schema/reasoning.ts";
import { reliabilityOf } from "./reliability.ts";

/** Why an entry is retired now; null if it is not. */
export function retiredReasonOf(row: ReasoningRow, now: Date): RetiredReason | null {
  if (row.preconditions.some((one) => !one.holds)) return "precondition_changed";
  if (row.standing === "retired") return "unreliable";
  return row.expiresAt !== null && row.expiresAt <= now ? "expired" : null;
}

export function statusAt(row: ReasoningRow, now: Date): ReasoningStatus {
  return retiredReasonOf(row, now) === null ? row.standing : "retired";
}

export function toEntry(row: ReasoningRow, now: Date): ReasoningEntry {
  return {
    id: row.id,
    version: row.version,
    status: statusAt(row, now),
    retiredReason: retiredReasonOf(row, now),
    goal: row.goal,
    context: row.context as ReasoningEntry["context"],
    steps: row.steps as ReasoningEntry["steps"],
    answer: row.answer,
    outcome: row.outcome,
    preconditions: [...row.preconditions],
    reliability: reliabilityOf(row.outcome, row.helpful, row.harmful),
    tokensSpent: row.tokensSpent,
    attempts: { ...row.attempts },
    useCount: row.useCount,
    tokensSaved: row.tokensSaved,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    agentId: row.agentId,
    tags: [...row.tags],
    sensitivity: row.sensitivity,
    contentHash: row.contentHash,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: row.createdBy,
  };
}
