/** What is counted of the exchange with peers. */
import { Counter, type Registry } from "prom-client";

export const TOKEN_REFUSALS = ["clock", "invalid", "replay"] as const;
/** Why a token is refused: for the clocks, for anything else, or because it was used. */
export type TokenRefusal = (typeof TOKEN_REFUSALS)[number];

/** Admins of workspaces name peers: beyond so many they are one series together. */
const PEERS_MAX = 200;
const OTHERS = "other";

export class FederationCounters {
  readonly #peers = new Set<string>();
  readonly #replays: Counter;
  readonly #tokensRefused: Counter;

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
    for (const reason of TOKEN_REFUSALS) this.#tokensRefused.inc({ reason }, 0);
  }

  countRefusedToken(reason: TokenRefusal): void {
    this.#tokensRefused.inc({ reason });
  }

  countReplay(peer: string): void {
    this.#replays.inc({ peer: this.#labelOf(peer) });
  }

  #labelOf(peer: string): string {
    if (!this.#peers.has(peer)) {
      if (this.#peers.size >= PEERS_MAX) return OTHERS;
      this.#peers.add(peer);
    }
    return peer;
  }
}
