/** In which workspaces something has changed, for background loops, which have nothing to do in the others. */
import { perService } from "./per_service.ts";

/** How often this process has heard that the feed of a workspace moved. Every write moves it. */
export class Activity {
  readonly #moves = new Map<string, number>();
  #gaps = 0;

  /** The feed of a workspace has moved. */
  note(workspaceId: string): void {
    this.#moves.set(workspaceId, (this.#moves.get(workspaceId) ?? 0) + 1);
  }

  /** Notifications may have been lost: each feed may have moved. */
  noteGap(): void {
    this.#gaps++;
  }

  /** A number that is another one as soon as there may be something new to do. */
  of(workspaceId: string): number {
    return this.#gaps + (this.#moves.get(workspaceId) ?? 0);
  }
}

export const activityOf = perService(() => new Activity());
