/** Types of what the client knows of an operation, and of the way to the service. */

/** How an operation is asked for. */
export interface Route {
  readonly method: string;
  /** From the root of the service, with `{name}` for members of the path. */
  readonly path: string;
  /** `flat`: the members that are in no other place; `json`: the member `body`; otherwise the media type of `file`. */
  readonly body?: string;
  /** The members of the query, where there is a body; without one, all that are not in the path. */
  readonly query?: readonly string[];
  /** The headers that it takes; each is an option. */
  readonly headers?: readonly string[];
  /** What comes back instead of JSON. */
  readonly reply?: "text" | "stream";
  /** Whether it is a list in pages, with `cursor`, `data` and `nextCursor`. */
  readonly pages?: true;
}

/** What every call takes as options; set at the client for all its calls. */
export interface CallDefaults {
  /**
   * Longest that a call takes with all its tries, in milliseconds; Infinity: no limit. Of a reply that is a stream, the time
   * until it begins.
   * @default 30000
   */
  readonly timeoutMs?: number;
  /**
   * How often a call is repeated when the connection fails or the service says that it may succeed later, 0 to 10. A
   * repetition has the same Idempotency-Key, so that what is asked for happens once.
   * @default 3
   */
  readonly retries?: number;
}

/** The way to the service. */
export interface Target extends Required<CallDefaults> {
  /** Without a slash at the end. */
  readonly origin: string;
  /** What every request has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}
