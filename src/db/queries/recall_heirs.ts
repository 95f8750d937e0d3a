/** What took the place of units that are no longer in force. */
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
      select doc_no, body ->> 'supersededBy' as next, 1 as step from unit
       where workspace_id = ${ws} and doc_no = any(${docNos as number[]}::bigint[]) and status = 'superseded'
      union all
      select s.doc_no, u.body ->> 'supersededBy', s.step + 1
        from successor s join unit u on u.workspace_id = ${ws} and u.id = s.next::uuid and u.status = 'superseded'
       where s.step < ${STEPS_MAX}
    )
    select s.doc_no::float8 as "docNo", u.doc_no::float8 as "heirNo"
      from successor s join unit u on u.workspace_id = ${ws} and u.id = s.next::uuid
     where u.status = any(${LIVE_STATUSES as readonly string[] as string[]}::text[])`;
}

/**
 * Pairs of an active fact with one of these triple keys and a unit that it likely outdates, which stays in force. The query
 * looks each unit up by itself: Postgres takes the lists of outdated units to be long, and would read all units instead.
 */
export async function readLikelyHeirs(tx: Tx, tripleKeys: readonly string[]): Promise<Heir[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<Heir[]>`
    select o.doc_no::float8 as "docNo", n.doc_no::float8 as "heirNo"
      from unit n
     cross join lateral jsonb_array_elements_text(n.body -> 'outdates') as outdated(id)
     cross join lateral (
       select doc_no from unit where workspace_id = ${ws} and id = outdated.id::uuid limit 1) o
     where n.workspace_id = ${ws} and n.triple_key = any(${tripleKeys as string[]}::text[]) and n.status = 'active'
       and jsonb_typeof(n.body -> 'outdates') = 'array'`;
}
