/** Follows a channel over WebSocket, and continues at the same place after the connection breaks off. */
import { SvcError, type SvcErrorCode, type SvcFieldError } from "./error.ts";
import type { Change, HealthSnapshot, StreamChannel } from "./gen/types.ts";
import { backoff } from "./http.ts";
import { pause } from "./limit.ts";

/** An event of a channel. */
export interface WatchedEvent<Channel extends StreamChannel = StreamChannel> {
  /** The place right after it: with it as `since`, the next watch continues there. */
  readonly cursor: string;
  readonly event: Channel extends "health" ? HealthSnapshot : Change;
}

/** How to follow a channel. */
export interface WatchOptions {
  /** Begins with events after this place. Default: with events from now on. */
  readonly since?: string;
  /** Ends the watch: its loop ends without an error. */
  readonly signal?: AbortSignal;
  /**
   * Gets the one-use ticket of each connection. Default: the client requests it with its key. A page without a key asks
   * its own server.
   */
  readonly ticket?: () => Promise<string>;
}

/** Makes a WebSocket that sends these headers with its handshake, for runtimes and packages that support it. */
export type WebSocketMaker = (url: string, headers: Readonly<Record<string, string>>) => WebSocket;

/** The parts of the client that a watch uses. */
export interface Streams {
  /** `ws:` or `wss:`, without a query. */
  readonly url: string;
  /** The headers of a handshake, with what opens the stream; `isRefused`: what opened the last one is no longer taken. */
  readHeaders(isRefused: boolean): Promise<Readonly<Record<string, string>>>;
  /** Whether what opens the stream can be renewed. */
  readonly renews: boolean;
  /** How often the first connection is tried again. */
  readonly retries: number;
  readonly makeSocket: WebSocketMaker | undefined;
  createTicket(signal: AbortSignal | undefined): Promise<string>;
}

type ServerMessage =
  | { readonly op: "event"; readonly cursor: string; readonly event: unknown }
  | { readonly op: "subscribed"; readonly cursor: string }
  | { readonly op: "pong" }
  | {
    readonly op: "error";
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly errors?: readonly SvcFieldError[];
  };

/** A connection that sends nothing for so long is pinged, and given up after the same time again. */
const QUIET_MS = 30_000;
/** The most events that wait for the caller. Beyond it the connection is closed until they are used up. */
const WAITING_MAX = 1_000;
/** `WebSocket.OPEN`; the only earlier state is connecting. */
const OPEN = 1;
const CHANNELS: readonly string[] = ["memory", "tasks", "events", "health"] satisfies StreamChannel[];

/**
 * Yields the events of a channel, each once, in order, without gaps. After the first connection it reconnects as often
 * as necessary.
 * @throws SvcError when the service refuses, or the first connection cannot be made
 */
export async function* watch(
  streams: Streams,
  channel: string,
  options: WatchOptions,
): AsyncGenerator<WatchedEvent, void, undefined> {
  if (!CHANNELS.includes(channel)) throw new TypeError(`Cannot watch ${channel}: it is not ${CHANNELS.join(", ")}`);
  const { signal } = options;
  let since = options.since;
  let [tried, wasOpen, isRefused] = [0, false, false];
  while (!signal?.aborted) {
    const connection = new Connection(channel, signal);
    try {
      connection.open(await connect(streams, options, isRefused), since);
      for await (const message of connection.messages()) {
        if (signal?.aborted) return;
        [tried, wasOpen, isRefused, since] = [0, true, false, message.cursor];
        if (message.op === "event") yield { cursor: message.cursor, event: message.event as Change };
      }
      // It was closed so that events do not pile up, and they are used up.
      continue;
    } catch (error) {
      if (signal?.aborted) return;
      if (streams.renews && !isRefused && error instanceof SvcError && error.code === "unauthenticated") {
        isRefused = true;
        continue;
      }
      const mayGoOn = error instanceof SvcError && error.retryable && (wasOpen || tried < streams.retries);
      if (!mayGoOn) throw error;
      const waitMs = Math.max(backoff(tried++), error.retryAfterMs ?? 0);
      await pause(waitMs, signal).catch(() => {/* aborted: the loop ends */});
    } finally {
      connection.close();
    }
  }
}

async function connect(streams: Streams, { ticket, signal }: WatchOptions, isRefused: boolean): Promise<WebSocket> {
  const { makeSocket, url } = streams;
  if (makeSocket !== undefined && ticket === undefined) return makeSocket(url, await streams.readHeaders(isRefused));
  const make = makeSocket ?? (globalThis.WebSocket && ((url) => new WebSocket(url)));
  if (make === undefined) throw new TypeError("Cannot watch: this runtime has no WebSocket; give one as webSocket");
  const value = await (ticket === undefined ? streams.createTicket(signal) : ticket());
  return make(`${url}?ticket=${encodeURIComponent(value)}`, {});
}

/** One connection; its messages wait in a queue until they are taken. */
class Connection {
  readonly #channel: string;
  readonly #signal: AbortSignal | undefined;
  readonly #line: (ServerMessage & { readonly cursor: string })[] = [];
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wake: () => void = () => {};
  #end: "full" | SvcError | undefined;

  constructor(channel: string, signal: AbortSignal | undefined) {
    this.#channel = channel;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  readonly #abort = () => this.#finish(broken(this.#channel));

  open(socket: WebSocket, since: string | undefined): void {
    this.#socket = socket;
    const subscribe = { op: "subscribe", channel: this.#channel, ...(since !== undefined && { since }) };
    socket.onopen = () => socket.send(JSON.stringify(subscribe));
    socket.onmessage = ({ data }) => this.#take(String(data));
    socket.onerror = (event) => event.preventDefault?.();
    socket.onclose = () => this.#finish(broken(this.#channel));
    this.#listen();
  }

  async *messages(): AsyncGenerator<{ readonly op: string; readonly cursor: string; readonly event?: unknown }> {
    for (;;) {
      const message = this.#line.shift();
      if (message !== undefined) yield message;
      else if (this.#end === "full") return;
      else if (this.#end !== undefined) throw this.#end;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  close(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#finish("full");
  }

  #take(text: string): void {
    this.#listen();
    if (this.#end !== undefined) return;
    const message = parse(text);
    if (message === undefined) return this.#finish(broken(this.#channel));
    if (message.op === "error") {
      const { code, message: says, retryable, errors } = message;
      // The service also reports this for a reader that does not keep up: the watch continues at the same place.
      return this.#finish(new SvcError(code as SvcErrorCode, says, { retryable, errors }));
    }
    if (message.op === "pong") return;
    this.#line.push(message);
    this.#wake();
    if (this.#line.length >= WAITING_MAX) this.#finish("full");
  }

  /** Notices when the other side disappears silently. */
  #listen(): void {
    clearTimeout(this.#timer);
    if (this.#end !== undefined) return;
    this.#timer = setTimeout(() => {
      if (this.#socket?.readyState === OPEN) this.#socket.send('{"op":"ping"}');
      this.#timer = setTimeout(() => this.#finish(broken(this.#channel)), QUIET_MS);
    }, QUIET_MS);
  }

  #finish(end: "full" | SvcError): void {
    this.#end ??= end;
    clearTimeout(this.#timer);
    this.#wake();
    const socket = this.#socket;
    if (socket !== undefined && socket.readyState <= OPEN) socket.close();
  }
}

function parse(text: string): ServerMessage | undefined {
  try {
    const value = JSON.parse(text);
    return ["event", "subscribed", "pong", "error"].includes(value?.op) ? value : undefined;
  } catch {
    return undefined;
  }
}

function broken(channel: string): SvcError {
  return new SvcError("connection_failed", `Cannot watch ${channel}: the connection broke off`, { retryable: true });
}
