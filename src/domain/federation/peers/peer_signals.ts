/**
 * Tracks what this process is doing with each peer, and stops it when the peer's entry changes or is removed, whichever
 * process did that: pooled connections are closed, and running sync runs are aborted.
 */
import type { Deps } from "../../../context.ts";
import { ServiceError } from "../../../errors.ts";
import { pause } from "../../../pause.ts";
import { perService } from "../../common/per_service.ts";

/** Something that runs with a peer. Dispose it when it has ended. */
export interface FollowedPeer extends Disposable {
  /** Aborted when the peer's entry changes or is removed. */
  readonly signal: AbortSignal;
}

/** The name of a peer's connections for the outbound client. */
export function partyOf(workspaceId: string, id: string): string {
  return `federation ${workspaceId} ${id}`;
}

export const peerSignalsOf = perService((deps) => new PeerSignals(deps));

class PeerSignals {
  /** The name of this process in the notifications that it sends. */
  readonly name = crypto.randomUUID();
  readonly #outbound: Deps["outbound"];
  readonly #running = new Map<string, Set<AbortController>>();
  /** The peers that this process has called. */
  readonly #called = new Set<string>();
  #wake = () => {};

  constructor({ outbound }: Pick<Deps, "outbound">) {
    this.#outbound = outbound;
  }

  /** Registers something that begins to run with a peer. */
  follow(workspaceId: string, id: string): FollowedPeer {
    const party = partyOf(workspaceId, id);
    const controller = new AbortController();
    const running = this.#running.get(party) ?? new Set();
    this.#running.set(party, running.add(controller));
    this.#called.add(party);
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        running.delete(controller);
        if (running.size === 0 && this.#running.get(party) === running) this.#running.delete(party);
      },
    };
  }

  /** Wakes the loop: a peer announced that it has something new. */
  noteHint(): void {
    this.#wake();
  }

  /** Waits at most `ms` milliseconds, until something may be due with a peer or the signal is aborted. */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await pause(ms, AbortSignal.any([signal, woken.signal]));
  }

  /** Stops what runs with a peer, because its entry has changed or was removed. */
  noteChanged(workspaceId: string, id: string): void {
    this.#wake();
    this.#end(partyOf(workspaceId, id));
  }

  /**
   * As `noteChanged`, after a notification. This process's own ones are ignored: they come late, and would stop what
   * has begun with the new entry.
   */
  hearChanged(workspaceId: string, id: string, sender: string | undefined): void {
    if (sender !== this.name) this.noteChanged(workspaceId, id);
  }

  /** Stops what runs with all peers, because notifications may have been lost and any peer may be gone. */
  noteGap(): void {
    this.#wake();
    for (const party of [...this.#called]) this.#end(party);
  }

  #end(party: string): void {
    const running = this.#running.get(party);
    this.#running.delete(party);
    this.#called.delete(party);
    for (const controller of running ?? []) {
      controller.abort(new ServiceError("conflict", "Cannot go on with the peer: its entry was changed"));
    }
    this.#outbound.closeParty(party);
  }
}
