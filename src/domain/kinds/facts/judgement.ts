/** Carries out the judgements of conflict detection. Each of these changes can be undone. */
import type { Tx } from "../../../db/tx.ts";
import type { Claim } from "../../../language/claims/mod.ts";
import type { FactConflict } from "../../../schema/fact.ts";
import { mayChange } from "../../unit/flow.ts";
import { type ReviseNote, reviseUnit, type Revision } from "../../unit/store.ts";
import { contests, endOf, type FactJudgement, winnerColumns, worldTime } from "./conflicts.ts";
import { type FactBody, type FactRow, foldInferred, LIVE_STATUSES } from "./fields.ts";
import { isGiven, relateFacts } from "./inferred.ts";
import { lockLiveRivals, openReview } from "./lock_rivals.ts";

export const NO_CONFLICT: FactConflict = { outcome: "none", factIds: [], reviewItemId: null };

/** The changes that a judgement makes to a fact and to the facts that it contradicts. */
export interface FactVerdict {
  /** The changes to the fact itself. */
  readonly changes: Partial<Pick<FactRow, "status" | "validFrom" | "validTo" | "tripleKey" | "body">>;
  /** The facts that it supersedes, each with the revision that closes it. */
  readonly closed: readonly Revision<FactBody>[];
  /** If the fact is contested, the caller opens a review, so that a person decides, and adds the review's id here. */
  readonly conflict: FactConflict;
  /** Why the fact itself has an end; null: it gets none. */
  readonly endReason: string | null;
  /** Less sensitive facts that it would supersede: it is marked as outdating them, and they stay as they are. */
  readonly below: readonly Outdated[];
}

/** A fact that another one outdates, and the claim by which it does; null if no rule read one. */
export interface Outdated {
  readonly fact: FactRow;
  readonly by: Claim | null;
}

/**
 * Computes the changes that a judgement makes: the fact becomes active, becomes contested, becomes active and supersedes the
 * facts that it contradicts, or is superseded itself by a fact that was known before and begins later. Writes nothing.
 * Facts that are less sensitive are not superseded but marked as outdated.
 * @param reasonOf gives the reason why a rival is superseded; default: the fact is newer and trusted at least as much
 */
export function applyJudgement(
  fact: FactRow,
  judgement: FactJudgement<FactRow>,
  now: Date,
  reasonOf: (rival: FactRow) => string = (rival) => reasonToClose(fact, rival),
): FactVerdict {
  const { outcome, rivals, closesAt, next, above = [] } = judgement;
  const idsOf = (facts: readonly FactRow[]) => facts.map(({ id }) => id);
  const none = { closed: [], endReason: null, below: [] };
  if (outcome === "contested") {
    const conflict = { outcome, factIds: idsOf(rivals), reviewItemId: null };
    return { ...none, changes: { status: "contested" }, conflict };
  }
  const lost = outcome === "superseded" ? rivals : [];
  const beaten = lost.filter((rival) => mayChange(fact, rival));
  const below = lost.filter((rival) => !beaten.includes(rival))
    .map((rival) => ({ fact: rival, by: relateFacts(fact, rival).by }));
  const ended = [...beaten, ...above];
  const won = { ...(beaten.length > 0 && winnerColumns(fact, { rivals: beaten, closesAt })), status: "active" };
  const marked = outdatingColumns({ ...fact, ...won }, below);
  const standing = { ...won, ...marked };
  return {
    changes: next === undefined ? standing : { ...standing, ...endedBy({ ...fact, ...standing }, next, now) },
    closed: ended.map((rival) => supersession(rival, { by: fact.id, closesAt, now, reason: reasonOf(rival) })),
    conflict: ended.length > 0
      ? { outcome: "superseded", factIds: idsOf(ended), reviewItemId: null }
      : next !== undefined
      ? { outcome: "ordered", factIds: [next.fact.id], reviewItemId: null }
      : outcome === "interrupts"
      ? { outcome, factIds: idsOf(rivals), reviewItemId: null }
      : NO_CONFLICT,
    endReason: next === undefined ? null : `${next.fact.id}, which was known before, holds from its beginning on`,
    below,
  };
}

/**
 * The columns of a fact that likely outdates others: `outdates` names them, and `tripleKey` is the
 * key under which it met the first of them. Null if it outdates none.
 */
export function outdatingColumns(
  fact: FactRow,
  outdated: readonly Outdated[],
): Pick<FactRow, "tripleKey" | "body"> | null {
  const [first] = outdated;
  if (first === undefined) return null;
  const marked = new Set([...fact.body.outdates ?? [], ...outdated.map((one) => one.fact.id)]);
  const body = { ...fact.body, outdates: [...marked] };
  if (first.by === null || isGiven(body)) return { tripleKey: fact.tripleKey, body };
  const { tripleKey, folded } = foldInferred(first.by);
  // Readers find both facts by one key.
  return { tripleKey: first.fact.tripleKey ?? tripleKey, body: { ...body, folded } };
}

/** The facts that one fact outdates, each once. */
export function joinOutdated(some: readonly Outdated[], more: readonly Outdated[]): readonly Outdated[] {
  return [...some, ...more.filter((one) => some.every(({ fact }) => fact.id !== one.fact.id))];
}

/** The changes to a fact that ends where an already known fact begins. */
export function endedBy(fact: FactRow, next: NonNullable<FactJudgement<FactRow>["next"]>, now: Date) {
  const { changes } = supersession(fact, { by: next.fact.id, closesAt: next.begins, now, reason: "" });
  const { status, validTo, body } = changes;
  return { status: status!, validTo: validTo!, body: body! };
}

function reasonToClose(winner: FactRow, rival: FactRow): string {
  const { relation, by } = relateFacts(winner, rival);
  const said = relation === "ends" && by?.change != null
    ? ` says that this has changed (${by.predicate}: ${by.change}),`
    : "";
  return `superseded by ${winner.id}:${said} newer, and trusted at least as much ` +
    `(${winner.attribution} ${winner.trustScore}, here ${rival.attribution} ${rival.trustScore})`;
}

/** The judgement that a fact supersedes another because somebody says so, from the time at which it began to hold. */
export function replacement(fact: FactRow, old: FactRow, statedAt: Date): FactJudgement<FactRow> {
  const closesAt = worldTime(fact) ?? statedAt;
  return mayChange(old, fact)
    ? { outcome: "superseded", rivals: [old], closesAt }
    : { outcome: "none", rivals: [], closesAt, above: [old] };
}

/** The reason for superseding a fact that its successor names. */
export function reasonToReplace(winner: FactRow): string {
  return `superseded by ${winner.id}, whose author says so`;
}

interface Supersession {
  readonly by: string;
  readonly closesAt: Date;
  readonly now: Date;
  readonly reason: string;
  /**
   * The closed fact was never true. If it has no `validFrom`, its end becomes its `validFrom`, so that its interval of
   * validity is empty.
   */
  readonly neverHeld?: boolean;
  readonly reviewItemId?: string;
}

/**
 * The revision that closes a fact in favour of another fact: the closed fact was true until `closesAt`. If that lies ahead,
 * the fact stays in force until then, and a worker writes its new status when the time has come. Its body keeps the previous
 * values, with which restoring the fact undoes this.
 */
export function supersession(fact: FactRow, how: Supersession): Revision<FactBody> {
  const { by, closesAt, now, reason, neverHeld, reviewItemId } = how;
  const { validFrom, body } = fact;
  const end = endOf(fact, closesAt);
  const begins = worldTime(fact);
  const isPlanned = !neverHeld && end > now && (begins === null || begins < end);
  const before = {
    // An end that was planned before is not the fact's own value.
    ...(isEnding(fact) ? { validTo: body.before!.validTo } : { validTo: fact.validTo?.toISOString() ?? null }),
    ...(neverHeld && { validFrom: validFrom?.toISOString() ?? null }),
    ...(isPlanned && { planned: true as const }),
  };
  return {
    unit: fact,
    changes: {
      status: isPlanned ? fact.status : "superseded",
      validFrom: neverHeld && validFrom === null ? end : validFrom,
      validTo: end,
      body: { ...body, supersededBy: by, before },
    },
    note: { event: isPlanned ? "ending" : "superseded", reason, reviewItemId },
  };
}

/** Whether another fact takes the place of a fact in force at a time that lay ahead when this was written. */
export function isEnding({ status, body }: Pick<FactRow, "status" | "body">): boolean {
  return body.before?.planned === true && (LIVE_STATUSES as readonly string[]).includes(status);
}

/** Whether the given fact takes its place. */
export function isEndedBy(fact: FactRow, id: string): boolean {
  return isEnding(fact) && fact.body.supersededBy === id;
}

/** The fact as it was before: nothing takes its place. */
export function withoutEnd(fact: FactRow): FactRow {
  const { before, ...body } = fact.body;
  const validTo = before?.validTo == null ? null : new Date(before.validTo);
  return { ...fact, validTo, body: { ...body, supersededBy: null } };
}

/**
 * Writes the version that brings a fact back into force or leaves it out of force. If a live fact contradicts a fact that
 * comes back, the latter becomes contested and a person is asked to decide; the service closes neither. Only the facts
 * that contradict it now count, not those that contradicted it earlier.
 */
export async function contestIfRivalled(tx: Tx, fact: FactRow, next: FactRow, note: ReviseNote): Promise<FactRow> {
  if (!(LIVE_STATUSES as readonly string[]).includes(next.status)) return await reviseUnit(tx, fact, next, note);
  const rivals = (await lockLiveRivals(tx, [next])).filter((rival) => contests(rival, next));
  if (rivals.length === 0) return await reviseUnit(tx, fact, { ...next, status: "active" }, note);
  const row = await reviseUnit(tx, fact, { ...next, status: "contested" }, {
    ...note,
    reason: note.reason ?? `${note.event}; contested by ${rivals.map((rival) => rival.id).join(", ")}`,
  });
  await openReview(tx, row, rivals);
  return row;
}
