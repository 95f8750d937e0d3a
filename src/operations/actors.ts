/** Who did something. */
import * as actors from "../domain/access/actors.ts";
import { ActorList, ListActorsQuery } from "../schema/actor.ts";
import { operation } from "./operation.ts";

/** Names actors. */
export const listActors = operation({
  id: "listActors",
  summary: "Read the names of actors",
  description:
    "The names of the keys behind `createdBy`, `changedBy` and the actors of the audit log, revoked keys included. Other actors, such as admins, workers and keys of other workspaces, have no name here.",
  scope: "memory:read",
  query: ListActorsQuery,
  reply: ActorList,
  example: { reply: { data: [{ id: "key:01890000-0000-7000-8000-000000000001", name: "ada-console" }] } },
}, (ctx, { query }) => actors.listActors(ctx, query));
