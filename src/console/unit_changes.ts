/** Changes to units. Each type has operations of its own; these take a unit of any type. */
import type { KnowledgeUnit, UnitType } from "../../clients/typescript/mod.ts";
import { svc } from "./session.ts";

type ById = (input: { readonly id: string }) => Promise<unknown>;

const ARCHIVE: Readonly<Record<UnitType, ById>> = {
  fact: svc.archiveFact,
  decision: svc.archiveDecision,
  episode: svc.archiveEpisode,
  entity: svc.archiveEntity,
  skill: svc.archiveSkill,
  strategy: svc.archiveStrategy,
  workflow: svc.archiveWorkflow,
};
const RESTORE: Readonly<Record<UnitType, ById>> = {
  fact: svc.restoreFact,
  decision: svc.restoreDecision,
  episode: svc.restoreEpisode,
  entity: svc.restoreEntity,
  skill: svc.restoreSkill,
  strategy: svc.restoreStrategy,
  workflow: svc.restoreWorkflow,
};
const ERASE: Readonly<Record<UnitType, (input: { id: string; mode: "erase"; reason?: string }) => Promise<unknown>>> = {
  fact: svc.forgetFact,
  decision: svc.forgetDecision,
  episode: svc.forgetEpisode,
  entity: svc.forgetEntity,
  skill: svc.forgetSkill,
  strategy: svc.forgetStrategy,
  workflow: svc.forgetWorkflow,
};

/** Takes a unit out of recall; `restore` brings it back. */
export async function archive({ id, type }: Pick<KnowledgeUnit, "id" | "type">): Promise<void> {
  await ARCHIVE[type]({ id });
}

/** Restores a unit that was archived, superseded or retracted. */
export async function restore({ id, type }: Pick<KnowledgeUnit, "id" | "type">): Promise<void> {
  await RESTORE[type]({ id });
}

/** Removes a unit for ever. */
export async function erase({ id, type }: Pick<KnowledgeUnit, "id" | "type">, reason: string): Promise<void> {
  await ERASE[type]({ id, mode: "erase", ...(reason && { reason }) });
}

/** Lets recall return a fact always, or ends that. */
export async function setPinned({ id }: Pick<KnowledgeUnit, "id">, pinned: boolean): Promise<void> {
  await (pinned ? svc.pinFact({ id }) : svc.unpinFact({ id }));
}

/** What `setPinned` has done, in words. */
export function sayPinned(pinned: boolean): string {
  return pinned ? "Recall always returns it now." : "It is found by relevance alone again.";
}
