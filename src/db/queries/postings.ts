/**
 * The packed postings, reads of the vocabulary, and the corpus sizes. An entry's form is `retrieval/postings.ts`'s.
 *
 * Writers of texts only insert rows. Erasures, changes of a sensitivity and the compaction rewrite them: the first two hold
 * the workspace's lock shared, the compaction holds it alone. So no entry can move from under an erasure into a row that
 * the erasure does not see.
 */
import { Buffer } from "node:buffer";
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

/** New rows of one kind and sensitivity, as parallel arrays in the order of the terms. */
export interface PostingRows {
  readonly kind: number;
  readonly sensitivity: Sensitivity;
  readonly terms: readonly string[];
  readonly firstDocs: readonly number[];
  readonly lastDocs: readonly number[];
  readonly counts: readonly number[];
  /** All entries, one term's after another's. */
  readonly entries: Uint8Array;
}

export interface PostingRow {
  readonly term: string;
  readonly firstDoc: number;
  readonly lastDoc: number;
  readonly n: number;
  readonly entries: Uint8Array;
}

/** The kind and sensitivity that a group of rows shares. */
export interface PostingGroup {
  readonly kind: number;
  readonly sensitivity: Sensitivity;
}

const LOCK_SEED = 7_305_410;

/** Takes the workspace's postings lock until the transaction ends; erasures share it, the worker takes it alone. */
export async function lockPostings(tx: Tx, mode: "shared" | "alone"): Promise<void> {
  if (mode === "shared") {
    await tx.sql`select pg_advisory_xact_lock_shared(hashtextextended(${tx.workspaceId}, ${LOCK_SEED}))`;
  } else await tx.sql`select pg_advisory_xact_lock(hashtextextended(${tx.workspaceId}, ${LOCK_SEED}))`;
}

/** Takes the workspace's postings lock exclusively if it is free now. */
export async function tryLockPostings(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${tx.workspaceId}, ${LOCK_SEED})) as taken`;
  return row.taken;
}

/** Document numbers for texts that are about to be indexed, ascending. */
export async function allocateDocNos(tx: Tx, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx.sql<{ n: number }[]>`
    select nextval('doc_no')::float8 as n from generate_series(1, ${count}::int)`;
  return rows.map((row) => row.n).sort((a, b) => a - b);
}

/** Appends rows; if a row already begins with the same document, because a text got back a sensitivity that it had
 * before, the entries join it. */
export async function insertPostings(tx: Tx, rows: PostingRows): Promise<void> {
  await tx.sql`
    insert into posting as p (workspace_id, term, kind, sensitivity, first_doc, last_doc, n, entries)
    select ${tx.workspaceId}, r.term, ${rows.kind}, ${rows.sensitivity}::sensitivity, r.first_doc, r.last_doc, r.n,
           substring(${rows.entries}::bytea from 12 * (sum(r.n) over (order by r.place) - r.n)::int + 1 for 12 * r.n)
      from unnest(${rows.terms as string[]}::text[], ${rows.firstDocs as number[]}::bigint[],
                  ${rows.lastDocs as number[]}::bigint[], ${rows.counts as number[]}::int[])
           with ordinality as r(term, first_doc, last_doc, n, place)
        on conflict (workspace_id, term, kind, sensitivity, first_doc) do update
       set entries = p.entries || excluded.entries, n = p.n + excluded.n, last_doc = greatest(p.last_doc, excluded.last_doc)`;
}

/** Adds a delta to the corpus size of a kind. */
export async function addCorpusSize(
  tx: Tx,
  group: PostingGroup,
  size: { readonly docs: number; readonly tokens: number; readonly groups: number },
): Promise<void> {
  await tx.sql`
    insert into corpus_size (workspace_id, kind, sensitivity, docs, tokens, groups)
    values (${tx.workspaceId}, ${group.kind}, ${group.sensitivity}, ${size.docs}, ${size.tokens}, ${size.groups})`;
}

/** The rows of some terms that may hold one of the documents from `from` to `to`, locked in the order of their key. */
export async function lockPostingRows(
  tx: Tx,
  group: PostingGroup,
  terms: readonly string[],
  range: { readonly from: number; readonly to: number },
): Promise<PostingRow[]> {
  return await tx.sql<PostingRow[]>`
    select term, first_doc::float8 as "firstDoc", last_doc::float8 as "lastDoc", n, entries
      from posting
     where workspace_id = ${tx.workspaceId} and term = any(${terms as string[]}::text[]) and kind = ${group.kind}
       and sensitivity = ${group.sensitivity} and first_doc <= ${range.to} and last_doc >= ${range.from}
     order by term, first_doc
       for update`;
}

/**
 * Replaces the entries of rows of the posting table. A row's `first_doc` does not change: it is part of the key and still a
 * lower bound. The statement also filters by a list of the terms, because without statistics Postgres reads the whole table
 * for the join.
 */
export async function updatePostings(
  tx: Tx,
  group: PostingGroup,
  rows: readonly { readonly term: string; readonly firstDoc: number; readonly entries: Uint8Array }[],
): Promise<void> {
  const counts = rows.map((row) => row.entries.length / 12);
  await tx.sql`
    update posting p set n = r.n, entries = r.entries
      from (select term, first_doc, n,
                   substring(${Buffer.concat(rows.map((row) => row.entries))}::bytea
                             from 12 * (sum(n) over (order by place) - n)::int + 1 for 12 * n) as entries
              from unnest(${rows.map((row) => row.term)}::text[], ${rows.map((row) => row.firstDoc)}::bigint[],
                          ${counts}::int[]) with ordinality as u(term, first_doc, n, place)) as r
     where p.workspace_id = ${tx.workspaceId} and p.term = any(${rows.map((row) => row.term)}::text[])
       and p.term = r.term and p.kind = ${group.kind} and p.sensitivity = ${group.sensitivity}
       and p.first_doc = r.first_doc`;
}

export async function deletePostings(
  tx: Tx,
  group: PostingGroup,
  rows: readonly { readonly term: string; readonly firstDoc: number }[],
): Promise<void> {
  await tx.sql`
    delete from posting p
     using unnest(${rows.map((row) => row.term)}::text[], ${
    rows.map((row) => row.firstDoc)
  }::bigint[]) as r(term, first_doc)
     where p.workspace_id = ${tx.workspaceId} and p.term = any(${rows.map((row) => row.term)}::text[])
       and p.term = r.term and p.kind = ${group.kind} and p.sensitivity = ${group.sensitivity}
       and p.first_doc = r.first_doc`;
}

/** Words of the vocabulary from `from` up to but without `to` of about a length, in order; at most `limit`. */
export async function listVocabulary(
  tx: Tx,
  slice: { readonly from: string; readonly to: string; readonly lengthMin: number; readonly lengthMax: number },
  limit: number,
): Promise<string[]> {
  const [row] = await tx.sql<[{ terms: string | null }]>`
    select string_agg(term, ' ') as terms from (
      select term from vocabulary
       where workspace_id = ${tx.workspaceId} and term >= ${slice.from} and term < ${slice.to}
         and length(term) between ${slice.lengthMin} and ${slice.lengthMax}
       limit ${limit}) as v`;
  // Terms hold no space; one text is read faster than a thousand rows.
  return row.terms === null ? [] : [...new Set(row.terms.split(" "))];
}

/** One row of postings as the database returns it to a recall. */
export interface StoredPostings {
  readonly term: string;
  readonly kind: number;
  readonly sensitivity: Sensitivity;
  /** How many documents hold the term, of all kinds that the recall asks for. */
  readonly df: number;
  /** False: the recall leaves the row out, because the term is too frequent for the budget. */
  readonly wanted: boolean;
  /** Rows with the same stamp have the same entries. Null: a row that is read each time, because it is small. */
  readonly stamp: string | null;
  /** Null: not wanted, or the caller has the entries of this stamp. */
  readonly entries: Uint8Array | null;
}

/** The postings that a recall reads. */
export interface PostingsWish {
  readonly terms: readonly string[];
  readonly kinds: readonly number[];
  /** The most entries that the rows may have together. */
  readonly entriesMax: number;
  /** Stamps of rows whose entries the caller has. */
  readonly known: readonly string[];
}

/**
 * Reads postings of some terms in some kinds until it has `entriesMax` entries: first the terms
 * for the participants of sessions, then all of the rarest terms and the newest rows of the
 * next. Frequent terms change a ranking little and would take most of the time.
 */
export async function readPostings(tx: Tx, wish: PostingsWish): Promise<StoredPostings[]> {
  const before = tx.sql`
    sum(n) over (order by term not like '@p:%', df, term, last_doc desc rows unbounded preceding) - n`;
  return await readWanted(tx, wish, tx.sql`${before} < ${wish.entriesMax}::bigint`);
}

/** @param wanted the condition on a row, over all rows of the terms, by which the recall wants the entries */
async function readWanted(
  tx: Tx,
  { terms, kinds, known }: PostingsWish,
  wanted: ReturnType<Tx["sql"]>,
): Promise<StoredPostings[]> {
  return await tx.sql<StoredPostings[]>`
    with found as (
      select term, kind, sensitivity, n, last_doc, stamp, entries, sum(n) over (partition by term) as df
        from posting
       where workspace_id = ${tx.workspaceId} and term = any(${terms as string[]}::text[])
         and kind = any(${kinds as number[]}::smallint[])
    ), chosen as (
      select term, kind, sensitivity, df, stamp, entries, ${wanted} as wanted from found
    )
    select term, kind, sensitivity, df::float8 as df, wanted, stamp,
           case when wanted and (stamp is null or stamp <> all(${known as string[]}::uuid[])) then entries end as entries
      from chosen`;
}

export interface CorpusSizeRow {
  readonly kind: number;
  readonly docs: number;
  readonly tokens: number;
  readonly groups: number;
}

/** Corpus sizes by kind, as far as the clearance sees. */
export async function readCorpusSizes(tx: Tx, kinds: readonly number[]): Promise<CorpusSizeRow[]> {
  return await tx.sql<CorpusSizeRow[]>`
    select kind, sum(docs)::float8 as docs, sum(tokens)::float8 as tokens, sum(groups)::float8 as groups
      from corpus_size
     where workspace_id = ${tx.workspaceId} and kind = any(${kinds as number[]}::smallint[])
     group by kind`;
}

/** How many deltas of corpus sizes wait to be folded, which is how many writes there were; counted up to `max`. */
export async function countSizeDeltas(tx: Tx, max: number): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int as n from (
      select from corpus_size where workspace_id = ${tx.workspaceId} limit ${max}) as c`;
  return row.n;
}

/** Replaces the deltas by one row for each kind and sensitivity. Deltas that others write in the meantime stay. */
export async function foldCorpusSizes(tx: Tx): Promise<void> {
  await tx.sql`
    with gone as (
      delete from corpus_size where workspace_id = ${tx.workspaceId}
      returning kind, sensitivity, docs, tokens, groups
    )
    insert into corpus_size (workspace_id, kind, sensitivity, docs, tokens, groups)
    select ${tx.workspaceId}, kind, sensitivity, sum(docs), sum(tokens), sum(groups)
      from gone group by kind, sensitivity`;
}

/** A row with fewer entries than this share of a full one is small: it can be joined with others. */
const SMALL_SHARE = 0.5;
/** The least number of small rows of one term, kind and sensitivity that are worth joining. */
const SMALL_ROWS_MIN = 4;

/** Some of the workspace's terms that follow each other. */
export interface Stretch {
  /** Its last term; undefined if no term comes after the given one. */
  readonly end?: string;
  /** Its terms whose small rows are worth joining. */
  readonly scattered: readonly string[];
}

/**
 * Finds the stretch that follows a term: `rows` rows, and the rest of the last term's. It reads no entries, and most terms
 * have too few small rows, so it costs a fraction of what `mergePostings` would.
 */
export async function findStretch(tx: Tx, after: string, rows: number, entriesMax: number): Promise<Stretch> {
  const [row] = await tx.sql<[{ end: string | null; scattered: string[] }]>`
    with stretch as materialized (
      select max(term) as last from (
        select term from posting where workspace_id = ${tx.workspaceId} and term > ${after} order by term limit ${rows}
      ) as p
    )
    select (select last from stretch) as "end",
           array(select distinct term from posting
                  where workspace_id = ${tx.workspaceId} and term > ${after} and term <= (select last from stretch)
                    and n < ${SMALL_SHARE * entriesMax}::int
                  group by term, kind, sensitivity having count(*) >= ${SMALL_ROWS_MIN}::int order by term) as scattered`;
  return { end: row.end ?? undefined, scattered: row.scattered };
}

/**
 * Joins the small rows of some terms into rows of about `entriesMax` entries. The caller holds the postings' lock alone.
 * Returns how many rows this saved.
 */
export async function mergePostings(tx: Tx, terms: readonly string[], entriesMax: number): Promise<number> {
  // The statement deletes whole ranges of rows. Row-level security lets no index look for a sensitivity, so each look-up of a single
  // row reads the index entries of all rows of the term.
  const smallMax = SMALL_SHARE * entriesMax;
  const rows = await tx.sql`
    with small as (
      select term, kind, sensitivity, first_doc, last_doc, n, entries,
             (sum(n) over (partition by term, kind, sensitivity order by first_doc) - n) / ${entriesMax}::int as part,
             count(*) over (partition by term, kind, sensitivity) as rows
        from posting
       where workspace_id = ${tx.workspaceId} and term = any(${terms}::text[]) and n < ${smallMax}::int
    ), merged as (
      select term, kind, sensitivity, min(first_doc) as kept, max(first_doc) as last_first, max(last_doc) as last_doc,
             sum(n)::int as n, string_agg(entries, ''::bytea order by first_doc) as entries
        from small where rows >= ${SMALL_ROWS_MIN}::int
       group by term, kind, sensitivity, part having count(*) > 1
    ), joined as (
      update posting p set last_doc = m.last_doc, n = m.n, entries = m.entries
        from merged m
       where p.workspace_id = ${tx.workspaceId} and p.term = m.term and p.kind = m.kind
         and p.sensitivity = m.sensitivity and p.first_doc = m.kept
    )
    delete from posting p
     using merged m
     where p.workspace_id = ${tx.workspaceId} and p.term = m.term and p.kind = m.kind and p.sensitivity = m.sensitivity
       and p.first_doc > m.kept and p.first_doc <= m.last_first and p.n < ${smallMax}::int`;
  return rows.count;
}
