/** Finds where the body of a message ends, while its bytes are passed on unchanged. */
import { type Framing, HeadFault } from "./head.ts";

/** The longest line between chunks, in bytes. */
const LINE_BYTES_MAX = 8_192;
const CR = 13;
const LF = 10;

/** Counts the bytes of one body. */
export class BodyMeter {
  #isDone: boolean;
  /** Bytes still to come: of the body, or of the current chunk with its line break. */
  #left: number;
  readonly #framing: Framing;
  /** The line that is being read: the size of a chunk, or a trailer. */
  #line = "";
  #inTrailers = false;

  constructor(framing: Framing) {
    this.#framing = framing;
    this.#isDone = framing === "none";
    this.#left = typeof framing === "object" ? framing.length : 0;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * @returns how many of these bytes, which come next in the connection, belong to the body
   * @throws HeadFault when chunks are malformed
   */
  take(bytes: Uint8Array): number {
    if (this.#isDone) return 0;
    if (this.#framing === "close") return bytes.length;
    if (this.#framing === "chunked") return this.#takeChunks(bytes);
    const taken = Math.min(this.#left, bytes.length);
    this.#left -= taken;
    this.#isDone = this.#left === 0;
    return taken;
  }

  #takeChunks(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && !this.#isDone) {
      if (this.#left > 2) {
        const data = Math.min(this.#left - 2, bytes.length - at);
        this.#left -= data;
        at += data;
      } else if (this.#left > 0) {
        if (bytes[at++] !== (this.#left === 2 ? CR : LF)) {
          throw new HeadFault(400, "a chunk does not end where it says");
        }
        this.#left--;
      } else {
        this.#takeOfLine(bytes[at++]!);
      }
    }
    return at;
  }

  #takeOfLine(byte: number): void {
    this.#line += String.fromCharCode(byte);
    if (this.#line.length > LINE_BYTES_MAX) throw new HeadFault(400, "a line between chunks is too long");
    if (byte !== LF) return;
    if (!this.#line.endsWith("\r\n")) throw new HeadFault(400, "a line between chunks is malformed");
    const line = this.#line.slice(0, -2);
    this.#line = "";
    if (this.#inTrailers) {
      this.#isDone = line === "";
      return;
    }
    const size = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[^\r\n]*)?$/.exec(line)?.[1];
    if (size === undefined) throw new HeadFault(400, "the size of a chunk is no number");
    const length = parseInt(size, 16);
    if (length === 0) this.#inTrailers = true;
    else this.#left = length + 2;
  }
}
