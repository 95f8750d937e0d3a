/** Why a call to another server failed. */

/** The reason as a word for logs, metrics and rows. It never holds anything that the other side sent. */
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

/** A call that the client refused or that failed. The message is for people; it shows the host and no more of the URL. */
export class OutboundError extends Error {
  constructor(readonly reason: OutboundReason, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "OutboundError";
  }
}
