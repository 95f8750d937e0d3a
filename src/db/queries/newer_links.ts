/**
 * Links from statements to newer ones about the same matter. A statement is a fact or what a user says in a turn.
 * `(select $1)` hides a value from the planner, as in `similar_texts.ts`.
 */
import type { Sensitivity } from "../../schema/common.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import { formatVector } from "./embeddings.ts";
import type { Tx } from "../tx.ts";

/** Rows of postings that are looked at for one word and kind, the latest first. */
const ROWS_MAX = 24;

/** A word that texts hold, with the latest of these texts. */
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
  { sensitivity, dfMax, entriesMax }: {
    readonly sensitivity: Sensitivity;
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
            and sensitivity <= (select ${sensitivity}::sensitivity)
          order by sensitivity desc, first_doc desc limit ${ROWS_MAX}) p
    )
    select term, df::float8 as df, entries
      from (select *, sum(n) over (order by df, term, first_doc desc, kind rows unbounded preceding) - n as before
              from found where df <= ${dfMax}::int) f
     where before < ${entriesMax}::int`;
}

/** A statement that was just stored. */
export interface NewStatement {
  readonly id: string;
  readonly isTurn: boolean;
  /** When it began to hold, or was said. */
  readonly at: Date;
  /** Who said it: a turn's `name`. */
  readonly speaker: string | null;
  /** The sessions that it comes from, and the turns that it cites, as `session/message`. */
  readonly sessions: readonly string[];
  readonly cited: readonly string[];
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
  /** Most links of one new statement to statements of one kind. */
  readonly most: number;
  readonly strengthMin: number;
  /** Counts for the cosine where there is none. */
  readonly withoutVector: number;
  /** Statements of one session that are nearer to each other in time are one conversation, and are not linked. */
  readonly pauseMs: number;
}

/**
 * Links new statements to stored facts, or to stored turns of users, that share words with them and are near in meaning. The
 * one that began to hold later is the newer one, whichever was stored first; of two at the same time neither is.
 * @param models the models whose vectors can be compared with the statements'; all these have one sensitivity
 */
export async function linkStatements(
  tx: Tx,
  side: "unit" | "turn",
  statements: readonly NewStatement[],
  shared: readonly SharedWords[],
  { models, sensitivity }: { readonly models: readonly string[]; readonly sensitivity: Sensitivity },
  { most, strengthMin, withoutVector, pauseMs }: LinkLimits,
): Promise<void> {
  const { sql } = tx;
  const rows = statements.map(({ id, isTurn, at, speaker, sessions, cited, vector }, of) => ({
    ...{ of, id, is_turn: isTurn, at, speaker, sessions, cited },
    vector: vector && formatVector(vector),
  }));
  const live = [...LIVE_STATUSES];
  const known = side === "unit"
    ? sql`
      select u.id, u.sensitivity, coalesce(u.valid_from, u.occurred_at, u.recorded_at) as at, null::text as speaker,
             jsonb_path_query_array(u.body, '$.citations[*].sessionId') as sessions, null::text as place
        from unit u where u.workspace_id = (select ${tx.workspaceId}::uuid) and u.doc_no = s.doc_no and u.type = 'fact'
         and u.status = any(${live}::text[])`
    : sql`
      select t.id, t.sensitivity, t.occurred_at as at, t.name as speaker, jsonb_build_array(t.session_id) as sessions,
             t.session_id::text || '/' || t.message_id as place
        from turn t where t.workspace_id = (select ${tx.workspaceId}::uuid) and t.doc_no = s.doc_no and t.role = 'user'
         and t.erased_at is null`;
  await sql`
    with scored as (
      select n.id, n.is_turn, k.id as other, k.sensitivity as of_other, k.at < n.at as is_newer, s.share + coalesce(e.cosine, ${withoutVector}::real) as strength
        from unnest(${shared.map(({ of }) => of)}::int[], ${shared.map(({ docNo }) => docNo)}::bigint[],
                    ${shared.map(({ share }) => share)}::real[]) as s(of, doc_no, share)
        join jsonb_to_recordset(${sql.json(rows as never)}) as n(
               of int, id uuid, is_turn boolean, at timestamptz, speaker text, sessions text[], cited text[], vector text)
          on n.of = s.of
       cross join lateral (${known}) k
        left join lateral (
          select (1 - (v.vector <=> n.vector::vector))::real as cosine from embedding v
           where n.vector is not null and v.workspace_id = (select ${tx.workspaceId}::uuid) and v.doc_no = s.doc_no
             and v.model = any(${models as string[]}::text[])) e on true
       where k.id <> n.id and k.at <> n.at
         and (k.speaker is null or n.speaker is null or k.speaker = n.speaker)
         and (k.place is null or k.place <> all(n.cited))
         and not (k.sessions ?| n.sessions
                  and abs(extract(epoch from k.at - n.at)) * 1000 < ${pauseMs}::float8)
    ), best as (
      select *, row_number() over (partition by id order by strength desc, other desc) as place
        from scored where strength >= ${strengthMin}::real
    ), held as materialized (
      select id from ${sql.unsafe(side)}
       where workspace_id = (select ${tx.workspaceId}::uuid) and id in (select other from best where place <= ${most})
       order by id for key share
    )
    insert into newer_link (workspace_id, older_unit, older_turn, newer_unit, newer_turn, strength, sensitivity)
    select ${tx.workspaceId},
           case when is_newer then other_unit else own_unit end, case when is_newer then other_turn else own_turn end,
           case when is_newer then own_unit else other_unit end, case when is_newer then own_turn else other_turn end,
           strength, case when is_newer then ${sensitivity}::sensitivity else of_other end
      from (select case when not b.is_turn then b.id end as own_unit, case when b.is_turn then b.id end as own_turn,
                   ${side === "unit" ? sql`b.other` : sql`null::uuid`} as other_unit,
                   ${side === "unit" ? sql`null::uuid` : sql`b.other`} as other_turn, b.is_newer, b.strength, b.of_other
              from best b join held h on h.id = b.other
             where b.place <= ${most}::int) as l`;
}

/** The most newer statements of one that are followed, the latest told first, and the most steps from one to the next. */
export const NEWER_MAX = 8, STEPS_MAX = 4;

/** A link from a statement to a newer one, with the number of the newer one's text. */
export interface NewerLink {
  readonly olderId: string;
  readonly newerId: string;
  readonly newerNo: number;
  readonly isTurn: boolean;
  readonly strength: number;
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
    next = [...new Set(found.map(({ newerId }) => newerId))].filter((id) => !seen.has(id));
  }
  return { links, turns };
}

async function readLinksOf(tx: Tx, ids: readonly string[]): Promise<NewerLink[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<NewerLink[]>`
    select o.id as "olderId", coalesce(u.id, t.id) as "newerId", coalesce(u.doc_no, t.doc_no)::float8 as "newerNo",
           t.id is not null as "isTurn", l.strength::text::float8 as strength
      from unnest(${ids as string[]}::uuid[]) as o(id)
     cross join lateral (
       (select id, newer_unit, newer_turn, strength from newer_link
         where workspace_id = ${ws} and older_unit = o.id order by id desc limit ${NEWER_MAX})
       union all
       (select id, newer_unit, newer_turn, strength from newer_link
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
