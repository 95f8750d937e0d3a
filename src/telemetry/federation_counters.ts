/** Counters of the exchange with peers. */
import { Counter, Histogram, type Registry } from "prom-client";

export const TOKEN_REFUSALS = ["clock", "invalid", "replay"] as const;
/** Why a token was refused: the clocks differ, another check failed, or it was used before. */
export type TokenRefusal = (typeof TOKEN_REFUSALS)[number];

/** The most peers that get a series of their own; the others share one, because workspace admins may add any number. */
export const PEER_SERIES_MAX = 200;
export const OTHER_PEERS = "other";

export class FederationCounters {
  readonly #peers = new Set<string>();
  readonly #replays: Counter;
  readonly #tokensRefused: Counter;
  readonly #synced: Counter;
  readonly #conflicts: Counter;
  readonly #rejected: Counter;
  readonly #turns: Histogram;

  constructor(registry: Registry) {
    this.#replays = new Counter({
      name: "svc_federation_replay_detected_total",
      help: "Federation tokens that were used a second time, by peer.",
      labelNames: ["peer"],
      registers: [registry],
    });
    this.#tokensRefused = new Counter({
      name: "svc_federation_tokens_refused_total",
      help: "Federation tokens that were refused, by reason.",
      labelNames: ["reason"],
      registers: [registry],
    });
    const counter = (name: string, help: string, labelNames: string[]) =>
      new Counter({ name, help, labelNames, registers: [registry] });
    this.#synced = counter("svc_federation_items_synced_total", "Items that were exchanged, both ways, by peer.", [
      "peer",
    ]);
    this.#conflicts = counter(
      "svc_federation_conflicts_total",
      "Items whose versions a person has to settle, by peer.",
      [
        "peer",
      ],
    );
    this.#rejected = counter("svc_federation_items_rejected_total", "Items that were not accepted, by peer and code.", [
      "peer",
      "code",
    ]);
    this.#turns = new Histogram({
      name: "svc_federation_turn_seconds",
      help: "How long sync runs with peers took.",
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600],
      registers: [registry],
    });
    for (const reason of TOKEN_REFUSALS) this.#tokensRefused.inc({ reason }, 0);
  }

  countRefusedToken(reason: TokenRefusal): void {
    this.#tokensRefused.inc({ reason });
  }

  /**
   * Begins the count of replays of each peer at 0, because Prometheus sees a rise only from a value that it has seen:
   * without this the first replay would raise no alert.
   */
  showPeers(peers: readonly string[]): void {
    for (const peer of peers) this.#replays.inc({ peer: this.#labelOf(peer) }, 0);
  }

  countReplay(peer: string): void {
    this.#replays.inc({ peer: this.#labelOf(peer) });
  }

  countSynced(peer: string, { items, conflicts }: { readonly items: number; readonly conflicts: number }): void {
    this.#synced.inc({ peer: this.#labelOf(peer) }, items);
    this.#conflicts.inc({ peer: this.#labelOf(peer) }, conflicts);
  }

  countRejected(peer: string, code: string, count: number): void {
    this.#rejected.inc({ peer: this.#labelOf(peer), code }, count);
  }

  observeTurn(seconds: number): void {
    this.#turns.observe(seconds);
  }

  #labelOf(peer: string): string {
    if (!this.#peers.has(peer)) {
      if (this.#peers.size >= PEER_SERIES_MAX) return OTHER_PEERS;
      this.#peers.add(peer);
    }
    return peer;
  }
}
