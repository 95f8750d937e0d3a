/** Gives facts that an earlier build wrote the key by which the same words in another dress are found. */
import type { OperationContext } from "../../../context.ts";
import { listWithoutStatementKey, storeStatementKeys } from "../../../db/queries/fact_names.ts";
import { type FactBody, statementKey } from "./fields.ts";

const FACTS_MAX = 500;

/** Reads a bounded number of facts; returns whether there may be more. */
export async function keyStatements(ctx: OperationContext): Promise<boolean> {
  return await ctx.tx(async (tx) => {
    const facts = await listWithoutStatementKey<FactBody>(tx, FACTS_MAX);
    if (facts.length > 0) await storeStatementKeys(tx, facts.map(({ id, body }) => ({ id, said: statementKey(body) })));
    return facts.length === FACTS_MAX;
  });
}
