/** The lines of a file, one after another; a line that is too long is reported and dropped. */
import { LINE_BYTES_MAX } from "../../domain/transfer/file.ts";

const LINE_FEED = 0x0a;

/** The lines with their numbers from 1; without bytes: the line is longer than the limit. */
export async function* streamLinesLeniently(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly no: number; readonly bytes: Uint8Array | undefined }, void> {
  let no = 1;
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array) => {
    length += part.length;
    if (length > LINE_BYTES_MAX) parts = [];
    else parts.push(part);
  };
  const take = () => ({ no: no++, bytes: length > LINE_BYTES_MAX ? undefined : concat(parts) });
  for await (const chunk of chunks) {
    let start = 0;
    for (let end; (end = chunk.indexOf(LINE_FEED, start)) !== -1; start = end + 1) {
      keep(chunk.subarray(start, end));
      yield take();
      parts = [];
      length = 0;
    }
    if (start < chunk.length) keep(chunk.slice(start));
  }
  if (length > 0) yield take();
}

/** Joins parts. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
