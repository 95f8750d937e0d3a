/** Names who did something. */
import type { OperationContext } from "../../context.ts";
import { listKeyNames } from "../../db/queries/api_keys.ts";
import type { ActorList, ListActorsQuery } from "../../schema/actor.ts";

const KEY = /^key:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Finds the names of actors; those that are no keys of the workspace have none. */
export async function listActors(ctx: OperationContext, { id: ids }: ListActorsQuery): Promise<ActorList> {
  const keyIds = ids.flatMap((id) => KEY.exec(id)?.[1] ?? []);
  const names = await ctx.tx((tx) => listKeyNames(tx, keyIds), { readOnly: true });
  return { data: ids.map((id) => ({ id, name: names.get(KEY.exec(id)?.[1] ?? "") ?? null })) };
}
