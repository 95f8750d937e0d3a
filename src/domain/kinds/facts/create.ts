/** Creating facts, one or many. */
import type { OperationContext } from "../../../context.ts";
import type { CreateFactBody, FactBatchReply, FactBatchResult, WrittenFact } from "../../../schema/fact.ts";
import { toItemError } from "../../unit/create.ts";
import { prepareFacts } from "./claims.ts";
import { toFact } from "./fields.ts";
import { type FactResult, writeFacts, type Written } from "./write.ts";

/** Batches do far more than a request's usual work. */
const BATCH_DEADLINE_MS = 60_000;

/** The reply to a writer. */
export function toWrittenFact(
  written: Omit<Written, "isNew" | "versionBefore" | "leftOut"> & Partial<Pick<Written, "leftOut">>,
  time: Date,
): WrittenFact {
  const { row, duplicateOf, conflict, leftOut = [] } = written;
  return { ...toFact(row, time), duplicateOf, conflict, ...(leftOut.length > 0 && { leftOut: [...leftOut] }) };
}

/**
 * Creates a fact. If a live fact says the same, the service stores no second one and returns that fact, corroborated.
 * @throws ServiceError `validation_failed`, `insufficient_scope`
 */
export async function createFact(
  ctx: OperationContext,
  body: CreateFactBody,
): Promise<{ readonly isNew: boolean; readonly fact: WrittenFact }> {
  const [outcome] = await write(ctx, [body]);
  if ("refusal" in outcome!) throw outcome.refusal;
  return { isNew: outcome!.isNew, fact: toWrittenFact(outcome!, ctx.deps.clock()) };
}

/** Creates up to 500 facts in one transaction, in order; each has a result of its own, and a refused one is left out. */
export async function createFacts(ctx: OperationContext, bodies: readonly CreateFactBody[]): Promise<FactBatchReply> {
  const outcomes = await write(ctx, bodies, BATCH_DEADLINE_MS);
  const now = ctx.deps.clock();
  const results = outcomes.map((outcome, index): FactBatchResult => {
    if ("refusal" in outcome) return { index, status: outcome.refusal.status, error: toItemError(outcome.refusal) };
    return { index, status: outcome.isNew ? 201 : 200, fact: toWrittenFact(outcome, now) };
  });
  const count = (status: number) => results.filter((result) => result.status === status).length;
  return {
    created: count(201),
    corroborated: count(200),
    refused: results.filter((result) => result.error !== undefined).length,
    results,
  };
}

async function write(
  ctx: OperationContext,
  bodies: readonly CreateFactBody[],
  deadlineMs?: number,
): Promise<FactResult[]> {
  const items = await prepareFacts(ctx, bodies);
  // There is nothing to write: the refusals are the answer.
  if (items.every((item) => "refusal" in item)) return items.flatMap((item) => "refusal" in item ? [item] : []);
  return await ctx.tx((tx) => writeFacts(ctx, tx, items), deadlineMs === undefined ? {} : { deadlineMs });
}
