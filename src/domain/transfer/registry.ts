/**
 * The kinds of lines in an export, which together cover everything that a workspace holds, in the order of a file. A test
 * compares the list with the tables of the database, so that no table is forgotten.
 */
import { TRANSFER_KINDS, type TransferKind } from "../../schema/transfer.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import { REGISTRY } from "../kinds/registry.ts";
import { EVENTS, TASK_DEPENDENCIES, TASKS } from "./activity.ts";
import type { AnyLineKind } from "./line_kind.ts";
import { LEARNT } from "./learnt.ts";
import { DELETIONS, REVIEW_ITEMS } from "./records.ts";
import { RELATIONS } from "./relations.ts";
import { SESSIONS, TURNS } from "./sessions.ts";
import { unitKind } from "./units.ts";

const LISTED: readonly AnyLineKind[] = [
  DELETIONS,
  SESSIONS,
  TURNS,
  ...UNIT_TYPES.map((type) => unitKind({ type: REGISTRY[type].type, ...REGISTRY[type].transfer })),
  RELATIONS,
  TASKS,
  TASK_DEPENDENCIES,
  EVENTS,
  REVIEW_ITEMS,
  ...LEARNT,
];

/** All kinds of lines, in the order of a file. */
export const LINE_KINDS: ReadonlyMap<TransferKind, AnyLineKind> = new Map(
  LISTED.map((kind) => [kind.kind, kind] as const).sort(([a], [b]) =>
    TRANSFER_KINDS.indexOf(a) - TRANSFER_KINDS.indexOf(b)
  ),
);

/** Tables that are not exported, each with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  api_key: "secrets: keys belong to the service that made them",
  api_key_former_secret: "secrets: keys belong to the service that made them",
  change: "the record of this service's own changes; an import writes its own",
  console_admin_session: "administration of this service",
  console_session: "secrets, for half a day",
  corpus_size: "the recall index, made anew",
  dependant_pass: "a queue",
  embedding: "the recall index, made anew with the importing service's model",
  embedding_pending: "a queue",
  entity_block: "follows from the entities",
  entity_merge: "follows from the entities; what undoes a merge stays with the service that made it",
  entity_name: "follows from the entities",
  federation_invite: "secrets, for a day",
  federation_peer: "secrets and addresses of this service",
  federation_conflict: "the record of this service's own exchange with its peers",
  federation_cursor: "the record of this service's own exchange with its peers",
  federation_erasure: "the record of this service's own exchange with its peers",
  federation_item: "the record of this service's own exchange with its peers",
  federation_remote_fact: "the record of this service's own exchange with its peers",
  federation_version: "the record of this service's own exchange with its peers",
  feed_head: "the record of this service's own changes",
  idempotent_reply: "replies that are kept for a day",
  import_id: "how this workspace names what it imported",
  job: "what this service did; its effects are in the units",
  job_step: "what this service did; its effects are in the units",
  loop_round: "when workers come again",
  loop_timer: "when workers come again",
  mention: "follows from texts and the names of entities, found anew",
  name_change: "a queue",
  name_sighting: "names of which too little is known to make an entity, seen anew",
  newer_cursor: "how far a worker has come",
  newer_link: "follows from the texts, found anew",
  oauth_device_request: "secrets, for some minutes",
  oauth_grant: "access to this service: clients ask each service for their own",
  oauth_secret: "secrets: tokens belong to the service that made them",
  posting: "the recall index, made anew",
  procedural_source:
    "follows from the runs; a file brings rules without what they came from, found by their words then",
  reasoning_term: "follows from the entries",
  reasoning_use: "runs of the last day",
  reasoning_vector: "follows from the entries",
  recall_entry: "what callers asked of this service, for some days; it names keys of this service",
  recall_shown: "what this service showed them",
  relation_revision: "what an export with asOf tells a relation by; an import begins with what it was told",
  stem_cursor: "how far a worker has come",
  stream_ticket: "secrets, for half a minute",
  svc_admin: "administration of this service",
  svc_admin_key: "secrets: keys belong to the service that made them",
  svc_broker: "administration of this service",
  svc_tenant: "administration of this service",
  svc_audit_address: "the evidence of this service's own operation",
  svc_audit_checkpoint: "the evidence of this service's own operation",
  svc_audit_head: "the evidence of this service's own operation",
  svc_audit_log: "the evidence of this service's own operation: it is read and proven by its own endpoints",
  svc_audit_node: "the evidence of this service's own operation",
  svc_break_glass_request: "administration of this service",
  task_revision: "what an export with asOf tells a task by; an import begins with what it was told",
  unit_name: "follows from the units",
  unit_worth: "computed anew",
  use_signal: "what keys of this service said in the last day",
  usage_counter: "what this service counted of its own use",
  vocabulary: "the recall index, made anew",
  webhook_delivery: "what this service sent to others",
  token_identity: "whom issuers of this service's own configuration vouch for",
  webhook_endpoint: "secrets and addresses of this service",
  workspace: "the header names it; its name and region are the operator's",
  worth_cursor: "how far a worker has come",
};
