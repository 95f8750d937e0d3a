/** Reads relations: one, lists, the verbs. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import { listRelations as queryRelations } from "../../db/queries/relation_lists.ts";
import { findRelations, findSurvivors, type RelationRow } from "../../db/queries/relations.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import {
  type ListRelationsQuery,
  type ListVerbsQuery,
  type Relation,
  type RelationVerbList,
  type Verb,
  VERB_NAMES,
  VERBS,
} from "../../schema/relation.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { toRelation } from "../unit/relation_fields.ts";

const READ_ONLY = { readOnly: true };

const isVerb = (key: unknown): key is Verb => VERB_NAMES.some((verb) => verb === key);

/** Lists the nine verbs with their meaning. @throws ServiceError `validation_failed` for the cursor of another list */
export async function listVerbs({ limit, order, cursor }: ListVerbsQuery): Promise<RelationVerbList> {
  const after = decodeCursor("relation verbs", order, cursor, isVerb);
  const all = order === "asc" ? VERB_NAMES : VERB_NAMES.toReversed();
  const rest = after === undefined ? all : all.slice(all.indexOf(after) + 1);
  return await Promise.resolve(
    toPage(
      rest,
      limit,
      (verb) => ({ verb, ...VERBS[verb] }),
      (verb) => encodeCursor("relation verbs", order, verb),
    ),
  );
}

/** @throws ServiceError `not_found` */
export async function getRelation(ctx: OperationContext, id: string): Promise<Relation> {
  return await ctx.tx(async (tx) => toRelation(await requireRelation(tx, id)), READ_ONLY);
}

/** @throws ServiceError `not_found` */
export async function requireRelation(tx: Tx, id: string, options: { lock?: boolean } = {}): Promise<RelationRow> {
  const [row] = await findRelations(tx, [id], options);
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the relation");
  return row;
}

/** Lists relations by creation, the newest first unless the caller asks otherwise. */
export async function listRelations(ctx: OperationContext, query: ListRelationsQuery): Promise<Page<Relation>> {
  const { limit, order, id, sourceId, targetId, verb, status, asOf } = query;
  const { stale, minTrust, minWeight, tags, tagsMatch } = query;
  const after = decodeCursor("relations", order, query.cursor, isId);
  return await ctx.tx(async (tx) => {
    const ends = [id, sourceId, targetId].filter((end) => end !== undefined);
    const survivors = ends.length === 0 ? new Map<string, string>() : await findSurvivors(tx, ends);
    const survivor = (end: string | undefined) => end === undefined ? undefined : survivors.get(end) ?? end;
    const rows = await queryRelations(tx, {
      ...{ stale, minTrust, minWeight, tags, tagsMatch, order, after, verbs: verb, statuses: status },
      nodeId: survivor(id),
      sourceId: survivor(sourceId),
      targetId: survivor(targetId),
      asOf: asOf === undefined ? undefined : new Date(asOf),
      limit: limit + 1,
    });
    return toPage(rows, limit, toRelation, (row) => encodeCursor("relations", order, row.id));
  }, { readOnly: true, fromReplica: true });
}
