/** Reading the change feed. Rows are appended by `db/changes.ts` alone; a row never changes. */
import type { Tx } from "../tx.ts";
import type { Sensitivity } from "../../schema/common.ts";

export interface ChangeRow {
  readonly seq: number;
  readonly kind: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly version: number;
  readonly sensitivity: Sensitivity;
  readonly actor: string;
  readonly recordedAt: Date;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface ChangeFilter {
  /** Changes after this place. */
  readonly after: number;
  /** And up to this one, itself included. */
  readonly through: number;
  /** Names of kinds, or prefixes that end with `.`; default: all. */
  readonly kinds: readonly string[] | undefined;
  readonly withoutTypes: readonly string[];
  readonly resourceId: string | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** The last sequence number of the feed; 0 before the first change. All rows up to it are visible. */
export async function readFeedHead(tx: Tx): Promise<number> {
  const [row] = await tx.sql<{ seq: number }[]>`
    select seq::float8 as seq from feed_head where workspace_id = ${tx.workspaceId}`;
  return row?.seq ?? 0;
}

/** Changes of a stretch of the feed, as far as the transaction's clearance sees. */
export async function listChanges(tx: Tx, filter: ChangeFilter): Promise<ChangeRow[]> {
  const { sql } = tx;
  const { after, through, kinds, withoutTypes, resourceId, order, limit } = filter;
  const exact = kinds?.filter((kind) => !kind.endsWith("."));
  const begins = kinds?.filter((kind) => kind.endsWith("."));
  return await sql<ChangeRow[]>`
    select seq::float8 as seq, kind, resource_type as "resourceType", resource_id as "resourceId", version, sensitivity,
           actor, recorded_at as "recordedAt", payload
      from change
     where workspace_id = ${tx.workspaceId} and seq > ${after} and seq <= ${through}
       ${
    kinds === undefined ? sql`` : sql`and (kind = any(${exact!}) or exists (
          select from unnest(${begins!}::text[]) as b(beginning) where starts_with(kind, b.beginning)))`
  }
       ${withoutTypes.length === 0 ? sql`` : sql`and resource_type <> all(${withoutTypes as string[]}::text[])`}
       ${resourceId === undefined ? sql`` : sql`and resource_id = ${resourceId}`}
     order by seq ${order === "asc" ? sql`asc` : sql`desc`}
     limit ${limit}`;
}
