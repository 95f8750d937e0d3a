/** Describes units for a job's report. */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { JobUnit } from "../../schema/job.ts";

type Row = Pick<UnitRow, "id" | "type" | "version" | "status">;

/** A unit that a step changed. */
export function changedUnit(before: Row, after: Row, role: string): JobUnit {
  return {
    id: before.id,
    type: before.type,
    role,
    versionBefore: before.version,
    versionAfter: after.version,
    statusBefore: before.status,
    statusAfter: after.status,
  };
}

/** A unit that a step made. */
export function createdUnit(row: Row): JobUnit {
  const { id, type, version, status } = row;
  return {
    id,
    type,
    role: "created",
    versionBefore: null,
    versionAfter: version,
    statusBefore: null,
    statusAfter: status,
  };
}

/** A unit that a dry run would change. */
export function plannedUnit(row: Row, role: string): JobUnit {
  const { id, type, version, status } = row;
  return { id, type, role, versionBefore: version, versionAfter: null, statusBefore: status, statusAfter: null };
}
