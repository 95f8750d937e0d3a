/**
 * One side of a connection through the front: it buffers bytes that were read and not yet passed on, and has a single
 * reader.
 */

const BUFFER_BYTES = 16_384;

export class Wire {
  readonly #conn: Deno.Conn;
  #buffer = new Uint8Array(BUFFER_BYTES);
  #start = 0;
  #end = 0;
  #reading: Promise<boolean> | undefined;
  #isClosed = false;
  /** When the write that is still waiting for the other side began, in milliseconds of `performance.now`. */
  writingSince: number | undefined;
  /** Whether no request is under way on it, so that its end is not an error. */
  isIdle = false;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The bytes that were read and not consumed. Valid until the next `fill`. */
  get held(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  consume(bytes: number): void {
    this.#start += bytes;
  }

  /**
   * Reads more; concurrent callers share one read. @returns false when the other side has closed or broken the
   * connection
   */
  fill(): Promise<boolean> {
    return this.#reading ??= this.#read();
  }

  /** @throws Error when the other side has closed the connection */
  async write(bytes: Uint8Array): Promise<void> {
    this.writingSince = performance.now();
    try {
      for (let at = 0; at < bytes.length;) at += await this.#conn.write(at === 0 ? bytes : bytes.subarray(at));
    } finally {
      this.writingSince = undefined;
    }
  }

  /** Ends sending; what the other side sends can still be read. */
  async closeWrite(): Promise<void> {
    try {
      await this.#conn.closeWrite();
    } catch {
      // The connection has closed already.
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#conn.close();
    } catch {
      // The connection has closed already.
    }
  }

  async #read(): Promise<boolean> {
    this.#makeRoom();
    try {
      const count = this.#isClosed ? null : await this.#conn.read(this.#buffer.subarray(this.#end));
      this.#end += count ?? 0;
      return count !== null;
    } catch {
      return false;
    } finally {
      this.#reading = undefined;
    }
  }

  #makeRoom(): void {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    if (this.#end < this.#buffer.length) return;
    const larger = this.#start > 0 ? this.#buffer : new Uint8Array(2 * this.#buffer.length);
    larger.set(this.held);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = larger;
  }
}
