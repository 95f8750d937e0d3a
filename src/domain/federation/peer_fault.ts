/** Why something with a peer came to nothing, and what that makes of the peer. */
import { OutboundError } from "../../outbound/failure.ts";
import type { PeerEvent } from "./peer_state.ts";

export interface PeerFaultOptions extends ErrorOptions {
  /** The peer answered that it does not accept us. */
  readonly isRefusal?: boolean;
  /** The peer asked us to wait so long, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** It becomes the peer's `lastError`. The message says what to do and holds nothing that the peer sent. */
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

/** What an error makes of the peer; undefined for one that is no fault of a peer. */
export function eventOfFault(error: unknown): PeerEvent | undefined {
  if (error instanceof OutboundError) {
    return { kind: "failed", code: error.reason, message: `${error.message}${adviceOf(error)}` };
  }
  if (!(error instanceof PeerFault)) return undefined;
  const { code, message, isRefusal, retryAfterMs } = error;
  if (retryAfterMs !== undefined) return { kind: "throttled", retryAfterMs };
  return { kind: isRefusal ? "refused" : "failed", code, message };
}

/** What an operator does about it. */
const ADVICE: Partial<Record<OutboundError["reason"], string>> = {
  target_refused: "correct the endpoint in its entry, or allow its port by SVC_OUTBOUND_PORTS",
  address_refused: "if the network is yours, allow its range by SVC_OUTBOUND_ALLOW_CIDRS",
  name_not_found: "correct the endpoint in its entry, or the name in DNS",
  dns_failed: "look at the name servers of this machine",
  connect_failed: "look whether the peer is up and a firewall lets this instance through",
  certificate_refused: "`svc federation doctor` shows what is wrong with its certificate",
  pin_mismatch: "ask the peer's operator; if its key was changed, set the new pin by `svc federation peers pin`",
  tls_failed: "look whether the peer's port speaks TLS",
  timeout: "look whether the peer is up and how long it takes",
  redirected: "give its entry the address where it is",
};

function adviceOf({ reason }: OutboundError): string {
  const advice = ADVICE[reason];
  return advice === undefined ? "" : `: ${advice}`;
}
