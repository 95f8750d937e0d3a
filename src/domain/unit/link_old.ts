/**
 * Links the statements that were there before there were links, the latest first: what `newer.ts` does at a write. Each
 * transaction links some and notes how far it came, so that it can be interrupted after each one.
 */
import type { OperationContext } from "../../context.ts";
import * as work from "../../db/queries/newer_work.ts";
import type { Tx } from "../../db/tx.ts";
import { Slices } from "../../pause.ts";
import { analyseOnly } from "./indexing.ts";
import { linkStored, type ToldStatement } from "./newer.ts";

/** Statements of one transaction. */
const STATEMENTS_MAX = 32;

/** Links the next statements of a workspace; returns whether there may be more. */
export async function linkOldStatements(ctx: OperationContext): Promise<boolean> {
  const place = await ctx.tx((tx) => work.readLinkPlace(tx), { readOnly: true });
  return place > 0 && await ctx.tx(linkSome);
}

async function linkSome(tx: Tx): Promise<boolean> {
  const before = await work.lockLinkPlace(tx);
  if (before === undefined || before === 0) return false;
  const rows = await work.listUnlinked(tx, before, STATEMENTS_MAX);
  const slices = new Slices();
  const told: ToldStatement[] = [];
  for (const row of rows) {
    await slices.yieldIfDue();
    told.push(toTold(row));
  }
  await linkStored(tx, told);
  const next = rows.length < STATEMENTS_MAX ? 0 : rows.at(-1)!.docNo;
  await work.moveLinkPlace(tx, next);
  return next > 0;
}

function toTold(row: work.StoredStatement): ToldStatement {
  const { id, docNo, isTurn, at, speaker, sessionId, sensitivity, text, vector, model } = row;
  const prepared = analyseOnly({ kind: isTurn ? "turn" : "fact", sensitivity, text }, model ?? "");
  const embedding = vector === null ? null : Float32Array.from(JSON.parse(vector) as number[]);
  return { ...{ id, docNo, isTurn, at, speaker, sessionId }, prepared: { ...prepared, embedding } };
}
