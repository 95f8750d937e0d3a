/** Units as the nodes of a graph. */
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Sql, Tx } from "../scope.ts";

export interface NodeRow {
  readonly id: string;
  readonly type: UnitType;
  /** The first line of its text. */
  readonly label: string;
  readonly status: string;
  readonly trustScore: number;
  readonly sensitivity: Sensitivity;
  readonly stale: boolean;
}

/** The columns of a row of `unit` under the alias `u` as a `NodeRow`. */
export function nodeColumns(sql: Sql) {
  return sql`
    u.id, u.type, left(split_part(u.text, E'\n', 1), 200) as label, u.status, u.trust_score as "trustScore",
    u.sensitivity, u.stale`;
}

/** Nodes by id, in the order of their ids, in any state. */
export async function findNodes(tx: Tx, ids: readonly string[]): Promise<NodeRow[]> {
  return await tx.sql<NodeRow[]>`
    select ${nodeColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])
     order by u.id`;
}
