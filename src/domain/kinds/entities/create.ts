/** `POST` of an entity, one or many. */
import type { OperationContext } from "../../../context.ts";
import type { ServiceError } from "../../../errors.ts";
import type { CreateEntityBody, EntityBatchReply, EntityBatchResult, FoundEntity } from "../../../schema/entity.ts";
import type { Tx } from "../../../db/tx.ts";
import { findOrCreateEntities, type FindOutcome, type FoundRow, prepareEntities } from "./find_or_create.ts";
import { showEntities } from "./show_entities.ts";

/** Batches do far more than a request's usual work. */
const BATCH_DEADLINE_MS = 60_000;

/**
 * Finds an entity by its names, or creates it.
 * @throws ServiceError `validation_failed`, `insufficient_scope`, `conflict`
 */
export async function findOrCreateEntity(ctx: OperationContext, body: CreateEntityBody): Promise<FoundEntity> {
  const prepared = await prepareEntities(ctx, [body]);
  for (const item of prepared) if ("refusal" in item) throw item.refusal;
  const [shown] = await ctx.tx(async (tx) => await show(tx, await findOrCreateEntities(ctx, tx, prepared)));
  if ("refusal" in shown!) throw shown.refusal;
  return shown!;
}

/** Finds or creates up to 500 entities in one transaction, in order; each has a result of its own. */
export async function findOrCreateBatch(
  ctx: OperationContext,
  bodies: readonly CreateEntityBody[],
): Promise<EntityBatchReply> {
  const prepared = await prepareEntities(ctx, bodies);
  const shown = await ctx.tx(
    async (tx) => await show(tx, await findOrCreateEntities(ctx, tx, prepared)),
    { deadlineMs: BATCH_DEADLINE_MS },
  );
  const results = shown.map((entity, index): EntityBatchResult =>
    "refusal" in entity
      ? { index, status: entity.refusal.status, error: toItemError(entity.refusal) }
      : { index, status: entity.created ? 201 : 200, entity }
  );
  const count = (status: number) => results.filter((result) => result.status === status).length;
  return { created: count(201), found: count(200), refused: results.length - count(201) - count(200), results };
}

async function show(
  tx: Tx,
  outcomes: readonly FindOutcome[],
): Promise<(FoundEntity | { readonly refusal: ServiceError })[]> {
  const found = outcomes.flatMap((outcome) => "refusal" in outcome ? [] : [outcome]);
  const entities = await showEntities(tx, found.map((outcome) => outcome.row));
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  return outcomes.map((outcome) => {
    if ("refusal" in outcome) return outcome;
    const { row, keptAttributes, nearDuplicates, ...rest }: FoundRow = outcome;
    return {
      ...byId.get(row.id)!,
      ...rest,
      keptAttributes: [...keptAttributes],
      nearDuplicates: [...nearDuplicates],
    };
  });
}

function toItemError({ code, message, errors }: ServiceError): NonNullable<EntityBatchResult["error"]> {
  return { code, message, ...(errors && { errors: [...errors] }) };
}
