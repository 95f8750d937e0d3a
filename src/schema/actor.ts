/** Who did something, as `createdBy`, `changedBy` and the audit log say, with the name that people gave. */
import { z } from "zod";
import { repeated } from "./common.ts";

const ACTORS_MAX = 100;
const ActorId = z.string().min(1).max(200);

export const Actor = z.strictObject({
  id: ActorId,
  name: z.string().nullable().meta({ description: "Null: it is no key of this workspace" }),
}).meta({ id: "Actor" });
export type Actor = z.infer<typeof Actor>;

export const ListActorsQuery = z.strictObject({
  id: repeated(ActorId, ACTORS_MAX).meta({
    description: `Actors such as \`key:<id>\`; may be repeated, up to ${ACTORS_MAX} times`,
  }),
});
export type ListActorsQuery = z.infer<typeof ListActorsQuery>;

export const ActorList = z.strictObject({
  data: z.array(Actor).meta({ description: "In the order of the query" }),
}).meta({ id: "ActorList", description: "The actors with their names" });
export type ActorList = z.infer<typeof ActorList>;
