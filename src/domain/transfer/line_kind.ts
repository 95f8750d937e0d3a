/**
 * One kind of exported line: how its rows are read in pages, and how lines are written. `registry.ts` has an entry for
 * each table of a workspace's data, or names the table with the reason why it is not exported.
 */
import type { z } from "zod";
import type { OperationContext } from "../../context.ts";
import type { ExportView } from "../../db/queries/exports.ts";
import type { Tx } from "../../db/tx.ts";
import type { ErrorCode } from "../../errors.ts";
import type { TransferKind, Withheld } from "../../schema/transfer.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { IdMap } from "./id_map.ts";

/** The state of an import. */
export interface Importing {
  readonly ctx: OperationContext;
  /** Reads with the highest clearance, whatever the key's is. */
  readonly readAbove: ReadAbove;
  /** The ids here of resources that could not keep their own. */
  readonly ids: IdMap;
  /**
   * Whether the key may state authors, worth and times of recording: then the import takes over attributions above
   * `imported`, authors, pins, worth, changed scores and times in the future.
   */
  readonly keepsAuthors: boolean;
  /** Values that the import did not take over, by the line as it was written. */
  readonly withheld: WeakMap<object, Set<Withheld>>;
  /** Whether the times of versions come from the import itself, so that they do not distinguish versions. */
  readonly isForeign: boolean;
  /**
   * The units of which the file has later versions, and the units that it lists as erased. The rules of their kinds run
   * after all lines are written, because later lines may bring the same changes themselves.
   */
  readonly named: ReadonlyMap<UnitType, NamedIds>;
}

export type ReadAbove = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

export interface NamedIds {
  readonly ids: Set<string>;
  readonly erasedIds: Set<string>;
}

/** Notes that the import did not take over some values of a line. */
export function withhold({ withheld }: Importing, line: object, ...what: readonly Withheld[]): void {
  if (what.length === 0) return;
  const noted = withheld.get(line);
  if (noted === undefined) withheld.set(line, new Set(what));
  else for (const one of what) noted.add(one);
}

/** The author of a row: the line's, or the key if it may not name others. */
export function authorOf<Author extends string | null>(importing: Importing, line: object, author: Author): Author {
  if (importing.keepsAuthors || author === null || author === importing.ctx.actor) return author;
  withhold(importing, line, "author");
  return importing.ctx.actor as Author;
}

/** The time of recording. Only an administrator can state a time in the future. */
export function recordedTime<Time extends string | null>(importing: Importing, line: object, time: Time): Time {
  if (importing.keepsAuthors || time === null) return time;
  const now = importing.ctx.deps.clock();
  if (new Date(time) <= now) return time;
  withhold(importing, line, "time");
  return now.toISOString() as Time;
}

/** An id that a line cannot keep. */
export interface Clash {
  readonly id: string;
  /** The resource that stands for it here; without one it gets a new id. */
  readonly localId?: string;
}

export type LineOutcome = "created" | "updated" | "unchanged" | Refusal;

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A page of lines; the next page begins after `next`. A page may be empty without being the last. */
export interface LinePage {
  readonly lines: readonly object[];
  readonly next: unknown;
  readonly isLast: boolean;
}

export interface LineKind<Line extends { readonly kind: string }> {
  readonly kind: TransferKind;
  /** The tables from which its lines are made. */
  readonly tables: readonly string[];
  readonly schema: z.ZodType<Line>;
  /** Reads up to `limit` rows after a key, in a transaction of its own. */
  page(tx: Tx, view: ExportView, after: unknown, limit: number): Promise<LinePage>;
  /** For `asOf`: the number of rows that are left out because their state at that time is unknown. */
  countOmitted?(tx: Tx, asOf: Date): Promise<number>;
  /**
   * The lines whose id belongs to something else here, or for which something else stands here; they get another id.
   * This concerns a line's own id, never a reference; lines without an id have no clashes.
   */
  findClashes?(importing: Importing, tx: Tx, lines: readonly Line[]): Promise<Clash[]>;
  /** The line with the ids that are used here. */
  mapIds(line: Line, map: (id: string) => string): Line;
  /** Does the work that needs no transaction, such as analysing texts; `write` gets its result. */
  prepare?(importing: Importing, lines: readonly Line[]): Promise<unknown>;
  /** Writes lines in one transaction. Returns an outcome for each. */
  write(importing: Importing, tx: Tx, lines: readonly Line[], prepared: unknown): Promise<LineOutcome[]>;
}

/** A kind of any line, for code that does not read its content. */
// deno-lint-ignore no-explicit-any
export type AnyLineKind = LineKind<any>;

export function refuse(code: ErrorCode, message: string): Refusal {
  return { code, message };
}

/** Whether the import may change a stored row: the importing key created it, or the key may write for other authors. */
export function mayChange({ ctx, keepsAuthors }: Importing, row: { readonly createdBy: string | null }): boolean {
  return keepsAuthors || row.createdBy === ctx.actor;
}

export const NOT_ITS_OWN = refuse(
  "insufficient_scope",
  "Cannot import over what somebody else made: the key lacks the scope memory:admin",
);

/** Whether a line dates its creation ahead. This time identifies the resource, so the import cannot change it. */
export function isMadeAhead({ ctx, keepsAuthors }: Importing, createdAt: string): boolean {
  return !keepsAuthors && new Date(createdAt) > ctx.deps.clock();
}

export const MADE_AHEAD = refuse(
  "insufficient_scope",
  "Cannot import what was made in the future: the key lacks the scope memory:admin",
);

/** Converts a time from Postgres's JSON to the form of the API. */
export function toTime(value: unknown): string | null {
  return value === null || value === undefined ? null : new Date(value as string).toISOString();
}

/** A copy of a value with ids mapped wherever they are in it; for references that the service itself wrote. */
export function mapDeep<T>(value: T, map: (id: string) => string): T {
  if (typeof value === "string") return map(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, map)) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapDeep(item, map)])) as T;
}
