/** Reads lines of a file from a place on, however long the file and its lines are. */

export interface TailPosition {
  /** The first byte that has not been read. */
  readonly offset: number;
  /** Whether that byte is inside a line that is too long to be read: the rest of the line is skipped. */
  readonly isInside: boolean;
}

export interface Tail {
  /** Whole lines, with the place of each in the file. */
  readonly lines: readonly { readonly text: string; readonly place: number }[];
  readonly next: TailPosition;
  /** Whether nothing is left except, at most, the beginning of an unfinished line. */
  readonly isEnd: boolean;
  /** The number of lines that were too long. */
  readonly tooLong: number;
}

const PIECE_BYTES = 262_144;
/** The longest line that is read. The words of people and models are far shorter; a tool's result may be longer. */
const LINE_BYTES_MAX = 4_194_304;
const LINE_BREAK = 10;

/**
 * Reads at least one line from `from` on; of short lines, about a quarter of a MiB.
 * @param isWhole nobody writes to the file any more, so the text at its end is a line, too
 */
export async function readTail(
  file: Pick<Deno.FsFile, "read" | "seek">,
  from: TailPosition,
  isWhole = false,
): Promise<Tail> {
  let { offset, isInside } = from;
  let tooLong = 0;
  const held: Uint8Array[] = [];
  let bytes = 0;
  await file.seek(offset, Deno.SeekMode.Start);
  for (;;) {
    const piece = new Uint8Array(PIECE_BYTES);
    const count = await file.read(piece) ?? 0;
    if (count === 0) {
      if (!isWhole) return { lines: [], next: { offset, isInside }, isEnd: true, tooLong };
      const next = { offset: offset + bytes, isInside };
      return { lines: splitLines(held, bytes, offset), next, isEnd: true, tooLong };
    }
    let read = piece.subarray(0, count);
    if (isInside) {
      const end = read.indexOf(LINE_BREAK);
      if (end < 0) {
        offset += count;
        // Returns early, so that the place is stored even if the time ends.
        return { lines: [], next: { offset, isInside }, isEnd: false, tooLong };
      }
      offset += end + 1;
      isInside = false;
      read = read.subarray(end + 1);
    }
    const last = read.lastIndexOf(LINE_BREAK);
    if (last >= 0) {
      held.push(read.subarray(0, last + 1));
      bytes += last + 1;
      const next = { offset: offset + bytes, isInside: false };
      return {
        lines: splitLines(held, bytes, offset),
        next,
        isEnd: count < PIECE_BYTES && last === read.length - 1,
        tooLong,
      };
    }
    held.push(read);
    bytes += read.length;
    if (bytes > LINE_BYTES_MAX) {
      tooLong++;
      offset += bytes;
      return { lines: [], next: { offset, isInside: true }, isEnd: false, tooLong };
    }
  }
}

function splitLines(held: readonly Uint8Array[], bytes: number, offset: number): { text: string; place: number }[] {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const piece of held) {
    all.set(piece, at);
    at += piece.length;
  }
  const decoder = new TextDecoder();
  const lines: { text: string; place: number }[] = [];
  for (let start = 0; start < bytes;) {
    const found = all.indexOf(LINE_BREAK, start);
    const end = found < 0 ? bytes : found;
    const text = decoder.decode(all.subarray(start, end)).trim();
    if (text !== "") lines.push({ text, place: offset + start });
    start = end + 1;
  }
  return lines;
}

/** The place of the first whole line in the last `bytes` of a file of `size` bytes. */
export function placeBeforeEnd(size: number, bytes: number): TailPosition {
  return size <= bytes ? { offset: 0, isInside: false } : { offset: size - bytes, isInside: true };
}
