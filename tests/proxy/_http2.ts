/** HTTP/2 frames by hand, for clients that no library wants to be. RFC 9113, and RFC 7541 without its compression. */

const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 } as const;
/** RFC 9113, 7: a stream is no longer needed. */
const CANCEL = new Uint8Array([0, 0, 0, 8]);
const END_STREAM = 1;
const END_HEADERS = 4;
const ACK = 1;
const PREFACE = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(9 + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length << 8);
  bytes.set([type, flags], 3);
  view.setUint32(5, stream);
  bytes.set(payload, 9);
  return bytes;
}

/** Each field as a literal that is not indexed; names and values have at most 126 bytes. */
function headerBlock(fields: Readonly<Record<string, string>>): Uint8Array {
  const encoder = new TextEncoder();
  const bytes: number[] = [];
  for (const [name, value] of Object.entries(fields)) {
    bytes.push(0);
    for (const text of [encoder.encode(name), encoder.encode(value)]) bytes.push(text.length, ...text);
  }
  return new Uint8Array(bytes);
}

/** A message of a stream of Connect. */
export function message(value: unknown): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(value));
  const bytes = new Uint8Array(5 + text.length);
  new DataView(bytes.buffer).setUint32(1, text.length);
  bytes.set(text, 5);
  return bytes;
}

export interface RawConnectOptions {
  readonly port: number;
  /** PEM of the authority; without it the connection is cleartext. */
  readonly authority?: string;
  /** What the peer may send on a stream before it is given more; default 65,535. */
  readonly initialWindow?: number;
}

/** A connection that sends what it is told and nothing else, but for the acknowledgements that keep it open. */
export class RawHttp2 implements Disposable {
  /** The frames that came, pings and settings left out. */
  readonly frames: Frame[] = [];
  isOpen = true;
  readonly #conn: Deno.Conn;
  #nextStream = 1;
  #sending = Promise.resolve();

  private constructor(conn: Deno.Conn) {
    this.#conn = conn;
    this.#read();
  }

  static async open({ port, authority, initialWindow }: RawConnectOptions): Promise<RawHttp2> {
    const at = { hostname: "127.0.0.1", port };
    const conn = authority === undefined
      ? await Deno.connect(at)
      : await Deno.connectTls({ ...at, caCerts: [authority], alpnProtocols: ["h2"] });
    const connection = new RawHttp2(conn);
    const settings = new Uint8Array(initialWindow === undefined ? 0 : 6);
    if (initialWindow !== undefined) {
      settings[1] = 4;
      new DataView(settings.buffer).setUint32(2, initialWindow);
    }
    await connection.#send(PREFACE);
    await connection.#send(frame(FRAME.settings, 0, 0, settings));
    return connection;
  }

  /** Sends the head of a request, which ends there unless a body is to follow. @returns the number of its stream */
  async request(fields: Readonly<Record<string, string>>, { hasBody = false } = {}): Promise<number> {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const flags = END_HEADERS | (hasBody ? 0 : END_STREAM);
    await this.#send(frame(FRAME.headers, flags, stream, headerBlock(fields)));
    return stream;
  }

  async data(stream: number, payload: Uint8Array, { isLast = false } = {}): Promise<void> {
    await this.#send(frame(FRAME.data, isLast ? END_STREAM : 0, stream, payload));
  }

  /** Takes a request back. */
  async cancel(stream: number): Promise<void> {
    await this.#send(frame(FRAME.reset, 0, stream, CANCEL));
  }

  /** Begins the head of a request and goes on with it, without an end. */
  async sendEndlessHead(fields: Readonly<Record<string, string>>, parts: number): Promise<void> {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    await this.#send(frame(FRAME.headers, END_STREAM, stream, headerBlock(fields)));
    for (let part = 0; part < parts && this.isOpen; part++) {
      await this.#send(frame(FRAME.continuation, 0, stream, headerBlock({ [`x-part-${part}`]: "a".repeat(100) })));
    }
  }

  /** How many streams have had the head of a reply. */
  get answered(): number {
    return new Set(this.frames.filter(({ type }) => type === FRAME.headers).map(({ stream }) => stream)).size;
  }

  /** The bytes of the bodies of all replies. */
  get received(): number {
    return this.frames.filter(({ type }) => type === FRAME.data).reduce((sum, { payload }) => sum + payload.length, 0);
  }

  /** Whether a stream has ended, with a reply or without. */
  hasEnded(stream: number): boolean {
    return this.frames.some((frame) =>
      frame.stream === stream &&
      (frame.type === FRAME.reset || (frame.type <= FRAME.headers && (frame.flags & END_STREAM) !== 0))
    );
  }

  /** The text of a reply's body; undefined without one. */
  bodyOf(stream: number): string | undefined {
    const parts = this.frames.filter((frame) => frame.stream === stream && frame.type === FRAME.data);
    return parts.length === 0 ? undefined : parts.map(({ payload }) => new TextDecoder().decode(payload)).join("");
  }

  [Symbol.dispose](): void {
    this.isOpen = false;
    try {
      this.#conn.close();
    } catch {
      // The other side was first.
    }
  }

  /** Whole frames one after the other: a write may take only a part. */
  #send(bytes: Uint8Array): Promise<void> {
    return this.#sending = this.#sending.then(async () => {
      for (let at = 0; at < bytes.length && this.isOpen;) {
        at += await this.#conn.write(bytes.subarray(at)).catch(() => {
          this.isOpen = false;
          return 0;
        });
      }
    });
  }

  async #read(): Promise<void> {
    let kept = new Uint8Array();
    const piece = new Uint8Array(65_536);
    for (;;) {
      const n = await this.#conn.read(piece).catch(() => null);
      if (n === null) break;
      const bytes = new Uint8Array(kept.length + n);
      bytes.set(kept);
      bytes.set(piece.subarray(0, n), kept.length);
      kept = this.#take(bytes);
    }
    this.isOpen = false;
  }

  #take(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const view = new DataView(bytes.buffer);
    let at = 0;
    while (bytes.length - at >= 9) {
      const length = view.getUint32(at) >>> 8;
      if (bytes.length - at < 9 + length) break;
      const [type, flags] = [bytes[at + 3]!, bytes[at + 4]!];
      const payload = bytes.slice(at + 9, at + 9 + length);
      if (type === FRAME.settings || type === FRAME.ping) {
        const reply = type === FRAME.ping ? payload : new Uint8Array();
        if ((flags & ACK) === 0) this.#send(frame(type, ACK, 0, reply));
      } else {
        this.frames.push({ type, flags, stream: view.getUint32(at + 5) & 0x7fffffff, payload });
      }
      at += 9 + length;
    }
    return bytes.slice(at);
  }
}
