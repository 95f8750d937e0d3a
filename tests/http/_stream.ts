/** WebSocket clients for tests: one that takes everything, and one that takes nothing until it is told to. */
import assert from "node:assert/strict";
import * as access from "../../src/domain/access/authorize.ts";
import type { TestService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";

// deno-lint-ignore no-explicit-any
export type Message = any;

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

export interface OpenOptions {
  readonly key?: string;
  readonly ticket?: string;
  /** The HTTP client, whose authorities are trusted for a service behind TLS. */
  readonly client?: Deno.HttpClient;
}

export class StreamClient implements AsyncDisposable {
  /** All messages so far. */
  readonly messages: Message[] = [];
  readonly #closed: Promise<Closed>;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    const closed = Promise.withResolvers<Closed>();
    this.#closed = closed.promise;
    socket.onmessage = ({ data }) => void this.messages.push(JSON.parse(data));
    socket.onclose = ({ code, reason }) => closed.resolve({ code, reason });
    socket.onerror = (event) => event.preventDefault();
  }

  /** @throws Error when the service does not upgrade the connection */
  static async open(url: string, { key, ticket, client: http }: OpenOptions): Promise<StreamClient> {
    const query = ticket === undefined ? "" : `?ticket=${ticket}`;
    const headers: HeadersInit = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream${query}`, {
      headers,
      ...(http && { client: http }),
    });
    const client = new StreamClient(socket);
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.onopen = () => resolve();
    await within("the connection is upgraded or refused", Promise.race([promise, client.#closed]));
    if (socket.readyState !== WebSocket.OPEN) throw new Error("the connection was not upgraded");
    return client;
  }

  /** How the service closes the stream. @throws Error when it does not */
  get closed(): Promise<Closed> {
    return within("the stream is closed", this.#closed);
  }

  send(message: unknown): void {
    this.#socket.send(
      typeof message === "string" || message instanceof Uint8Array ? message as string : JSON.stringify(message),
    );
  }

  /** Sends a message and waits for the answer that it gets. */
  async ask(message: unknown): Promise<Message> {
    const before = this.messages.length;
    this.send(message);
    return await waitFor("an answer", () => this.messages.slice(before).find(({ op }) => op !== "event"));
  }

  async subscribe(channel: string, since?: string): Promise<Message> {
    return await this.ask({ op: "subscribe", channel, ...(since !== undefined && { since }) });
  }

  events(channel: string): Message[] {
    return this.messages.filter((message) => message.op === "event" && message.channel === channel);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await this.closed;
  }
}

/** A client on a bare connection. It reads nothing until `readAll`. */
export class StalledClient implements Disposable {
  readonly #connection: Deno.TcpConn;

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Sends the request for the upgrade; no reply is waited for. */
  static async open(url: string, key: string): Promise<StalledClient> {
    const { hostname, port, host } = new URL(url);
    const connection = await Deno.connect({ hostname, port: Number(port) });
    const client = new StalledClient(connection);
    await client.#write(new TextEncoder().encode(
      `GET /v1/stream HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nUpgrade: websocket\r\n` +
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ));
    return client;
  }

  /** Sends a text of at most 65,535 bytes in one frame, masked with zeros. RFC 6455 §5.2. */
  async send(message: unknown): Promise<void> {
    const text = new TextEncoder().encode(JSON.stringify(message));
    const length = text.length < 126 ? [0x80 | text.length] : [0x80 | 126, text.length >> 8, text.length & 255];
    await this.#write(new Uint8Array([0x81, ...length, 0, 0, 0, 0, ...text]));
  }

  /** Reads everything that was sent in the meantime, up to the frame that closes. */
  readAll(): Promise<{ readonly messages: Message[]; readonly closed: Closed }> {
    return within("the frame that closes", this.#readAll());
  }

  async #readAll(): Promise<{ readonly messages: Message[]; readonly closed: Closed }> {
    const frames = new FrameReader(this.#connection);
    await frames.skipHead();
    const messages: Message[] = [];
    for (;;) {
      const { opcode, payload } = await frames.next();
      if (opcode === 1) messages.push(JSON.parse(new TextDecoder().decode(payload)));
      if (opcode !== 8) continue;
      const code = payload[0]! << 8 | payload[1]!;
      return { messages, closed: { code, reason: new TextDecoder().decode(payload.subarray(2)) } };
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

class FrameReader {
  readonly #reader: ReadableStreamBYOBReader;

  constructor(connection: Deno.TcpConn) {
    this.#reader = connection.readable.getReader({ mode: "byob" });
  }

  async skipHead(): Promise<void> {
    for (let last = ""; !last.endsWith("\r\n\r\n");) last += String.fromCharCode((await this.#read(1))[0]!);
  }

  async next(): Promise<{ opcode: number; payload: Uint8Array }> {
    const [first, second] = await this.#read(2);
    let length = second! & 127;
    if (length === 126) length = new DataView((await this.#read(2)).buffer).getUint16(0);
    else if (length === 127) length = Number(new DataView((await this.#read(8)).buffer).getBigUint64(0));
    return { opcode: first! & 15, payload: length === 0 ? new Uint8Array() : await this.#read(length) };
  }

  async #read(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const { value, done } = await this.#reader.read(new Uint8Array(length), { min: length });
    if (done || value === undefined || value.length < length) throw new Error("the connection has ended");
    return value;
  }
}

/** Records events; returns their ids. */
export async function recordEvents(service: TestService, key: string, count: number, more = {}): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) => ({ type: "tool.called", data: { n }, ...more }));
  const reply = await service.post("/v1/memory/events/batch", { events }, { key });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.data.map(({ id }: { id: string }) => id);
}

/** The id of a key. */
export async function idOf(service: TestService, key: string, workspaceId = service.workspaceId): Promise<string> {
  const listed = await access.listApiKeys(service.operator(workspaceId));
  return listed.find(({ publicId }) => key.includes(publicId))!.keyId;
}

export const idsOf = (messages: readonly Message[]): string[] => messages.map(({ event }) => event.resourceId);
export const seqsOf = (messages: readonly Message[]): number[] => messages.map(({ event }) => event.seq);
