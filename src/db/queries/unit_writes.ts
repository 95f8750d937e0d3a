/**
 * Statements that write units and their versions, one or many at a time. A unit is passed as JSON with the table's
 * column names.
 */
import type { Tx } from "../tx.ts";
import { NAMES_RULE } from "./unit_names.ts";
import { unitAssignments, unitNames, type UnitRow, unitToColumns } from "./unit_columns.ts";

/**
 * Inserts units and their names (`unit_name`), without versions. Skips ids that are taken or erased. Returns the
 * inserted units.
 */
export async function insertUnits(tx: Tx, units: readonly UnitRow<unknown>[]): Promise<ReadonlySet<string>> {
  if (units.length === 0) return new Set();
  const rows = units.map((unit) => unitToColumns(unit, tx.workspaceId));
  const inserted = await tx.sql<{ id: string }[]>`
    insert into unit (workspace_id, ${unitNames(tx.sql)}, names_rule, said_key)
    select ${tx.workspaceId}, ${unitNames(tx.sql, "n")}, ${NAMES_RULE}, n.body ->> 'said'
      from jsonb_populate_recordset(null::unit, ${tx.sql.json(rows)}) n
     where not exists (
       select from deletion_log d where d.workspace_id = ${tx.workspaceId} and d.resource_id = n.id)
        on conflict do nothing
    returning id`;
  return new Set(inserted.map((row) => row.id));
}

/** The new current row of a unit. */
export interface UnitUpdate {
  readonly row: UnitRow<unknown>;
  /** The version that the stored unit must have; the statement skips a unit that has another one. */
  readonly versionBefore: number;
  /**
   * Columns that this transaction has changed since it read the unit: `stale` keeps its stored value, trust the lower one
   * of the stored and the new value.
   */
  readonly keeps: { readonly stale: boolean; readonly trust: boolean };
}

/** The columns that truth maintenance writes without a version. */
export type KeptColumns = Pick<UnitRow, "stale" | "trustScore" | "trustCap">;

/** Replaces the rows of units. Returns, by unit, the stored values of the columns that `keeps` may name. */
export async function updateUnits(tx: Tx, updates: readonly UnitUpdate[]): Promise<ReadonlyMap<string, KeptColumns>> {
  if (updates.length === 0) return new Map();
  const rows = updates.map(({ row, versionBefore, keeps }) => ({
    id: row.id,
    version_before: versionBefore,
    keeps_stale: keeps.stale,
    keeps_trust: keeps.trust,
    unit: unitToColumns(row, tx.workspaceId),
  }));
  const updated = await tx.sql<(KeptColumns & { id: string })[]>`
    update unit u set
      ${unitAssignments(tx.sql, ["id", "trustScore", "trustCap", "stale"])},
      trust_score = case when m.keeps_trust then least(u.trust_score, n.trust_score) else n.trust_score end,
      trust_cap = case when m.keeps_trust then least(u.trust_cap, n.trust_cap) else n.trust_cap end,
      stale = case when m.keeps_stale then u.stale else n.stale end, said_key = n.body ->> 'said'
      from jsonb_to_recordset(${tx.sql.json(rows)}) as m(
             id uuid, version_before int, keeps_stale boolean, keeps_trust boolean, unit jsonb)
     cross join lateral jsonb_populate_record(null::unit, m.unit) n
     where u.workspace_id = ${tx.workspaceId} and u.id = m.id and u.version = m.version_before
    returning u.id, u.stale, u.trust_score as "trustScore", u.trust_cap as "trustCap"`;
  return new Map(updated.map(({ id, ...kept }) => [id, kept]));
}

export interface NewRevision {
  readonly unit: UnitRow<unknown>;
  readonly event: string;
  readonly reason: string | null;
  readonly recordedAt: Date;
  readonly replacedAt: Date | null;
  readonly changedBy: string;
}

/**
 * Inserts versions of units. A version leaves out the columns in which recall counts uses, `use_count` and
 * `last_used_at`, `disputed`, which says that another instance has a contradicting version, `names_rule`, by which its
 * names were stored, and `said_key`, which its body holds.
 */
export async function insertRevisions(tx: Tx, revisions: readonly NewRevision[]): Promise<void> {
  if (revisions.length === 0) return;
  const rows = revisions.map(({ unit, event, reason, recordedAt, replacedAt, changedBy }) => ({
    unit: unitToColumns(unit, tx.workspaceId),
    event,
    reason,
    recorded_at: recordedAt,
    replaced_at: replacedAt,
    changed_by: changedBy,
  }));
  await tx.sql`
    insert into unit_revision (
      workspace_id, id, version, doc_no, sensitivity, recorded_at, replaced_at, changed_by, event, reason, snapshot)
    select ${tx.workspaceId}, n.id, n.version, n.doc_no, n.sensitivity, m.recorded_at, m.replaced_at, m.changed_by,
           m.event, m.reason, to_jsonb(n) - '{use_count,last_used_at,disputed,names_rule,said_key}'::text[]
      from jsonb_to_recordset(${tx.sql.json(rows)}) as m(
             unit jsonb, event text, reason text, recorded_at timestamptz, replaced_at timestamptz, changed_by text)
     cross join lateral jsonb_populate_record(null::unit, m.unit) n`;
}

/**
 * Marks units as disputed, which means that another instance has a contradicting version, or removes the mark. Returns
 * the ids of the units that it changed.
 */
export async function setDisputed(tx: Tx, ids: readonly string[], disputed: boolean): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    update unit set disputed = ${disputed}
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[]) and disputed <> ${disputed}
    returning id`;
  return new Set(rows.map((row) => row.id));
}

/** Closes the interval of each version that a newer version replaces. */
export async function closeRevisions(
  tx: Tx,
  closed: readonly { readonly id: string; readonly version: number; readonly at: Date }[],
): Promise<void> {
  if (closed.length === 0) return;
  await tx.sql`
    update unit_revision r set replaced_at = c.at
      from unnest(${closed.map((one) => one.id)}::uuid[], ${closed.map((one) => one.version)}::int[],
                  ${closed.map((one) => one.at.toISOString())}::timestamptz[]) as c(id, version, at)
     where r.workspace_id = ${tx.workspaceId} and r.id = c.id and r.version = c.version`;
}
