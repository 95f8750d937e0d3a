/** Contradictions between what is shown here and what other instances say. */
import * as conflicts from "../domain/federation/conflicts.ts";
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
      "Versions of other instances that contradict what is shown here. Both versions are recalled as contested, one review and one task ask a person about each.",
    scope: "federation",
    changes: false,
    query: ListFederationConflictsQuery,
    reply: FederationConflictPage,
  },
  (ctx, { query }) => conflicts.listFederationConflicts(ctx, query),
);

export const resolveFederationConflict = operation(
  {
    id: "resolveFederationConflict",
    summary: "Settle a contradiction with other instances",
    description:
      "By two versions (`itemA`, `itemB`), of which the last one wins, or by claims (`items`), about which the weights vote that are configured here. What counts is what is on record here; claims that differ from it are listed as ignored. What is decided is published, and ends the contradiction on the other instances too. Needs `memory:admin` besides.",
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
  (ctx, { body }) => conflicts.resolveFederationConflict(ctx, body),
);
