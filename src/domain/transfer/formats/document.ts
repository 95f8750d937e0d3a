/** Files of other services: one JSON document, or JSONL. */
import { ServiceError } from "../../../errors.ts";
import { JSON_LIMITS, type JsonLimits, parseJson } from "../../../schema/json_text.ts";
import { linesOf } from "../file.ts";
import type { RawLine } from "../import.ts";

/** A record of a file, with the line that it stands in, or its place in a list. */
export interface ForeignRecord {
  readonly no: number;
  /** The list in which a document has it, such as `edges`; empty for JSONL and for a bare list. */
  readonly list: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface ForeignFile {
  readonly records: readonly ForeignRecord[];
  readonly faults: readonly RawLine[];
}

/**
 * Reads a document whose lists are named in `lists` (or a bare list, or one record), else JSONL.
 * @throws ServiceError `invalid_request` when it is neither
 */
export function readForeign(bytes: Uint8Array, lists: readonly string[]): ForeignFile {
  const records: ForeignRecord[] = [];
  const faults: RawLine[] = [];
  const take = (no: number, list: string, value: unknown, size: number) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      records.push({ no, list, value: value as ForeignRecord["value"] });
    } else faults.push({ no, bytes: size, value, fault: notARecord() });
  };
  const document = readDocument(bytes);
  if (document !== undefined) {
    const named = lists.filter((list) => Array.isArray((document as Record<string, unknown>)[list]));
    const groups: [string, unknown[]][] = Array.isArray(document)
      ? [["", document]]
      : named.length > 0
      ? named.map((list) => [list, (document as Record<string, unknown[]>)[list]!])
      : [["", [document]]];
    let no = 0;
    for (const [list, values] of groups) for (const value of values) take(++no, list, value, 0);
    return { records, faults };
  }
  for (const line of linesOf(bytes)) {
    if (line.bytes.every((byte) => byte <= 0x20)) continue;
    try {
      take(line.no, "", parseJson(line.bytes), line.bytes.byteLength);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push({ no: line.no, bytes: line.bytes.byteLength, value: undefined, fault: error });
    }
  }
  if (records.length === 0) {
    throw new ServiceError("invalid_request", "Cannot import: the file is neither a JSON document nor JSONL");
  }
  return { records, faults };
}

function notARecord(): ServiceError {
  return new ServiceError("validation_failed", "Cannot import: it is not an object");
}

/** What other services write is one value for a whole file. */
const DOCUMENT_LIMITS: JsonLimits = { ...JSON_LIMITS, membersMax: 500_000, valuesMax: 1_000_000 };

function readDocument(bytes: Uint8Array): object | undefined {
  try {
    const value = parseJson(bytes, DOCUMENT_LIMITS);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** A text member that is there and not blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A time as the service writes it; null where there is none. @throws ServiceError `validation_failed` */
export function timeOf(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === "") return null;
  // Without an offset it is UTC, as these services write it.
  const text = typeof value === "string" && /T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(value) ? `${value}Z` : value;
  const date = new Date(text as string | number);
  const year = Number.isNaN(date.getTime()) ? 0 : date.getUTCFullYear();
  if (year >= 1 && year <= 9_999) return date.toISOString();
  throw new ServiceError("validation_failed", `Cannot import: ${name} is not a time`);
}
