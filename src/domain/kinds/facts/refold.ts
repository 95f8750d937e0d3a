/**
 * Computes the name keys of facts again that an earlier rule (`NAME_RULE`) folded, and judges the conflicts that change.
 *
 * Two names that differed by the earlier rule can be the same name now. If facts about this name contradict each other, the
 * service judges them as if the later fact were stated under today's rule: it supersedes the other one, or becomes
 * contested and a review opens. One name by the earlier rule can be two names now. A fact that was contested only for that
 * reason is released. Two facts that state the same do not contradict each other: both stay, and consolidation may merge
 * them. Superseded facts stay superseded, since somebody may have relied on it; they can be restored.
 *
 * It can be interrupted after each transaction and run any number of times. If an earlier build still runs at the same
 * time, the facts that it writes wait for the next run.
 */
import type { Deps, OperationContext } from "../../../context.ts";
import * as queries from "../../../db/queries/fact_names.ts";
import { lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { mostSensitive } from "../../unit/trust.ts";
import { FollowUps } from "../../unit/follow_ups.ts";
import { reviseUnits } from "../../unit/store.ts";
import { contradicts, judge } from "./conflicts.ts";
import { type FactBody, type FactRow, foldTriple, isLive, isOtherTriple, tripleKeyOf } from "./fields.ts";
import { applyJudgement } from "./judgement.ts";
import { lockLiveRivals, namesOf, openReview, releaseAmong } from "./lock_rivals.ts";

/** Facts in one transaction; bounded because each takes a few advisory locks. */
const FACTS_MAX = 100;
const VERSIONS_MAX = 500;
const REASON = "names are compared by another rule than when it was written";

/** Lists the workspaces with facts that have to be folded again. */
export function listWorkspacesToRefold(deps: Deps): Promise<string[]> {
  return deps.db.each(queries.listWorkspacesOfOldNames, { readOnly: true, partial: true });
}

/**
 * Folds the waiting facts of a workspace again, a bounded number in each transaction. Returns false if there were none. An
 * earlier build that writes at the same time may add more.
 */
export async function refoldFacts(ctx: OperationContext): Promise<boolean> {
  return await throughAll((after: string | undefined) => ctx.tx((tx) => refoldSome(tx, after)));
}

/** Does the same for earlier versions of facts. Nothing is judged, because earlier versions are only read. */
export async function refoldVersions(ctx: OperationContext): Promise<boolean> {
  return await throughAll((after: queries.VersionKey | undefined) => ctx.tx((tx) => refoldSomeVersions(tx, after)));
}

/**
 * Calls `step` with the place where its last call ended until nothing is left, so that no step reads finished rows
 * again.
 */
async function throughAll<Place>(step: (after: Place | undefined) => Promise<Place | undefined>): Promise<boolean> {
  let after = await step(undefined);
  if (after === undefined) return false;
  while (after !== undefined) after = await step(after);
  return true;
}

/** Folds the next facts after an id. Returns the id of the last one. */
async function refoldSome(tx: Tx, after: string | undefined): Promise<string | undefined> {
  const seen = await queries.listOldNamed<FactBody>(tx, { after, limit: FACTS_MAX });
  if (seen.length === 0) return undefined;
  // The names are locked before the rows, in the same order as by every writer of facts.
  await lockNames(tx, namesOf([...seen, ...seen.map(refold)]));
  const ids = seen.map(({ id }) => id);
  const old = await queries.listOldNamed<FactBody>(tx, { ids, limit: FACTS_MAX, lock: "update" });
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

/** Judges the facts whose keys have changed, and releases facts that were contested only by the earlier keys. */
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
  // The keys were stored without versions, so no write of the ledger has released contested facts whose rivals' keys changed.
  if (left.some(({ status }) => status === "contested")) await releaseAmong(tx, left);
}

/**
 * Judges live facts of one subject and predicate in the order in which they were stated, each against the earlier ones that
 * its author could see. Facts that contradicted each other by the earlier keys too were judged then, and are not judged
 * again. Returns whether any fact has changed.
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
    if (isLive(row, tx.now)) earlier.set(row.id, row);
    for (const other of closed) {
      if (isLive(other, tx.now)) earlier.set(other.id, other);
      else earlier.delete(other.id);
    }
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
  const { changes, closed } = applyJudgement(fact, judgement, tx.now);
  const revision = { unit: fact, changes, note: { event: "updated", reason: REASON } };
  const rows = await reviseUnits(tx, [...closed, revision], { followUps });
  const row = rows.at(-1)!;
  if (judgement.outcome === "contested") await openReview(tx, row, judgement.rivals);
  return { row, closed: rows.slice(0, -1) };
}
