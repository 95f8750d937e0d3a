/**
 * Files for anybody: large, always the same, and read without a key. A reader holds a chunk of the one copy, not a copy;
 * there are so many readers at once and no more, and who does not read is cut off.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { ServiceError } from "../errors.ts";

export interface SharedFile {
  readonly mediaType: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  /** The same bytes in gzip: packed once, where the server would pack them anew for each reader. */
  readonly packed: Uint8Array;
}

export function makeSharedFile(mediaType: string, bytes: Uint8Array, packed: Uint8Array = gzipSync(bytes)): SharedFile {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  return { mediaType, etag: `"${digest}"`, bytes, packed };
}

export interface SharedFileLimits {
  /** Readers of all files at once, in a process. */
  readonly readersMax: number;
  /** A reader that takes no chunk for so long is cut off, in milliseconds. */
  readonly idleMs: number;
  /** And so is one that has not taken the whole after so long, in milliseconds. */
  readonly wholeMs: number;
}

const LIMITS: SharedFileLimits = { readersMax: 64, idleMs: 10_000, wholeMs: 120_000 };
const CHUNK_BYTES = 65_536;

export class SharedFiles {
  readonly #limits: SharedFileLimits;
  #readers = 0;

  constructor(limits: Partial<SharedFileLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Replies that are not read to their end yet. */
  get readers(): number {
    return this.#readers;
  }

  /** @throws ServiceError `unavailable` with `retry-after` while there are as many readers as there may be */
  reply(request: Request, file: SharedFile, headers: Readonly<Record<string, string>> = {}): Response {
    const { readersMax, idleMs } = this.#limits;
    if (this.#readers >= readersMax) {
      throw new ServiceError("unavailable", "Cannot send the file: too many are reading it", {
        headers: { "retry-after": String(Math.ceil(idleMs / 1_000)) },
      });
    }
    const isPacked = takesGzip(request.headers);
    const bytes = isPacked ? file.packed : file.bytes;
    return new Response(this.#read(bytes), {
      headers: {
        // The server is not to pack it.
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

  #read(bytes: Uint8Array): ReadableStream<Uint8Array> {
    const { idleMs, wholeMs } = this.#limits;
    const due = performance.now() + wholeMs;
    let at = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    this.#readers++;
    const end = () => {
      clearTimeout(timer);
      if (isOpen) this.#readers--;
      isOpen = false;
    };
    const waitFor = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        end();
        // Shorter than its head says, so that the connection goes with it; an error would be printed with its stack.
        controller.close();
      }, Math.max(0, Math.min(idleMs, due - performance.now())));
      // Nobody waits for a reader when the process ends.
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

/** Nobody needs a long list here, so none is taken apart. */
const ACCEPT_CHARS_MAX = 200;

function takesGzip(headers: Headers): boolean {
  const accepted = headers.get("accept-encoding") ?? "";
  if (accepted.length > ACCEPT_CHARS_MAX) return false;
  return accepted.toLowerCase().split(",").some((one) => {
    const [name, weight = ""] = one.split(";").map((part) => part.trim());
    return name === "gzip" && !/^q=0(\.0*)?$/.test(weight);
  });
}
