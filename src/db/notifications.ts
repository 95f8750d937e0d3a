/**
 * Listens for NOTIFY on a connection of its own. A notification only wakes readers up.
 * Notifications sent while the connection is down are lost, so after every reconnect the listener
 * notifies readers of a possible gap.
 *
 * An open connection may still bring nothing: a pooler gave its session to another client, a
 * network drops packets, or the other end is another database. So the listener sends notifications
 * to itself in the way in which those of other processes come. While it hears none, it notifies the
 * readers of a gap every few seconds and reconnects.
 */
import postgres from "postgres";
import { noteEnded } from "./hosts.ts";
import { isRefusedForNumber, type PostgresOptions } from "./pool.ts";
import { LISTENER } from "./queries/notifications.ts";
import { pause } from "../pause.ts";

export interface NotificationsOptions {
  readonly connection: PostgresOptions;
  /** Handler of each channel's messages. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>;
  /** Sends a notification on the connections that changes are made on. */
  readonly send: (channel: string, payload: string) => Promise<unknown>;
  /** Called whenever anything may have been missed: listening (again) begins, or nothing is heard. */
  readonly onGap: () => void;
  /** Called when the server has no connection left for the listener, every time that it asks for one. */
  readonly onRefused?: () => void;
  /** Called when the listener goes deaf, with the last error there was, and when it hears again. */
  readonly onHearing?: (isHearing: boolean, error: unknown) => void;
  /** After this time without hearing the listener is deaf, in milliseconds. Default 4,000. */
  readonly silenceMsMax?: number;
}

const RETRY_MS = 250;
/** After this time a heartbeat that could not be sent is sent on the listening connection itself. */
const SEND_MS = 1_000;
const SILENCE_MS_MAX = 4_000;
const HEARTBEAT_CHANNEL = "svc_heartbeat";

export class Notifications implements AsyncDisposable {
  readonly #options: NotificationsOptions;
  readonly #silenceMsMax: number;
  readonly #stop = new AbortController();
  /** Distinguishes this listener's heartbeats from those of other processes. */
  readonly #name = crypto.randomUUID();
  #done: Promise<unknown> | undefined;
  readonly #first = Promise.withResolvers<void>();
  /** Ends the connection that listens. */
  #hangUp: () => void = () => {};
  /** Undefined until it is known. */
  #isHearing: boolean | undefined;
  #isSending = false;
  #lastError: unknown;
  /** The time of the last notification, or of the last time that readers were notified of a gap. */
  #quietSince = performance.now();

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#silenceMsMax = options.silenceMsMax ?? SILENCE_MS_MAX;
  }

  /** Whether notifications of other processes arrive here. */
  get isHearing(): boolean {
    return this.#isHearing === true;
  }

  /** Starts to listen. Resolves when the first notification arrives, or when the time allowed for it is over. */
  async start(): Promise<void> {
    this.#quietSince = performance.now();
    this.#done ??= Promise.all([this.#run(), this.#watch()]);
    const given = new AbortController();
    const signal = AbortSignal.any([given.signal, this.#stop.signal]);
    await Promise.race([this.#first.promise, pause(this.#silenceMsMax, signal)]);
    given.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#listenOnce();
      } catch (error) {
        this.#lastError = error;
        if (isRefusedForNumber(error)) this.#options.onRefused?.();
      }
      if (!this.#stop.signal.aborted) await pause(RETRY_MS, this.#stop.signal);
    }
  }

  /** Listens until the connection closes, the listener is deaf or stopped. */
  async #listenOnce(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    const { connection, channels } = this.#options;
    const handlers: typeof channels = { ...channels, [HEARTBEAT_CHANNEL]: (payload: string) => this.#hear(payload) };
    // The driver's own `listen` gives up for good when its first reconnect fails, so its parts are used directly.
    const options: PostgresOptions & { onnotify: (channel: string, payload: string) => void } = {
      ...connection,
      connection: {
        ...connection.connection,
        application_name: `${connection.connection?.application_name ?? ""}${LISTENER}`,
      },
      max: 1,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      onnotice: () => {},
      onclose: () => closed.resolve(),
      onnotify: (channel, payload) => handlers[channel]?.(payload),
    };
    const sql = postgres(options);
    const over = new AbortController();
    this.#hangUp = closed.resolve;
    this.#stop.signal.addEventListener("abort", this.#hangUp, { once: true });
    try {
      const listening = Promise.all(Object.keys(handlers).map((channel) => sql`listen ${sql(channel)}`.execute()));
      listening.catch(() => {});
      let isClosed = false;
      closed.promise.then(() => isClosed = true);
      await Promise.race([listening, closed.promise]);
      if (isClosed) return;
      this.#options.onGap();
      const beating = this.#beat(sql, over.signal);
      await closed.promise;
      over.abort();
      await beating;
    } finally {
      this.#stop.signal.removeEventListener("abort", this.#hangUp);
      await sql.end({ timeout: 1 }).catch(() => {});
      noteEnded(sql);
    }
  }

  /** Sends one heartbeat immediately, then three within the time for which the listener may be silent. */
  async #beat(sql: postgres.Sql, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const sent = this.#send();
      // If those connections are busy, a heartbeat on this one shows at least that it is alive.
      const failed = Promise.race([sent, pause(SEND_MS, signal).then(() => false)]);
      failed.then((done) => {
        if (!done && !signal.aborted) sql`select pg_notify(${HEARTBEAT_CHANNEL}, ${this.#name})`.catch(() => {});
      });
      await pause(this.#silenceMsMax / 3, signal);
    }
  }

  /** Sends a heartbeat, one at a time. Returns whether it was sent. */
  async #send(): Promise<boolean> {
    if (this.#isSending) return false;
    this.#isSending = true;
    try {
      await this.#options.send(HEARTBEAT_CHANNEL, this.#name);
      return true;
    } catch (error) {
      this.#lastError = error;
      return false;
    } finally {
      this.#isSending = false;
    }
  }

  #hear(payload: string): void {
    if (payload !== this.#name) return;
    this.#quietSince = performance.now();
    this.#lastError = undefined;
    if (this.#isHearing) return;
    this.#isHearing = true;
    this.#first.resolve();
    this.#options.onHearing?.(true, undefined);
  }

  async #watch(): Promise<void> {
    const everyMs = this.#silenceMsMax / 8;
    for (let lookedAt = performance.now(); !this.#stop.signal.aborted;) {
      await pause(everyMs, this.#stop.signal);
      const now = performance.now();
      // A process that was halted has not yet read the notifications that arrived in the meantime.
      const stoodStill = now - lookedAt > 2 * everyMs;
      lookedAt = now;
      if (stoodStill || now - this.#quietSince < this.#silenceMsMax || this.#stop.signal.aborted) continue;
      this.#quietSince = now;
      if (this.#isHearing !== false) this.#options.onHearing?.(false, this.#lastError);
      this.#isHearing = false;
      this.#options.onGap();
      this.#hangUp();
    }
  }
}
