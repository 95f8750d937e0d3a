/** Reads the files of a ZIP archive in place; nothing is written to the disk. */
import { Reader, ZipReader } from "@zip.js/zip.js";
import { ServiceError } from "../../errors.ts";
import { type ArchiveEntry, refuseBomb, unpack } from "./unpack.ts";

const ENTRIES_MAX = 100_000;

/** A file on the disk as the library reads it. */
class DiskReader extends Reader<string> {
  readonly #file: Deno.FsFile;

  constructor(file: Deno.FsFile, size: number) {
    super("");
    this.#file = file;
    this.size = size;
  }

  override readUint8Array(index: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    this.#file.seekSync(index, Deno.SeekMode.Start);
    let filled = 0;
    while (filled < length) {
      const read = this.#file.readSync(bytes.subarray(filled));
      if (read === null) break;
      filled += read;
    }
    return Promise.resolve(bytes.subarray(0, filled));
  }
}

/** @throws ServiceError `invalid_request` for a broken archive, `payload_too_large` for too many files */
export async function openZip(path: string): Promise<{ readonly entries: readonly ArchiveEntry[] } & AsyncDisposable> {
  const file = await Deno.open(path);
  try {
    const { size } = await file.stat();
    const options = { useWebWorkers: false, useCompressionStream: true };
    const zip = new ZipReader(new DiskReader(file, size), options);
    const entries: ArchiveEntry[] = [];
    for await (const item of zip.getEntriesGenerator()) {
      if (item.directory) continue;
      if (entries.length >= ENTRIES_MAX) {
        throw new ServiceError("payload_too_large", `Cannot import: ${path} has more than ${ENTRIES_MAX} files`);
      }
      const name = item.filename.toWellFormed();
      const open = async function* () {
        if (item.encrypted) throw new ServiceError("invalid_request", `Cannot import: ${name} is encrypted`);
        refuseBomb(name, item.uncompressedSize, item.compressedSize);
        const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
        const done = item.getData(writable, { ...options, checkSignature: true }).then(
          () => undefined,
          (error) => error,
        );
        let length = 0;
        const counted = async function* () {
          for await (const chunk of readable) {
            length += chunk.byteLength;
            // The sizes that the archive states may be false.
            refuseBomb(name, length, item.compressedSize);
            yield chunk;
          }
          const error = await done;
          if (error !== undefined) throw error;
        };
        try {
          if (name.endsWith(".gz")) yield* unpack(ReadableStream.from(counted()), name, item.uncompressedSize);
          else yield* counted();
        } catch (error) {
          if (error instanceof ServiceError) throw error;
          throw new ServiceError("invalid_request", `Cannot import: ${name} in ${path} is broken`, { cause: error });
        }
      };
      entries.push({ name, modifiedAt: item.lastModDate ?? null, open });
    }
    return { entries, [Symbol.asyncDispose]: () => Promise.resolve(file.close()) };
  } catch (error) {
    file.close();
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("invalid_request", `Cannot import: ${path} is a broken ZIP archive`, { cause: error });
  }
}
