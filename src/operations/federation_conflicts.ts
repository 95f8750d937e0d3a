/** Operations on conflicts: versions of other instances that contradict the version shown here. */
import * as listing from "../domain/federation/applying/list_conflicts.ts";
import * as resolving from "../domain/federation/applying/resolve_conflict.ts";
import {
  FederationConflictPage,
  ListFederationConflictsQuery,
  ResolveFederationBody,
  ResolveFederationReply,
} from "../schema/federation_conflict.ts";
import { operation } from "./operation.ts";

export const listFederationConflicts = operation(
  {
    id: "listFederationConflicts",
    summary: "List contradictions with other instances",
    description:
      "Conflicts: versions of other instances that contradict the version shown here. Recall shows both versions as contested; for each conflict one review and one task ask a person to decide.",
    scope: "federation",
    changes: false,
    query: ListFederationConflictsQuery,
    reply: FederationConflictPage,
  },
  (ctx, { query }) => listing.listFederationConflicts(ctx, query),
);

export const resolveFederationConflict = operation(
  {
    id: "resolveFederationConflict",
    summary: "Settle a contradiction with other instances",
    description:
      "The body names either two versions (`itemA`, `itemB`), of which the later one wins, or claims (`items`), on which the instances vote with the weights that are configured here. Only versions on record here count; claims that differ from the record are listed as ignored. The decision is published and ends the contradiction on the other instances too. Also needs the scope `memory:admin`.",
    scope: "federation",
    body: ResolveFederationBody,
    reply: ResolveFederationReply,
    errors: ["not_found", "conflict"],
    example: {
      body: {
        itemA: { id: "01990000-0000-7000-8000-0000000000f1", instance: "instance:a.example" },
        itemB: { id: "01990000-0000-7000-8000-0000000000f1", instance: "instance:b.example" },
      },
    },
  },
  (ctx, { body }) => resolving.resolveFederationConflict(ctx, body),
);
