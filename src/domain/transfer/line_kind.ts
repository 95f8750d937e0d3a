/**
 * What one kind of exported line is: how its rows are read in pages, and how lines are written. Everything that a
 * workspace holds is exported by an entry in `registry.ts`, or named there with the reason why it is not.
 */
import type { z } from "zod";
import type { OperationContext } from "../../context.ts";
import type { ExportView } from "../../db/queries/exports.ts";
import type { Tx } from "../../db/tx.ts";
import type { ErrorCode } from "../../errors.ts";
import type { TransferKind, Withheld } from "../../schema/transfer.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { IdMap } from "./id_map.ts";

/** What an import does beside its context. */
export interface Importing {
  readonly ctx: OperationContext;
  /** Reads with the highest clearance, whatever the key's is. */
  readonly readAbove: ReadAbove;
  /** The ids here of what could not keep its own. */
  readonly ids: IdMap;
  /**
   * The key may say who said what, what it is worth and when it was recorded: attributions above `imported`, authors,
   * pins, worth, scores that were changed since and times that lie ahead are taken over.
   */
  readonly keepsAuthors: boolean;
  /** What of a line was not taken over, by the line as it was written. */
  readonly withheld: WeakMap<object, Set<Withheld>>;
  /** The times of versions are the import's own: they do not tell one version from another. */
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

/** The author that a row gets: the line's, or the key where it may not say who. */
export function authorOf<Author extends string | null>(importing: Importing, line: object, author: Author): Author {
  if (importing.keepsAuthors || author === null || author === importing.ctx.actor) return author;
  withhold(importing, line, "author");
  return importing.ctx.actor as Author;
}

/** The time at which something was recorded. Nothing was recorded later than now, unless an administrator says so. */
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
  /** What stands for it here; without one it gets a new id. */
  readonly localId?: string;
}

/** What became of a line. */
export type Outcome = "created" | "updated" | "unchanged" | Refusal;

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A page of lines; `next` is what the next one begins after. A page may be empty and not the last. */
export interface LinePage {
  readonly lines: readonly object[];
  readonly next: unknown;
  readonly isLast: boolean;
}

export interface LineKind<Line extends { readonly kind: string }> {
  readonly kind: TransferKind;
  /** The tables that its lines are made of. */
  readonly tables: readonly string[];
  readonly schema: z.ZodType<Line>;
  /** Reads up to `limit` rows after a key, in a transaction of its own. */
  page(tx: Tx, view: ExportView, after: unknown, limit: number): Promise<LinePage>;
  /** With `asOf`: how many rows are left out because how they were then is not known. */
  countOmitted?(tx: Tx, asOf: Date): Promise<number>;
  /**
   * Those of the lines whose id is taken here by something else, or for which something else stands here; they get
   * another id. A line's own id, never a reference; lines that have none are never taken.
   */
  findClashes?(importing: Importing, tx: Tx, lines: readonly Line[]): Promise<Clash[]>;
  /** The line with the ids that are used here. */
  mapIds(line: Line, map: (id: string) => string): Line;
  /** Does what needs no transaction, such as analysing texts; its result is given to `write`. */
  prepare?(importing: Importing, lines: readonly Line[]): Promise<unknown>;
  /** Writes lines in one transaction; an outcome for each. */
  write(importing: Importing, tx: Tx, lines: readonly Line[], prepared: unknown): Promise<Outcome[]>;
}

/** A kind of any line, for code that does not look into it. */
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

/** Whether something tells a future time of its making, which tells it from others and cannot be another one. */
export function isMadeAhead({ ctx, keepsAuthors }: Importing, createdAt: string): boolean {
  return !keepsAuthors && new Date(createdAt) > ctx.deps.clock();
}

export const MADE_AHEAD = refuse(
  "insufficient_scope",
  "Cannot import what was made in the future: the key lacks the scope memory:admin",
);

/** A time as Postgres writes it in JSON, as the API writes it. */
export function toTime(value: unknown): string | null {
  return value === null || value === undefined ? null : new Date(value as string).toISOString();
}

/** A value with every id in it that has another one here replaced; for what the service itself wrote by reference. */
export function mapDeep<T>(value: T, map: (id: string) => string): T {
  if (typeof value === "string") return map(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, map)) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapDeep(item, map)])) as T;
}
