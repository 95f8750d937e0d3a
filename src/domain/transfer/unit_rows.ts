/** Knowledge units between the line of an export and the row of `unit`. */
import type { z } from "zod";
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/scope.ts";
import { ServiceError } from "../../errors.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import type { TransferKind } from "../../schema/transfer.ts";
import type { UnitType } from "../../schema/unit.ts";

/** The columns that follow from what a unit says and from its state. */
export interface DerivedColumns {
  readonly text: string;
  readonly contentHash: string;
  readonly body: object;
  readonly tripleKey?: string | null;
}

/** How units of one type travel. */
export interface UnitTransfer {
  readonly type: UnitType & TransferKind;
  readonly statuses: readonly string[];
  /** The body as the line holds it; strict. */
  readonly body: z.ZodObject;
  /** Members of the stored body that are computed anew. */
  readonly computed?: readonly string[];
  /** @throws ServiceError `validation_failed` for a body that cannot be stored. */
  derive(body: object): DerivedColumns;
  evidenceOf?(body: object): readonly string[];
  /** Names under which writers of such a unit wait for each other. */
  namesOf?(body: object): readonly string[];
  /** What stands here for units that are not: an entity that has the name already. */
  findStandIns?(tx: Tx, lines: readonly UnitLine[]): Promise<ReadonlyMap<string, string>>;
}

/** Whether a stored unit is the one that a line tells of: they began as the same one. */
export function isSameUnit(row: UnitRow, line: UnitLine): boolean {
  return row.type === line.kind && row.originInstance === line.origin.instance && row.originId === line.origin.id;
}

/** The row that a line stands for. @throws ServiceError `validation_failed` */
export function toRow(transfer: UnitTransfer, line: UnitLine): UnitRow {
  const derived = transfer.derive(line.body);
  if (derived.text.trim() === "") throw new ServiceError("validation_failed", "Cannot store a unit that says nothing");
  const time = (text: string | null) => text === null ? null : new Date(text);
  const { kind: _, revision: __, live: ___, origin, ...members } = line;
  return {
    ...members,
    type: transfer.type,
    tags: [...new Set(line.tags)],
    originInstance: origin.instance,
    originId: origin.id,
    tripleKey: null,
    docNo: 0,
    ...derived,
    body: derived.body as UnitRow["body"],
    validFrom: time(line.validFrom),
    validTo: time(line.validTo),
    recordedAt: new Date(line.recordedAt),
    retractedAt: time(line.retractedAt),
    occurredAt: time(line.occurredAt),
    expiresAt: time(line.expiresAt),
    createdAt: new Date(line.createdAt),
    updatedAt: new Date(line.updatedAt),
  };
}
