/** Carries out the judgements of conflict detection. Each of these changes can be undone. */
import type { Tx } from "../../../db/tx.ts";
import type { FactConflict } from "../../../schema/fact.ts";
import { type ReviseNote, reviseUnit, type Revision } from "../../unit/store.ts";
import { contradicts, endOf, type Judgement, winnerColumns, worldTime } from "./conflicts.ts";
import { type FactBody, type FactRow, LIVE_STATUSES } from "./fields.ts";
import { lockLiveRivals, openReview } from "./settle.ts";

export const NO_CONFLICT: FactConflict = { outcome: "none", factIds: [], reviewItemId: null };

/** The changes that a judgement makes to a fact and to the facts that it contradicts. */
export interface Verdict {
  /** The changes to the fact itself. */
  readonly changes: Partial<Pick<FactRow, "status" | "validFrom" | "body">>;
  /** The facts that it supersedes, each with the revision that closes it. */
  readonly closed: readonly Revision<FactBody>[];
  /** If the fact is contested, the caller opens a review, so that a person decides, and adds the review's id here. */
  readonly conflict: FactConflict;
}

/**
 * Computes the changes that a judgement makes: the fact becomes active, becomes contested, or becomes active and
 * supersedes the facts that it contradicts. Writes nothing.
 * @param reasonOf gives the reason why a rival is superseded; default: the fact is newer and trusted at least as much
 */
export function applyJudgement(
  fact: FactRow,
  judgement: Judgement<FactRow>,
  reasonOf: (rival: FactRow) => string = (rival) => reasonToClose(fact, rival),
): Verdict {
  const { outcome, rivals, closesAt } = judgement;
  if (outcome === "none") return { changes: { status: "active" }, closed: [], conflict: NO_CONFLICT };
  const conflict = { outcome, factIds: rivals.map((rival) => rival.id), reviewItemId: null };
  if (outcome === "contested") return { changes: { status: "contested" }, closed: [], conflict };
  return {
    changes: { ...winnerColumns(fact, judgement), status: "active" },
    closed: rivals.map((rival) => supersession(rival, { by: fact.id, closesAt, reason: reasonOf(rival) })),
    conflict,
  };
}

function reasonToClose(winner: FactRow, rival: FactRow): string {
  return `superseded by ${winner.id}: newer, and trusted at least as much ` +
    `(${winner.attribution} ${winner.trustScore}, here ${rival.attribution} ${rival.trustScore})`;
}

/** The judgement that a fact supersedes another because somebody says so, at the time at which it began to hold. */
export function replacement(fact: FactRow, old: FactRow, statedAt: Date): Judgement<FactRow> {
  return { outcome: "superseded", rivals: [old], closesAt: worldTime(fact) ?? statedAt };
}

/** Why a fact is superseded whose successor names it. */
export function reasonToReplace(winner: FactRow): string {
  return `superseded by ${winner.id}, whose author says so`;
}

interface Supersession {
  readonly by: string;
  readonly closesAt: Date;
  readonly reason: string;
  /**
   * The closed fact was never true. If it has no `validFrom`, its end becomes its `validFrom`, so that its interval of
   * validity is empty.
   */
  readonly neverHeld?: boolean;
  readonly reviewItemId?: string;
}

/**
 * The revision that closes a fact in favour of another fact: the closed fact was true until `closesAt`. Its body keeps the
 * previous values, with which restoring the fact undoes this.
 */
export function supersession(fact: FactRow, how: Supersession): Revision<FactBody> {
  const { by, closesAt, reason, neverHeld, reviewItemId } = how;
  const { validFrom, validTo } = fact;
  const before = {
    validTo: validTo?.toISOString() ?? null,
    ...(neverHeld && { validFrom: validFrom?.toISOString() ?? null }),
  };
  const end = endOf(fact, closesAt);
  return {
    unit: fact,
    changes: {
      status: "superseded",
      validFrom: neverHeld && validFrom === null ? end : validFrom,
      validTo: end,
      body: { ...fact.body, supersededBy: by, before },
    },
    note: { event: "superseded", reason, reviewItemId },
  };
}

/**
 * Writes the version that brings a fact back into force or leaves it out of force. If a live fact contradicts a fact that
 * comes back, the latter becomes contested and a person is asked to decide; the service closes neither. Only the facts
 * that contradict it now count, not those that contradicted it earlier.
 */
export async function contestIfRivalled(tx: Tx, fact: FactRow, next: FactRow, note: ReviseNote): Promise<FactRow> {
  if (!(LIVE_STATUSES as readonly string[]).includes(next.status)) return await reviseUnit(tx, fact, next, note);
  const rivals = (await lockLiveRivals(tx, [next])).filter((rival) => contradicts(next, rival));
  if (rivals.length === 0) return await reviseUnit(tx, fact, { ...next, status: "active" }, note);
  const row = await reviseUnit(tx, fact, { ...next, status: "contested" }, {
    ...note,
    reason: note.reason ?? `${note.event}; contested by ${rivals.map((rival) => rival.id).join(", ")}`,
  });
  await openReview(tx, row, rivals);
  return row;
}
