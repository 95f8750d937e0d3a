/**
 * Links from statements to newer ones about the same matter. A statement is a fact or what a user says in a turn.
 * `(select $1)` hides a value from the planner, as in `similar_texts.ts`.
 */
import type { Sensitivity } from "../../schema/common.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import { formatVector } from "./embeddings.ts";
import type { Tx } from "../tx.ts";

/** How much a share of words counts in the strength of a link, beside a cosine. */
export const WORDS_WEIGHT = 0.4;
/** Rows of postings that are looked at for one word and kind, the latest first. */
const ROWS_MAX = 24;

/**
 * From this many statements on, their links are planned anew: a plan that is kept from the time when the tables were empty
 * reads the workspace for each candidate.
 */
const BATCH_MIN = 64;

/** A word that texts hold, with the latest of these texts, in no order. */
export interface RarePostings {
  readonly term: string;
  /** How many texts hold it, as far as they were looked at. */
  readonly df: number;
  readonly entries: Uint8Array;
}

/**
 * Reads the postings of the rarest of some words, up to a sensitivity, until there are `entriesMax` entries; none of a word
 * that more than `dfMax` texts hold.
 */
export async function readRarePostings(
  tx: Tx,
  terms: readonly string[],
  kinds: readonly number[],
  { sensitivity, dfMax, entriesMax, upTo = Number.MAX_SAFE_INTEGER }: {
    readonly sensitivity: Sensitivity;
    /** Texts beyond this number are not wanted; default: all are. */
    readonly upTo?: number | undefined;
    readonly dfMax: number;
    readonly entriesMax: number;
  },
): Promise<RarePostings[]> {
  return await tx.sql<RarePostings[]>`
    with found as (
      select t.term, k.kind, p.n, p.first_doc, p.entries, sum(p.n) over (partition by t.term) as df
        from unnest((select ${terms as string[]}::text[])) as t(term)
       cross join unnest((select ${kinds as number[]}::smallint[])) as k(kind)
       cross join lateral (
         select n, first_doc, entries from posting
          where workspace_id = (select ${tx.workspaceId}::uuid) and term = t.term and kind = k.kind
            and sensitivity <= (select ${sensitivity}::sensitivity) and first_doc <= (select ${upTo}::bigint)
          order by sensitivity desc, first_doc desc limit ${tx.sql.unsafe(String(ROWS_MAX))}) p
    )
    select term, df::float8 as df, string_agg(entries, ''::bytea) as entries
      from (select *, sum(n) over (order by df, term, first_doc desc, kind rows unbounded preceding) - n as before
              from found where df <= ${tx.sql.unsafe(String(dfMax))}) f
     where before < (select ${entriesMax}::int)
     group by term, df`;
}

/** A statement that was just stored. */
export interface NewStatement {
  readonly id: string;
  readonly docNo: number;
  readonly isTurn: boolean;
  /** When it began to hold, or was said. */
  readonly at: Date;
  /** Who said it: a turn's `name`. */
  readonly speaker: string | null;
  /** The session of a turn. */
  readonly sessionId: string | null;
  /** Null: it is compared by words alone. */
  readonly vector: Float32Array | null;
}

/** An earlier stored statement with which a new one shares words. */
export interface SharedWords {
  /** The place of the new statement in its list. */
  readonly of: number;
  readonly docNo: number;
  /** How much they share; see `shareOf` in `domain/unit/newer.ts`. */
  readonly share: number;
}

export interface LinkLimits {
  /** Most links of one new statement. */
  readonly most: number;
  readonly strengthMin: number;
  /** What counts for the cosine where there is none. */
  readonly withoutVector: number;
  /** The latest texts of a model whose vectors are compared, and how many of the nearest are candidates. */
  readonly window: number;
  readonly nearest: number;
  /** Statements of one session that are nearer to each other in time are one conversation, and are not linked. */
  readonly pauseMs: number;
}

/**
 * Links are numbered in the order in which they were told. Those of earlier texts, made later, have numbers below 0: less
 * than this many texts, each of at most 8 links.
 */
const STORED_BELOW = 2 ** 40;

/** The number below which the links of texts below a number lie. */
export function storedLinksBelow(docNo: number): number {
  return (docNo - STORED_BELOW) * 8;
}

/**
 * Links new statements to stored facts that cite no turn of a session, or to stored turns of users, that share words with
 * them or, of the latest, are near in meaning. The
 * one that began to hold later is the newer one, whichever was stored first; of two at the same time neither is.
 * @param models the models whose vectors can be compared with the statements'; all these have one sensitivity
 */
export async function linkStatements(
  tx: Tx,
  statements: readonly NewStatement[],
  shared: readonly SharedWords[],
  { models, sensitivity, areStored }: {
    readonly models: readonly string[];
    readonly sensitivity: Sensitivity;
    /** The statements were stored before; each is linked only to statements that were stored before it. */
    readonly areStored: boolean;
  },
  { most, strengthMin, withoutVector, window, nearest, pauseMs }: LinkLimits,
): Promise<void> {
  const { sql } = tx;
  const upTo = Math.max(...statements.map(({ docNo }) => docNo));
  const live = [...LIVE_STATUSES];
  const insert = sql`
    with told as materialized (
      select (r.place - 1)::int as of, r.id, r.doc_no, r.is_turn, r.at, r.speaker, r.session_id, r.vector::vector as vector
        from unnest((select ${statements.map(({ id }) => id)}::uuid[]),
                    (select ${statements.map(({ docNo }) => docNo)}::bigint[]),
                    (select ${statements.map(({ isTurn }) => `${isTurn}`)}::boolean[]),
                    (select ${statements.map(({ at }) => at.toISOString())}::timestamptz[]),
                    (select ${statements.map(({ speaker }) => speaker)}::text[]),
                    (select ${statements.map(({ sessionId }) => sessionId)}::uuid[]),
                    (select ${statements.map(({ vector }) => vector && formatVector(vector))}::text[]))
               with ordinality as r(id, doc_no, is_turn, at, speaker, session_id, vector, place)
    ), latest as ${sql.unsafe(statements.length > 1 ? "materialized" : "not materialized")} (
      -- The order by the model, of which there is one, has the latest read by \`embedding_model_latest\`: in the order of
      -- their numbers alone, all of the workspace would be read where a model has made few.
      select l.doc_no, l.vector
        from unnest((select ${models as string[]}::text[])) as m(model)
       cross join lateral (
         select doc_no, vector from embedding
          where workspace_id = (select ${tx.workspaceId}::uuid) and model between m.model and m.model
            and sensitivity <= (select ${sensitivity}::sensitivity) and doc_no < (select ${upTo}::bigint)
          order by model, doc_no desc limit ${sql.unsafe(String(window))}) l
    ), candidate as materialized (
      select of, doc_no, max(share) as share, max(cosine) as cosine from (
        select s.of, s.doc_no, s.share, (1 - (v.vector <=> n.vector))::real as cosine
          from unnest((select ${shared.map(({ of }) => of)}::int[]), (select ${
    shared.map(({ docNo }) => docNo)
  }::bigint[]),
                      (select ${shared.map(({ share }) => share)}::real[])) as s(of, doc_no, share)
          join told n on n.of = s.of
          left join lateral (
            select e.vector from embedding e
             where e.workspace_id = (select ${tx.workspaceId}::uuid) and e.doc_no = s.doc_no and n.vector is not null
               and e.model = any((select ${models as string[]}::text[])::text[]) offset 0) v on true
        union all
        select n.of, near.doc_no, 0, near.cosine
          from told n cross join lateral (
            select doc_no, (1 - (latest.vector <=> n.vector))::real as cosine from latest
             where n.vector is not null and latest.doc_no < n.doc_no order by 2 desc limit ${
    sql.unsafe(String(nearest))
  }) near) c
       group by of, doc_no
    ), text as materialized (
      -- The statements of a batch have many candidates in common.
      select distinct doc_no from candidate
    ), known as (
      select c.of, c.share, c.cosine, k.* from candidate c join (
        select d.doc_no, u.id, false as is_turn, u.sensitivity, coalesce(u.valid_from, u.occurred_at, u.recorded_at) as at,
               null::text as speaker, null::uuid as session_id
          from text d
         cross join lateral (
           select * from unit where workspace_id = (select ${tx.workspaceId}::uuid) and doc_no = d.doc_no offset 0) u
         where u.type = 'fact' and u.status = any((select ${live}::text[])::text[])
           and not jsonb_path_exists(u.body, '$.citations[*].sessionId')
        union all
        select d.doc_no, t.id, true, t.sensitivity, t.occurred_at, t.name, t.session_id
          from text d
         cross join lateral (
           select * from turn where workspace_id = (select ${tx.workspaceId}::uuid) and doc_no = d.doc_no offset 0) t
         where t.role = 'user' and t.erased_at is null) k on k.doc_no = c.doc_no
    ), scored as (
      select n.id, n.doc_no, n.is_turn, k.share, k.id as other, k.is_turn as is_other_turn, k.sensitivity as of_other, k.at < n.at as is_newer,
             ${sql.unsafe(String(WORDS_WEIGHT))}::real * k.share + coalesce(k.cosine, ${
    sql.unsafe(String(withoutVector))
  }::real) as strength
        from known k join told n on n.of = k.of
       where k.id <> n.id and k.at <> n.at
         and (k.speaker is null or n.speaker is null or k.speaker = n.speaker)
         and not (k.session_id is not distinct from n.session_id and k.session_id is not null
                  and abs(extract(epoch from k.at - n.at)) * 1000 < ${sql.unsafe(String(pauseMs))}::float8)
    ), best as (
      select * from (
        select *, row_number() over (partition by id order by strength desc, other desc) as rank
          from scored where strength >= ${sql.unsafe(String(strengthMin))}::real) r
       where rank <= ${sql.unsafe(String(most))}
    ), held_units as materialized (
      select id from unit
       where workspace_id = (select ${tx.workspaceId}::uuid) and id = any(array(select distinct other from best where not is_other_turn))
       order by id for key share
    ), held_turns as materialized (
      select id from turn
       where workspace_id = (select ${tx.workspaceId}::uuid) and id = any(array(select distinct other from best where is_other_turn))
       order by id for key share
    ), link as (
      select case when is_newer then other else id end as older,
             case when is_newer then is_other_turn else is_turn end as older_is_turn,
             case when is_newer then id else other end as newer,
             case when is_newer then is_turn else is_other_turn end as newer_is_turn, strength, share,
             case when is_newer then (select ${sensitivity}::sensitivity) else of_other end as sensitivity,
             (doc_no - ${sql.unsafe(String(STORED_BELOW))}) * 8 + 8 - rank as stored_id
        from best
       -- So it is a look-up in a table of hashes and no join, which Postgres makes row by row as it expects few.
       where (other in (select id from held_units union all select id from held_turns)) is true
    )
    insert into newer_link (
      ${areStored ? sql`id, ` : sql``}
      workspace_id, older_unit, older_turn, newer_unit, newer_turn, strength, words, sensitivity)
      ${areStored ? sql`overriding system value` : sql``}
    select ${areStored ? sql`stored_id, ` : sql``}
           ${tx.workspaceId}, case when not older_is_turn then older end, case when older_is_turn then older end,
           case when not newer_is_turn then newer end, case when newer_is_turn then newer end, strength, share, sensitivity
      from link
        on conflict do nothing`;
  if (statements.length >= BATCH_MIN) planAnew(insert);
  await insert;
}

/** Has Postgres make a plan for this run alone. */
function planAnew(query: unknown): void {
  (query as { readonly options: { prepare?: boolean } }).options.prepare = false;
}

/** The most newer statements of one that are followed, the latest told first, and the most steps from one to the next. */
export const NEWER_MAX = 16, STEPS_MAX = 4;
/** Only a link of this strength is followed on to the next one: correction upon correction. */
export const SURE_MIN = 0.55;

/** A link from a statement to a newer one, with the number of the newer one's text. */
export interface NewerLink {
  readonly olderId: string;
  readonly newerId: string;
  readonly newerNo: number;
  readonly isTurn: boolean;
  readonly strength: number;
  /** How much of rare words both have in common. */
  readonly words: number;
}

/** A place in a session. */
export interface CitedPlace {
  readonly sessionId: string;
  readonly messageId: string;
}

/**
 * The links from statements to newer ones, and on from those, as far as the reader sees the newer ones. Of a fact that
 * cites turns, also those of the turns; `olderId` is then the turn's.
 */
export async function readNewerLinks(
  tx: Tx,
  ids: readonly string[],
  cited: readonly CitedPlace[],
): Promise<
  { readonly links: readonly NewerLink[]; readonly turns: readonly (CitedPlace & { readonly id: string })[] }
> {
  const { sql, workspaceId: ws } = tx;
  const turns = cited.length === 0 ? [] : await sql<(CitedPlace & { id: string })[]>`
    select t.id, t.session_id as "sessionId", t.message_id as "messageId"
      from unnest(${cited.map(({ sessionId }) => sessionId)}::uuid[], ${
    cited.map(({ messageId }) => messageId)
  }::text[])
             as c(session_id, message_id)
      join turn t on t.workspace_id = ${ws} and t.session_id = c.session_id and t.message_id = c.message_id`;
  const links: NewerLink[] = [];
  const seen = new Set<string>();
  let next = [...ids, ...turns.map(({ id }) => id)];
  for (let step = 0; step < STEPS_MAX && next.length > 0; step++) {
    for (const id of next) seen.add(id);
    const found = await readLinksOf(tx, next);
    links.push(...found);
    const sure = found.filter(({ strength }) => strength >= SURE_MIN);
    next = [...new Set(sure.map(({ newerId }) => newerId))].filter((id) => !seen.has(id));
  }
  return { links, turns };
}

async function readLinksOf(tx: Tx, ids: readonly string[]): Promise<NewerLink[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<NewerLink[]>`
    select o.id as "olderId", coalesce(u.id, t.id) as "newerId", coalesce(u.doc_no, t.doc_no)::float8 as "newerNo",
           t.id is not null as "isTurn", l.strength::text::float8 as strength, l.words::text::float8 as words
      from unnest(${ids as string[]}::uuid[]) as o(id)
     cross join lateral (
       (select id, newer_unit, newer_turn, strength, words from newer_link
         where workspace_id = ${ws} and older_unit = o.id order by id desc limit ${NEWER_MAX})
       union all
       (select id, newer_unit, newer_turn, strength, words from newer_link
         where workspace_id = ${ws} and older_turn = o.id order by id desc limit ${NEWER_MAX})) l
      left join unit u on u.workspace_id = ${ws} and u.id = l.newer_unit
      left join turn t on t.workspace_id = ${ws} and t.id = l.newer_turn
     where u.id is not null or t.id is not null`;
}

/** Takes away all links of some units or turns, because they no longer say what they said. */
export async function deleteNewerLinks(tx: Tx, side: "unit" | "turn", ids: readonly string[]): Promise<void> {
  const [older, newer] = [tx.sql.unsafe(`older_${side}`), tx.sql.unsafe(`newer_${side}`)];
  await tx.sql`
    delete from newer_link
     where workspace_id = ${tx.workspaceId} and id in (
       select id from newer_link where workspace_id = ${tx.workspaceId} and ${older} = any(${ids as string[]}::uuid[])
       union all
       select id from newer_link where workspace_id = ${tx.workspaceId} and ${newer} = any(${ids as string[]}::uuid[]))`;
}

/** Follows a unit to another sensitivity. */
export async function reclassifyNewerLinks(tx: Tx, unitId: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update newer_link set sensitivity = ${to} where workspace_id = ${tx.workspaceId} and newer_unit = ${unitId}`;
}
