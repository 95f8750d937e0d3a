/** Why an exchange with a peer failed, and how that changes the peer's state. */
import { HOST_REFUSED, OutboundError, shownReason } from "../../../outbound/failure.ts";
import type { PeerEvent } from "./peer_state.ts";

export interface PeerFaultOptions extends ErrorOptions {
  /** Whether the peer answered that it does not accept us. */
  readonly isRefusal?: boolean;
  /** How long the peer asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** A failure that becomes the peer's `lastError`. The message says what to do and holds nothing that the peer sent. */
export class PeerFault extends Error {
  readonly code: string;
  readonly isRefusal: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, options: PeerFaultOptions = {}) {
    super(message, options);
    this.name = "PeerFault";
    this.code = code;
    this.isRefusal = options.isRefusal === true;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Returns the event by which an error changes the peer's state; undefined if the error is no fault of a peer. */
export function eventOfFault(error: unknown): PeerEvent | undefined {
  if (error instanceof OutboundError) {
    const code = shownReason(error);
    // The message of the error tells a name that exists in the operator's network from one that does not.
    const says = code === HOST_REFUSED ? "Cannot call the peer's host" : error.message;
    const advice = ADVICE[code];
    return { kind: "failed", code, message: advice === undefined ? says : `${says}: ${advice}` };
  }
  if (!(error instanceof PeerFault)) return undefined;
  const { code, message, isRefusal, retryAfterMs } = error;
  if (retryAfterMs !== undefined) return { kind: "throttled", retryAfterMs };
  return { kind: isRefusal ? "refused" : "failed", code, message };
}

/** Advice for the operator. */
const ADVICE: Partial<Record<ReturnType<typeof shownReason>, string>> = {
  target_refused: "correct the endpoint in its entry, or allow its port by SVC_OUTBOUND_PORTS",
  host_refused:
    "it has no address, or one that SVC_OUTBOUND_ALLOW_CIDRS does not allow; `svc federation doctor` and the log tell the operator which",
  dns_failed: "check the name servers of this machine",
  connect_failed: "check that the peer is up and that firewalls let this instance through",
  certificate_refused: "`svc federation doctor` shows what is wrong with its certificate",
  pin_mismatch: "ask the peer's operator; if its key was changed, set the new pin by `svc federation peers pin`",
  tls_failed: "check that the peer's port speaks TLS",
  timeout: "check that the peer is up and how long it takes to answer",
  redirected: "set the endpoint in its entry to the address where it is",
};
