/**
 * Compares units of the same slot: a subject and a predicate together (the triple key): which of them holds at a time, and
 * which is outdated. Pure; the code that writes facts and recall share these rules.
 */
import { type Cardinality, cardinalityOf } from "../../language/predicates.ts";

/** The columns that the rules read. */
export interface Spoken {
  readonly id: string;
  readonly status: string;
  readonly attribution: string;
  readonly tripleKey: string | null;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly occurredAt: Date | null;
  readonly recordedAt: Date;
  readonly body: SpokenBody;
}

interface SpokenBody {
  readonly predicate?: string | null | undefined;
  readonly exclusive?: boolean | null | undefined;
  readonly folded?:
    | {
      readonly object?: string | null;
      readonly exclusive?: boolean | null;
      readonly inferred?: boolean | null;
    }
    | null
    | undefined;
  readonly supersededBy?: string | null | undefined;
  readonly before?: { readonly validTo: string | null } | null | undefined;
  /** The units that it likely outdates, by the claims that the rules read in both. */
  readonly outdates?: readonly string[] | null | undefined;
}

type Telling = Pick<Spoken, "body"> & Partial<Pick<Spoken, "attribution">>;

/** How many values its predicate has: by its author (unless that is a peer), else its workspace, else the default. */
function valuesOf({ attribution, body: { exclusive, folded, predicate } }: Telling): Cardinality | undefined {
  const said = (attribution === "federation_received" ? undefined : exclusive) ?? folded?.exclusive;
  if (said != null) return said ? "one" : "many";
  return predicate == null ? undefined : cardinalityOf(predicate);
}

/**
 * Whether two units of one slot exclude each other: for one of them the predicate has one value at a time, and for
 * neither has it several.
 */
export function excludes(a: Telling, b: Telling): boolean {
  const values = [valuesOf(a), valuesOf(b)];
  return values.includes("one") && !values.includes("many");
}

/** Whether two units are of the same slot, and say different things. */
export function differs(a: Spoken, b: Spoken): boolean {
  return a.id !== b.id && a.tripleKey !== null && a.tripleKey === b.tripleKey &&
    a.body.folded?.object !== b.body.folded?.object;
}

/** When it began to hold, in ms: its stated beginning, the time that it speaks of, or the time of recording. */
export function beginsAt({ validFrom, occurredAt, recordedAt }: Spoken): number {
  return (validFrom ?? occurredAt ?? recordedAt).getTime();
}

/** Its own stated end, whatever replaced it; null: none is stated, or no longer. */
function ownEnd({ validTo, body: { supersededBy, before } }: Spoken): Date | null {
  if (supersededBy == null) return validTo;
  return before?.validTo == null ? null : new Date(before.validTo);
}

/**
 * Whether `inner` states both its bounds and lies within `outer`, which lasts longer. If `outer`
 * states no beginning, it holds since any time if it was known before, and otherwise from when it
 * began by `beginsAt`. A peer's fact counts as known before, because the order in which it arrives
 * says nothing.
 */
export function nests(inner: Spoken, outer: Spoken): boolean {
  const [begins, ends] = [inner.validFrom?.getTime(), ownEnd(inner)?.getTime()];
  if (begins === undefined || ends === undefined) return false;
  const wasKnown = outer.recordedAt < inner.recordedAt || outer.attribution === "federation_received";
  const from = outer.validFrom?.getTime() ?? (wasKnown ? -Infinity : beginsAt(outer));
  const to = ownEnd(outer)?.getTime() ?? Infinity;
  return from <= begins && to >= ends && (from < begins || to > ends);
}

/** Whether a unit holds at a time. One that was replaced without an end was never true. */
function holdsAt({ status, validFrom, validTo }: Spoken, time: Date): boolean {
  if (status === "superseded" && validTo === null) return false;
  return (validFrom === null || validFrom <= time) && (validTo === null || validTo > time);
}

/** The bounded unit that is true instead of a longer one at a time. */
export function findInterrupting<S extends Spoken>(outer: Spoken, others: readonly S[], time: Date): S | undefined {
  return others.find((inner) =>
    inner.status !== "contested" && differs(inner, outer) && excludes(inner, outer) && holdsAt(inner, time) &&
    nests(inner, outer)
  );
}

/**
 * The id of the unit that is true instead of this one at a time: its replacement, one that
 * interrupts it, one that likely outdates it or, if nobody says how many values the predicate has,
 * a newer one that says something else. Undefined: none.
 */
export function findOutdating(spoken: Spoken, others: readonly Spoken[], time: Date): string | undefined {
  if (!holdsAt(spoken, time) && spoken.body.supersededBy != null) return spoken.body.supersededBy;
  const interrupting = findInterrupting(spoken, others, time);
  if (interrupting !== undefined) return interrupting.id;
  const saying = others.filter((other) => other.status === "active" && holdsAt(other, time) && outdates(other, spoken));
  if (saying.length > 0) return saying.sort((a, b) => isNewerThan(a, b) ? -1 : 1)[0]!.id;
  // Between units whose triples rules have read, only `outdates` decides.
  if (isPlain(spoken)) return undefined;
  const isUnsure = (one: Spoken) => valuesOf(one) === undefined && one.status === "active" && holdsAt(one, time);
  if (!isUnsure(spoken)) return undefined;
  const newer = others.filter((other) => differs(spoken, other) && isUnsure(other) && isNewerThan(other, spoken));
  return newer.sort((a, b) => isNewerThan(a, b) ? -1 : 1)[0]?.id;
}

/** Whether only rules read what a unit says: its author gave no predicate. */
function isPlain({ body }: Spoken): boolean {
  return body.folded?.inferred === true && body.predicate == null;
}

function outdates({ body }: Spoken, { id }: Spoken): boolean {
  return body.outdates?.includes(id) === true;
}

/** Whether a contested unit contradicts this one, which is in force, too: neither is known to be the right one. */
export function isContestedBy(spoken: Spoken, others: readonly Spoken[]): boolean {
  return others.some((other) =>
    other.status === "contested" && other.id !== spoken.id &&
    (outdates(other, spoken) ||
      (differs(spoken, other) && excludes(spoken, other) && !nests(other, spoken)))
  );
}

/**
 * Groups units of one slot that compete for being the present truth. Units whose triples rules
 * have read compete only if one outdates another.
 */
export function groupRivals<S extends Spoken>(said: readonly S[]): S[][] {
  const given = said.filter((one) => !isPlain(one));
  const groups: S[][] = given.length > 1 ? [given] : [];
  const waiting = new Set(said.filter((one) => said.some((other) => outdates(one, other) || outdates(other, one))));
  for (const first of waiting) {
    const group = [first];
    waiting.delete(first);
    for (const one of group) {
      for (const other of waiting) {
        if (!outdates(one, other) && !outdates(other, one)) continue;
        group.push(other);
        waiting.delete(other);
      }
    }
    groups.push(group);
  }
  return groups;
}

function isNewerThan(a: Spoken, b: Spoken): boolean {
  return beginsAt(a) > beginsAt(b) || beginsAt(a) === beginsAt(b) && a.id > b.id;
}

/**
 * How a unit answers a question about a time, among others of its slot: 0: it holds then. 1: it is contested, or likely
 * outdated. 2: it does not hold then. Undefined: it does not compete, because its predicate has several values.
 */
export function rankCurrency(spoken: Spoken, others: readonly Spoken[], time: Date): 0 | 1 | 2 | undefined {
  if (valuesOf(spoken) === "many") return undefined;
  if (!holdsAt(spoken, time) || findInterrupting(spoken, others, time) !== undefined) return 2;
  return spoken.status === "contested" || findOutdating(spoken, others, time) !== undefined ? 1 : 0;
}
