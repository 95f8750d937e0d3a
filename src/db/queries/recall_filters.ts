/**
 * The filters of a recall as SQL. Only filters that the caller asks for become part of a statement, so that the usual
 * statement is short, has one text, and is planned once; the values are parameters.
 */
import { ENDED_STATUSES, LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";
import { hasTags } from "./tags.ts";

/** The filters of a recall as statements take them. Null: not asked for. */
export interface RowFilter {
  readonly types: readonly string[];
  /** Whether to include entities that the service created for a name in a text and that nobody has described since. */
  readonly bare: boolean;
  /** The moment for which the caller asks what was true. */
  readonly asOf: Date;
  /** The caller gave `asOf` or `knownAt`, so units that have ended since count as well. */
  readonly historic: boolean;
  readonly knownAt: Date | null;
  readonly superseded: boolean;
  /**
   * Units that begin before this are in force, too: the query is about a time until then. Null: only those that hold at
   * `asOf`.
   */
  readonly until: Date | null;
  /** The dates of the query mean when something was recorded. */
  readonly byRecording: boolean;
  readonly sessionId: string | null;
  readonly tags: readonly string[] | null;
  readonly tagsAll: boolean;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly minTrust: number | null;
  readonly predicate:
    | {
      readonly path: string;
      readonly vars: Readonly<Record<string, unknown>>;
      /** It is compared with documents in the normal form NFC. */
      readonly isNormal: boolean;
    }
    | null;
}

export type Fragment = ReturnType<Tx["sql"]>;

/** A turn's trust follows from who wrote it. */
export const TURN_TRUST = `case t.role when 'user' then 90 when 'tool' then 80 else 60 end`;
export const TURN_ATTRIBUTION =
  `case t.role when 'user' then 'user_stated' when 'tool' then 'tool_observed' else 'agent_stated' end`;

/** The filters one by one, as boolean expressions over the alias `t` or `u`. */
export interface Conditions {
  readonly known: Fragment;
  readonly inForce: Fragment;
  readonly inSession: Fragment;
  readonly inWindow: Fragment;
  readonly trusted: Fragment;
  readonly tagged: Fragment;
  readonly satisfies: Fragment;
}

/** The filters on turns. A turn is in force from the moment it was said. */
export function turnFilters(tx: Tx, filter: RowFilter): Conditions {
  const { sql } = tx;
  const { knownAt, historic, asOf, sessionId } = filter;
  return {
    known: knownAt === null ? always(tx) : sql`t.recorded_at <= ${knownAt}` as Fragment,
    inForce: historic ? sql`t.occurred_at <= ${asOf}` as Fragment : always(tx),
    inSession: sessionId === null ? always(tx) : sql`t.session_id = ${sessionId}` as Fragment,
    inWindow: happenedInWindow(tx, filter, "t.occurred_at"),
    trusted: isTrusted(tx, filter, TURN_TRUST),
    tagged: isTagged(tx, filter, "t.tags"),
    satisfies: satisfies(tx, filter, turnDocument),
  };
}

/** The filters on units. What was known is decided by `unitScope`. */
export function unitFilters(tx: Tx, filter: RowFilter): Conditions {
  const { sql } = tx;
  const { sessionId } = filter;
  return {
    known: always(tx),
    inForce: isInForce(tx, filter),
    inSession: sessionId === null ? always(tx) : sql`${unitSessions(tx)} ? ${sessionId}::text` as Fragment,
    inWindow: isUnitInWindow(tx, filter),
    trusted: isTrusted(tx, filter, "u.trust_score"),
    tagged: isTagged(tx, filter, "u.tags"),
    satisfies: satisfies(tx, filter, unitDocument),
  };
}

/** All conditions on turns, the workspace among them. */
export function turnConditions(tx: Tx, filter: RowFilter): Fragment {
  return tx.sql`t.workspace_id = ${tx.workspaceId} and ${allOf(tx, turnFilters(tx, filter))}` as Fragment;
}

/** All conditions on units, the workspace and the types among them. */
export function unitConditions(tx: Tx, filter: RowFilter): Fragment {
  return tx.sql`
    ${unitScope(tx, filter)} and u.type = any(${filter.types as string[]}::text[]) and ${isTold(tx, filter)}
    and ${allOf(tx, unitFilters(tx, filter))}` as Fragment;
}

/** Units as they are (`u`), or as this service knew them at a time (`u`, from revision `r`). */
export function unitSource(tx: Tx, { knownAt }: RowFilter): Fragment {
  return (knownAt === null
    ? tx.sql`unit u`
    : tx.sql`unit_revision r cross join lateral jsonb_populate_record(null::unit, r.snapshot) u`) as Fragment;
}

function unitScope(tx: Tx, { knownAt }: RowFilter): Fragment {
  return (knownAt === null ? tx.sql`u.workspace_id = ${tx.workspaceId}` : tx.sql`
    r.workspace_id = ${tx.workspaceId} and r.recorded_at <= ${knownAt}
    and (r.replaced_at is null or r.replaced_at > ${knownAt})`) as Fragment;
}

/** A name alone says nothing that the texts which name it do not say. */
export function isTold(tx: Tx, { bare }: Pick<RowFilter, "bare">): Fragment {
  return bare
    ? always(tx)
    : tx.sql`not (u.type = 'entity' and u.version = 1 and u.metadata ? 'inferredFrom')` as Fragment;
}

function always(tx: Tx): Fragment {
  return tx.sql`true` as Fragment;
}

function allOf(tx: Tx, conditions: Conditions): Fragment {
  const { known, inForce, inSession, inWindow, trusted, tagged, satisfies } = conditions;
  return tx.sql`
    ${known} and ${inForce} and ${inSession} and ${inWindow} and ${trusted} and ${tagged} and ${satisfies}` as Fragment;
}

/** Checks status and validity together: a unit that has ended since may have been in force at an earlier moment. */
function isInForce(tx: Tx, { asOf, until, historic, superseded }: RowFilter): Fragment {
  const { sql } = tx;
  const statuses = [...LIVE_STATUSES, ...(historic ? ENDED_STATUSES : [])];
  return sql`(
    u.status = any(${statuses}::text[])
    and (u.valid_from is null or u.valid_from <= ${asOf}${until === null ? sql`` : sql` or u.valid_from < ${until}`})
    and (u.valid_to is null or u.valid_to > ${asOf})
    and (u.status <> 'superseded' or u.valid_to is not null)
    and (u.expires_at is null or u.expires_at > ${asOf})
    or ${superseded}::boolean and u.status = 'superseded')` as Fragment;
}

/**
 * A unit belongs to the window if it happened in it or holds at some time in it: a validity that is open on one side
 * has no end there. A unit without a time of its own counts by the time of its recording. `isInWindow` does the same
 * for the hot tier.
 */
function isUnitInWindow(tx: Tx, filter: RowFilter): Fragment {
  const { from, to } = filter;
  if (from === null || to === null) return always(tx);
  return tx.sql`(case
    when u.occurred_at is not null and ${happenedInWindow(tx, filter, "u.occurred_at")} then true
    when u.valid_from is null and u.valid_to is null
      then u.occurred_at is null and ${happenedInWindow(tx, filter, "u.recorded_at")}
    else (u.valid_from is null or u.valid_from < ${to})
      and (u.valid_to is null or u.valid_to > ${from} or coalesce(u.valid_from >= ${from}, false)) end)` as Fragment;
}

function happenedInWindow(tx: Tx, { from, to }: RowFilter, time: string): Fragment {
  if (from === null || to === null) return always(tx);
  const { sql } = tx;
  return sql`(${sql.unsafe(time)}) >= ${from} and (${sql.unsafe(time)}) < ${to}` as Fragment;
}

function isTrusted(tx: Tx, { minTrust }: RowFilter, trust: string): Fragment {
  return minTrust === null ? always(tx) : tx.sql`(${tx.sql.unsafe(trust)}) >= ${minTrust}::int` as Fragment;
}

function isTagged(tx: Tx, { tags, tagsAll }: RowFilter, column: string): Fragment {
  return tags === null ? always(tx) : hasTags(tx.sql, column, tags, tagsAll);
}

function satisfies(tx: Tx, { predicate }: RowFilter, document: (tx: Tx) => Fragment): Fragment {
  if (predicate === null) return always(tx);
  const vars = tx.sql.json(predicate.vars);
  const read = predicate.isNormal ? tx.sql`normalize((${document(tx)})::text, NFC)::jsonb` : document(tx);
  return tx.sql`jsonb_path_match(${read}, ${predicate.path}::text::jsonpath, ${vars}::jsonb)` as Fragment;
}

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

function iso(tx: Tx, column: string): Fragment {
  return tx.sql`to_char(${tx.sql.unsafe(column)} at time zone 'UTC', ${tx.sql.unsafe(ISO)})` as Fragment;
}

/** The document that a predicate reads, in the API's names; `toFilterDocument` makes the same for the hot tier. */
function turnDocument(tx: Tx): Fragment {
  const { sql } = tx;
  return sql`jsonb_build_object(
    'type', 'turn', 'status', 'active', 'attribution', ${sql.unsafe(TURN_ATTRIBUTION)},
    'trustScore', ${sql.unsafe(TURN_TRUST)}, 'sensitivity', t.sensitivity, 'pinned', t.pinned, 'stale', false,
    'tags', t.tags, 'metadata', t.metadata, 'occurredAt', ${iso(tx, "t.occurred_at")},
    'createdAt', ${iso(tx, "t.recorded_at")}, 'sessionId', t.session_id, 'messageId', t.message_id, 'role', t.role,
    'name', t.name, 'entityIds', t.entity_ids)` as Fragment;
}

function unitDocument(tx: Tx): Fragment {
  return tx.sql`jsonb_build_object(
    'type', u.type, 'status', u.status, 'attribution', u.attribution, 'trustScore', u.trust_score,
    'confidence', u.confidence, 'sensitivity', u.sensitivity, 'worth', u.worth, 'pinned', u.pinned, 'stale', u.stale,
    'tags', u.tags, 'metadata', u.metadata, 'occurredAt', ${iso(tx, "u.occurred_at")},
    'validFrom', ${iso(tx, "u.valid_from")}, 'validTo', ${iso(tx, "u.valid_to")}, 'createdAt', ${
    iso(tx, "u.created_at")
  },
    'updatedAt', ${iso(tx, "u.updated_at")}, 'createdBy', u.created_by, 'entityIds', u.entity_ids,
    'sessionId', ${unitSessions(tx)}, 'messageId', jsonb_path_query_array(u.body, '$.citations[*].messageId'),
    'factType', u.body -> 'factType', 'subject', u.body -> 'subject', 'predicate', u.body -> 'predicate',
    'object', u.body -> 'object')` as Fragment;
}

/** The sessions that a unit `u` comes from, as a JSON array. */
export function unitSessions(tx: Tx): Fragment {
  return tx.sql`
    (jsonb_path_query_array(u.body, '$.citations[*].sessionId') || coalesce(u.body -> 'sessionId', '[]'))` as Fragment;
}
