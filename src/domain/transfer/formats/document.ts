/** Reads files of other services: one JSON document, or JSONL. */
import { ServiceError } from "../../../errors.ts";
import { type JsonLimits, parseJsonText } from "../../../schema/json_text.ts";
import { linesOf } from "../file.ts";
import type { RawLine } from "../import.ts";
import type { EventLoopTurns } from "../turns.ts";
import { JsonSplitter, type Slice } from "./json_split.ts";

/** A record of a file, with its line number, or its place in a list. */
export interface ForeignRecord {
  readonly no: number;
  /** The document's list that holds it, such as `edges`; empty for JSONL and for a bare list. */
  readonly list: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface ForeignFile {
  readonly records: readonly ForeignRecord[];
  readonly faults: readonly RawLine[];
  /** Small members of a document besides its lists, such as the owner of the file. */
  readonly about: Readonly<Record<string, unknown>>;
  /** How many characters of strings cannot be stored and became U+FFFD. */
  readonly mended: number;
}

/** Says how to read the files of a format. */
export interface FileShape {
  /** The lists of a document, in whatever order it has them. A bare list, or a single record, is accepted too. */
  readonly lists: readonly string[];
  /** Whether every line is a record, including the first. */
  readonly isLines?: boolean;
}

const KIB = 1_024;
/** How much of a document is scanned before yielding. */
const CHUNK_BYTES = 256 * KIB;
/** The most records of one request; a longer file is sent in parts. */
const RECORDS_MAX = 200_000;

/** Reads values as other services write them; counts what it has to replace. */
class Reader {
  readonly records: ForeignRecord[] = [];
  readonly faults: RawLine[] = [];
  mended = 0;
  #marks = 0;

  /** Parses a record; one that cannot be read becomes a fault of its own. */
  take(no: number, list: string, bytes: Uint8Array, marks = 0): void {
    this.#marks += marks;
    if (this.#marks > MARKS_MAX || this.records.length + this.faults.length >= RECORDS_MAX) {
      throw new ServiceError("payload_too_large", "Cannot import: the file has too many values; send it in parts");
    }
    try {
      this.keep(no, list, this.parse(bytes), bytes.byteLength);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.fault(no, error, bytes.byteLength);
    }
  }

  keep(no: number, list: string, value: unknown, size: number): void {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      this.records.push({ no, list, value: value as ForeignRecord["value"] });
    } else this.fault(no, notARecord(), size);
  }

  fault(no: number, fault: ServiceError, size: number): void {
    this.faults.push({ no, bytes: size, value: undefined, fault });
  }

  parse(bytes: Uint8Array): unknown {
    let text: string;
    try {
      text = decoder.decode(bytes);
    } catch (cause) {
      throw new ServiceError("invalid_request", "Cannot read JSON: it is not valid UTF-8", { cause });
    }
    return parseJsonText(mendEscapes(text, () => this.mended++), DOCUMENT_LIMITS);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a document with some lists, or JSONL: a file whose first line is a complete JSON object, followed by others.
 * @throws ServiceError `invalid_request` when it is neither, `payload_too_large` for too many values
 */
export async function readForeign(bytes: Uint8Array, shape: FileShape, turns: EventLoopTurns): Promise<ForeignFile> {
  if (shape.isLines) return await readLines(bytes, turns);
  const splitter = new JsonSplitter(shape.lists, bytes.byteLength);
  try {
    const slices: Slice[] = [];
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      for (const slice of splitter.push(bytes.subarray(at, at + CHUNK_BYTES))) slices.push(slice);
      await turns.take(CHUNK_BYTES / KIB);
    }
    splitter.end();
    return await readDocument(bytes, shape.lists, splitter, slices, turns);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "invalid_request" || !beginsWithRecord(bytes)) throw error;
    return await readLines(bytes, turns);
  }
}

async function readDocument(
  bytes: Uint8Array,
  lists: readonly string[],
  { hasList, members }: JsonSplitter,
  slices: Slice[],
  turns: EventLoopTurns,
): Promise<ForeignFile> {
  const reader = new Reader();
  if (!hasList) reader.take(1, "", bytes);
  // In the order in which the format names its lists: records that others refer to come first.
  const place = ({ list }: Slice) => lists.indexOf(list);
  for (const slice of slices.sort((a, b) => place(a) - place(b) || a.no - b.no)) {
    reader.take(slice.no, slice.list, slice.bytes!, slice.marks);
    await turns.take(1 + slice.bytes!.byteLength / KIB);
  }
  const about: Record<string, unknown> = Object.create(null);
  if (hasList) { for (const [name, text] of members) about[name] = reader.parse(new TextEncoder().encode(text)); }
  return { ...reader, about };
}

async function readLines(bytes: Uint8Array, turns: EventLoopTurns): Promise<ForeignFile> {
  const reader = new Reader();
  for (const line of linesOf(bytes)) {
    if (line.bytes.every((byte) => byte <= 0x20)) continue;
    reader.take(line.no, "", line.bytes);
    await turns.take(1 + line.bytes.byteLength / KIB);
  }
  if (reader.records.length === 0) {
    throw new ServiceError("invalid_request", "Cannot import: the file is neither a JSON document nor JSONL");
  }
  return { ...reader, about: {} };
}

/** Whether the first line that is not blank is a complete JSON object. */
export function beginsWithRecord(bytes: Uint8Array): boolean {
  for (const line of linesOf(bytes)) {
    if (line.bytes.every((byte) => byte <= 0x20)) continue;
    try {
      const value = new Reader().parse(line.bytes);
      return typeof value === "object" && value !== null;
    } catch {
      return false;
    }
  }
  return false;
}

function notARecord(): ServiceError {
  return new ServiceError("validation_failed", "Cannot import: it is not an object");
}

/** Other services write one value for a whole file, or for a whole conversation. */
const DOCUMENT_LIMITS: JsonLimits = {
  membersOfOneMax: 100_000,
  membersMax: 500_000,
  valuesMax: 1_000_000,
  // Ids of other products; a record is not lost for one.
  digitsAsText: true,
};
/** Commas, colons and brackets of a whole file. */
const MARKS_MAX = 4_000_000;

const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u([0-9a-fA-F]{4})|\\[^]/g;

/** Replaces what JSON may hold and a database may not by U+FFFD: NUL, and half of a surrogate pair. */
function mendEscapes(text: string, onMend: () => void): string {
  if (!/\\u(0000|[dD][89a-fA-F])/.test(text)) return text;
  return text.replace(ESCAPES, (found, code?: string) => {
    if (code === undefined || !/^(0000|d[89a-f]..)$/i.test(code)) return found;
    onMend();
    return "\\ufffd";
  });
}

/** A text member, if it is present and not blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Reads a time in the service's form; null if there is none. @throws ServiceError `validation_failed` */
export function timeOf(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === "") return null;
  const date = dateOf(value);
  const year = Number.isNaN(date.getTime()) ? 0 : date.getUTCFullYear();
  if (year >= 1 && year <= 9_999) return date.toISOString();
  throw new ServiceError("validation_failed", `Cannot import: ${name} is not a time`);
}

/** A number means seconds or milliseconds since 1970; a text without an offset is UTC, as in these services. */
function dateOf(value: unknown): Date {
  if (typeof value === "number") return new Date(Math.round(Math.abs(value) < SECONDS_MAX ? value * 1_000 : value));
  if (typeof value !== "string") return new Date(NaN);
  const hasOffset = !/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(value);
  return new Date(hasOffset ? value : `${value.replace(" ", "T")}Z`);
}

/** The importer reads a larger number as milliseconds: as seconds it would lie after the year 5000. */
const SECONDS_MAX = 1e11;

/** A member that is an object; an empty object if it is not. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Readonly<Record<string, unknown>>
    : {};
}

/** A member that is a list; an empty list if it is not. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Reads a time in the service's form; null if there is none, or it is invalid. */
export function timeIfAny(value: unknown): string | null {
  try {
    return timeOf(value, "time");
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** Removes the parts between two marks, with the marks; and counts them. */
export function cutBetween(
  text: string,
  open: string,
  close: string,
): { readonly text: string; readonly count: number } {
  const kept: string[] = [];
  let count = 0;
  let from = 0;
  for (let start; (start = text.indexOf(open, from)) !== -1; count++) {
    const end = text.indexOf(close, start + open.length);
    if (end === -1) break;
    kept.push(text.slice(from, start));
    from = end + close.length;
  }
  return { text: kept.join("") + text.slice(from), count };
}
