/**
 * What this process has under way with each peer, so that it ends when the peer's entry changes or goes, whichever process
 * changed it: pooled connections are closed, turns that run are aborted.
 */
import type { Deps } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { pause } from "../../pause.ts";
import { perService } from "../common/per_service.ts";

/** Something that runs with a peer; disposing says that it has ended. */
export interface FollowedPeer extends Disposable {
  /** Aborted when the peer's entry changes or goes. */
  readonly signal: AbortSignal;
}

/** How the connections to a peer are named to the way out. */
export function partyOf(workspaceId: string, id: string): string {
  return `federation ${workspaceId} ${id}`;
}

export const peerSignalsOf = perService((deps) => new PeerSignals(deps));

class PeerSignals {
  /** Names this process in the notifications that it sends. */
  readonly name = crypto.randomUUID();
  readonly #outbound: Deps["outbound"];
  readonly #running = new Map<string, Set<AbortController>>();
  /** Peers that were called in this process. */
  readonly #called = new Set<string>();
  #wake = () => {};

  constructor({ outbound }: Pick<Deps, "outbound">) {
    this.#outbound = outbound;
  }

  /** Begins something with a peer. */
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

  /** A peer says that there is something to be read. */
  noteHint(): void {
    this.#wake();
  }

  /** Waits so many milliseconds at most, until there may be something to do with a peer, or the signal is aborted. */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await pause(ms, AbortSignal.any([signal, woken.signal]));
  }

  /** The entry of a peer has changed or gone. */
  noteChanged(workspaceId: string, id: string): void {
    this.#wake();
    this.#end(partyOf(workspaceId, id));
  }

  /** As `noteChanged`, told by a notification. Its own one comes late: what began since has the entry as it is now. */
  hearChanged(workspaceId: string, id: string, sender: string | undefined): void {
    if (sender !== this.name) this.noteChanged(workspaceId, id);
  }

  /** Notifications may have been lost: whatever runs may be with a peer that is gone. */
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
