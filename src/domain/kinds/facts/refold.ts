/**
 * Facts whose names were folded by an earlier rule: their keys are computed anew, and what follows is judged.
 *
 * Names that the earlier rule took for two can be one now: facts about it that contradict each other are judged as if the
 * later one were stated under today's rule, so it supersedes or is contested and a review opens. Names that it took for
 * one can be two: a fact that was contested for that alone is released. Two facts that say the same of the same are no
 * contradiction: both stay, and consolidation merges them where it finds that one is enough. What was superseded stays
 * so, since somebody may have relied on it; it can be restored.
 *
 * It can be broken off after each transaction and run any number of times. A build of the earlier rule that still runs
 * beside this one writes facts that wait here in their turn.
 */
import type { Deps, OperationContext } from "../../../context.ts";
import * as queries from "../../../db/queries/fact_names.ts";
import { lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { mostSensitive } from "../../unit/trust.ts";
import { FollowUps } from "../../unit/follow_ups.ts";
import { reviseUnits } from "../../unit/store.ts";
import { contradicts, judge } from "./conflicts.ts";
import { type FactRow, foldTriple, isOtherTriple, tripleKeyOf } from "./fields.ts";
import { applyJudgement } from "./judgement.ts";
import { lockLiveRivals, namesOf, openReview, releaseAmong } from "./settle.ts";

/** Facts of one transaction: each takes a few advisory locks. */
const FACTS_MAX = 100;
const VERSIONS_MAX = 500;
const REASON = "names are compared by another rule than when it was written";

/** The workspaces where facts wait. */
export function listWorkspacesToRefold(deps: Deps): Promise<string[]> {
  return deps.db.system(queries.listWorkspacesOfOldNames, { readOnly: true });
}

/**
 * Does the facts of a workspace that wait, a bounded number in each transaction; false when there were none. Where others write
 * meanwhile there may be more.
 */
export async function refoldFacts(ctx: OperationContext): Promise<boolean> {
  return await throughAll((after: string | undefined) => ctx.tx((tx) => refoldSome(tx, after)));
}

/** The same for earlier versions, which are only read: nothing is judged. */
export async function refoldVersions(ctx: OperationContext): Promise<boolean> {
  return await throughAll((after: queries.VersionKey | undefined) => ctx.tx((tx) => refoldSomeVersions(tx, after)));
}

/** Steps from place to place until there is nothing more: a step that began anew would pass all that is done again. */
async function throughAll<Place>(step: (after: Place | undefined) => Promise<Place | undefined>): Promise<boolean> {
  let after = await step(undefined);
  if (after === undefined) return false;
  while (after !== undefined) after = await step(after);
  return true;
}

/** The next facts after an id; answers the last of them. */
async function refoldSome(tx: Tx, after: string | undefined): Promise<string | undefined> {
  const seen = await queries.listOldNamed(tx, { after, limit: FACTS_MAX }) as unknown as FactRow[];
  if (seen.length === 0) return undefined;
  // The names come before the rows, as every writer of facts takes them.
  await lockNames(tx, namesOf([...seen, ...seen.map(refold)]));
  const ids = seen.map(({ id }) => id);
  const old = await queries.listOldNamed(tx, { ids, limit: FACTS_MAX, lock: "update" }) as unknown as FactRow[];
  const facts = old.map(refold);
  await queries.storeFolded(
    tx,
    facts.map(({ id, tripleKey, body }) => ({ id, tripleKey, folded: { ...body.folded } })),
  );
  await judgeAnew(tx, old, facts);
  return ids.at(-1);
}

async function refoldSomeVersions(
  tx: Tx,
  after: queries.VersionKey | undefined,
): Promise<queries.VersionKey | undefined> {
  const versions = await queries.listOldVersions(tx, { after, limit: VERSIONS_MAX });
  if (versions.length === 0) return undefined;
  await queries.storeFoldedVersions(
    tx,
    versions.map(({ id, version, ...names }) => {
      const folded = foldTriple(names);
      return { id, version, tripleKey: tripleKeyOf(folded), folded: { ...folded } };
    }),
  );
  return versions.at(-1);
}

function refold(fact: FactRow): FactRow {
  const folded = foldTriple(fact.body);
  return { ...fact, tripleKey: tripleKeyOf(folded), body: { ...fact.body, folded } };
}

/** Judges the facts whose keys have changed, and releases what only the earlier keys kept contested. */
async function judgeAnew(tx: Tx, old: readonly FactRow[], facts: readonly FactRow[]): Promise<void> {
  const before = new Map(
    old.filter((fact, i) => isOtherTriple(fact, facts[i]!)).map((fact) => [fact.id, fact]),
  );
  const moved = facts.filter(({ id }) => before.has(id));
  if (moved.length === 0) return;
  const touched = [...before.values(), ...moved];
  const keys = new Set(moved.map(({ tripleKey }) => tripleKey));
  let live = await lockLiveRivals(tx, touched);
  const groups = Map.groupBy(live, ({ tripleKey }) => tripleKey);
  const followUps = new FollowUps();
  let hasChanged = false;
  for (const [key, group] of groups) {
    if (key !== null && keys.has(key)) hasChanged = await judgeGroup(tx, group, before, followUps) || hasChanged;
  }
  await followUps.run(tx);
  if (hasChanged) live = await lockLiveRivals(tx, touched);
  const either = new Set(touched.flatMap(({ tripleKey }) => tripleKey ?? []));
  const left = live.filter(({ id, tripleKey }) => tripleKey === null ? before.has(id) : either.has(tripleKey));
  // The keys were stored without versions, so that no write of the ledger tells of those that moved.
  if (left.some(({ status }) => status === "contested")) await releaseAmong(tx, left);
}

/**
 * Judges live facts of one subject and predicate in the order in which they were stated, each against those before it that
 * its author could see. What contradicted each other by the earlier keys was judged then. Answers whether any has changed.
 */
async function judgeGroup(
  tx: Tx,
  group: readonly FactRow[],
  before: ReadonlyMap<string, FactRow>,
  followUps: FollowUps,
): Promise<boolean> {
  let hasChanged = false;
  const asItWas = (fact: FactRow) => before.get(fact.id) ?? fact;
  const earlier = new Map<string, FactRow>();
  const inOrder = group.toSorted((a, b) => a.recordedAt.getTime() - b.recordedAt.getTime() || (a.id < b.id ? -1 : 1));
  for (const fact of inOrder) {
    const visible = [...earlier.values()].filter((other) =>
      mostSensitive(fact.sensitivity, other.sensitivity) === fact.sensitivity
    );
    const isNews = visible.some((other) => contradicts(fact, other) && !contradicts(asItWas(fact), asItWas(other)));
    const { row, closed } = isNews ? await settle(tx, fact, visible, followUps) : { row: fact, closed: [] };
    hasChanged ||= isNews;
    earlier.set(row.id, row);
    for (const { id } of closed) earlier.delete(id);
  }
  return hasChanged;
}

async function settle(
  tx: Tx,
  fact: FactRow,
  others: readonly FactRow[],
  followUps: FollowUps,
): Promise<{ readonly row: FactRow; readonly closed: readonly FactRow[] }> {
  const judgement = judge(fact, others, fact.recordedAt);
  if (judgement.outcome === "contested" && fact.status === "contested") return { row: fact, closed: [] };
  const { changes, closed } = applyJudgement(fact, judgement);
  const revision = { unit: fact, changes, note: { event: "updated", reason: REASON } };
  const rows = await reviseUnits(tx, [...closed, revision], { followUps });
  const row = rows.at(-1)!;
  if (judgement.outcome === "contested") await openReview(tx, row, judgement.rivals);
  return { row, closed: rows.slice(0, -1) };
}
