/** Keyset lists of units of all types, by the time of their last change, that of their creation, or their worth. */
import { isPlain } from "../../language/letters.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitSort } from "../../schema/knowledge_unit.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Tx } from "../tx.ts";
import { findMentioning, isMentioning, type Mentioning } from "./mention_condition.ts";
import { unitSessions } from "./recall_filters.ts";
import { hasTags } from "./tags.ts";
import { isInState } from "./unit_lists.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

/** The filter of a list of units; every member that is given narrows the list. */
export interface BrowseFilter {
  readonly statuses: readonly string[];
  readonly types?: readonly UnitType[] | undefined;
  readonly text?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly allTags?: boolean;
  readonly attributions?: readonly string[] | undefined;
  readonly sensitivities?: readonly Sensitivity[] | undefined;
  readonly minTrust?: number | undefined;
  readonly maxTrust?: number | undefined;
  readonly pinned?: boolean | undefined;
  readonly stale?: boolean | undefined;
  readonly entityId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly createdBy?: string | undefined;
  /** Members that the metadata has, with these values. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly createdFrom?: string | undefined;
  readonly createdTo?: string | undefined;
  readonly updatedFrom?: string | undefined;
  readonly updatedTo?: string | undefined;
}

/** The position of a unit in a list: a time in ISO 8601 or a worth; the id distinguishes units with the same value. */
export interface BrowseKey {
  readonly value: string;
  readonly id: string;
}

export interface BrowseWindow {
  readonly sort: UnitSort;
  readonly order: "asc" | "desc";
  /** The last unit of the page before. */
  readonly after: BrowseKey | undefined;
  readonly limit: number;
}

type Fragment = ReturnType<Tx["sql"]>;

/** The key of a sorted list, as in the indexes `unit_by_update`, `unit_by_creation` and `unit_by_worth`. */
function keyOf({ sql }: Tx, sort: UnitSort): { readonly column: Fragment; readonly type: Fragment } {
  if (sort === "worth") return { column: sql`u.worth`, type: sql`real` };
  return { column: sort === "createdAt" ? sql`u.created_at` : sql`u.updated_at`, type: sql`timestamptz` };
}

/** Units in the order of the window. */
export async function browseUnits(tx: Tx, filter: BrowseFilter, window: BrowseWindow): Promise<UnitRow[]> {
  const { sql } = tx;
  const { column, type } = keyOf(tx, window.sort);
  const isAscending = window.order === "asc";
  const way = isAscending ? sql`asc` : sql`desc`;
  const after = window.after === undefined ? sql`` : sql`
    and (${column}, u.id) ${isAscending ? sql`>` : sql`<`}
        (${window.after.value}::text::${type}, ${window.after.id}::uuid)`;
  const mentioning = filter.entityId === undefined ? undefined : await findMentioning(tx, filter.entityId);
  return await sql<UnitRow[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} ${after} ${conditionsOf(tx, filter, mentioning)}
     order by ${column} ${way}, u.id ${way} limit ${window.limit}`;
}

function conditionsOf(tx: Tx, filter: BrowseFilter, mentioning: Mentioning | undefined): Fragment {
  const { sql } = tx;
  const { text } = filter;
  const all = <T>(value: T | undefined, make: (value: T) => Fragment) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const anyOf = (column: Fragment) => (values: readonly string[]): Fragment =>
    sql`${column}::text = any(${values as string[]}::text[])`;
  const compared = (comparison: Fragment) => (value: string): Fragment =>
    sql`${comparison} ${value}::text::timestamptz`;
  const like = text === undefined ? undefined : `%${text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
  return sql`
    and ${isInState(tx, tx.now, filter.statuses)}
    ${all(filter.types, anyOf(sql`u.type`))}
    ${all(filter.attributions, anyOf(sql`u.attribution`))}
    ${all(filter.sensitivities, anyOf(sql`u.sensitivity`))}
    ${all(filter.minTrust, (value) => sql`u.trust_score >= ${value}`)}
    ${all(filter.maxTrust, (value) => sql`u.trust_score <= ${value}`)}
    ${all(filter.pinned, (value) => sql`u.pinned = ${value}`)}
    ${all(filter.stale, (value) => sql`u.stale = ${value}`)}
    ${all(filter.createdFrom, compared(sql`u.created_at >=`))} ${all(filter.createdTo, compared(sql`u.created_at <`))}
    ${all(filter.updatedFrom, compared(sql`u.updated_at >=`))} ${all(filter.updatedTo, compared(sql`u.updated_at <`))}
    ${all(filter.tags, (tags) => hasTags(sql, "u.tags", tags, filter.allTags))}
    ${all(filter.createdBy, (actor) => sql`u.created_by = ${actor}`)}
    ${
    all(filter.metadata, (members) =>
      isPlain(JSON.stringify(members))
        ? sql`u.metadata @> ${sql.json(members)}`
        : sql`normalize(u.metadata::text, NFC)::jsonb @> normalize(${JSON.stringify(members)}::text, NFC)::jsonb`)
  }
    ${all(mentioning, (entity) => isMentioning(tx, entity, sql`u.doc_no`))}
    ${all(filter.sessionId, (id) => sql`${unitSessions(tx)} ? ${id}::text`)}
    ${
    // The sessions are hashed once, and each unit's looked up.
    all(filter.agentId, (agentId) =>
      sql`exists (
        select from jsonb_array_elements_text(${unitSessions(tx)}) as own(session_id)
         where own.session_id in (
           select s.id::text from session s where s.workspace_id = ${tx.workspaceId} and s.agent_id = ${agentId}))`)}
    ${all(like, (like) => sql`u.text ilike ${like}`)}`;
}
