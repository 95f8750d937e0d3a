/** A playbook inside a transaction that has locked it: its rules, its versions, and the steps between versions. */
import * as queries from "../../db/queries/procedural.ts";
import type { PlaybookRow, PlaybookVersionRow, RuleRow } from "../../db/queries/procedural.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { PromptDecision, PromptRule } from "../../schema/procedural.ts";
import { ERASED_TEXT } from "../unit/erase_quotes.ts";
import { hasSameRules } from "./render.ts";
import { byRank, isLive, LIVE_MAX, type Rule, ruleId } from "./rules.ts";

/** Retired rules that are kept, so that a lesson is recognised whose rule has harmed before. */
export const RETIRED_MAX = 400;
export const RULES_READ_MAX = LIVE_MAX + RETIRED_MAX + 200;

/** @throws ServiceError `not_found` */
export async function requirePlaybook(
  tx: Tx,
  agentId: string,
  sensitivity: Sensitivity | undefined,
): Promise<PlaybookRow> {
  const row = await queries.findPlaybook(tx, agentId, sensitivity);
  if (row === undefined) throw new ServiceError("not_found", "Cannot find a playbook of this agent");
  return row;
}

/** Does the same and locks the playbook, so that its changes come one after another. */
export async function lockPlaybook(
  tx: Tx,
  agentId: string,
  sensitivity: Sensitivity | undefined,
): Promise<PlaybookRow> {
  const { sensitivity: level } = await requirePlaybook(tx, agentId, sensitivity);
  await lockNames(tx, [`procedural:${level}:${agentId}`]);
  return (await queries.findPlaybook(tx, agentId, level, { lock: true }))!;
}

/** Lists the stored rules of a playbook by number, without erased ones. */
export async function loadRules(tx: Tx, playbook: PlaybookRow): Promise<RuleRow[]> {
  return await queries.listRules(tx, playbook.id, {
    statuses: undefined,
    isErasedLeftOut: true,
    order: "asc",
    after: undefined,
    limit: RULES_READ_MAX,
  });
}

/** The rules of a version without those that were erased since. */
export function withoutErased(rules: readonly PromptRule[]): PromptRule[] {
  return rules.filter(({ text }) => text !== ERASED_TEXT);
}

/** @throws ServiceError `not_found` */
export async function requireVersion(tx: Tx, playbook: PlaybookRow, version: number): Promise<PlaybookVersionRow> {
  const [row] = await queries.findVersions(tx, playbook.id, [version]);
  if (row === undefined) throw new ServiceError("not_found", `Cannot find version ${version} of the playbook`);
  return row;
}

/** The rules in force as a version has them, the best first. */
export function snapshotOf(rules: readonly Rule[]): PromptRule[] {
  return rules.filter(isLive).sort(byRank).map(toPromptRule);
}

export function toPromptRule({ no, section, text, pinned }: Rule): PromptRule {
  return { id: ruleId(no), section, text, pinned };
}

export interface VersionToCut {
  readonly rules: readonly PromptRule[];
  readonly status: "current" | "candidate";
  readonly cause: PlaybookVersionRow["cause"];
  readonly reason: string | null;
  /** Earlier runs with the same rules, if there are any. */
  readonly scored?: Pick<PlaybookVersionRow, "runs" | "scoreSum">;
}

/** Makes the next version. A current one replaces the current version; a candidate replaces any earlier candidate. */
export async function cutVersion(tx: Tx, playbook: PlaybookRow, cut: VersionToCut): Promise<PlaybookRow> {
  const version = playbook.lastVersion + 1;
  if (playbook.candidateVersion !== null) {
    await queries.setVersionStatus(tx, playbook.id, playbook.candidateVersion, "discarded");
  }
  if (cut.status === "current" && playbook.currentVersion !== null) {
    await queries.setVersionStatus(tx, playbook.id, playbook.currentVersion, "superseded");
  }
  await queries.insertVersion(tx, playbook, {
    version,
    status: cut.status,
    cause: cut.cause,
    reason: cut.reason,
    baseVersion: playbook.currentVersion,
    rules: cut.rules,
    runs: cut.scored?.runs ?? 0,
    scoreSum: cut.scored?.scoreSum ?? 0,
  });
  recordPlaybook(tx, cut.status === "current" ? "current" : "candidate", playbook, version);
  const isCurrent = cut.status === "current";
  return {
    ...playbook,
    lastVersion: version,
    currentVersion: isCurrent ? version : playbook.currentVersion,
    candidateVersion: isCurrent ? null : version,
  };
}

/** Discards an open candidate that no evidence supports any more. */
export async function discardCandidate(tx: Tx, playbook: PlaybookRow): Promise<PlaybookRow> {
  if (playbook.candidateVersion === null) return playbook;
  await queries.setVersionStatus(tx, playbook.id, playbook.candidateVersion, "discarded");
  recordPlaybook(tx, "discarded", playbook, playbook.candidateVersion);
  return { ...playbook, candidateVersion: null };
}

/** Makes a candidate of the rules in force, if they differ from the current version and no candidate has runs. */
export async function cutCandidate(
  tx: Tx,
  playbook: PlaybookRow,
  rules: readonly PromptRule[],
): Promise<{ readonly playbook: PlaybookRow; readonly isPending: boolean }> {
  const named = [playbook.currentVersion, playbook.candidateVersion].filter((one) => one !== null);
  const versions = await queries.findVersions(tx, playbook.id, named);
  const current = versions.find((row) => row.version === playbook.currentVersion);
  const candidate = versions.find((row) => row.version === playbook.candidateVersion);
  const cut = { rules, cause: "optimize", reason: null } as const;
  if (current === undefined) {
    if (rules.length === 0) return { playbook, isPending: false };
    return { playbook: await cutVersion(tx, playbook, { ...cut, status: "current" }), isPending: false };
  }
  if (candidate !== undefined) {
    if (hasSameRules(candidate.rules, rules)) return { playbook, isPending: false };
    // The runs with the candidate are evidence that would be lost.
    if (candidate.runs > 0) return { playbook, isPending: true };
  }
  if (hasSameRules(current.rules, rules)) {
    return { playbook: await discardCandidate(tx, playbook), isPending: false };
  }
  return { playbook: await cutVersion(tx, playbook, { ...cut, status: "candidate" }), isPending: false };
}

/** Carries out the decision about the candidate. */
export async function decideCandidate(tx: Tx, playbook: PlaybookRow, decision: PromptDecision): Promise<PlaybookRow> {
  const { candidateVersion, currentVersion } = playbook;
  if (candidateVersion === null || currentVersion === null) return playbook;
  if (decision.outcome === "promoted") {
    await queries.setVersionStatus(tx, playbook.id, currentVersion, "superseded");
    await queries.setVersionStatus(tx, playbook.id, candidateVersion, "current", decision);
    recordPlaybook(tx, "promoted", playbook, candidateVersion);
    return { ...playbook, currentVersion: candidateVersion, candidateVersion: null };
  }
  await queries.setVersionStatus(tx, playbook.id, candidateVersion, "rejected", decision);
  recordPlaybook(tx, "rejected", playbook, candidateVersion);
  return { ...playbook, candidateVersion: null };
}

export function recordPlaybook(tx: Tx, event: string, playbook: PlaybookRow, version: number): void {
  tx.record({
    kind: `playbook.${event}`,
    resourceType: "playbook",
    resourceId: playbook.id,
    version,
    sensitivity: playbook.sensitivity,
  });
}
