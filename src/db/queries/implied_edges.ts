/**
 * Edges that nobody wrote as relations: they follow from what units say about each other. Each is shown as the relation
 * to which it is equivalent, from its source to its target. In every type that has such a state, a body names the
 * superseded unit as `supersedes`, and the superseding one as `supersededBy`.
 */
import type { Tx } from "../tx.ts";
import { findMentioning, isMentioning } from "./mention_condition.ts";

/** The bases from which edges follow, each with the verb to which it is equivalent. */
export const BASES = {
  mention: "about",
  derivedFrom: "derived_from",
  evidence: "supports",
  supersededBy: "supersedes",
} as const;
export type Basis = keyof typeof BASES;

export interface ImpliedRow {
  readonly basis: Basis;
  readonly sourceId: string;
  readonly targetId: string;
}

/**
 * Edges between units of a set. The set may have a thousand; a unit names at most a hundred others in each way.
 */
export async function listImpliedAmong(
  tx: Tx,
  ids: readonly string[],
  options: { readonly bases: readonly Basis[]; readonly limit: number },
): Promise<ImpliedRow[]> {
  const { sql } = tx;
  const set = sql`${ids as string[]}::uuid[]`;
  return await sql<ImpliedRow[]>`
    select e.basis, e."sourceId", e."targetId" from (
      select 'mention' as basis, u.id as "sourceId", m.id as "targetId"
        from unit u cross join lateral unnest(u.entity_ids) as m(id)
       where u.workspace_id = ${tx.workspaceId} and u.id = any(${set}) and m.id = any(${set})
      union all
      select case s.kind when 'evidence' then 'evidence' else 'derivedFrom' end,
             case s.kind when 'evidence' then s.source_id else s.unit_id end,
             case s.kind when 'evidence' then s.unit_id else s.source_id end
        from unit_source s
       where s.workspace_id = ${tx.workspaceId} and s.unit_id = any(${set}) and s.source_id = any(${set})
      union all
      select 'supersededBy', (u.body ->> 'supersededBy')::uuid, u.id from unit u
       where u.workspace_id = ${tx.workspaceId} and u.id = any(${set})
         and (u.body ->> 'supersededBy')::uuid = any(${set})
    ) e
     where e.basis = any(${options.bases as string[]}::text[]) and e."sourceId" <> e."targetId"
     order by 1, 2, 3 limit ${options.limit}`;
}

/** The units that mention an entity, the first ones in the order of their ids; none if `id` is no entity's. */
async function listMentioning(tx: Tx, id: string, after: string | undefined, limit: number): Promise<string[]> {
  const { sql } = tx;
  const mentioning = await findMentioning(tx, id);
  const rows = await sql<{ id: string }[]>`
    select u.id from unit u
     where u.workspace_id = ${tx.workspaceId} and u.status <> 'archived' and u.id <> ${id}
       and ${isMentioning(tx, mentioning, sql`u.doc_no`)}
       ${after === undefined ? sql`` : sql`and u.id > ${after}`}
     order by u.id limit ${limit}`;
  return rows.map((row) => row.id);
}

/** An edge of one unit, in the order of its list: its position in the list, and the unit at its other end. */
export interface ImpliedEdge extends ImpliedRow {
  readonly otherId: string;
}

export interface ImpliedWindow {
  readonly bases: readonly Basis[];
  readonly direction: "out" | "in" | "both";
  /** The last edge of the page before. */
  readonly after: { readonly place: number; readonly otherId: string } | undefined;
  readonly limit: number;
}

/** The position of an edge in the list of a unit's edges. */
export function placeOf({ basis, sourceId }: ImpliedRow, unitId: string): number {
  return PLACES.indexOf(`${basis} ${sourceId === unitId ? "out" : "in"}`);
}
const PLACES = ["mention", "derivedFrom", "evidence", "supersededBy"].flatMap((
  basis,
) => [`${basis} out`, `${basis} in`]);
const MENTIONED = PLACES.indexOf("mention in");

/**
 * Edges of one unit to units that are visible and not archived, ordered by their basis and by the id of the other
 * unit.
 */
export async function listImplied(tx: Tx, id: string, window: ImpliedWindow): Promise<ImpliedEdge[]> {
  const { sql } = tx;
  const { after, direction, limit } = window;
  const ws = tx.workspaceId;
  const way = direction === "both" ? ["out", "in"] : [direction];
  const places = PLACES.flatMap((name, place) => {
    const [basis, own] = name.split(" ") as [Basis, string];
    return window.bases.includes(basis) && way.includes(own) ? [place] : [];
  });
  const mentioning = places.includes(MENTIONED) && (after === undefined || after.place <= MENTIONED)
    ? await listMentioning(tx, id, after?.place === MENTIONED ? after.otherId : undefined, limit)
    : [];
  const rows = await sql<{ place: number; otherId: string }[]>`
    select e.place, e.other as "otherId" from (
      select 0 as place, m.id as other
        from unit u cross join lateral unnest(u.entity_ids) as m(id) where u.workspace_id = ${ws} and u.id = ${id}
      union
      select ${MENTIONED}::int, t.id from unnest(${mentioning}::uuid[]) as t(id)
      union
      select case s.kind when 'evidence' then 5 else 2 end, s.source_id from unit_source s
       where s.workspace_id = ${ws} and s.unit_id = ${id}
      union
      select case s.kind when 'evidence' then 4 else 3 end, s.unit_id from unit_source s
       where s.workspace_id = ${ws} and s.source_id = ${id}
      union
      select 7, (u.body ->> 'supersededBy')::uuid from unit u
       where u.workspace_id = ${ws} and u.id = ${id}
      union
      select 6, (u.body ->> 'supersedes')::uuid from unit u
       where u.workspace_id = ${ws} and u.id = ${id}
    ) e
      join unit n on n.workspace_id = ${ws} and n.id = e.other and n.status <> 'archived'
     where e.other <> ${id} and e.place = any(${places}::int[])
       ${after === undefined ? sql`` : sql`and (e.place, e.other) > (${after.place}, ${after.otherId}::uuid)`}
     order by e.place, e.other limit ${limit}`;
  return rows.map(({ place, otherId }) => {
    const [basis, own] = PLACES[place]!.split(" ") as [Basis, string];
    return { basis, otherId, sourceId: own === "out" ? id : otherId, targetId: own === "out" ? otherId : id };
  });
}
