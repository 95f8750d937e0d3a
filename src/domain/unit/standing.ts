/**
 * Truth maintenance: a unit becomes stale when a source that it rests on is invalidated, becomes fresh when the source is
 * reinstated, and is never trusted more than the units that it was derived from.
 *
 * A change examines at most `LINKS_MAX` dependants in its own transaction and queues the rest for a worker; the queue
 * entries commit with the change. A pass reads the state of a source when it reaches it, not the state when it was queued,
 * so it may run late, twice, or after the change was undone. A review is opened for every unit that becomes stale, whatever
 * the clearance of the key that caused it. A source that is more sensitive than its dependant counts for nothing
 * (`flow.ts`), except that its trust bounds that of the dependant when this is written.
 */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import { hasUnmarkedDependants, queuePasses, takePasses } from "../../db/queries/dependant_passes.ts";
import { settleRelations } from "../../db/queries/relations.ts";
import { openStaleReviews, settleStaleReviews, type StaleReview } from "../../db/queries/review_items.ts";
import * as sources from "../../db/queries/unit_sources.ts";
import type { PassEntry, PassKind, SettledLink } from "../../db/queries/unit_sources.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import { FALLEN_STATUSES } from "../../schema/unit_state.ts";
import { eraseBroken, settlePreconditions } from "./preconditions.ts";
import { recordTouched } from "./relation_fields.ts";

/** Dependants that one transaction examines. */
const LINKS_MAX = 500;
/** Passes that a worker takes out of the queue at a time. */
const PASSES_MAX = 1_000;
/** Before every id. */
const FROM_FIRST = "00000000-0000-0000-0000-000000000000";

/** What a pass changed in the transaction. */
export interface PassReport {
  /** Units that became stale, as far as the transaction may see them. */
  readonly marked: readonly string[];
  /** Whether a worker goes on with units that the transaction may see. */
  readonly isPending: boolean;
}

type Touched = Exclude<SettledLink, { readonly event: null }>;

/**
 * Whether other units may rest on the unit. They may rest on archived and expired units, which were right but are out
 * of use.
 */
export function isStanding(unit: Pick<UnitRow<unknown>, "status" | "stale">): boolean {
  return !unit.stale && !(FALLEN_STATUSES as readonly string[]).includes(unit.status);
}

/** Whether a change invalidates or reinstates a unit. Archiving does neither: an invalidated unit stays invalidated. */
export function changesStanding(before: UnitRow<unknown>, after: UnitRow<unknown>): boolean {
  if (isStanding(before) === isStanding(after)) return false;
  return isStanding(before) || after.status !== "archived";
}

/**
 * Call this for units that were invalidated or reinstated. Marks the units that rest on them, directly or not, as stale, or
 * as fresh if none of their sources is invalidated any more.
 */
export async function settleDependants(tx: Tx, ids: readonly string[]): Promise<PassReport> {
  return ids.length === 0 ? NOTHING : await passStanding(tx, ids.map(entryOf));
}

/**
 * Call this for a unit that was erased. Marks the units that rest on it, directly or not, as stale, unless they are less
 * sensitive.
 */
export async function invalidateDependantsOf(
  tx: Tx,
  erased: Pick<UnitRow<unknown>, "id" | "sensitivity">,
): Promise<PassReport> {
  const { id, sensitivity } = erased;
  await sources.unlinkBelow(tx, erased);
  return await passStanding(tx, [{ ...entryOf(id), fallenId: id, how: "erased", fallenSensitivity: sensitivity }]);
}

const NOTHING: PassReport = { marked: [], isPending: false };

async function passStanding(tx: Tx, entries: readonly PassEntry[]): Promise<PassReport> {
  const { touched, left } = await pass(tx, "standing", entries, LINKS_MAX);
  const isSeen = (unit: Touched) => unit.event === "stale" && isCleared(unit.sensitivity, tx.maxSensitivity);
  const isPending = left.length > 0 && await hasUnmarkedDependants(tx, left);
  return { marked: touched.filter(isSeen).map((unit) => unit.id), isPending };
}

/** Call this for units whose trust fell. Caps the trust of the units that were derived from them, directly or not. */
export async function capDerived(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await pass(tx, "trust", ids.map(entryOf), LINKS_MAX);
}

/**
 * Continues passes that were too long for one transaction, a bounded number of dependants at a time, and then the chains of
 * reasoning that an erasure left. Two calls at once take different passes from the queue; a call that is interrupted leaves
 * its passes there. Returns whether there may be more.
 */
export async function continuePasses(ctx: OperationContext): Promise<boolean> {
  return await ctx.tx(async (tx) => {
    const taken = await takePasses(tx, PASSES_MAX);
    const [first] = taken;
    if (first === undefined) return await eraseBroken(tx);
    const due = taken.filter((entry) => entry.what === first.what);
    const others = taken.filter((entry) => entry.what !== first.what);
    if (others.length > 0) await queuePasses(tx, others[0]!.what, others);
    await pass(tx, first.what, due, LINKS_MAX);
    return true;
  });
}

function entryOf(sourceId: string): PassEntry {
  return { sourceId, afterId: FROM_FIRST, fallenId: null, how: null, fallenSensitivity: null };
}

/** Examines the dependants of some units, then those of the changed ones; the rest beyond the limit is queued. */
async function pass(tx: Tx, what: PassKind, entries: readonly PassEntry[], limit: number) {
  const touched: Touched[] = [];
  let left = [...entries];
  for (let budget = limit; left.length > 0 && budget > 0;) {
    if (what === "standing") await followRelations(tx, left);
    const links = await sources.settleLinks(tx, what, left, budget);
    const changed = links.filter((link): link is Touched => link.event !== null);
    const byId = new Map(left.map((entry) => [entry.sourceId, entry]));
    // If a unit rests on several sources, a fallen one is the cause.
    const byCause = changed.toSorted((a, b) => Number(a.sourceState !== null) - Number(b.sourceState !== null));
    const causes = new Map(byCause.map((link) => [link.id, causeOf(byId.get(link.sourceId)!, link)]));
    touched.push(...await followTouched(tx, changed, causes));
    const rest = links.length < budget ? [] : beyond(left, links.at(-1)!);
    left = [...rest, ...causes.entries().map(([id, cause]) => ({ ...entryOf(id), ...cause }))];
    budget -= links.length;
  }
  if (left.length > 0) await queuePasses(tx, what, left);
  return { touched, left };
}

/** Follows the relations that rest on units which a pass reaches for the first time. */
async function followRelations(tx: Tx, entries: readonly PassEntry[]): Promise<void> {
  const ids = entries.filter((entry) => entry.afterId === FROM_FIRST).map((entry) => entry.sourceId);
  for (const relation of ids.length === 0 ? [] : await settleRelations(tx, ids)) {
    recordTouched(tx, relation.event, [relation]);
  }
}

/** The entries that a pass has not reached when it ended at a link. Sources come in the order of their ids. */
function beyond(entries: readonly PassEntry[], last: SettledLink): PassEntry[] {
  return entries.flatMap((entry) =>
    entry.sourceId < last.sourceId ? [] : entry.sourceId > last.sourceId ? [entry] : [{ ...entry, afterId: last.id }]
  );
}

type Cause = Pick<PassEntry, "fallenId" | "how" | "fallenSensitivity"> & { readonly viaId: string };

/** The first cause: the source itself, or the unit that made the source stale. */
function causeOf(entry: PassEntry, { sourceId, sourceState, sourceSensitivity }: Touched): Cause {
  const { fallenId, how, fallenSensitivity } = entry;
  if (fallenId !== null || sourceState === null) return { fallenId, how, fallenSensitivity, viaId: sourceId };
  return { fallenId: sourceId, how: sourceState, fallenSensitivity: sourceSensitivity, viaId: sourceId };
}

/**
 * Records the changed units, and opens one review for each unit that became stale, however many of its sources fell.
 */
async function followTouched(
  tx: Tx,
  links: readonly Touched[],
  causes: ReadonlyMap<string, Cause>,
): Promise<Touched[]> {
  const units = [...new Map(links.map((link) => [link.id, link])).values()];
  for (const { type, event, id: resourceId, version, sensitivity } of units) {
    tx.record({ kind: `${type}.${event}`, resourceType: type, resourceId, version, sensitivity });
  }
  const moved = units.filter((unit) => unit.event === "stale" || unit.event === "fresh");
  await settlePreconditions(tx, moved.map((unit) => unit.id));
  await openReviews(tx, units.filter((unit) => unit.event === "stale" && isInUse(unit.status)), causes);
  const fresh = units.filter((unit) => unit.event === "fresh").map((unit) => unit.id);
  if (fresh.length > 0) await closeReviews(tx, fresh, "everything that it rests on stands again");
  return units;
}

/** The states in which knowledge is in use, so that staleness matters. */
const IN_USE: ReadonlySet<string> = new Set(["accepted", "active", "contested", "probationary", "proposed"]);

function isInUse(status: string): boolean {
  return IN_USE.has(status);
}

/** The review names the fallen source only to readers cleared for it: the item is as sensitive as the stale unit. */
function detailOf(unit: { readonly sensitivity: Sensitivity }, cause: Cause | undefined) {
  if (cause === undefined) return { sourceId: null, fallenId: null, how: null };
  const { viaId, fallenId, how, fallenSensitivity } = cause;
  const isNamed = fallenSensitivity !== null && isCleared(fallenSensitivity, unit.sensitivity);
  return { sourceId: viaId, fallenId: isNamed ? fallenId : null, how: isNamed ? how : null };
}

interface StaleUnit {
  readonly id: string;
  readonly sensitivity: Sensitivity;
}

async function openReviews(
  tx: Tx,
  units: readonly StaleUnit[],
  causes: ReadonlyMap<string, Cause>,
): Promise<void> {
  if (units.length === 0) return;
  const opened = await openStaleReviews(
    tx,
    units.map((unit) => {
      const detail = detailOf(unit, causes.get(unit.id));
      return { id: uuidv7(tx.now), unitId: unit.id, otherId: detail.sourceId, detail };
    }),
  );
  recordReviews(tx, "opened", 1, opened);
}

async function closeReviews(
  tx: Tx,
  ids: readonly string[],
  outcome: string,
  exceptId?: string,
): Promise<void> {
  recordReviews(tx, "resolved", 2, await settleStaleReviews(tx, ids, outcome, exceptId));
}

function recordReviews(tx: Tx, event: string, version: number, items: readonly StaleReview[]): void {
  for (const { id: resourceId, subjectId, sensitivity } of items) {
    const payload = { kind: "stale_dependant", subjectId };
    tx.record({ kind: `review.${event}`, resourceType: "review", resourceId, version, sensitivity, payload });
  }
}

interface Reviewable extends StaleUnit {
  readonly stale: boolean;
  readonly status: string;
}

/** Opens reviews of units whose authors gave them sources that make them stale. */
export async function reviewStale(tx: Tx, units: readonly Reviewable[]): Promise<void> {
  const asked = units.filter(needsReview);
  if (asked.length === 0) return;
  const fallen = await sources.findFallenSources(tx, asked.map((unit) => unit.id));
  const causes = fallen.map(({ unitId, sourceId, how, sensitivity }): [string, Cause] => [
    unitId,
    { viaId: sourceId, fallenId: sourceId, how, fallenSensitivity: sensitivity },
  ]);
  await openReviews(tx, asked, new Map(causes));
}

/** A unit before and after a version was written. */
export interface Revised {
  readonly before: Reviewable;
  readonly after: Reviewable;
  /** The review item whose decision causes the version; the code that resolves the item closes it. */
  readonly decidedId?: string | undefined;
}

/** Opens or closes the reviews of units that their authors made stale, affirmed, archived or restored. */
export async function reviewRevised(tx: Tx, revised: readonly Revised[]): Promise<void> {
  await reviewStale(tx, revised.flatMap(({ before, after }) => needsReview(before) ? [] : [after]));
  const settled = revised.filter(({ before, after }) => needsReview(before) && !needsReview(after));
  const outcomeOf = ({ after }: Revised) => after.stale ? after.status : "affirmed";
  for (const [outcome, units] of Map.groupBy(settled, outcomeOf)) {
    // A review decision concerns one unit.
    const decidedId = units.find((unit) => unit.decidedId !== undefined)?.decidedId;
    await closeReviews(tx, units.map(({ after }) => after.id), outcome, decidedId);
  }
}

function needsReview(unit: Reviewable): boolean {
  return unit.stale && isInUse(unit.status);
}
