/** Where workspaces are placed, and which cluster a database is. */
import type { Sql } from "../tx.ts";

/**
 * The channel of the home cluster on which every process is notified that a workspace has moved; the message is its id.
 */
export const PLACEMENT_CHANNEL = "svc_placement";

/** Finds, on the home cluster, the cluster that a workspace was placed on; undefined for the home cluster itself. */
export async function findPlacement(sql: Sql, workspaceId: string): Promise<string | undefined> {
  const [row] = await sql<[{ cluster: string | null }]>`
    select svc_system.find_placement(${workspaceId}) as cluster`;
  return row.cluster ?? undefined;
}

/** Places a workspace that is about to be created. Runs on the home cluster. */
export async function placeWorkspace(sql: Sql, workspaceId: string, cluster: string): Promise<void> {
  await sql`select svc_system.place_workspace(${workspaceId}, ${cluster})`;
}

/** The workspaces whose rows in this database are not valid, because another cluster serves them. */
export async function listUnserved(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from svc_system.list_unserved() as u(id)`;
  return rows.map((row) => row.id);
}

/** The name that the database has among the clusters; undefined when it is the only one. */
export async function readClusterName(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<[{ name: string | null }]>`select svc_system.cluster_name() as name`;
  return row.name ?? undefined;
}
