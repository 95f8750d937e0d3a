/**
 * Gauges of the states of peers. They are read from the database, so that every process shows the same values, also
 * after a restart.
 */
import { Gauge, type Registry } from "prom-client";
import { OTHER_PEERS, PEER_SERIES_MAX } from "./federation_counters.ts";

/** The state of a peer: the worst of its entries in all workspaces. */
export interface PeerGaugeRow {
  readonly peer: string;
  readonly isActive: boolean;
  readonly isDegraded: boolean;
  readonly isStale: boolean;
  /** Seconds since both sides last had the same items. */
  readonly lagSeconds: number;
  /** Days until its server's certificate expires; null if no certificate was seen. */
  readonly certificateDays: number | null;
  /** Notices of erasure that it has not acknowledged. */
  readonly erasuresPending: number;
}

export class PeerGauges {
  readonly #active: Gauge;
  readonly #degraded: Gauge;
  readonly #stale: Gauge;
  readonly #lag: Gauge;
  readonly #certificate: Gauge;
  readonly #erasures: Gauge;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string) =>
      new Gauge({ name, help, labelNames: ["peer"], registers: [registry] });
    this.#active = gauge(
      "svc_federation_peers_active",
      "1 while the peer is ACTIVE in all workspaces that approve it.",
    );
    this.#degraded = gauge("svc_federation_peers_degraded", "1 while the peer is DEGRADED in a workspace.");
    this.#stale = gauge("svc_federation_peer_stale", "1 while nothing was exchanged with the peer for 24 hours.");
    this.#lag = gauge(
      "svc_federation_lag_seconds",
      "Seconds since both sides last had the same items, in the workspace where that is longest.",
    );
    this.#certificate = gauge(
      "svc_federation_certificate_expiry_days",
      "Days until the certificate of the peer's server expires.",
    );
    this.#erasures = gauge(
      "svc_federation_erasures_pending",
      "Notices of erasure that the peer has not acknowledged, of all workspaces.",
    );
  }

  /** Sets the gauges of all peers. Peers beyond the first 200 share one series, which shows the worst of them. */
  set(rows: readonly PeerGaugeRow[]): void {
    const gauges = [this.#active, this.#degraded, this.#stale, this.#lag, this.#certificate, this.#erasures];
    for (const gauge of gauges) gauge.reset();
    for (const row of rows.slice(0, PEER_SERIES_MAX)) this.#setOne(row.peer, row);
    const others = rows.slice(PEER_SERIES_MAX);
    if (others.length > 0) this.#setOne(OTHER_PEERS, worstOf(others));
  }

  #setOne(peer: string, row: Omit<PeerGaugeRow, "peer">): void {
    this.#active.set({ peer }, Number(row.isActive));
    this.#degraded.set({ peer }, Number(row.isDegraded));
    this.#stale.set({ peer }, Number(row.isStale));
    this.#lag.set({ peer }, row.lagSeconds);
    this.#erasures.set({ peer }, row.erasuresPending);
    if (row.certificateDays !== null) this.#certificate.set({ peer }, row.certificateDays);
  }
}

function worstOf(rows: readonly PeerGaugeRow[]): Omit<PeerGaugeRow, "peer"> {
  const days = rows.map(({ certificateDays }) => certificateDays).filter((value) => value !== null);
  return {
    isActive: rows.every(({ isActive }) => isActive),
    isDegraded: rows.some(({ isDegraded }) => isDegraded),
    isStale: rows.some(({ isStale }) => isStale),
    lagSeconds: Math.max(...rows.map(({ lagSeconds }) => lagSeconds)),
    certificateDays: days.length === 0 ? null : Math.min(...days),
    erasuresPending: rows.reduce((sum, { erasuresPending }) => sum + erasuresPending, 0),
  };
}
