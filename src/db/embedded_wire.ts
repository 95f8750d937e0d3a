/**
 * Lets postgres.js talk to the embedded database: sockets that never leave the process, all served by its one backend.
 *
 * The backend is a single session, so the sockets take turns. A socket keeps its turn from its first message until the
 * backend has no transaction open for it; a turn that passes to another socket begins with that socket's own role and
 * settings. What a client sets for its session by itself lasts no longer than its turns.
 */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";

/** The database engine, as far as the wire needs it. All calls are synchronous. */
export interface Backend {
  /** Runs whole frontend messages. `onData` owns the bytes that it is given. */
  run(messages: Uint8Array, onData: (data: Uint8Array) => void): void;
  readonly inTransaction: boolean;
}

const PROTOCOL_3 = 196_608;
const SSL_REQUEST = 80_877_103;

/** Types of the messages that are looked at. PostgreSQL manual, "Message Formats". */
const QUERY = 0x51;
const SYNC = 0x53;
const TERMINATE = 0x58;
const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
const COPY_FAIL = 0x66;
const COPY_IN_RESPONSE = 0x47;
const ERROR_RESPONSE = 0x45;

/** What a client asks for when it connects, or one typed message of its session. */
type Message = { readonly startup: ReadonlyMap<string, string> } | { readonly frame: Buffer };

/** Gives the sockets their turns at the backend. */
export class BackendMultiplexer {
  readonly #backend: Backend;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #sockets = new Set<BackendSocket>();
  readonly #waiting = new Set<BackendSocket>();
  /** Whose turn it is; undefined while nobody has anything open at the backend. */
  #turn: BackendSocket | undefined;
  /** Whose role and settings the backend has. */
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
   * Runs statements as superuser unless somebody's transaction is open; then it does nothing and returns undefined.
   * @returns the bytes that the backend answered.
   * @throws Error with the backend's message.
   */
  runWhenIdle(sql: string): Buffer | undefined {
    if (this.#turn) return undefined;
    this.#settled = undefined;
    this.#simple("reset role; reset all");
    return this.#simple(sql);
  }

  /** Closes all connections; what they had open is rolled back. */
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
      this.#backend.run(frame(SYNC), () => {});
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
    // Never inside the client's `write`, which is not re-entrant; and the event loop turns between two pieces of work.
    setImmediate(() => {
      this.#scheduled = false;
      this.#serve();
    });
  }

  #serve(): void {
    const [first] = this.#waiting;
    const socket = this.#turn ?? first;
    // While somebody's transaction is open, the others wait until its next message ends it.
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
      // The backend reads COPY data without waiting for it, so it gets the statement and all its data at once.
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
    const reply = this.#run(frame(QUERY, text(sql)));
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

  /** postgres.js reads it before it says goodbye. */
  get readyState(): "open" | "closed" {
    return this.destroyed ? "closed" : "open";
  }

  /** Does nothing: all of a result is in memory already, and the driver does not always resume after a COPY. */
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

  /** Tells the client why it cannot go on, and closes. */
  refuse(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.deliver(frame(ERROR_RESPONSE, text("SFATAL"), text("VFATAL"), text("C58000"), text(`M${message}`), zero));
    this.push(null);
    this.end();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#incoming = this.#incoming.length === 0 ? chunk : Buffer.concat([this.#incoming, chunk]);
    while (this.#cut()) { /* one message at a time */ }
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

  /** Cuts one message off what has come in; false when there is no whole one. */
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
    // A cancel request, or a protocol from elsewhere: statements run to their end before anything else is read.
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

const zero = Buffer.alloc(1);

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function frame(type: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function greeting(parameters: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat([
    frame(0x52, Buffer.alloc(4)), // AuthenticationOk
    ...Object.entries(parameters).map(([name, value]) => frame(0x53, text(name), text(value))), // ParameterStatus
    frame(0x4b, Buffer.alloc(8)), // BackendKeyData: there is nothing to cancel with it
    frame(0x5a, Buffer.from("I")), // ReadyForQuery
  ]);
}

/** Walks whole backend messages. */
export function* framesOf(data: Buffer): Generator<{ type: number; whole: Buffer; body: Buffer }> {
  for (let at = 0; at + 5 <= data.length;) {
    const end = at + 1 + data.readUInt32BE(at + 1);
    yield { type: data[at], whole: data.subarray(at, end), body: data.subarray(at + 5, end) };
    at = end;
  }
}

function messageOf(body: Buffer): string {
  return body.toString("utf8").split("\0").find((field) => field.startsWith("M"))?.slice(1) ?? "unknown error";
}

function isCopyIn(message: Buffer): boolean {
  return message[0] === QUERY && /^\s*copy\b[^;]*\bfrom\s+stdin\b/i.test(message.toString("utf8", 5));
}

/** The client had this answer before it sent the data. */
function withoutCopyInResponse(data: Buffer): Buffer {
  return Buffer.concat([...framesOf(data)].filter(({ type }) => type !== COPY_IN_RESPONSE).map(({ whole }) => whole));
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
