/** Splits files into pieces that one request imports, so that memory holds one piece, however large a file is. */
import { ServiceError } from "../../errors.ts";
import { LINE_BYTES_MAX } from "../../domain/transfer/file.ts";
import { listProjects } from "../../domain/transfer/formats/claude.ts";
import { readLine } from "../../domain/transfer/formats/claude_code.ts";
import { beginsWithRecord } from "../../domain/transfer/formats/document.ts";
import { JsonSplitter } from "../../domain/transfer/formats/json_split.ts";
import { type ForeignFormat, FORMATS } from "../../domain/transfer/formats/registry.ts";
import { parseKeepingDigits } from "../../schema/json_text.ts";
import { concat, streamLinesLeniently } from "./lines.ts";
import type { ArchiveEntry } from "./unpack.ts";

/** The content of one import request. */
export interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The place of each of its records: the file, and the number of the line or record in it. */
  readonly places: readonly ImportPosition[];
  /** The piece with only its first records; the whole piece if its records need each other. */
  take(records: number): Piece;
}

export interface ImportPosition {
  readonly file: string;
  readonly no: number;
}

/** Callbacks besides the pieces. */
export interface Notes {
  omit(what: string, count?: number): void;
  fault(place: ImportPosition, message: string): void;
}

/** A piece of this size is sent; a slow machine tries it in less than the minute that a trial has. */
const PIECE_BYTES = 2_097_152;
/** A request takes 32 MiB; one record may have nearly all of it. */
const RECORD_BYTES_MAX = 31 * 1_048_576;
const PIECE_MARKS = 1_000_000;
const LINE_FEED = 0x0a;
const encoder = new TextEncoder();

/** Collects records into a piece. */
class Collector {
  readonly #join: (records: readonly Kept[]) => Uint8Array<ArrayBuffer>;
  #records: Kept[] = [];
  #bytes = 0;
  #marks = 0;

  constructor(join: (records: readonly Kept[]) => Uint8Array<ArrayBuffer>) {
    this.#join = join;
  }

  /** Whether a record fits beside the collected ones. */
  hasRoom(bytes: number, marks: number): boolean {
    return this.#records.length === 0 || (this.#bytes + bytes <= PIECE_BYTES && this.#marks + marks <= PIECE_MARKS);
  }

  add(record: Kept, marks: number): void {
    this.#records.push(record);
    this.#bytes += record.bytes.byteLength;
    this.#marks += marks;
  }

  take(): Piece | undefined {
    const records = this.#records;
    this.#records = [];
    this.#bytes = this.#marks = 0;
    if (records.length === 0) return undefined;
    return toPiece(records, this.#join);
  }
}

function toPiece(records: readonly Kept[], join: (records: readonly Kept[]) => Uint8Array<ArrayBuffer>): Piece {
  // In the order in which `join` writes them.
  const sorted = [...Map.groupBy(records, ({ list }) => list).values()].flat();
  return {
    bytes: join(sorted),
    places: sorted.map(({ place }) => place),
    take: (count) => toPiece(sorted.slice(0, count), join),
  };
}

function indivisible(bytes: Uint8Array<ArrayBuffer>, places: readonly ImportPosition[]): Piece {
  const piece: Piece = { bytes, places, take: () => piece };
  return piece;
}

interface Kept {
  readonly list: string;
  readonly bytes: Uint8Array;
  readonly place: ImportPosition;
}

/** The pieces of all files of a format. */
export async function* cutPieces(
  format: ForeignFormat,
  entries: readonly ArchiveEntry[],
  notes: Notes,
): AsyncGenerator<Piece, void> {
  if (format === "markdown") return yield* cutFiles(entries, notes);
  if (format === "hindsight" && entries.length > 1) return yield* joinArchive(entries);
  for (const entry of format === "claude" ? await nameProjects(entries) : entries) {
    const { shape, isWhole } = FORMATS[format];
    const isLines = shape.isLines === true || await hasLines(entry);
    if (isLines && (!isWhole || format === "openmemory")) yield* cutLines(format, entry, notes);
    else if (isWhole) yield await readWhole(entry);
    else yield* cutDocument(shape.lists, entry, notes);
  }
}

/** The memories of claude.ai, which call projects by their ids, get the names that other files of the export have. */
async function nameProjects(entries: readonly ArchiveEntry[]): Promise<readonly ArchiveEntry[]> {
  const isNamed = (path: string, kind: string) => {
    const [file = "", folder = ""] = path.split("/").reverse();
    const isOfKind = (part: string) => part.replace(/-\d{1,9}$/, "") === kind;
    return file.endsWith(".json") && (isOfKind(file.slice(0, -".json".length)) || isOfKind(folder));
  };
  const read = async (entry: ArchiveEntry): Promise<readonly Record<string, unknown>[]> => {
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(await readAll(entry)));
      return [value].flat().filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null);
    } catch {
      // The import itself reports a file that cannot be read.
      return [];
    }
  };
  const projects = entries.filter(({ name }) => isNamed(name, "projects"));
  const names = listProjects((await Promise.all(projects.map(read))).flat() as Parameters<typeof listProjects>[0]);
  if (names.size === 0) return entries;
  const project_names = Object.fromEntries(names);
  return await Promise.all(entries.map(async (entry): Promise<ArchiveEntry> => {
    const records = isNamed(entry.name, "memories") ? await read(entry) : [];
    if (records.length === 0) return entry;
    const bytes = encoder.encode(JSON.stringify(records.map((record) => ({ ...record, project_names }))));
    return {
      ...entry,
      async *open() {
        yield bytes;
      },
    };
  }));
}

/** Whether a file is JSONL: its first line is a JSON object and not all of it. */
async function hasLines(entry: ArchiveEntry): Promise<boolean> {
  let head = new Uint8Array(0);
  for await (const chunk of entry.open()) {
    head = concat([head, chunk]);
    const start = head.findIndex((byte) => byte > 0x20);
    const end = start === -1 ? -1 : head.indexOf(LINE_FEED, start);
    if (end !== -1) return beginsWithRecord(head.subarray(0, end)) && head[start] === 0x7b;
    if (head.length > LINE_BYTES_MAX) return false;
  }
  return false;
}

async function* cutLines(format: ForeignFormat, entry: ArchiveEntry, notes: Notes): AsyncGenerator<Piece, void> {
  const collector = new Collector((records) => concat(records.flatMap(({ bytes }) => [bytes, LINE_END])));
  for await (const { no, bytes } of streamLinesLeniently(entry.open())) {
    const place = { file: entry.name, no };
    if (bytes === undefined) {
      notes.fault(place, `Cannot import: the line is longer than ${LINE_BYTES_MAX} bytes`);
      continue;
    }
    if (bytes.every((byte) => byte <= 0x20)) continue;
    if (format === "claude-code" && isNoise(bytes, notes)) continue;
    if (!collector.hasRoom(bytes.byteLength, 0)) yield collector.take()!;
    collector.add({ list: "", bytes, place }, 0);
  }
  const last = collector.take();
  if (last !== undefined) yield last;
}

const LINE_END = new Uint8Array([LINE_FEED]);

/** Most lines of a transcript hold no message; they are counted here and not sent. */
function isNoise(bytes: Uint8Array, notes: Notes): boolean {
  const left: string[] = [];
  try {
    const line: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof line !== "object" || line === null || typeof (line as { type?: unknown }).type !== "string") {
      return false;
    }
    if (readLine(line as Record<string, unknown>, (what) => left.push(what)) !== undefined) return false;
  } catch {
    // The service reports its fault.
    return false;
  }
  for (const what of left) notes.omit(what);
  return true;
}

async function* cutDocument(lists: readonly string[], entry: ArchiveEntry, notes: Notes): AsyncGenerator<Piece, void> {
  const splitter = new JsonSplitter(lists, RECORD_BYTES_MAX);
  const collector = new Collector(joinDocument);
  for await (const chunk of entry.open()) {
    for (const { list, no, bytes, marks } of inPlace(entry, () => splitter.push(chunk))) {
      const place = { file: entry.name, no };
      if (bytes === undefined) {
        notes.fault(place, `Cannot import: the record is longer than ${RECORD_BYTES_MAX} bytes`);
        continue;
      }
      if (!collector.hasRoom(bytes.byteLength, marks)) yield collector.take()!;
      collector.add({ list, bytes, place }, marks);
    }
  }
  const last = collector.take();
  if (last !== undefined) yield last;
  inPlace(entry, () => splitter.end());
  if (!splitter.hasList) yield await readWhole(entry);
}

/** Adds to an error the name of the file with the fault. */
function inPlace<T>(entry: ArchiveEntry, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, `${error.message}, in ${entry.name}`, { cause: error });
  }
}

function joinDocument(records: readonly Kept[]): Uint8Array<ArrayBuffer> {
  const groups = [...Map.groupBy(records, ({ list }) => list)];
  const listOf = (some: readonly Kept[]) => [
    encoder.encode("["),
    ...some.flatMap(({ bytes }, i) => i === 0 ? [bytes] : [encoder.encode(","), bytes]),
    encoder.encode("]"),
  ];
  if (groups.length === 1 && groups[0]![0] === "") return concat(listOf(records));
  return concat([
    encoder.encode("{"),
    ...groups.flatMap((
      [list, some],
      i,
    ) => [encoder.encode(`${i === 0 ? "" : ","}${JSON.stringify(list)}:`), ...listOf(some)]),
    encoder.encode("}"),
  ]);
}

/** A file whose records need each other. @throws ServiceError `payload_too_large` */
async function readWhole(entry: ArchiveEntry): Promise<Piece> {
  const bytes = await readAll(entry);
  return indivisible(bytes, [{ file: entry.name, no: 1 }]);
}

async function readAll(entry: ArchiveEntry): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of entry.open()) {
    parts.push(chunk);
    length += chunk.length;
    if (length > RECORD_BYTES_MAX) {
      throw new ServiceError(
        "payload_too_large",
        `Cannot import: ${entry.name} has more than 31 MiB and cannot be divided`,
      );
    }
  }
  return concat(parts);
}

const FILE_BYTES_MAX = 8_388_608;

async function* cutFiles(entries: readonly ArchiveEntry[], notes: Notes): AsyncGenerator<Piece, void> {
  const collector = new Collector((records) => joinDocument(records));
  for (const entry of entries) {
    const place = { file: entry.name, no: 1 };
    const bytes = await readAll(entry);
    let text: string;
    try {
      if (bytes.byteLength > FILE_BYTES_MAX) throw new RangeError("it is larger than 8 MiB");
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) {
      notes.fault(place, `Cannot import: ${error instanceof RangeError ? error.message : "it is not valid UTF-8"}`);
      continue;
    }
    const file = {
      path: entry.name,
      text: text.replaceAll("\0", "\ufffd"),
      modifiedAt: entry.modifiedAt?.toISOString(),
    };
    const record = encoder.encode(JSON.stringify(file));
    if (!collector.hasRoom(record.byteLength, 8)) yield collector.take()!;
    collector.add({ list: "files", bytes: record, place }, 8);
  }
  const last = collector.take();
  if (last !== undefined) yield last;
}

/** The files of a bank's archive as one document. @throws ServiceError `payload_too_large` */
async function* joinArchive(entries: readonly ArchiveEntry[]): AsyncGenerator<Piece, void> {
  const members: Record<string, unknown[]> = { documents: [] };
  const places: ImportPosition[] = [];
  let about = {};
  let length = 0;
  for (const entry of entries) {
    const bytes = await readAll(entry);
    length += bytes.byteLength;
    if (length > RECORD_BYTES_MAX) {
      throw new ServiceError(
        "payload_too_large",
        "Cannot import: the archive has more than 31 MiB; export some documents at a time",
      );
    }
    const value = inPlace(entry, () => parse(bytes));
    const name = entry.name.split("/").at(-1)!.replace(/\.json$/, "");
    if (/(^|\/)documents\//.test(entry.name)) members["documents"]!.push(value);
    else if (name === "manifest") {
      about = { source_bank_id: (value as Record<string, unknown> | null)?.["source_bank_id"] };
    } else if (Array.isArray(value)) members[name] = value;
  }
  for (const [name, values] of Object.entries(members)) {
    for (let no = 1; no <= values.length; no++) places.push({ file: name, no });
  }
  yield indivisible(encoder.encode(JSON.stringify({ ...about, ...members })), places);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseKeepingDigits(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new ServiceError("invalid_request", "Cannot read JSON: its syntax is wrong", { cause });
  }
}
