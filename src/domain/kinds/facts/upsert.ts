/** Reads and upserts a fact by its external id: the name that the caller's own system has for it. */
import type { OperationContext } from "../../../context.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { CreateFactBody, type Fact, type UpsertFactBody, type WrittenFact } from "../../../schema/fact.ts";
import { prepareFacts } from "./claims.ts";
import { toWrittenFact } from "./create.ts";
import { findHolders, holdExternalIds, taken } from "./external_ids.ts";
import { type FactBody, type FactRow, toFact } from "./fields.ts";
import { notReplaceable } from "./replaceable.ts";
import { applyFactUpdate } from "./update.ts";
import { writeFacts } from "./write.ts";

/**
 * Creates the fact that has the name, or revises it: members of the body replace those of the fact, others stay. A body
 * that changes nothing makes no revision, whatever state the fact is in.
 * @throws ServiceError as `createFact` and `updateFact`; `conflict` when a fact above the caller's clearance has the
 * name, or another fact in force says the same under another name, or the fact exists and has not replaced the fact in
 * `supersedes`; `version_mismatch` when a version is expected and there is no fact
 */
export async function upsertFact(
  ctx: OperationContext,
  externalId: string,
  body: UpsertFactBody,
  ifMatch: number | undefined,
): Promise<{ readonly isNew: boolean; readonly fact: WrittenFact }> {
  const [item] = await prepareFacts(ctx, [toCreateBody(externalId, body)]);
  if ("refusal" in item!) throw item.refusal;
  return await ctx.tx(async (tx) => {
    const holder = (await holdExternalIds(tx, [externalId])).get(externalId);
    if (holder === undefined) {
      if (ifMatch !== undefined) {
        throw new ServiceError("version_mismatch", "Cannot apply the change: no fact has this externalId");
      }
      const [outcome] = await writeFacts(ctx, tx, [item!]);
      if ("refusal" in outcome!) throw outcome.refusal;
      return { isNew: outcome!.isNew, fact: toWrittenFact(outcome!, tx.now) };
    }
    if (holder.row === undefined) throw taken(holder);
    const patch = toPatch(body, holder.row);
    const prepared = patch.statement === undefined ? undefined : item!.prepared;
    const options = { ifMatch, prepared, mayRest: true };
    const fact = await applyFactUpdate(ctx, tx, holder.id, patch, options);
    await requireReplaced(tx, fact, body.supersedes);
    return { isNew: false, fact };
  });
}

/**
 * Lets a body name the fact that its fact has replaced, so that the body that created it can be sent again. If the
 * replaced fact is erased or above the caller's clearance, only the fact's own `supersedes` can confirm this.
 * @throws ServiceError `conflict`; `validation_failed` for an id that is not known
 */
async function requireReplaced(tx: Tx, fact: Fact, supersedes: string | undefined): Promise<void> {
  if (supersedes === undefined) return;
  const [old] = await findUnits<FactBody>(tx, [supersedes], { type: "fact" });
  if (old === undefined ? fact.supersedes === supersedes : old.body.supersededBy === fact.id) return;
  if (old === undefined) throw notReplaceable("supersedes", "is not known");
  throw new ServiceError(
    "conflict",
    `Cannot supersede ${supersedes}: ${fact.id} has the externalId and has not replaced it, or would not any more; relate the two by the verb supersedes`,
    { errors: [{ path: "supersedes", message: "is not replaced by this fact" }], extra: { factId: fact.id } },
  );
}

/** The body of a new fact: null means that it lacks the member. */
function toCreateBody(externalId: string, body: UpsertFactBody): CreateFactBody {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  return CreateFactBody.parse({ ...given, externalId });
}

/** The changes that the body makes: a statement or citations that the fact has already are none. */
function toPatch({ statement, citations, supersedes: _, ...rest }: UpsertFactBody, { body }: FactRow) {
  const keyOf = (citation: object) => JSON.stringify(Object.entries(citation).sort());
  const cited = new Set(body.citations.map(keyOf));
  const isCited = citations !== undefined && citations.length > 0 && citations.every((one) => cited.has(keyOf(one)));
  return {
    ...rest,
    ...(statement !== body.statement && { statement }),
    ...(citations !== undefined && !isCited && { citations }),
  };
}

/**
 * The fact that has the name, in any state.
 * @throws ServiceError `not_found`
 */
export async function getFactByExternalId(ctx: OperationContext, externalId: string): Promise<Fact> {
  return await ctx.tx(async (tx) => {
    const row = (await findHolders(tx, [externalId])).get(externalId)?.row;
    if (row === undefined) throw new ServiceError("not_found", "Cannot find the fact: none has this externalId");
    return toFact(row, tx.now);
  }, { readOnly: true });
}
