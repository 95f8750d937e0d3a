/**
 * Statements about publication: how far it has come, which `federation_cursor` holds, and which units and relations it
 * has to examine.
 */
import type { Tx } from "../tx.ts";

/** How far publication has come. */
export interface PublicationCursor {
  /** The last change of the feed that was examined. */
  readonly publishedSeq: number;
  readonly nextSeq: number;
  readonly epoch: string;
  /** The table that is being walked to publish rows from before the first peer; null: the walk is over. */
  readonly walk: "unit" | "relation" | null;
  readonly walkAfter: string | null;
}

/** Returns how far publication has come; undefined if it has not begun. */
export async function readCursor(tx: Tx): Promise<PublicationCursor | undefined> {
  const [row] = await tx.sql<PublicationCursor[]>`
    select published_seq::float8 as "publishedSeq", next_seq::float8 as "nextSeq", epoch, walk,
           walk_after as "walkAfter"
      from federation_cursor where workspace_id = ${tx.workspaceId}`;
  return row;
}

/** Begins publication: follows the feed after `publishedSeq`, and walks what was there before. */
export async function createCursor(tx: Tx, publishedSeq: number, epoch: string): Promise<void> {
  await tx.sql`
    insert into federation_cursor (workspace_id, published_seq, epoch, walk)
    values (${tx.workspaceId}, ${publishedSeq}, ${epoch}, 'unit') on conflict do nothing`;
}

/** Stores how far publication has come. */
export async function saveCursor(tx: Tx, cursor: PublicationCursor): Promise<void> {
  await tx.sql`
    update federation_cursor
       set published_seq = ${cursor.publishedSeq}, next_seq = ${cursor.nextSeq}, epoch = ${cursor.epoch},
           walk = ${cursor.walk}, walk_after = ${cursor.walkAfter}
     where workspace_id = ${tx.workspaceId}`;
}

/** Lists the next units or relations of the workspace, by id. */
export async function listAll(
  tx: Tx,
  what: "unit" | "relation",
  after: string | null,
  limit: number,
): Promise<string[]> {
  const { sql } = tx;
  const rows = await sql<{ id: string }[]>`
    select id from ${what === "unit" ? sql`unit` : sql`relation`}
     where workspace_id = ${tx.workspaceId} ${after === null ? sql`` : sql`and id > ${after}`}
     order by id limit ${limit}`;
  return rows.map((row) => row.id);
}

/**
 * Returns those entities that were created for a name in a text, that nobody has changed, and that no relation names.
 */
export async function findBare(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select u.id from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[]) and u.type = 'entity'
       and u.version = 1 and u.metadata ? 'inferredFrom'
       and not exists (select from relation_participant p
                        where p.workspace_id = ${tx.workspaceId} and p.unit_id = u.id)`;
  return new Set(rows.map((row) => row.id));
}

/**
 * The events of revisions in which a caller changes a unit's content. Changes by the service have other events or
 * authors.
 */
const SAID = ["updated", "retracted", "merged", "unmerged", "reverted", "linked"];

/**
 * Returns those of some units that a caller of this instance changed after a version, and after the last version that a
 * peer's item brought.
 */
export async function findSaid(
  tx: Tx,
  units: readonly { readonly id: string; readonly after: number }[],
): Promise<ReadonlySet<string>> {
  if (units.length === 0) return new Set();
  const rows = await tx.sql<{ id: string }[]>`
    select n.id from unnest(${units.map((unit) => unit.id)}::uuid[], ${
    units.map((unit) => unit.after)
  }::int[]) as n(id, after)
     where exists (
       select from unit_revision r
        where r.workspace_id = ${tx.workspaceId} and r.id = n.id and r.version > n.after and r.event = any(${SAID})
          and (r.changed_by ^@ 'key:' or r.changed_by ^@ 'admin:' or r.changed_by = 'cli')
          and not exists (
            select from unit_revision p
             where p.workspace_id = ${tx.workspaceId} and p.id = n.id and p.version >= r.version and p.event = 'received'))`;
  return new Set(rows.map((row) => row.id));
}
