/** Why a call to somebody else's server came to nothing. */

/** A word for logs, metrics and rows; none of them holds anything that the other side sent. */
export type OutboundReason =
  | "target_refused"
  | "address_refused"
  | "name_not_found"
  | "dns_failed"
  | "connect_failed"
  | "certificate_refused"
  | "pin_mismatch"
  | "tls_failed"
  | "timeout"
  | "head_too_large"
  | "body_too_large"
  | "encoded"
  | "redirected"
  | "broken"
  | "aborted";

/** A call that was refused or that failed. The message is for people, and names the host at most. */
export class OutboundError extends Error {
  constructor(readonly reason: OutboundReason, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "OutboundError";
  }
}
