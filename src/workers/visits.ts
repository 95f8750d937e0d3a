/**
 * Decides in which workspaces a background loop steps. A service may hold thousands, nearly all of them quiet. A loop
 * visits a workspace whose feed has moved in its next round, and one where it found nothing to do ever more seldom.
 */
import type { Activity } from "../domain/common/activity.ts";

/**
 * The longest time for which a loop stays away from a quiet workspace, in milliseconds, until its next round. Work that
 * becomes due there meanwhile waits.
 */
export const STAY_AWAY_MS_MAX = 60_000;

/** The outcome of a step in a workspace: there is more to do, there was nothing, or the step failed. */
export type VisitOutcome = "more" | "nothing" | "failed";

/** A workspace that a loop need not visit for a while. */
interface Quiet {
  /** The activity before the loop checked. */
  readonly activity: number;
  readonly awayMs: number;
  readonly until: number;
}

/** Remembers for one background loop which workspaces it need not visit for a while. */
export class Visits {
  readonly #activity: Activity;
  readonly #restMs: number;
  readonly #now: () => number;
  #quiet = new Map<string, Quiet>();

  /**
   * @param restMs how long the loop rests between two rounds
   * @param now a clock in milliseconds
   */
  constructor(activity: Activity, restMs: number, now: () => number = () => performance.now()) {
    this.#activity = activity;
    this.#restMs = restMs;
    this.#now = now;
  }

  /** The workspaces to step in during this round. It forgets those that are not in the list. */
  due(workspaceIds: readonly string[]): string[] {
    const quiet = new Map<string, Quiet>();
    const due = workspaceIds.filter((id) => {
      const known = this.#quiet.get(id);
      if (known !== undefined) quiet.set(id, known);
      return known === undefined || known.activity !== this.#activity.of(id) || known.until <= this.#now();
    });
    this.#quiet = quiet;
    return due;
  }

  /**
   * Call this before a step in a workspace.
   * @returns a function to call with the outcome after the step
   */
  begin(workspaceId: string): (outcome: VisitOutcome) => void {
    const activity = this.#activity.of(workspaceId);
    return (outcome) => {
      const before = this.#quiet.get(workspaceId);
      this.#quiet.delete(workspaceId);
      if (outcome === "more") return;
      const isQuiet = outcome === "nothing" && before?.activity === activity;
      // A failed step is tried again after a rest, also while other workspaces keep the loop from resting.
      const awayMs = isQuiet ? Math.min(2 * before.awayMs, STAY_AWAY_MS_MAX) : this.#restMs;
      // Half a rest early: rounds are not exactly a rest apart.
      this.#quiet.set(workspaceId, { activity, awayMs, until: this.#now() + awayMs - this.#restMs / 2 });
    };
  }
}
