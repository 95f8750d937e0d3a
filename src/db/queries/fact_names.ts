/**
 * Queries for facts whose names were folded by an earlier rule than `NAME_RULE`. The conditions repeat those of the partial
 * indexes on such facts exactly, because otherwise the planner would read all facts.
 */
import type { Sql, Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

/** Lists the workspaces that have such facts, of any sensitivity. */
export async function listWorkspacesOfOldNames(sql: Sql): Promise<string[]> {
  const rows = await sql<{ workspaceId: string }[]>`
    select workspace_id as "workspaceId" from svc_system.list_old_names()`;
  return rows.map((row) => row.workspaceId);
}

function hasOldNames({ sql }: Tx) {
  return sql`
    u.type = 'fact' and (u.body -> 'folded' ->> 'rule') is distinct from '2'
    and (coalesce(u.body ->> 'subject', '') || ' ' || coalesce(u.body ->> 'predicate', '') || ' ' || coalesce(u.body ->> 'object', ''))
        collate "C" ~ '[^ -~]|''[sS]'`;
}

/** Lists the first of such facts by id, either after an id or among given ids; `lock: "update"` locks them. */
export async function listOldNamed<Body = UnitRow["body"]>(
  tx: Tx,
  options: {
    readonly limit: number;
    readonly after?: string | undefined;
    readonly ids?: readonly string[];
    readonly lock?: "update";
  },
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and ${hasOldNames(tx)}
       ${options.after === undefined ? sql`` : sql`and u.id > ${options.after}`}
       ${options.ids === undefined ? sql`` : sql`and u.id = any(${options.ids as string[]}::uuid[])`}
     order by u.id limit ${options.limit} ${options.lock === undefined ? sql`` : sql`for update of u`}`;
}

/** The columns that are computed from the names of a fact. */
export interface FoldedNames {
  readonly id: string;
  readonly tripleKey: string | null;
  readonly folded: Readonly<Record<string, unknown>>;
}

/** Stores these columns without a new version, because the content of the facts has not changed. */
export async function storeFolded(tx: Tx, facts: readonly FoldedNames[]): Promise<void> {
  await tx.sql`
    update unit u set body = jsonb_set(u.body, '{folded}', n.folded), triple_key = n."tripleKey"
      from jsonb_to_recordset(${tx.sql.json(facts)}) as n(id uuid, "tripleKey" text, folded jsonb)
     where u.workspace_id = ${tx.workspaceId} and u.id = n.id`;
}

export interface VersionKey {
  readonly id: string;
  readonly version: number;
}

export interface NamedVersion extends VersionKey {
  readonly subject: string | null;
  readonly predicate: string | null;
  readonly object: string | null;
}

/** Lists versions of facts, current or not, whose names were folded by an earlier rule, by id and version. */
export async function listOldVersions(
  tx: Tx,
  { after, limit }: { readonly after?: VersionKey | undefined; readonly limit: number },
): Promise<NamedVersion[]> {
  const { sql } = tx;
  return await sql<NamedVersion[]>`
    select r.id, r.version, r.snapshot -> 'body' ->> 'subject' as subject,
           r.snapshot -> 'body' ->> 'predicate' as predicate, r.snapshot -> 'body' ->> 'object' as object
      from unit_revision r
     where r.workspace_id = ${tx.workspaceId}
       and r.snapshot ->> 'type' = 'fact' and (r.snapshot -> 'body' -> 'folded' ->> 'rule') is distinct from '2'
       and (coalesce(r.snapshot -> 'body' ->> 'subject', '') || ' ' || coalesce(r.snapshot -> 'body' ->> 'predicate', '') || ' ' ||
            coalesce(r.snapshot -> 'body' ->> 'object', '')) collate "C" ~ '[^ -~]|''[sS]'
       ${after === undefined ? sql`` : sql`and (r.id, r.version) > (${after.id}, ${after.version})`}
     order by r.id, r.version limit ${limit}`;
}

/** Stores the same columns in versions, by which lists of what was known at an earlier time find facts. */
export async function storeFoldedVersions(
  tx: Tx,
  versions: readonly (FoldedNames & { readonly version: number })[],
): Promise<void> {
  await tx.sql`
    update unit_revision r
       set snapshot = jsonb_set(
             jsonb_set(r.snapshot, '{body,folded}', n.folded), '{triple_key}', coalesce(to_jsonb(n."tripleKey"), 'null'))
      from jsonb_to_recordset(${tx.sql.json(versions)})
           as n(id uuid, version integer, "tripleKey" text, folded jsonb)
     where r.workspace_id = ${tx.workspaceId} and r.id = n.id and r.version = n.version`;
}

/** Facts without the key of what they say, locked; rows that another process holds are passed over. */
export async function listWithoutStatementKey<Body>(tx: Tx, limit: number): Promise<{ id: string; body: Body }[]> {
  return await tx.sql<{ id: string; body: Body }[]>`
    select u.id, u.body from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'fact' and u.said_key is null
     order by u.id limit ${limit} for update of u skip locked`;
}

/** Stores these keys without a new version, because the facts say what they said. */
export async function storeStatementKeys(tx: Tx, facts: readonly { readonly id: string; readonly said: string }[]) {
  await tx.sql`
    update unit u set said_key = n.said, body = jsonb_set(u.body, '{said}', to_jsonb(n.said))
      from jsonb_to_recordset(${tx.sql.json(facts)}) as n(id uuid, said text)
     where u.workspace_id = ${tx.workspaceId} and u.id = n.id`;
}
