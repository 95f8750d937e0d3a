/** Reads the file of an import: its lines, any number of times, and the check that it is complete. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import { ServiceError } from "../../errors.ts";
import { checkInput } from "../../schema/field_errors.ts";
import { parseJson } from "../../schema/json_text.ts";
import { ExportEnd, ExportHeader } from "../../schema/transfer.ts";

export interface FileLine {
  /** From 1. */
  readonly no: number;
  /** Without its line feed. */
  readonly bytes: Uint8Array;
}

/** Gives the lines of a file from its beginning, each time it is called. */
export type FileReader = () => AsyncIterable<FileLine> | Iterable<FileLine>;

/** The longest line that is read, in bytes. */
export const LINE_BYTES_MAX = 8_388_608;
const LINE_FEED = 0x0a;
const EMPTY = new Uint8Array(0);

/** The byte order mark that some programs write before a file; it is not part of its first line. */
const BOM = [0xef, 0xbb, 0xbf];

function isMarked(bytes: Uint8Array): boolean {
  return BOM.every((byte, i) => bytes[i] === byte);
}

/** The lines of a file that is in memory. */
export function* linesOf(bytes: Uint8Array): Generator<FileLine, void> {
  let no = 0;
  for (let start = isMarked(bytes) ? BOM.length : 0; start < bytes.length;) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    yield { no: ++no, bytes: bytes.subarray(start, end) };
    start = end + 1;
  }
}

/**
 * The lines of a stream; memory holds one line and the chunk that its end came with.
 * @throws ServiceError `payload_too_large` for a line beyond the longest length.
 */
export async function* streamLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine, void> {
  let no = 0;
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      yield { no: ++no, bytes: lineOf([...parts, chunk.subarray(start, end)], no) };
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.slice(start));
    length += chunk.length - start;
    if (length > LINE_BYTES_MAX) throw tooLong(no + 1);
  }
  if (parts.length > 0) yield { no: no + 1, bytes: lineOf(parts, no + 1) };
}

function lineOf(parts: readonly Uint8Array[], no: number): Uint8Array {
  const bytes = join(parts);
  return no === 1 && isMarked(bytes) ? bytes.subarray(BOM.length) : bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function tooLong(no: number): ServiceError {
  return new ServiceError(
    "payload_too_large",
    `Cannot read line ${no}: it is longer than ${LINE_BYTES_MAX} bytes`,
  );
}

/**
 * Checks that a file is complete and unchanged before anything of it is imported.
 * @param allowsPartial whether the end may be missing; a file with an end must be complete all the same
 * @returns its header, the number of lines between it and the end, and whether there is an end
 * @throws ServiceError `invalid_request` when it does not begin like an export, `validation_failed` when it is broken
 * off or was changed.
 */
export async function verifyFile(
  read: FileReader,
  allowsPartial = false,
): Promise<{ readonly header: ExportHeader; readonly lines: number; readonly complete: boolean }> {
  const hash = createHash("sha256");
  const feed = new Uint8Array([LINE_FEED]);
  let header: ExportHeader | undefined;
  let last: FileLine | undefined;
  for await (const line of read()) {
    if (last !== undefined) hash.update(last.bytes).update(feed);
    header ??= readHeader(line.bytes);
    last = line;
  }
  if (header === undefined || last === undefined) {
    throw new ServiceError("invalid_request", "Cannot import: the file is empty");
  }
  const end = last.no === 1 ? undefined : readEnd(last.bytes);
  if (end === undefined) {
    if (allowsPartial) return { header, lines: last.no - 1, complete: false };
    throw broken(`the file is broken off: its last line, ${last.no}, is not the end`);
  }
  const lines = last.no - 2;
  if (end.count !== lines) throw broken(`the end counts ${end.count} lines, the file has ${lines}`);
  if (end.sha256 !== hash.digest("hex")) throw broken("the file was changed: its hash is not the one in its last line");
  return { header, lines, complete: true };
}

function broken(reason: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot import: ${reason}. Nothing was imported`);
}

function readHeader(bytes: Uint8Array): ExportHeader {
  const value = parseJson(bytes.length > LINE_BYTES_MAX ? EMPTY : bytes);
  return readAs(ExportHeader, value, "Cannot import: the first line is not the header of an export of this version");
}

function readAs<T>(schema: z.ZodType<T>, value: unknown, message: string): T {
  const { data, faults } = checkInput(schema, value);
  if (faults === undefined) return data;
  const fault = faults.told()[0]!;
  throw new ServiceError("invalid_request", `${message}: ${fault.path || "line"}: ${fault.message}`);
}

function readEnd(bytes: Uint8Array): ExportEnd | undefined {
  try {
    const parsed = ExportEnd.safeParse(parseJson(bytes));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
