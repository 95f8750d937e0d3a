/**
 * Public files: large, constant, and read without a key. A reader holds a chunk of the one copy, not a copy of its own.
 * The number of readers is limited, in all and per source, and a reader that takes nothing is sent nothing more.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { ServiceError } from "../errors.ts";
import { networkOf } from "../schema/cidr.ts";

export interface SharedFile {
  readonly mediaType: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  /** The same bytes in gzip, packed once; the server would otherwise pack them for each reader. */
  readonly packed: Uint8Array;
}

export function makeSharedFile(mediaType: string, bytes: Uint8Array, packed: Uint8Array = gzipSync(bytes)): SharedFile {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  return { mediaType, etag: `"${digest}"`, bytes, packed };
}

export interface SharedFileLimits {
  /** The most simultaneous readers of all files, in a process. */
  readonly readersMax: number;
  /** The most readers of one source. */
  readonly readersOfSourceMax: number;
  /** The longest time in which a reader may take no chunk, in milliseconds; then it is disconnected. */
  readonly idleMs: number;
  /** The longest time that a reader may take for the whole file, in milliseconds; then it is disconnected. */
  readonly wholeMs: number;
}

const LIMITS: SharedFileLimits = { readersMax: 64, readersOfSourceMax: 8, idleMs: 10_000, wholeMs: 120_000 };
const CHUNK_BYTES = 65_536;

export class SharedFiles {
  readonly #limits: SharedFileLimits;
  /** How many readers each source has; a source without any is not in the map. */
  readonly #readers = new Map<string, number>();

  constructor(limits: Partial<SharedFileLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** The number of replies that have not been read to their end. */
  get readers(): number {
    return this.#readers.values().reduce((sum, count) => sum + count, 0);
  }

  /**
   * Replies with the file or, for a HEAD request, with its headers alone.
   * @param source the caller's address, if it is known; of an IPv6 address only its network of 64
   * bits counts
   * @throws ServiceError `rate_limited` while the source has `readersOfSourceMax` readers, `unavailable`
   * while all sources together have `readersMax`; both with `retry-after`
   */
  reply(
    request: Request,
    file: SharedFile,
    { source, headers }: { readonly source: string | undefined; readonly headers?: Readonly<Record<string, string>> },
  ): Response {
    const isPacked = takesGzip(request.headers);
    const bytes = isPacked ? file.packed : file.bytes;
    return new Response(request.method === "HEAD" ? null : this.#read(bytes, this.#enter(source)), {
      headers: {
        // The server must not pack it.
        "cache-control": "no-store, no-transform",
        ...headers,
        "content-type": file.mediaType,
        "content-length": String(bytes.byteLength),
        etag: file.etag,
        vary: "accept-encoding",
        ...(isPacked && { "content-encoding": "gzip" }),
      },
    });
  }

  /** Counts a reader and returns a function that takes it off the count; calling that again does nothing. */
  #enter(source: string | undefined): () => void {
    const { readersMax, readersOfSourceMax, idleMs } = this.#limits;
    const network = networkOf(source ?? "unknown");
    const others = this.#readers.get(network) ?? 0;
    const headers = { "retry-after": String(Math.ceil(idleMs / 1_000)) };
    if (others >= readersOfSourceMax) {
      throw new ServiceError("rate_limited", "Cannot send the file: this address is reading too many files", {
        headers,
      });
    }
    if (this.readers >= readersMax) {
      throw new ServiceError("unavailable", "Cannot send the file: too many callers are reading it", { headers });
    }
    this.#readers.set(network, others + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.#readers.get(network)! - 1;
      if (left > 0) this.#readers.set(network, left);
      else this.#readers.delete(network);
    };
  }

  #read(bytes: Uint8Array, leave: () => void): ReadableStream<Uint8Array> {
    const { idleMs, wholeMs } = this.#limits;
    const due = performance.now() + wholeMs;
    let at = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      leave();
    };
    const waitFor = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        end();
        // The body is shorter than its head says, so the connection ends; an error would be printed with its stack.
        controller.close();
      }, Math.max(0, Math.min(idleMs, due - performance.now())));
      // The process does not wait for readers when it ends.
      Deno.unrefTimer(timer!);
    };
    return new ReadableStream({
      start: waitFor,
      pull(controller) {
        waitFor(controller);
        controller.enqueue(bytes.subarray(at, at += CHUNK_BYTES));
        if (at < bytes.byteLength) return;
        end();
        controller.close();
      },
      cancel: end,
    }, { highWaterMark: 0 });
  }
}

/** A longer list is ignored instead of parsed: a client has no need to send one. */
const ACCEPT_CHARS_MAX = 200;

function takesGzip(headers: Headers): boolean {
  const accepted = headers.get("accept-encoding") ?? "";
  if (accepted.length > ACCEPT_CHARS_MAX) return false;
  return accepted.toLowerCase().split(",").some((one) => {
    const [name, weight = ""] = one.split(";").map((part) => part.trim());
    return name === "gzip" && !/^q=0(\.0*)?$/.test(weight);
  });
}
