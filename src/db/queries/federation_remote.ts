/** Statements on `federation_remote_fact`: facts of other regions, of which only id and keyed hash are known. */
import type { Tx } from "../tx.ts";

/** A fact of another region. */
export interface RemoteFactRow {
  /** The peer that sent it. */
  readonly peer: string;
  readonly factId: string;
  readonly hash: string;
  readonly region: string;
  readonly seenAt: Date;
}

/** Which facts to list, after which one, and at most how many. */
export interface RemoteFactFilter {
  readonly peer: string | undefined;
  readonly order: "asc" | "desc";
  readonly after: { readonly peer: string; readonly factId: string } | undefined;
  readonly limit: number;
}

/** Lists remote facts by peer and id. */
export async function listRemoteFacts(
  tx: Tx,
  { peer, order, after, limit }: RemoteFactFilter,
): Promise<RemoteFactRow[]> {
  const { sql } = tx;
  const [way, beyond] = order === "asc" ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`];
  return await sql<RemoteFactRow[]>`
    select peer_id as peer, fact_id as "factId", hash, region, seen_at as "seenAt" from federation_remote_fact
     where workspace_id = ${tx.workspaceId} ${peer === undefined ? sql`` : sql`and peer_id = ${peer}`}
       ${after === undefined ? sql`` : sql`and (peer_id, fact_id) ${beyond} (${after.peer}, ${after.factId}::uuid)`}
     order by peer_id ${way}, fact_id ${way} limit ${limit}`;
}

/** Stores the facts that a peer sent, in place of its earlier versions of them. */
export async function putRemoteFacts(
  tx: Tx,
  peer: string,
  facts: readonly Pick<RemoteFactRow, "factId" | "hash" | "region">[],
): Promise<void> {
  await tx.sql`
    insert into federation_remote_fact (workspace_id, peer_id, fact_id, hash, region, seen_at)
    select ${tx.workspaceId}, ${peer}, n.fact_id, n.hash, n.region, ${tx.now}
      from unnest(${facts.map((fact) => fact.factId)}::uuid[], ${facts.map((fact) => fact.hash)}::text[],
                  ${facts.map((fact) => fact.region)}::text[]) as n(fact_id, hash, region)
        on conflict (workspace_id, peer_id, fact_id) do update set
           hash = excluded.hash, region = excluded.region, seen_at = excluded.seen_at`;
}

/** Deletes all facts that a peer in another region sent. Returns how many there were. */
export async function deleteAllRemoteFacts(tx: Tx, peer: string): Promise<number> {
  const gone = await tx.sql`
    delete from federation_remote_fact where workspace_id = ${tx.workspaceId} and peer_id = ${peer}`;
  return gone.count;
}

/** Deletes facts that a peer erased. Returns how many there were. */
export async function deleteRemoteFacts(tx: Tx, peer: string, factIds: readonly string[]): Promise<number> {
  const gone = await tx.sql`
    delete from federation_remote_fact
     where workspace_id = ${tx.workspaceId} and peer_id = ${peer} and fact_id = any(${factIds as string[]}::uuid[])`;
  return gone.count;
}
