/**
 * Counts for each workspace how often something may have given the background loops new work. The loops seldom visit a
 * workspace whose count does not change.
 */
import { perService } from "./per_service.ts";

export class Activity {
  /** Counts for all workspaces that this process has heard of. */
  readonly #counts = new Map<string, number>();
  #gaps = 0;

  /** The feed of a workspace has moved. */
  noteMove(workspaceId: string): void {
    this.#counts.set(workspaceId, (this.#counts.get(workspaceId) ?? 0) + 1);
  }

  /**
   * Notes that a loop has left work that must wait, for instance until another transaction ends. No change in the feed will
   * announce that the loop can do the work.
   */
  noteWaiting(workspaceId: string): void {
    this.noteMove(workspaceId);
  }

  /** Notes that notifications may have been lost, or that the loops can work again everywhere. */
  noteGap(): void {
    this.#gaps++;
  }

  /** A number that grows whenever there may be something new to do. */
  of(workspaceId: string): number {
    return this.#gaps + (this.#counts.get(workspaceId) ?? 0);
  }
}

export const activityOf = perService(() => new Activity());
