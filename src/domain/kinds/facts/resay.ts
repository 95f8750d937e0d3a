/** Gives facts that an earlier build wrote the key by which the same words in another dress are found. */
import type { OperationContext } from "../../../context.ts";
import { listUnsaid, storeSaid } from "../../../db/queries/fact_names.ts";
import { type FactBody, saidKey } from "./fields.ts";

const FACTS_MAX = 500;

/** Reads a bounded number of facts; returns whether there may be more. */
export async function keySayings(ctx: OperationContext): Promise<boolean> {
  return await ctx.tx(async (tx) => {
    const facts = await listUnsaid<FactBody>(tx, FACTS_MAX);
    if (facts.length > 0) await storeSaid(tx, facts.map(({ id, body }) => ({ id, said: saidKey(body) })));
    return facts.length === FACTS_MAX;
  });
}
