/**
 * The registry of all kinds of knowledge units, with everything that the service needs to know about each. If a kind in the
 * schema (`UNIT_KINDS`) lacks an entry here, or a member of its entry, the program does not compile. Code that handles units
 * of any type looks them up here instead of naming types.
 */
import { CreateDecisionBody, Decision, UpdateDecisionBody } from "../../schema/decision.ts";
import { CreateEntityBody, Entity, UpdateEntityBody } from "../../schema/entity.ts";
import { CreateEpisodeBody, Episode } from "../../schema/episode.ts";
import { CreateFactBody, Fact, UpdateFactBody } from "../../schema/fact.ts";
import { CreateSkillBody, Skill, UpdateSkillBody } from "../../schema/skill.ts";
import { CreateStrategyBody, Strategy, UpdateStrategyBody } from "../../schema/strategy.ts";
import { UNIT_TYPES, type UnitType } from "../../schema/unit.ts";
import { CreateWorkflowBody, UpdateWorkflowBody, Workflow } from "../../schema/workflow.ts";
import { DECISIONS } from "./decisions.ts";
import type { EntityRow } from "./entities/body.ts";
import { ENTITIES } from "./entities/kind.ts";
import { showEntities } from "./entities/show_entities.ts";
import { NEAR_ENTITIES } from "./entities/resolve_near.ts";
import { ENTITY_TRANSFER } from "./entities/transfer.ts";
import { ENTITY_WRITING } from "./entities/writing.ts";
import type { AnyKindEntry, KindEntry } from "./entry.ts";
import { EPISODES } from "./episodes.ts";
import { type FactRow, toFact } from "./facts/fields.ts";
import { NEAR_DUPLICATE } from "./facts/resolve_contested.ts";
import { FACT_RULES } from "./facts/rules.ts";
import { FACT_TRANSFER } from "./facts/transfer.ts";
import { FACT_WRITING } from "./facts/kind_writing.ts";
import { plain } from "./plain.ts";
import { countOutcomes, SKILLS } from "./skills.ts";
import { STRATEGIES } from "./strategies.ts";
import { WORKFLOWS } from "./workflows.ts";

export const REGISTRY: { readonly [T in UnitType]: KindEntry<T> } = {
  fact: {
    type: "fact",
    resource: Fact,
    create: CreateFactBody,
    update: UpdateFactBody,
    kind: null,
    rules: FACT_RULES,
    show: (_tx, rows, time) => Promise.resolve(rows.map((row) => toFact(row as FactRow, time))),
    hasSession: false,
    subject: "subject",
    worth: { hasOutcomes: false, isReflectedOn: true, isArchived: true },
    writing: FACT_WRITING,
    restoredBy: "POST /v1/facts/{id}/restore",
    isContestable: true,
    transfer: FACT_TRANSFER,
    nearDuplicates: NEAR_DUPLICATE,
  },
  decision: {
    type: "decision",
    ...plain(DECISIONS, Decision),
    create: CreateDecisionBody,
    update: UpdateDecisionBody,
    hasSession: false,
    subject: null,
    // Decisions are never archived for low worth, because they are the record of what was decided.
    worth: { hasOutcomes: false, isReflectedOn: true, isArchived: false },
  },
  strategy: {
    type: "strategy",
    // Each instance counts its own outcomes.
    ...plain(STRATEGIES, Strategy, { successCount: 0, failureCount: 0 }),
    create: CreateStrategyBody,
    update: UpdateStrategyBody,
    hasSession: false,
    subject: null,
    worth: { hasOutcomes: true, isReflectedOn: true, isArchived: true },
  },
  workflow: {
    type: "workflow",
    ...plain(WORKFLOWS, Workflow),
    create: CreateWorkflowBody,
    update: UpdateWorkflowBody,
    hasSession: false,
    subject: null,
    worth: { hasOutcomes: false, isReflectedOn: true, isArchived: true },
  },
  skill: {
    type: "skill",
    ...plain(SKILLS, Skill, countOutcomes(0, 0)),
    create: CreateSkillBody,
    update: UpdateSkillBody,
    hasSession: false,
    subject: null,
    worth: { hasOutcomes: true, isReflectedOn: true, isArchived: true },
  },
  episode: {
    type: "episode",
    ...plain(EPISODES, Episode),
    create: CreateEpisodeBody,
    // The past does not change.
    update: null,
    hasSession: true,
    subject: "participants",
    worth: { hasOutcomes: false, isReflectedOn: true, isArchived: true },
  },
  entity: {
    type: "entity",
    resource: Entity,
    create: CreateEntityBody,
    update: UpdateEntityBody,
    kind: ENTITIES,
    rules: ENTITIES,
    show: (tx, rows) => showEntities(tx, rows as readonly EntityRow[]),
    hasSession: false,
    subject: null,
    // Entities are never archived for low worth, because other units refer to them.
    worth: { hasOutcomes: false, isReflectedOn: false, isArchived: false },
    writing: ENTITY_WRITING,
    restoredBy: null,
    isContestable: false,
    transfer: ENTITY_TRANSFER,
    nearDuplicates: NEAR_ENTITIES,
  },
};

/** The rules of each type, which the composition root passes to the ledger. */
export const RULES = mapTypes((type) => REGISTRY[type].rules);

/** Maps each type to a value. */
export function mapTypes<T>(of: (type: UnitType) => T): Readonly<Record<UnitType, T>> {
  return Object.fromEntries(UNIT_TYPES.map((type) => [type, of(type)])) as Record<UnitType, T>;
}

/** The types whose entry passes a test, in the order of `UNIT_TYPES`. */
export function typesWhere(holds: (entry: AnyKindEntry) => boolean): readonly UnitType[] {
  return UNIT_TYPES.filter((type) => holds(REGISTRY[type]));
}
