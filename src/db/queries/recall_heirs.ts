/**
 * Finds the units that replaced units which are no longer in force.
 *
 * The queries cast the ids in a body to `uuid` in a step before the join. A cast is not leakproof,
 * so under row-level security Postgres would apply a join condition with a cast only after it had
 * read every row of the workspace.
 */
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";

/** A document of a superseded unit, and that of the unit in force to which its successors lead. */
export interface Heir {
  readonly docNo: number;
  readonly heirNo: number;
}

/** Successors that are followed from one unit. */
const STEPS_MAX = 10;

/** The heirs of those documents whose units are superseded, as far as the reader may see every successor on the way. */
export async function readHeirs(tx: Tx, docNos: readonly number[]): Promise<Heir[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<Heir[]>`
    with recursive successor as (
      select doc_no, (body ->> 'supersededBy')::uuid as next, 1 as step from unit
       where workspace_id = ${ws} and doc_no = any(${docNos as number[]}::bigint[]) and status = 'superseded'
      union all
      select s.doc_no, (u.body ->> 'supersededBy')::uuid, s.step + 1
        from successor s join unit u on u.workspace_id = ${ws} and u.id = s.next and u.status = 'superseded'
       where s.step < ${STEPS_MAX}
    )
    select s.doc_no::float8 as "docNo", u.doc_no::float8 as "heirNo"
      from successor s join unit u on u.workspace_id = ${ws} and u.id = s.next
     where u.status = any(${LIVE_STATUSES as readonly string[] as string[]}::text[])`;
}

/** Pairs of an active fact with one of these triple keys and a unit that it likely outdates, which stays in force. */
export async function readLikelyHeirs(tx: Tx, tripleKeys: readonly string[]): Promise<Heir[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<Heir[]>`
    with said as materialized (
      select n.doc_no, outdated.id::uuid as id
        from unit n cross join lateral jsonb_array_elements_text(n.body -> 'outdates') as outdated(id)
       where n.workspace_id = ${ws} and n.triple_key = any(${tripleKeys as string[]}::text[]) and n.status = 'active'
         and jsonb_typeof(n.body -> 'outdates') = 'array'
    )
    select o.doc_no::float8 as "docNo", s.doc_no::float8 as "heirNo"
      from said s cross join lateral (select doc_no from unit where workspace_id = ${ws} and id = s.id limit 1) o`;
}
