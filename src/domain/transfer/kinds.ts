/**
 * Everything that a workspace holds, as an export tells it: one entry for each kind of line, in the order in which they
 * stand in a file. A test holds the list against the database's catalog, so that no table is forgotten.
 */
import { z } from "zod";
import { Id, JsonObject, textOf, Timestamp } from "../../schema/common.ts";
import { Decision } from "../../schema/decision.ts";
import {
  Drawer,
  ENTITY_STATUSES,
  EntityName,
  EntityType,
  STORED_ALIASES_MAX,
  STORED_ATTRIBUTES_BYTES_MAX,
  STORED_DRAWERS_MAX,
} from "../../schema/entity.ts";
import { nameKey, nameKeys } from "../../language/names.ts";
import { entityTypeKey } from "../../schema/entity_type.ts";
import { Episode } from "../../schema/episode.ts";
import { Citation, FACT_STATUSES, FactStatus, FactType, STATEMENT_BYTES_MAX } from "../../schema/fact.ts";
import { Skill } from "../../schema/skill.ts";
import { Strategy } from "../../schema/strategy.ts";
import type { TransferKind } from "../../schema/transfer.ts";
import { unitShape } from "../../schema/unit.ts";
import { Workflow } from "../../schema/workflow.ts";
import { DECISIONS } from "../kinds/decisions.ts";
import { findNames } from "../../db/queries/entity_names.ts";
import { ENTITIES, type EntityBody, tidyAliases, tidyName } from "../kinds/entities/kind.ts";
import { pickEntity } from "../kinds/entities/resolve.ts";
import { EPISODES } from "../kinds/episodes.ts";
import { derivedColumns, type FactBody } from "../kinds/facts/fields.ts";
import type { AnyKind } from "../unit/kind.ts";
import { saidColumns } from "../unit/kind.ts";
import { SKILLS } from "../kinds/skills.ts";
import { STRATEGIES } from "../kinds/strategies.ts";
import { WORKFLOWS } from "../kinds/workflows.ts";
import { EVENTS, TASK_DEPENDENCIES, TASKS } from "./activity.ts";
import type { AnyLineKind } from "./kind.ts";
import { LEARNT } from "./learnt.ts";
import { DELETIONS, REVIEW_ITEMS } from "./records.ts";
import { RELATIONS } from "./relations.ts";
import { SESSIONS, TURNS } from "./sessions.ts";
import type { UnitTransfer } from "./unit_rows.ts";
import { unitKind } from "./units.ts";

const SHARED = Object.keys(unitShape("fact", z.string()));
const CITATIONS_MAX = 1_000;
const Term = textOf(1_024).nullable();

const FACTS: UnitTransfer = {
  type: "fact",
  statuses: FACT_STATUSES,
  body: z.strictObject({
    statement: textOf(STATEMENT_BYTES_MAX),
    subject: Term,
    predicate: Term,
    object: Term,
    factType: FactType,
    supersedes: Id.nullable(),
    supersededBy: Id.nullable(),
    citations: z.array(Citation).max(CITATIONS_MAX),
    before: z.strictObject({ validTo: Timestamp.nullable(), validFrom: Timestamp.nullable().optional() }).optional(),
    archivedFrom: FactStatus.optional(),
  }),
  computed: ["folded"],
  derive: (body) => derivedColumns(body as FactBody),
};

/** Of an entity that has the name here already, that one stands for it. */
const ENTITY: UnitTransfer = {
  type: "entity",
  statuses: ENTITY_STATUSES,
  body: z.strictObject({
    canonicalName: EntityName,
    entityType: EntityType,
    aliases: z.array(EntityName).max(STORED_ALIASES_MAX),
    attributes: JsonObject.refine(
      (value) => new TextEncoder().encode(JSON.stringify(value)).byteLength <= STORED_ATTRIBUTES_BYTES_MAX,
      `must be at most ${STORED_ATTRIBUTES_BYTES_MAX} bytes as JSON`,
    ),
    drawers: z.array(Drawer).max(STORED_DRAWERS_MAX),
    mergedInto: Id.nullable(),
  }),
  derive(body) {
    const said = body as EntityBody;
    const canonicalName = tidyName(said.canonicalName);
    const tidy = {
      ...said,
      canonicalName,
      entityType: entityTypeKey(said.entityType),
      aliases: tidyAliases(canonicalName, said.aliases),
    };
    const { text, contentHash } = saidColumns(ENTITIES, tidy, "");
    return { text, contentHash, body: tidy };
  },
  namesOf: (body) => ENTITIES.namesOf!(body as EntityBody),
  async findStandIns(tx, lines) {
    const open = lines.filter((line) => line.status === "active");
    const bodies = open.map((line) => line.body as unknown as EntityBody);
    const names = await findNames(tx, [...new Set(nameKeys(bodies.map((body) => body.canonicalName)))]);
    return new Map(open.flatMap((line, i) => {
      const found = pickEntity({
        nameKey: nameKey(bodies[i]!.canonicalName),
        aliasKeys: [],
        entityType: entityTypeKey(bodies[i]!.entityType),
        sensitivity: line.sensitivity,
      }, names);
      return found === undefined || found.id === line.id ? [] : [[line.id, found.id]];
    }));
  },
};

/** Units whose resource shows their whole body. */
function shown(kind: AnyKind, resource: z.ZodObject): UnitTransfer {
  const own = Object.entries(resource.shape).filter(([name]) => !SHARED.includes(name));
  const { status } = resource.shape as unknown as { status: z.ZodEnum<Record<string, string>> };
  return {
    type: kind.type as UnitTransfer["type"],
    statuses: status.options,
    body: z.strictObject(Object.fromEntries(own)),
    derive(body) {
      const { text, contentHash } = saidColumns(kind, body, "");
      return { text, contentHash, body };
    },
    evidenceOf: (body) => [...new Set(kind.evidenceOf?.(body))],
  };
}

const KIND_LIST: readonly AnyLineKind[] = [
  DELETIONS,
  SESSIONS,
  TURNS,
  unitKind(ENTITY),
  unitKind(FACTS),
  unitKind(shown(EPISODES, Episode)),
  unitKind(shown(DECISIONS, Decision)),
  unitKind(shown(STRATEGIES, Strategy)),
  unitKind(shown(WORKFLOWS, Workflow)),
  unitKind(shown(SKILLS, Skill)),
  RELATIONS,
  TASKS,
  TASK_DEPENDENCIES,
  EVENTS,
  REVIEW_ITEMS,
  ...LEARNT,
];

/** All kinds of lines, in the order of a file. */
export const LINE_KINDS: ReadonlyMap<TransferKind, AnyLineKind> = new Map(KIND_LIST.map((kind) => [kind.kind, kind]));

/** Tables that are not exported, each with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  api_key: "secrets: keys belong to the service that made them",
  api_key_former_secret: "secrets: keys belong to the service that made them",
  change: "the record of this service's own changes; an import writes its own",
  corpus_size: "the recall index, made anew",
  dependant_pass: "a queue",
  embedding: "the recall index, made anew with the importing service's model",
  embedding_pending: "a queue",
  entity_block: "follows from the entities",
  entity_merge: "follows from the entities; what undoes a merge stays with the service that made it",
  entity_name: "follows from the entities",
  feed_head: "the record of this service's own changes",
  idempotent_reply: "replies that are kept for a day",
  import_id: "how this workspace names what it imported",
  job: "what this service did; its effects are in the units",
  job_step: "what this service did; its effects are in the units",
  mention: "follows from texts and the names of entities, found anew",
  name_change: "a queue",
  name_sighting: "names of which too little is known to make an entity, seen anew",
  posting: "the recall index, made anew",
  procedural_source:
    "follows from the runs; a file brings rules without what they came from, found by their words then",
  reasoning_term: "follows from the entries",
  reasoning_use: "runs of the last day",
  reasoning_vector: "follows from the entries",
  relation_revision: "what an export with asOf tells a relation by; an import begins with what it was told",
  stream_ticket: "secrets, for half a minute",
  svc_admin: "administration of this service",
  svc_admin_key: "secrets: keys belong to the service that made them",
  svc_audit_address: "the evidence of this service's own operation",
  svc_audit_checkpoint: "the evidence of this service's own operation",
  svc_audit_head: "the evidence of this service's own operation",
  svc_audit_log: "the evidence of this service's own operation: it is read and proven by its own endpoints",
  svc_audit_node: "the evidence of this service's own operation",
  svc_break_glass_request: "administration of this service",
  task_revision: "what an export with asOf tells a task by; an import begins with what it was told",
  unit_worth: "computed anew",
  use_signal: "what keys of this service said in the last day",
  usage_counter: "what this service counted of its own use",
  vocabulary: "the recall index, made anew",
  workspace: "the header names it; its name and region are the operator's",
  worth_cursor: "how far a worker has come",
};
