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
  /** What the operator may know and do besides; callers are not told. */
  readonly forOperator: string | undefined;

  constructor(
    readonly reason: OutboundReason,
    message: string,
    { forOperator, ...options }: ErrorOptions & { readonly forOperator?: string } = {},
  ) {
    super(message, options);
    this.name = "OutboundError";
    this.forOperator = forOperator;
  }
}

/** A host without an address, or with one that the service may not call. */
export const HOST_REFUSED = "host_refused";

/**
 * The reason that callers see. Whoever chooses the host of a URL must not learn whether a name exists in the operator's
 * network: one reason stands for a name without addresses and for one whose address the service may not call.
 */
export function shownReason(
  { reason }: OutboundError,
): Exclude<OutboundReason, "address_refused" | "name_not_found"> | typeof HOST_REFUSED {
  return reason === "address_refused" || reason === "name_not_found" ? HOST_REFUSED : reason;
}

/** An error's message for the operator, with what only the operator may know of the call that caused it. */
export function sayToOperator(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError && cause.forOperator !== undefined) {
      return `${error.message}. ${cause.forOperator}`;
    }
  }
  return error.message;
}
