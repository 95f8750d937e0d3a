/** The names that callers' own systems have for sessions and facts. */
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

/** The types of resources that can have such a name. */
export type ExternallyNamedType = "fact" | "session";

/**
 * Makes writers of the same names wait for each other until the transaction ends. Call it before any other lock of names or
 * rows is taken, so that two transactions cannot deadlock.
 */
export async function lockExternalIds(
  tx: Tx,
  type: ExternallyNamedType,
  externalIds: readonly string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await tx.sql`
    select pg_advisory_xact_lock(lock)
      from (select distinct hashtextextended(${tx.workspaceId} || ' ' || ${type} || ' ' || name, 9207114) as lock
              from unnest(${externalIds as string[]}::text[]) as n(name)) as l
     order by lock`;
}

/** The ids of the resources that have some names, whether or not the caller may see them. */
export async function findExternalIds(
  tx: Tx,
  type: ExternallyNamedType,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  if (externalIds.length === 0) return new Map();
  const rows = await tx.sql<{ externalId: string; id: string }[]>`
    select external_id as "externalId", id from svc_system.find_external_ids(${type}, ${externalIds as string[]}::text[])`;
  return new Map(rows.map((row) => [row.externalId, row.id]));
}

/** Facts in some states that have such a name and say one of some things. */
export async function findNamedSaying<Body>(
  tx: Tx,
  { contentHashes, said }: { readonly contentHashes: readonly string[]; readonly said: readonly string[] },
  statuses: readonly string[],
): Promise<UnitRow<Body>[]> {
  if (contentHashes.length === 0) return [];
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'fact'
       and (u.content_hash = any(${contentHashes as string[]}::text[]) or u.said_key = any(${said as string[]}::text[]))
       and u.status = any(${statuses as string[]}::text[])
       and u.external_id is not null`;
}
