/** Keyset lists of units: as they are, or as they were known at a time. */
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Tx } from "../tx.ts";
import { findMentioning, isMentioning } from "./mention_condition.ts";
import { hasTags } from "./tags.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

/** The filter of a list of units; every member that is given narrows the list. */
export interface UnitFilter {
  readonly ids?: readonly string[] | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly tagsMatch?: "any" | "all" | undefined;
  readonly attributions?: readonly string[] | undefined;
  readonly sensitivities?: readonly Sensitivity[] | undefined;
  readonly minTrust?: number | undefined;
  readonly pinned?: boolean | undefined;
  readonly stale?: boolean | undefined;
  readonly entityId?: string | undefined;
  /** Entities with this name or alias now; see `nameKey`. */
  readonly nameKey?: string | undefined;
  /** Entities with a name that begins with `start`, and the entities `ids`. */
  readonly nameKeyStart?: { readonly start: string; readonly ids: readonly string[] } | undefined;
  /** Valid in the world at this time. */
  readonly asOf?: Date | undefined;
  /** The versions that were known at this time instead of those in force. */
  readonly knownAt?: Date | undefined;
  /** Members of the body that have one of some values. */
  readonly bodyIn?: Readonly<Record<string, readonly string[] | undefined>> | undefined;
  /** Times of the body (as the API writes them) that are then or later, and those before then. */
  readonly bodyFrom?: Readonly<Record<string, Date | undefined>> | undefined;
  readonly bodyUntil?: Readonly<Record<string, Date | undefined>> | undefined;
  /** The name that a caller's own system has for it. */
  readonly externalId?: string | undefined;
  /** Bodies that contain this. */
  readonly bodyContains?: Readonly<Record<string, unknown>> | undefined;
}

export interface ListWindow {
  readonly order: "asc" | "desc";
  /** The last id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Whether a unit is in one of some states at a time: one past its expiry counts as expired, and a replaced one as
 * superseded, before the worker gets to it. The planner assumes that half of all rows satisfy a CASE of booleans, but
 * only one in a hundred a CASE that is compared with the states; then it would sort all units rather than walk an
 * index.
 */
export function isInState({ sql }: Tx, when: Date, statuses: readonly string[]): ReturnType<Tx["sql"]> {
  const states = statuses as string[];
  return sql`
    case when u.status not in ('active', 'contested') then u.status = any(${states}::text[])
         when u.expires_at <= ${when} then 'expired' = any(${states}::text[])
         when u.valid_to <= ${when} and u.body ->> 'supersededBy' is not null then 'superseded' = any(${states}::text[])
         else u.status = any(${states}::text[]) end`;
}

/** Units of a type in the order of their ids, which is that of their creation. */
export async function listUnits<Body = UnitRow["body"]>(
  tx: Tx,
  type: UnitType,
  filter: UnitFilter,
  window: ListWindow,
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  const when = filter.knownAt ?? tx.now;
  const mentioning = filter.entityId === undefined ? undefined : await findMentioning(tx, filter.entityId);
  const json = (value: unknown) => sql.json(value);
  const all = <T>(value: T | undefined, make: (value: T) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const source = filter.knownAt === undefined
    ? sql`unit u where u.workspace_id = ${tx.workspaceId}`
    : sql`unit_revision r cross join lateral jsonb_populate_record(null::unit, r.snapshot) u
         where r.workspace_id = ${tx.workspaceId} and r.recorded_at <= ${filter.knownAt}
           and (r.replaced_at is null or r.replaced_at > ${filter.knownAt})`;
  const members = Object.entries(filter.bodyIn ?? {}).filter((entry): entry is [string, string[]] =>
    entry[1] !== undefined
  );
  const times = (bounds: Readonly<Record<string, Date | undefined>> | undefined) =>
    Object.entries(bounds ?? {}).filter((entry): entry is [string, Date] => entry[1] !== undefined);
  const id = filter.knownAt === undefined ? sql`u.id` : sql`r.id`;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from ${source} and u.type = ${type}
      ${all(window.after, (after) => window.order === "asc" ? sql`${id} > ${after}` : sql`${id} < ${after}`)}
      ${all(filter.ids, (values) => sql`${id} = any(${values as string[]}::uuid[])`)}
      ${all(filter.statuses, (values) => isInState(tx, when, values))}
      ${all(filter.attributions, (values) => sql`u.attribution = any(${values as string[]}::text[])`)}
      ${all(filter.sensitivities, (values) => sql`u.sensitivity::text = any(${values as string[]}::text[])`)}
      ${all(filter.minTrust, (value) => sql`u.trust_score >= ${value}`)}
      ${all(filter.pinned, (value) => sql`u.pinned = ${value}`)}
      ${all(filter.stale, (value) => sql`u.stale = ${value}`)}
      ${
    all(filter.nameKey, (key) =>
      sql`${id} in (select entity_id from entity_name where workspace_id = ${tx.workspaceId} and name_key = ${key})`)
  }
      ${
    // A range and not LIKE, which is not leakproof: under row-level security no index would be used.
    all(filter.nameKeyStart, ({ start, ids }) =>
      sql`(${id} = any(${ids as string[]}::uuid[]) or ${id} in (
            select entity_id from entity_name
             where workspace_id = ${tx.workspaceId} and name_key >= ${start} and name_key < ${start + "\u{10ffff}"}))`)}
      ${all(mentioning, (entity) => isMentioning(tx, entity, sql`u.doc_no`))}
      ${
    all(filter.asOf, (time) =>
      // A unit that was replaced without an end was never true.
      sql`(u.valid_from is null or u.valid_from <= ${time}) and (u.valid_to is null or u.valid_to > ${time})
        and (u.expires_at is null or u.expires_at > ${time}) and (u.status <> 'superseded' or u.valid_to is not null)`)
  }
      ${all(filter.tags, (tags) => hasTags(sql, "u.tags", tags, filter.tagsMatch === "all"))}
      ${
    all(filter.externalId, (externalId) =>
      // A version has it in its body only.
      filter.knownAt === undefined ? sql`u.external_id = ${externalId}` : sql`u.body @> ${json({ externalId })}`)
  }
      ${all(filter.bodyContains, (body) => sql`u.body @> ${json(body)}`)}
      ${
    members.reduce((before, [name, values]) => sql`${before} and u.body ->> ${name} = any(${values}::text[])`, sql``)
  }
      ${
    times(filter.bodyFrom).reduce(
      (before, [name, time]) => sql`${before} and (u.body ->> ${name}::text)::timestamptz >= ${time}`,
      sql``,
    )
  }
      ${
    times(filter.bodyUntil).reduce(
      (before, [name, time]) => sql`${before} and (u.body ->> ${name}::text)::timestamptz < ${time}`,
      sql``,
    )
  }
     order by ${id} ${window.order === "asc" ? sql`asc` : sql`desc`} limit ${window.limit}`;
}
