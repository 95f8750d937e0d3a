/** Facts that say the same: an edit or a restore may make two of them, and leaves one in force. */
import type { Tx } from "../../../db/tx.ts";
import { reviseUnits } from "../../unit/store.ts";
import { restates } from "./conflicts.ts";
import { type FactRow, isLive } from "./fields.ts";
import { supersession } from "./judgement.ts";
import { joinRestated, supportOf } from "./restated.ts";
import { lockLiveRivals } from "./lock_rivals.ts";

/**
 * Lets a fact take the place of others in force that say the same now: they are superseded by it and can be restored. It
 * takes over what they have, and their trust if that is more. Facts of another sensitivity stay, and so does one that
 * has an external id, because its author's system knows it by that.
 * @param event what made them twins: `changed`, `restored`
 */
export async function absorbTwins(
  tx: Tx,
  fact: FactRow,
  event: string,
): Promise<{ readonly row: FactRow; readonly absorbed: readonly string[] }> {
  if (!isLive(fact, tx.now)) return { row: fact, absorbed: [] };
  const twins = (await lockLiveRivals(tx, [fact])).filter((other) =>
    other.id !== fact.id && other.sensitivity === fact.sensitivity && other.body.externalId === undefined &&
    restates(fact, other, tx.now)
  );
  if (twins.length === 0) return { row: fact, absorbed: [] };
  const reason = `${fact.id} says the same since it was ${event}`;
  const closed = twins.map((other) => supersession(other, { by: fact.id, closesAt: tx.now, now: tx.now, reason }));
  const absorbed = twins.map(({ id }) => id);
  const joined = twins.reduce(takeOver, fact);
  const changes = { ...joined, body: { ...joined.body, supersedes: absorbed.at(-1)! } };
  const note = { event: "corroborated", reason: `takes the place of ${absorbed.join(", ")}, which said the same` };
  const rows = await reviseUnits(tx, [...closed, { unit: fact, changes, note }]);
  return { row: rows.at(-1)!, absorbed };
}

function takeOver(fact: FactRow, other: FactRow): FactRow {
  // Support that rests on other units stays with the fact that was made from them.
  const isMoreTrusted = other.trustScore > fact.trustScore && other.derivedFrom.length === 0;
  return {
    ...fact,
    ...joinRestated(fact, other, undefined).next,
    ...(isMoreTrusted && supportOf(other)),
    corroborationCount: fact.corroborationCount + other.corroborationCount + 1,
  };
}
