/**
 * A stream as a WebSocket: the messages of one client, in order, and the events of its subscriptions. docs/reference/guarantees.md T10,
 * T56.
 *
 * Events wait in the feed, not here: while the client does not take the sent ones, nothing more is read.
 */
import type { OperationContext } from "../context.ts";
import { auditTrailOf, subjectOf } from "../domain/audit/trail.ts";
import type { OpenStream } from "../domain/feed/open_stream.ts";
import { openStream, type Watch, watchChanges, watchHealth } from "../domain/feed/watch.ts";
import { ServiceError } from "../errors.ts";
import type { Change, Channel } from "../schema/change.ts";
import type { HealthSnapshot } from "../schema/health.ts";
import { checkInput } from "../schema/field_errors.ts";
import { parseJsonText } from "../schema/json_text.ts";
import { StreamClientMessage, type StreamServerMessage } from "../schema/stream.ts";
import { requestFailed } from "../telemetry/events.ts";
import { pause } from "../pause.ts";

/** The most characters of a client's message. */
const MESSAGE_MAX = 4_096;
/** The most messages of a client that wait for their turn. */
const WAITING_MAX = 64;
/** Bytes that were sent but not taken: above the first limit no more events are read; above the second it ends. */
const UNSENT_PAUSE = 262_144;
const UNSENT_MAX = 1_048_576;
const LOOK_MS = 25;
/** A client that sends nothing for so long is pinged, and disconnected if it does not answer. */
const IDLE_SECONDS = 30;

/** The codes of RFC 6455 §7.4, and 4008: the client does not keep up. */
const CLOSE = { stopping: 1001, unsupported: 1003, access: 1008, tooBig: 1009, fault: 1011, tooSlow: 4008 } as const;

/**
 * Answers a request with the upgrade to a WebSocket.
 * @throws ServiceError `invalid_request` when it does not ask for one; the errors of `Streams.open`; the reason of the
 * request's signal when the client has disconnected
 */
export async function openStreamSocket(ctx: OperationContext, raw: Request): Promise<Response> {
  if (raw.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    throw new ServiceError("invalid_request", "Cannot open a stream: the request does not ask for a WebSocket", {
      headers: { upgrade: "websocket" },
    });
  }
  const stream = await openStream(ctx);
  try {
    // Deno never finishes the upgrade if the client has disconnected: no event comes, and the server cannot shut down.
    raw.signal.throwIfAborted();
    const { socket, response } = Deno.upgradeWebSocket(raw, { idleTimeout: IDLE_SECONDS });
    new StreamSocket(stream, socket, raw.signal);
    return response;
  } catch (cause) {
    stream[Symbol.dispose]();
    if (cause === raw.signal.reason) throw cause;
    throw new ServiceError("invalid_request", "Cannot open a stream: the WebSocket handshake is not valid", { cause });
  }
}

type AnyWatch = Watch<Change> | Watch<HealthSnapshot>;

class StreamSocket {
  readonly #stream: OpenStream;
  readonly #socket: WebSocket;
  readonly #watches = new Map<Channel, AnyWatch>();
  #messages: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** @param gone aborted when the client disconnects before the connection is upgraded */
  constructor(stream: OpenStream, socket: WebSocket, gone: AbortSignal) {
    this.#stream = stream;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(data);
    // The end of the connection follows an error and is all that matters, unless the upgrade failed.
    socket.onerror = (event) => {
      event.preventDefault();
      this.#endUnopened();
    };
    // The client may disconnect before the upgrade, and Deno may abort the signal only after it.
    gone.addEventListener("abort", () => this.#endUnopened(), { once: true });
    socket.onclose = () => stream[Symbol.dispose]();
    // The stream may also end before the client has its side open.
    socket.onopen = () => this.#sayEnd();
    stream.signal.addEventListener("abort", () => this.#sayEnd(), { once: true });
  }

  /** Releases the stream's place if the connection was never upgraded, because Deno does not report its end then. */
  #endUnopened(): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#stream[Symbol.dispose]();
  }

  /** Takes a message. Messages are handled one by one. */
  #take(data: unknown): void {
    if (typeof data !== "string") return this.#refuse(CLOSE.unsupported, "it is not text");
    if (data.length > MESSAGE_MAX) return this.#refuse(CLOSE.tooBig, `it is longer than ${MESSAGE_MAX} characters`);
    if (this.#waiting >= WAITING_MAX) return this.#refuse(CLOSE.access, `${WAITING_MAX} others wait for their turn`);
    this.#waiting++;
    this.#messages = this.#messages.then(() => this.#answer(data)).finally(() => this.#waiting--);
  }

  /** Ends the connection because of a message that cannot even be read. */
  #refuse(code: number, why: string): void {
    this.#sendError(new ServiceError("invalid_request", `Cannot read the message: ${why}`));
    this.#close(code, "invalid_request");
    this.#stream.close();
  }

  async #answer(text: string): Promise<void> {
    if (this.#stream.signal.aborted) return;
    let channel: Channel | undefined;
    try {
      await this.#stream.takeMessage();
      const message = readMessage(text);
      if (message.op === "ping") return this.#send({ op: "pong" });
      channel = message.channel;
      if (message.op === "subscribe") await this.#subscribe(message.channel, message.since);
      else this.#unsubscribe(message.channel);
    } catch (error) {
      const refusal = this.#toRefusal(error);
      if (channel !== undefined) this.#noteRefused(channel, refusal.code);
      if (!this.#stream.signal.aborted) this.#sendError(refusal, channel);
    }
  }

  #noteRefused(channel: Channel, outcome: string): void {
    const { deps, workspaceId, subject } = this.#stream;
    auditTrailOf(deps).note(workspaceId, subjectOf(subject), {
      eventType: "stream.refused",
      outcome,
      detail: { channel },
    });
  }

  async #subscribe(channel: Channel, since: string | undefined): Promise<void> {
    if (this.#watches.has(channel)) {
      throw new ServiceError("conflict", `Cannot subscribe: ${channel} is already subscribed`);
    }
    const watch = channel === "health"
      ? await watchHealth(this.#stream, { since })
      : await watchChanges(this.#stream, { channel, since });
    this.#watches.set(channel, watch);
    this.#send({ op: "subscribed", channel, cursor: watch.cursor });
    this.#tell(watch).catch(() => {
      // The stream has ended, and reports the reason itself.
    });
  }

  #unsubscribe(channel: Channel): void {
    const watch = this.#watches.get(channel);
    if (watch === undefined) throw new ServiceError("conflict", `Cannot unsubscribe: ${channel} is not subscribed`);
    this.#watches.delete(channel);
    watch[Symbol.dispose]();
  }

  async #tell(watch: AnyWatch): Promise<void> {
    const { channel } = watch;
    for await (const { cursor, event } of watch) {
      while (this.#socket.bufferedAmount > UNSENT_PAUSE && this.#isOpen) await pause(LOOK_MS);
      if (!this.#isOpen || this.#watches.get(channel) !== watch) return;
      this.#send({ op: "event", channel, cursor, event });
    }
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN && !this.#stream.signal.aborted;
  }

  #send(message: StreamServerMessage): void {
    if (!this.#isOpen) return;
    // Only replies get here without a check of the buffer.
    if (this.#socket.bufferedAmount > UNSENT_MAX) return this.#stream.cutOff();
    this.#socket.send(JSON.stringify(message));
  }

  #sendError({ code, message, retryable, errors }: ServiceError, channel?: Channel): void {
    this.#send({
      ...{ op: "error", code, message, retryable } as const,
      ...(channel !== undefined && { channel }),
      ...(errors !== undefined && { errors: [...errors] }),
    });
  }

  #toRefusal(error: unknown): ServiceError {
    if (error instanceof ServiceError && error.code !== "internal") return error;
    const { deps, subject } = this.#stream;
    requestFailed(deps.telemetry.log, { requestId: subject.requestId, method: "GET", route: "/v1/stream", error });
    return new ServiceError("internal", "Cannot handle the message: an unexpected error occurred");
  }

  /** Sends the reason as the last message and as the code of the close. */
  #sayEnd(): void {
    const { end, signal } = this.#stream;
    if (end === undefined || end === "closed" || this.#socket.readyState !== WebSocket.OPEN) return;
    const { code, message, retryable } = signal.reason as ServiceError;
    this.#socket.send(JSON.stringify({ op: "error", code, message, retryable } satisfies StreamServerMessage));
    const codes = { stopping: CLOSE.stopping, access: CLOSE.access, too_slow: CLOSE.tooSlow, fault: CLOSE.fault };
    this.#close(codes[end], code);
  }

  #close(code: number, reason: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(code, reason);
  }
}

/** @throws ServiceError `invalid_request`, `validation_failed` */
function readMessage(text: string): StreamClientMessage {
  const { data, faults } = checkInput(StreamClientMessage, parseJsonText(text));
  if (faults === undefined) return data;
  const errors = faults.list();
  const [first] = errors;
  throw new ServiceError("validation_failed", `Cannot read the message: ${first?.path || "it"}: ${first?.message}`, {
    errors,
  });
}
