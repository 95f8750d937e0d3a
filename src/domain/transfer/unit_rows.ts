/** Converts knowledge units between lines of an export and rows of `unit`. */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { ServiceError } from "../../errors.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import type { TransferKind } from "../../schema/transfer.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { TransferRules } from "../kinds/entry.ts";

/** How units of one type are exported and imported. */
export type UnitTransfer = TransferRules & { readonly type: UnitType & TransferKind };

/** Whether a stored unit is the one in a line: both began as the same unit. */
export function isSameUnit(row: UnitRow, line: UnitLine): boolean {
  return row.type === line.kind && row.originInstance === line.origin.instance && row.originId === line.origin.id;
}

/** The row for a line. @throws ServiceError `validation_failed` */
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
