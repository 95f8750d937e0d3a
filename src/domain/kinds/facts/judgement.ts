/** Carrying out what conflict detection judged. All of it can be undone. */
import type { Tx } from "../../../db/tx.ts";
import type { FactConflict } from "../../../schema/fact.ts";
import { type ReviseNote, reviseUnit, type Revision } from "../../unit/store.ts";
import { contradicts, endOf, type Judgement, winnerColumns } from "./conflicts.ts";
import { type FactBody, type FactRow, LIVE_STATUSES } from "./fields.ts";
import { lockLiveRivals, openReview } from "./settle.ts";

export const NO_CONFLICT: FactConflict = { outcome: "none", factIds: [], reviewItemId: null };

/** What a judgement makes of a fact and of those that it contradicts. */
export interface Verdict {
  /** What changes about the fact itself. */
  readonly changes: Partial<Pick<FactRow, "status" | "validFrom" | "body">>;
  /** The facts that it supersedes, with what closes them. */
  readonly closed: readonly Revision<FactBody>[];
  /** Where it is contested, a person is asked about it; whoever opens the review adds its id. */
  readonly conflict: FactConflict;
}

/**
 * What becomes of a fact by a judgement about it: it is in force, contested, or in force in place of those that it
 * contradicts. Nothing is written.
 * @param reasonOf why a rival gives way; that it is older and trusted no more, unless told
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

interface Supersession {
  readonly by: string;
  readonly closesAt: Date;
  readonly reason: string;
  /** It was true at no time, so that one without a beginning is given the end as its beginning. */
  readonly neverHeld?: boolean;
  readonly reviewItemId?: string;
}

/** How a fact is closed in favour of another: it was true until then. It keeps what restoring needs to undo it. */
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
 * Writes the version by which a fact comes back into force, or that leaves it out of force. Where a live fact contradicts
 * one that comes back, it becomes contested and a person is asked: neither of the two is closed by the machine. Who
 * contradicts it now decides, not who did before.
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
