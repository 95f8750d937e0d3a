/** Creates relations, one or many, each call in a transaction of its own. */
import type { OperationContext } from "../../context.ts";
import type { ServiceError } from "../../errors.ts";
import type { CreateRelationBody, Relation, RelationBatchReply, RelationBatchResult } from "../../schema/relation.ts";
import { toRelation } from "../unit/relation_fields.ts";
import { prepareRelations, type Refused, type Related, writeRelations } from "./write.ts";

/** Batches do far more than a request's usual work. */
const BATCH_DEADLINE_MS = 60_000;

/**
 * Creates a relation, or finds one that says the same with overlapping validity.
 * @throws ServiceError `validation_failed`, `insufficient_scope`
 */
export async function createRelation(
  ctx: OperationContext,
  body: CreateRelationBody,
): Promise<{ readonly isNew: boolean; readonly relation: Relation }> {
  const [outcome] = await write(ctx, [body]);
  if ("refusal" in outcome!) throw outcome.refusal;
  return { isNew: outcome!.isNew, relation: toRelation(outcome!.row) };
}

/** Creates up to 500 relations in one transaction, in order; each has a result of its own, a refused one is left out. */
export async function createRelations(
  ctx: OperationContext,
  bodies: readonly CreateRelationBody[],
): Promise<RelationBatchReply> {
  const outcomes = await write(ctx, bodies, BATCH_DEADLINE_MS);
  const results = outcomes.map((outcome, index): RelationBatchResult =>
    "refusal" in outcome
      ? { index, status: outcome.refusal.status, error: toItemError(outcome.refusal) }
      : { index, status: outcome.isNew ? 201 : 200, relation: toRelation(outcome.row) }
  );
  const count = (status: number) => results.filter((result) => result.status === status).length;
  return {
    created: count(201),
    found: count(200),
    refused: results.filter((result) => result.error !== undefined).length,
    results,
  };
}

async function write(
  ctx: OperationContext,
  bodies: readonly CreateRelationBody[],
  deadlineMs?: number,
): Promise<(Related | Refused)[]> {
  const items = prepareRelations(ctx, bodies);
  // There is nothing to write: the refusals are the answer.
  if (items.every((item) => "refusal" in item)) return items.flatMap((item) => "refusal" in item ? [item] : []);
  return await ctx.tx((tx) => writeRelations(ctx, tx, items), deadlineMs === undefined ? {} : { deadlineMs });
}

function toItemError({ code, message, errors }: ServiceError): NonNullable<RelationBatchResult["error"]> {
  return { code, message, ...(errors && { errors: [...errors] }) };
}
