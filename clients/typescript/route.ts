/** Types of the client's knowledge of an operation, and of its way to the service. */

/** How to request an operation. */
export interface Route {
  readonly method: string;
  /** From the root of the service, with `{name}` for members of the path. */
  readonly path: string;
  /** `flat`: the members that have no other place; `json`: the member `body`; otherwise the media type of `file`. */
  readonly body?: string;
  /** The members of the query, if there is a body; without one, all members outside the path. */
  readonly query?: readonly string[];
  /** The headers that it takes; each is an option. */
  readonly headers?: readonly string[];
  /** The form of the reply if it is not JSON. */
  readonly reply?: "text" | "stream";
  /** Whether it is a list in pages, with `cursor`, `data` and `nextCursor`. */
  readonly pages?: true;
}

/** Options of every call; the client can set them for all its calls. */
export interface CallDefaults {
  /**
   * The longest time of a call with all its tries, in milliseconds; Infinity: no limit. For a stream as the reply, the
   * time until it begins.
   * @default 30000
   */
  readonly timeoutMs?: number;
  /**
   * How often a call is repeated if the connection fails or the service says that it may succeed later, 0 to 10. A
   * repetition has the same Idempotency-Key, so that the change happens once.
   * @default 3
   */
  readonly retries?: number;
}

/** The way to the service. */
export interface Target extends Required<CallDefaults> {
  /** Without a slash at the end. */
  readonly origin: string;
  /** The headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}
