/** Kinds of lines that hold one state of a row: a later version replaces an earlier one. */
import type { z } from "zod";
import { type ExportView, type JsonRow, listPlainRows } from "../../db/queries/exports.ts";
import * as imports from "../../db/queries/imports.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import type { TransferKind } from "../../schema/transfer.ts";
import {
  type Clash,
  type Importing,
  isMadeAhead,
  type LineKind,
  type LineOutcome,
  MADE_AHEAD,
  mayChange,
  NOT_ITS_OWN,
  refuse,
} from "./line_kind.ts";
import { IMPORT_LOCK } from "./unit_writer.ts";

interface PlainLine {
  readonly kind: string;
  readonly id: string;
  readonly sensitivity: Sensitivity;
}

export interface PlainKind<Line extends PlainLine> {
  readonly kind: TransferKind;
  readonly table: imports.PlainTable;
  /** Its name in the change feed. */
  readonly resourceType: string;
  readonly schema: z.ZodType<Line>;
  toLine(row: JsonRow, view: ExportView): Line;
  /** The row by its column names, without `workspace_id`. */
  toColumns(line: Line, importing: Importing): Readonly<Record<string, unknown>>;
  /** Columns that an existing row keeps unless an administrator imports a later version. */
  readonly administered?: readonly string[];
  /** Columns that an existing row always keeps. */
  readonly fixed?: readonly string[];
  /** Further columns of a new row. */
  newColumns?(tx: Tx, count: number): Promise<readonly Readonly<Record<string, unknown>>[]>;
  versionOf(line: Line): number;
  createdAt(line: Line): string;
  mapIds(line: Line, map: (id: string) => string): Line;
  /** Existing resources that stand for records of another service under other ids. */
  findStandIns?(tx: Tx, lines: readonly Line[]): Promise<Clash[]>;
  /** Finds other obstacles to a line, or to a member of it; locks the rows that it finds. */
  check?(tx: Tx, lines: readonly Line[], importing: Importing): Promise<ReadonlyMap<string, LineOutcome>>;
  readonly countOmitted?: (tx: Tx, asOf: Date) => Promise<number>;
}

export function plainKind<Line extends PlainLine>(plain: PlainKind<Line>): LineKind<Line> {
  return {
    kind: plain.kind,
    tables: [plain.table],
    schema: plain.schema,
    mapIds: plain.mapIds,
    ...(plain.countOmitted && { countOmitted: plain.countOmitted }),
    async page(tx, view, after, limit) {
      const rows = await listPlainRows(tx, plain.table, view, after as string | undefined, limit);
      return {
        lines: rows.map((row) => plain.toLine(row, view)),
        next: rows.at(-1)?.["id"],
        isLast: rows.length < limit,
      };
    },
    async findClashes({ isForeign }, tx, lines) {
      // Ids of another service's records follow from their content, so a resource with the same id is that record.
      if (isForeign) return await plain.findStandIns?.(tx, lines) ?? [];
      const here = await imports.findTaken(tx, plain.table, [...new Set(lines.map((line) => line.id))]);
      return lines.filter((line) => isOther(plain, here.get(line.id), line)).map(({ id }) => ({ id }));
    },
    write: (importing, tx, lines) => writePlain(plain, importing, tx, lines),
  };
}

/** Whether a stored row is another resource than the line's: its creation time differs. */
function isOther<Line extends PlainLine>(plain: PlainKind<Line>, row: imports.Taken | undefined, line: Line): boolean {
  return row !== undefined && row.createdAt.toISOString() !== plain.createdAt(line);
}

async function writePlain<Line extends PlainLine>(
  plain: PlainKind<Line>,
  importing: Importing,
  tx: Tx,
  lines: readonly Line[],
): Promise<LineOutcome[]> {
  await lockNames(tx, [IMPORT_LOCK]);
  const ids = [...new Set(lines.map((line) => line.id))];
  const [here, erased, checked] = await Promise.all([
    imports.findTaken(tx, plain.table, ids, { lock: true }),
    imports.findErased(tx, ids),
    plain.check?.(tx, lines, importing),
  ]);
  const news: Line[] = [];
  const changed: Line[] = [];
  const seen = new Set<string>();
  const outcomes = lines.map((line): LineOutcome => {
    if (!isCleared(line.sensitivity, tx.maxSensitivity)) {
      return refuse("validation_failed", `Cannot store: sensitivity ${line.sensitivity} is above the key's clearance`);
    }
    if (plain.table !== "event" && isMadeAhead(importing, plain.createdAt(line))) return MADE_AHEAD;
    if (erased.has(line.id)) return refuse("RESURRECTION_BLOCKED", "Cannot import: it was erased here");
    if (seen.has(line.id)) return refuse("conflict", "Cannot import: its id is in the file twice");
    seen.add(line.id);
    const row = here.get(line.id);
    if (!importing.isForeign && isOther(plain, row, line)) {
      return refuse("conflict", "Cannot import: its id belongs to something else here");
    }
    if (row !== undefined && row.version >= plain.versionOf(line)) return "unchanged";
    const stopped = checked?.get(line.id);
    if (stopped !== undefined) return stopped;
    if (row !== undefined && row.sensitivity !== line.sensitivity) {
      return refuse("conflict", `Cannot import: its sensitivity here is ${row.sensitivity}`);
    }
    if (row !== undefined && !mayChange(importing, row)) return NOT_ITS_OWN;
    (row === undefined ? news : changed).push(line);
    return row === undefined ? "created" : "updated";
  });
  const inserted = await insertNew(plain, importing, tx, news);
  await updateChanged(plain, importing, tx, changed);
  return lines.map((line, at) => {
    if (outcomes[at] === "created" && !inserted.has(line.id)) {
      return refuse("conflict", "Cannot import: its id is taken here");
    }
    if (outcomes[at] === "created" || outcomes[at] === "updated") record(plain, tx, line);
    return outcomes[at]!;
  });
}

async function insertNew<Line extends PlainLine>(
  plain: PlainKind<Line>,
  importing: Importing,
  tx: Tx,
  lines: readonly Line[],
): Promise<Set<string>> {
  if (lines.length === 0) return new Set();
  const more = await plain.newColumns?.(tx, lines.length);
  const rows = lines.map((line, i) => ({ ...plain.toColumns(line, importing), ...more?.[i], id: line.id }));
  return await imports.insertPlainRows(tx, plain.table, Object.keys(rows[0]!), rows);
}

/** The author of a row is set when the row is created, and never changes. */
async function updateChanged<Line extends PlainLine>(
  plain: PlainKind<Line>,
  importing: Importing,
  tx: Tx,
  lines: readonly Line[],
): Promise<void> {
  if (lines.length === 0 || plain.table === "event") return;
  const rows = lines.map((line) => ({ ...plain.toColumns(line, importing), id: line.id }));
  const kept = ["id", "created_by", ...plain.fixed ?? [], ...importing.keepsAuthors ? [] : plain.administered ?? []];
  const columns = Object.keys(rows[0]!).filter((name) => !kept.includes(name));
  await imports.updatePlainRows(tx, plain.table, columns, rows);
}

function record<Line extends PlainLine>(plain: PlainKind<Line>, tx: Tx, line: Line): void {
  tx.record({
    kind: `${plain.resourceType}.imported`,
    resourceType: plain.resourceType,
    resourceId: line.id,
    version: plain.versionOf(line),
    sensitivity: line.sensitivity,
  });
}
