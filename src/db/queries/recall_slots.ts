/** The units of the same slot (subject and predicate) as others, and those that replaced others. */
import { ENDED_STATUSES, LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";
import type { RowFilter } from "./recall_filters.ts";

/** A unit with a triple, and the members of its body that say how it relates to others. */
export interface SpokenRow {
  readonly id: string;
  readonly docNo: number;
  readonly status: string;
  readonly attribution: string;
  readonly tripleKey: string;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly occurredAt: Date | null;
  readonly recordedAt: Date;
  readonly body: {
    readonly predicate: string | null;
    readonly exclusive: boolean | null;
    readonly folded: {
      readonly object?: string | null;
      readonly exclusive?: boolean | null;
      readonly inferred?: boolean | null;
    } | null;
    readonly supersededBy: string | null;
    readonly before: { readonly validTo: string | null } | null;
    readonly outdates: readonly string[] | null;
  };
}

/** The most units of one slot that are read, the latest first. */
export const SLOT_MAX = 50;

/**
 * Units with these triple keys: those in force and, if the caller asks for another time or for replaced units, those
 * that have ended. With `knownAt`, units as they were known then.
 */
export async function readSpoken(
  tx: Tx,
  tripleKeys: readonly string[],
  { knownAt, historic, superseded }: Pick<RowFilter, "knownAt" | "historic" | "superseded">,
): Promise<SpokenRow[]> {
  const { sql } = tx;
  const statuses = [...LIVE_STATUSES, ...(historic || superseded ? ENDED_STATUSES : [])];
  const source = knownAt === null ? sql`unit u where u.workspace_id = ${tx.workspaceId} and u.triple_key = k.key` : sql`
    unit n join unit_revision r on r.workspace_id = n.workspace_id and r.id = n.id and r.recorded_at <= ${knownAt}
                               and (r.replaced_at is null or r.replaced_at > ${knownAt})
     cross join lateral jsonb_populate_record(null::unit, r.snapshot) u
     where n.workspace_id = ${tx.workspaceId} and n.triple_key = k.key and u.triple_key = k.key`;
  return await sql<SpokenRow[]>`
    select s.*
      from unnest(${tripleKeys as string[]}::text[]) as k(key)
     cross join lateral (
       select u.id, u.doc_no::float8 as "docNo", u.status, u.attribution, u.triple_key as "tripleKey",
              u.valid_from as "validFrom", u.valid_to as "validTo", u.occurred_at as "occurredAt",
              u.recorded_at as "recordedAt",
              jsonb_build_object('predicate', u.body -> 'predicate', 'exclusive', u.body -> 'exclusive',
                'folded', u.body -> 'folded', 'supersededBy', u.body -> 'supersededBy', 'before', u.body -> 'before', 'outdates', u.body -> 'outdates') as body
         from ${source} and u.status = any(${statuses}::text[])
        order by u.recorded_at desc, u.doc_no desc limit ${SLOT_MAX}) as s`;
}

// The queries cast the ids in a body to `uuid` in a step before the join. A cast is not leakproof, so under row-level security
// Postgres would apply a join condition with a cast only after it had read every row of the workspace.

/** A document of a superseded unit, and that of the unit in force to which its successors lead. */
export interface Successor {
  readonly docNo: number;
  readonly successorNo: number;
}

/** Successors that are followed from one unit. */
export const SUCCESSORS_MAX = 10;

/** The successors of those documents whose units are superseded, as far as the reader may see every successor on the way. */
export async function readSuccessors(tx: Tx, docNos: readonly number[]): Promise<Successor[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<Successor[]>`
    with recursive successor as (
      select doc_no, (body ->> 'supersededBy')::uuid as next, 1 as step from unit
       where workspace_id = ${ws} and doc_no = any(${docNos as number[]}::bigint[]) and status = 'superseded'
      union all
      select s.doc_no, (u.body ->> 'supersededBy')::uuid, s.step + 1
        from successor s join unit u on u.workspace_id = ${ws} and u.id = s.next and u.status = 'superseded'
       where s.step < ${SUCCESSORS_MAX}
    )
    select s.doc_no::float8 as "docNo", u.doc_no::float8 as "successorNo"
      from successor s join unit u on u.workspace_id = ${ws} and u.id = s.next
     where u.status = any(${LIVE_STATUSES as readonly string[] as string[]}::text[])`;
}

/** Pairs of an active fact with one of these triple keys and a unit that it likely outdates, which stays in force. */
export async function readLikelySuccessors(tx: Tx, tripleKeys: readonly string[]): Promise<Successor[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<Successor[]>`
    with said as materialized (
      select n.doc_no, outdated.id::uuid as id
        from unit n cross join lateral jsonb_array_elements_text(n.body -> 'outdates') as outdated(id)
       where n.workspace_id = ${ws} and n.triple_key = any(${tripleKeys as string[]}::text[]) and n.status = 'active'
         and jsonb_typeof(n.body -> 'outdates') = 'array'
    )
    select o.doc_no::float8 as "docNo", s.doc_no::float8 as "successorNo"
      from said s cross join lateral (select doc_no from unit where workspace_id = ${ws} and id = s.id limit 1) o`;
}
