/**
 * Kinds of lines that are a table's rows unchanged, by column names: what agents learnt besides knowledge units, and
 * what they did to them. Their members are consistent in ways that only the service that wrote them ensures, so a key
 * without `memory:admin` cannot import any.
 */
import { z } from "zod";
import type { OperationContext } from "../../context.ts";
import { findErased } from "../../db/queries/imports.ts";
import * as tables from "../../db/queries/table_rows.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import type { TransferKind } from "../../schema/transfer.ts";
import { type LineKind, type LineOutcome, mapDeep, refuse, toTime } from "./line_kind.ts";
import { IMPORT_LOCK } from "./unit_writer.ts";

export interface RowLine {
  readonly kind: string;
  readonly row: Readonly<Record<string, unknown>>;
}

export interface RowKind extends tables.TableShape {
  readonly kind: TransferKind & tables.TableShape["table"];
  /** Columns that hold ids, or JSON with ids in it. */
  readonly references: readonly string[];
  /** Columns that files of earlier builds lack; they are null then. */
  readonly laterColumns?: readonly string[];
  /** Its name in the change feed, if its rows have ids of their own. */
  readonly resourceType?: string;
  /** Converts a row of a file to the form that is stored here. */
  readonly adopt?: (row: RowLine["row"]) => RowLine["row"];
  /** Follow-ups for rows that were added. */
  onInserted?(ctx: OperationContext, tx: Tx, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
}

export function rowKind(shape: RowKind): LineKind<RowLine> {
  const columns = Object.fromEntries(shape.columns.map((name) => [name, z.unknown()]));
  // The schema lets members with unknown values be absent, but every column must be present.
  const isWhole = (row: object) =>
    shape.columns.every((name) => name in row || shape.laterColumns?.includes(name) === true);
  const mapRow = (row: RowLine["row"], map: (id: string) => string) => ({
    ...row,
    ...Object.fromEntries(shape.references.map((name) => [name, mapDeep(row[name], map)])),
  });
  return {
    kind: shape.kind,
    tables: [shape.table],
    schema: z.strictObject({
      kind: z.literal(shape.kind),
      row: z.strictObject(columns).refine(isWhole, "must have all columns"),
    }) as unknown as z.ZodType<RowLine>,
    async page(tx, view, after, limit) {
      const rows = await tables.listRows(tx, shape, view, after as RowLine["row"] | undefined, limit);
      return {
        isLast: rows.length < limit,
        next: rows.at(-1)?.key,
        lines: rows.map(({ row }) => ({ kind: shape.kind, row: pick(row, shape.columns) })),
      };
    },
    countOmitted: (tx, asOf) => tables.countRowsChangedSince(tx, shape, asOf),
    mapIds: (line, map) => ({ ...line, row: mapRow(line.row, map) }),
    async write({ ctx }, tx, lines) {
      if (!ctx.scopes.has("memory:admin")) {
        return lines.map(() =>
          refuse("insufficient_scope", "Cannot import this kind: the key lacks the scope memory:admin")
        );
      }
      await lockNames(tx, [IMPORT_LOCK]);
      return await writeRows(shape, ctx, tx, lines.map(({ row }) => shape.adopt?.(row) ?? row));
    },
  };
}

/** The columns; times as the API writes them. */
function pick(row: RowLine["row"], columns: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((name) => [name, /_(at|start)$/.test(name) ? toTime(row[name]) : row[name]]));
}

async function writeRows(
  shape: RowKind,
  ctx: OperationContext,
  tx: Tx,
  rows: readonly RowLine["row"][],
): Promise<LineOutcome[]> {
  const idOf = (row: RowLine["row"]) => shape.columns.includes("id") ? String(row["id"]) : undefined;
  const ids = rows.flatMap((row) => idOf(row) ?? []);
  const [here, erased] = await Promise.all([
    tables.findRows(tx, shape, rows),
    ids.length === 0 ? new Set<string>() : findErased(tx, ids),
  ]);
  const known = new Map(here.map((row) => [tables.keyOf(shape, row), row]));
  const fresh: RowLine["row"][] = [];
  const changed: RowLine["row"][] = [];
  const outcomes = rows.map((row): LineOutcome => {
    const { sensitivity } = row;
    if (sensitivity !== undefined && !isCleared(sensitivity as Sensitivity, ctx.maxSensitivity)) {
      return refuse("validation_failed", `Cannot store: sensitivity ${sensitivity} is above the key's clearance`);
    }
    if (erased.has(idOf(row) ?? "")) return refuse("RESURRECTION_BLOCKED", "Cannot import: it was erased here");
    const before = known.get(tables.keyOf(shape, row));
    if (before === undefined) {
      fresh.push(row);
      return "created";
    }
    const isLater = shape.versionColumn !== undefined &&
      Number(row[shape.versionColumn]) > Number(before[shape.versionColumn]);
    if (isLater) changed.push(row);
    return isLater ? "updated" : "unchanged";
  });
  const inserted = fresh.length === 0 ? new Set() : await tables.insertRows(tx, shape, fresh);
  if (changed.length > 0) await tables.updateRows(tx, shape, changed);
  const added = fresh.filter((row) => inserted.has(tables.keyOf(shape, row)));
  await shape.onInserted?.(ctx, tx, added);
  if (shape.resourceType !== undefined) {
    for (const row of [...added, ...changed]) {
      record(shape.resourceType, tx, row);
    }
  }
  return rows.map((row, at) =>
    outcomes[at] === "created" && !inserted.has(tables.keyOf(shape, row))
      ? refuse("conflict", "Cannot import: it, or an equivalent one, is already here")
      : outcomes[at]!
  );
}

function record(resourceType: string, tx: Tx, row: RowLine["row"]): void {
  tx.record({
    kind: `${resourceType}.imported`,
    resourceType,
    resourceId: String(row["id"]),
    version: Number(row["version"] ?? 1),
    sensitivity: (row["sensitivity"] ?? tx.maxSensitivity) as Sensitivity,
  });
}
