/**
 * Lets postgres.js talk to the embedded database: sockets that never leave the process, all served by its one backend.
 *
 * The backend is a single session, so the sockets take turns. A socket keeps its turn from its first message until the
 * backend has no transaction open for it; a turn that passes to another socket begins with that socket's own role and
 * settings. What a client sets for its session by itself lasts no longer than its turns.
 */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import {
  COPY_DATA,
  COPY_DONE,
  COPY_FAIL,
  COPY_IN_RESPONSE,
  cString,
  ERROR_RESPONSE,
  framesOf,
  greeting,
  isCopyIn,
  makeFrame,
  messageOf,
  QUERY,
  SYNC,
  TERMINATE,
  withoutCopyInResponse,
  ZERO,
} from "./embedded_frames.ts";

/** The database engine, as far as the wire needs it. All calls are synchronous. */
export interface Backend {
  /** Runs whole frontend messages. `onData` owns the bytes that it is given. */
  run(messages: Uint8Array, onData: (data: Uint8Array) => void): void;
  readonly inTransaction: boolean;
}

const PROTOCOL_3 = 196_608;
const SSL_REQUEST = 80_877_103;

/** The startup message of a client, or one typed message of its session. */
type Message = { readonly startup: ReadonlyMap<string, string> } | { readonly frame: Buffer };

/** Gives the sockets their turns at the backend. */
export class BackendMultiplexer {
  readonly #backend: Backend;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #sockets = new Set<BackendSocket>();
  readonly #waiting = new Set<BackendSocket>();
  /** The socket whose turn it is; undefined while none has a transaction or unfinished sequence of messages open. */
  #turn: BackendSocket | undefined;
  /** The socket whose role and settings are in effect at the backend. */
  #settled: BackendSocket | undefined;
  #scheduled = false;

  /** @param parameters reported to every client as it connects, such as `server_version`. */
  constructor(backend: Backend, parameters: Readonly<Record<string, string>>) {
    this.#backend = backend;
    this.#parameters = parameters;
  }

  /** Opens a connection: what postgres.js' option `socket` returns. */
  connect(): Duplex {
    const socket = new BackendSocket({
      enqueue: (self) => {
        this.#waiting.add(self);
        this.#schedule();
      },
      leave: (self) => this.#leave(self),
    });
    this.#sockets.add(socket);
    return socket;
  }

  /**
   * Runs statements as superuser. While some socket has its turn, it does nothing and returns undefined.
   * @returns the bytes that the backend answered.
   * @throws Error with the backend's message.
   */
  runWhenIdle(sql: string): Buffer | undefined {
    if (this.#turn) return undefined;
    this.#settled = undefined;
    this.#simple("reset role; reset all");
    return this.#simple(sql);
  }

  /** Closes all connections and rolls back their open transactions. */
  close(): void {
    for (const socket of [...this.#sockets]) {
      socket.destroy();
      this.#leave(socket);
    }
  }

  #leave(socket: BackendSocket): void {
    if (!this.#sockets.delete(socket)) return;
    this.#waiting.delete(socket);
    if (this.#turn === socket) {
      // Ends an unfinished message sequence, and the open transaction if there is one.
      this.#backend.run(makeFrame(SYNC), () => {});
      this.#simple("rollback");
      this.#turn = undefined;
    }
    if (this.#settled === socket) this.#settled = undefined;
    if (this.#sockets.size === 0) this.#simple("discard all");
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not now, because the client's `write`, which calls this, is not re-entrant, and other work gets its turn in
    // between.
    setImmediate(() => {
      this.#scheduled = false;
      this.#serve();
    });
  }

  #serve(): void {
    const [first] = this.#waiting;
    const socket = this.#turn ?? first;
    // While one socket's transaction is open, the other sockets wait until that socket ends it.
    if (!socket || !this.#waiting.delete(socket)) return;
    this.#turn = socket;
    try {
      for (const message of socket.takePending()) this.#handle(socket, message);
      this.#flush(socket);
    } catch (error) {
      socket.refuse(error);
      this.#leave(socket);
    }
    if (socket.synced && !socket.copying && !this.#backend.inTransaction) this.#turn = undefined;
    if (this.#waiting.size > 0) this.#schedule();
  }

  #handle(socket: BackendSocket, message: Message): void {
    if ("startup" in message) {
      this.#settle(socket);
      socket.deliver(greeting(this.#parameters));
      return;
    }
    if (this.#settled !== socket) this.#settle(socket);
    const { frame } = message;
    if (socket.copying) {
      // The backend does not wait for COPY data, so it gets the statement and all the data together.
      if (![COPY_DATA, COPY_DONE, COPY_FAIL].includes(frame[0])) return;
      socket.batch.push(frame);
      if (frame[0] === COPY_DATA) return;
      socket.copying = false;
      this.#flush(socket, withoutCopyInResponse);
    } else if (isCopyIn(frame)) {
      this.#flush(socket);
      socket.batch.push(frame);
      socket.copying = true;
      socket.deliver(Buffer.from([COPY_IN_RESPONSE, 0, 0, 0, 7, 0, 0, 0]));
    } else {
      socket.batch.push(frame);
    }
  }

  /** Gives the backend the role and the settings of this connection. */
  #settle(socket: BackendSocket): void {
    this.#settled = undefined;
    const settings = [...socket.settings].map(([name, value]) => `set_config(${quote(name)}, ${quote(value)}, false)`);
    this.#simple(`reset role; reset all${settings.length > 0 ? `; select ${settings.join(", ")}` : ""}`);
    this.#settled = socket;
  }

  #flush(socket: BackendSocket, change: (data: Buffer) => Buffer = (data) => data): void {
    if (socket.batch.length === 0 || socket.copying) return;
    const last = socket.batch.at(-1)![0];
    const batch = Buffer.concat(socket.batch.splice(0));
    socket.synced = [QUERY, SYNC, COPY_DONE, COPY_FAIL].includes(last);
    socket.deliver(change(this.#run(batch)));
  }

  #run(messages: Uint8Array): Buffer {
    const parts: Uint8Array[] = [];
    this.#backend.run(messages, (data) => parts.push(data));
    return Buffer.concat(parts);
  }

  #simple(sql: string): Buffer {
    const reply = this.#run(makeFrame(QUERY, cString(sql)));
    for (const { type, body } of framesOf(reply)) if (type === ERROR_RESPONSE) throw new Error(messageOf(body));
    return reply;
  }
}

interface SocketOwner {
  enqueue(socket: BackendSocket): void;
  leave(socket: BackendSocket): void;
}

/** The client's end. It cuts what the client writes into messages and leaves the rest to the multiplexer. */
class BackendSocket extends Duplex {
  /** The client's settings, from its startup message. */
  settings: ReadonlyMap<string, string> = new Map();
  /** Messages of this turn that the backend has not been given. */
  readonly batch: Buffer[] = [];
  /** Whether a COPY … FROM STDIN waits for its data. */
  copying = false;
  /** Whether the last message that the backend was given ended a sequence. */
  synced = true;
  readonly #owner: SocketOwner;
  #pending: Message[] = [];
  #incoming: Buffer = Buffer.alloc(0);
  #started = false;

  constructor(owner: SocketOwner) {
    super({ autoDestroy: true, emitClose: true });
    this.#owner = owner;
  }

  /** postgres.js reads this before it sends Terminate. */
  get readyState(): "open" | "closed" {
    return this.destroyed ? "closed" : "open";
  }

  /** Does nothing: the whole result is in memory already, and postgres.js does not always resume after a COPY. */
  override pause(): this {
    return this;
  }

  takePending(): Message[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  deliver(data: Buffer): void {
    if (data.length > 0 && !this.destroyed) this.push(data);
  }

  /** Sends the client a fatal error with the cause, and closes. */
  refuse(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.deliver(
      makeFrame(ERROR_RESPONSE, cString("SFATAL"), cString("VFATAL"), cString("C58000"), cString(`M${message}`), ZERO),
    );
    this.push(null);
    this.end();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#incoming = this.#incoming.length === 0 ? chunk : Buffer.concat([this.#incoming, chunk]);
    while (this.#cut()) { /* cuts until no whole message is left */ }
    if (this.#pending.length > 0) this.#owner.enqueue(this);
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#owner.leave(this);
    done(error);
  }

  /** Takes the first message off `#incoming`. @returns false when no whole message is there. */
  #cut(): boolean {
    const head = this.#started ? 1 : 0;
    if (this.#incoming.length < head + 4) return false;
    const length = head + this.#incoming.readUInt32BE(head);
    if (this.#incoming.length < length) return false;
    const message = this.#incoming.subarray(0, length);
    this.#incoming = this.#incoming.subarray(length);
    if (this.#started) this.#accept(message);
    else this.#start(message);
    return true;
  }

  #accept(message: Buffer): void {
    if (message[0] === TERMINATE) this.destroy();
    else this.#pending.push({ frame: message });
  }

  #start(message: Buffer): void {
    const code = message.readUInt32BE(4);
    if (code === SSL_REQUEST) return this.deliver(Buffer.from("N"));
    // A cancel request has nothing to cancel: a statement ends before the next message is read. Other versions are not
    // spoken.
    if (code !== PROTOCOL_3) return void this.destroy();
    const words = message.toString("utf8", 8).split("\0");
    const startup = new Map<string, string>();
    for (let i = 0; i + 1 < words.length && words[i] !== ""; i += 2) {
      if (!["user", "database", "options", "replication"].includes(words[i])) startup.set(words[i], words[i + 1]);
    }
    this.#started = true;
    this.settings = startup;
    this.#pending.push({ startup });
  }
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
