/** Finding reasoning entries whose goals are similar: by rare words and by vectors. Every statement is bounded. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";
import { formatVector } from "./embeddings.ts";

/** An entry that may be similar, with the values by which it is compared. */
export interface SimilarRow {
  readonly id: string;
  readonly goal: string;
  readonly contextKind: "none" | "text" | "object";
  readonly contextKey: string;
  readonly context: unknown;
  /** Cosine of the embeddings; null if the entry has none of the same model. */
  readonly cosine: number | null;
}

/** Replaces the words by which an entry is found, and its vector. */
export async function replaceSearch(
  tx: Tx,
  entry: { readonly id: string; readonly sensitivity: Sensitivity },
  terms: readonly string[],
  embedded: { readonly model: string; readonly vector: Float32Array } | undefined,
): Promise<void> {
  await tx.sql`
    insert into reasoning_term (workspace_id, term, entry_id, sensitivity)
    select ${tx.workspaceId}, t.term, ${entry.id}, ${entry.sensitivity} from unnest(${terms as string[]}::text[]) as t(term)
        on conflict do nothing`;
  await tx.sql`
    insert into reasoning_vector (workspace_id, entry_id, sensitivity, model, vector)
    values (${tx.workspaceId}, ${entry.id}, ${entry.sensitivity}, ${embedded?.model ?? ""},
            ${embedded === undefined ? null : formatVector(embedded.vector)}::vector)
        on conflict (workspace_id, entry_id) do update set model = excluded.model, vector = excluded.vector`;
}

/** How many goals contain each term, counted up to `most`; terms that no goal has are left out. */
export async function countGoals(
  tx: Tx,
  terms: readonly string[],
  most: number,
): Promise<{ term: string; n: number }[]> {
  return await tx.sql<{ term: string; n: number }[]>`
    select t.term, p.n::int as n
      from unnest(${terms as string[]}::text[]) as t(term)
     cross join lateral (
       select count(*) as n from (
         select from reasoning_term
          where workspace_id = ${tx.workspaceId} and term = t.term limit ${most}) counted) p
     where p.n > 0`;
}

/** Entries whose goals share at least `min` of the terms, those with most first, the newest first of these. */
export async function findSharing(
  tx: Tx,
  terms: readonly string[],
  options: { readonly min: number; readonly perTerm: number; readonly limit: number },
): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    select p.entry_id as id
      from unnest(${terms as string[]}::text[]) as t(term)
     cross join lateral (
       select entry_id from reasoning_term
        where workspace_id = ${tx.workspaceId} and term = t.term order by entry_id desc limit ${options.perTerm}) p
     group by p.entry_id having count(*) >= ${options.min}
     order by count(*) desc, p.entry_id desc limit ${options.limit}`;
  return rows.map((row) => row.id);
}

/** Entries whose goals have the nearest vectors, by the nearest-neighbour index. */
export async function findNearestGoals(
  tx: Tx,
  embedded: { readonly model: string; readonly vector: Float32Array },
  limit: number,
): Promise<string[]> {
  const { sql } = tx;
  const vector = formatVector(embedded.vector);
  const dimension = sql.unsafe(String(embedded.vector.length));
  const distance = sql`(vector::vector(${dimension})) <=> ${vector}::vector(${dimension})`;
  sql`select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '64', true)`
    .execute().catch(() => {});
  const rows = await sql<{ id: string }[]>`
    select entry_id as id from reasoning_vector
     where workspace_id = ${tx.workspaceId} and model = ${embedded.model}
     order by ${distance} limit ${limit}`;
  return rows.map((row) => row.id);
}

/** Reads the values by which candidates are compared. */
export async function readSimilar(
  tx: Tx,
  ids: readonly string[],
  sensitivities: readonly Sensitivity[],
  embedded: { readonly model: string; readonly vector: Float32Array } | undefined,
): Promise<SimilarRow[]> {
  const { sql } = tx;
  const cosine = embedded === undefined
    ? sql`null::float8`
    : sql`1 - (v.vector <=> ${formatVector(embedded.vector)}::vector)`;
  return await sql<SimilarRow[]>`
    select e.id, e.goal, e.context_kind as "contextKind", e.context_key as "contextKey",
           case when e.context_kind = 'text' then e.context end as context, ${cosine} as cosine
      from reasoning_entry e
      left join reasoning_vector v
        on v.workspace_id = ${tx.workspaceId} and v.entry_id = e.id and v.model = ${embedded?.model ?? ""}
     where e.workspace_id = ${tx.workspaceId} and e.id = any(${ids as string[]}::uuid[])
       and e.sensitivity = any(${sensitivities as string[]}::text[]::sensitivity[])`;
}

/** Goals whose vector is missing or another model's. */
export async function listOutdatedGoals(tx: Tx, model: string, limit: number): Promise<{ id: string; goal: string }[]> {
  return await tx.sql<{ id: string; goal: string }[]>`
    select e.id, e.goal
      from ((select entry_id from reasoning_vector
              where workspace_id = ${tx.workspaceId} and model < ${model} order by model limit ${limit})
            union all
            (select entry_id from reasoning_vector
              where workspace_id = ${tx.workspaceId} and model > ${model} order by model limit ${limit})) v
      join reasoning_entry e on e.workspace_id = ${tx.workspaceId} and e.id = v.entry_id
     limit ${limit}`;
}

export async function storeGoalVectors(
  tx: Tx,
  model: string,
  rows: readonly { readonly id: string; readonly vector: Float32Array }[],
): Promise<void> {
  await tx.sql`
    update reasoning_vector v set model = ${model}, vector = r.vector::vector
      from unnest(${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => formatVector(row.vector))}::text[])
           as r(id, vector)
     where v.workspace_id = ${tx.workspaceId} and v.entry_id = r.id`;
}
