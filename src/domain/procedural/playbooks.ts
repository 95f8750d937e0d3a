/** Procedural memory: playbooks of agents, their prompts, history, rollback and edits. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/procedural.ts";
import type { PlaybookRow, PlaybookVersionRow, RuleRow } from "../../db/queries/procedural.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type {
  DiffQuery,
  HistoryQuery,
  PlaybookRule,
  Prompt,
  PromptDiff,
  PromptQuery,
  PromptVersion,
  RollbackBody,
  RuleListQuery,
  UpdateRuleBody,
} from "../../schema/procedural.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { requireVersion as requireExpected } from "../unit/store.ts";
import { evidenceOf } from "./evidence.ts";
import { writeRules } from "./optimize.ts";
import {
  cutCandidate,
  cutVersion,
  loadRules,
  lockPlaybook,
  requirePlaybook,
  requireVersion,
  snapshotOf,
  toPromptRule,
  withoutErased,
} from "./locked_playbook.ts";
import { diffRules, hasSameRules, renderPrompt } from "./render.ts";
import { isLive, PINNED_MAX, type Rule, ruleId, ruleNo, toLine } from "./rules.ts";

const READ_ONLY = { readOnly: true };
const PROMPT_TOKENS = 2_000;
const isNumber = (key: unknown): key is number => typeof key === "number" && Number.isSafeInteger(key);

/** @throws ServiceError `not_found` when the agent has no playbook, or the playbook lacks this version */
export async function getPrompt(ctx: OperationContext, agentId: string, query: PromptQuery): Promise<Prompt> {
  return await ctx.tx(async (tx) => {
    const playbook = await requirePlaybook(tx, agentId, query.sensitivity);
    const version = query.version === "candidate"
      ? playbook.candidateVersion
      : query.version ?? playbook.currentVersion;
    if (version === null) {
      throw new ServiceError("not_found", `Cannot find the prompt: there is no ${query.version ?? "current version"}`);
    }
    return toPrompt(playbook, await requireVersion(tx, playbook, version), query.maxTokens);
  }, READ_ONLY);
}

function toPrompt(playbook: PlaybookRow, row: PlaybookVersionRow, maxTokens: number): Prompt {
  return {
    agentId: playbook.agentId,
    sensitivity: playbook.sensitivity,
    version: row.version,
    status: row.status,
    ...withRendered(row, maxTokens),
    rules: [...row.rules],
    currentVersion: playbook.currentVersion,
    candidateVersion: playbook.candidateVersion,
    createdAt: row.createdAt.toISOString(),
  };
}

function withRendered(row: PlaybookVersionRow, maxTokens: number) {
  const { prompt, tokens, omitted } = renderPrompt(row.version, row.rules, maxTokens);
  return { prompt, tokens, omitted: [...omitted] };
}

/** Lists the versions of an agent's prompt with their changes, the newest first unless the caller asks otherwise. */
export async function listPromptHistory(
  ctx: OperationContext,
  agentId: string,
  query: HistoryQuery,
): Promise<Page<PromptVersion>> {
  const { limit, order, cursor } = query;
  const after = decodeCursor("prompt history", order, cursor, isNumber);
  return await ctx.tx(async (tx) => {
    const playbook = await requirePlaybook(tx, agentId, query.sensitivity);
    const rows = await queries.listVersions(tx, playbook.id, { order, after, limit: limit + 1 });
    const bases = [...new Set(rows.flatMap((row) => row.baseVersion ?? []))];
    const found = new Map((await queries.findVersions(tx, playbook.id, bases)).map((row) => [row.version, row]));
    const toItem = (row: PlaybookVersionRow) => toVersion(row, found.get(row.baseVersion ?? 0));
    return toPage(rows, limit, toItem, (row) => encodeCursor("prompt history", order, row.version));
  }, READ_ONLY);
}

function toVersion(row: PlaybookVersionRow, base: PlaybookVersionRow | undefined): PromptVersion {
  return {
    version: row.version,
    status: row.status,
    cause: row.cause,
    reason: row.reason,
    baseVersion: row.baseVersion,
    diff: diffRules(base?.rules ?? [], row.rules),
    ruleCount: row.rules.length,
    evidence: evidenceOf(row),
    decision: row.evidence,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    decidedAt: row.decidedAt?.toISOString() ?? null,
  };
}

/** @throws ServiceError `not_found` */
export async function diffPrompts(ctx: OperationContext, agentId: string, query: DiffQuery): Promise<PromptDiff> {
  return await ctx.tx(async (tx) => {
    const playbook = await requirePlaybook(tx, agentId, query.sensitivity);
    const to = await requireVersion(tx, playbook, query.to ?? playbook.lastVersion);
    const base = query.from ?? to.baseVersion;
    const from = base === null ? undefined : await requireVersion(tx, playbook, base);
    return diffRules(from?.rules ?? [], to.rules);
  }, READ_ONLY);
}

/** The rules of an agent's playbook in any state, by their numbers. */
export async function listPlaybookRules(
  ctx: OperationContext,
  agentId: string,
  query: RuleListQuery,
): Promise<Page<PlaybookRule>> {
  const { limit, order, cursor } = query;
  const after = decodeCursor("playbook rules", order, cursor, isNumber);
  return await ctx.tx(async (tx) => {
    const playbook = await requirePlaybook(tx, agentId, query.sensitivity);
    const filter = { statuses: query.status, order, after, limit: limit + 1 };
    const rows = await queries.listRules(tx, playbook.id, filter);
    return toPage(rows, limit, toRule, (row) => encodeCursor("playbook rules", order, row.no));
  }, READ_ONLY);
}

function toRule(row: RuleRow): PlaybookRule {
  return {
    ...toPromptRule(row),
    version: row.version,
    status: row.status,
    retiredReason: row.retiredReason,
    lesson: row.lesson,
    source: row.source,
    helpful: row.helpful,
    harmful: row.harmful,
    support: row.support,
    unusedRuns: row.unused,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/**
 * Makes the rules of an earlier version current, as a new version, which can be undone in the same way. A candidate is
 * discarded; rules that the version lacks are retired, so that they are not proposed again. Rules that were erased
 * since do not come back.
 * @param ifMatch the version that must be current, if the caller insists on one
 * @throws ServiceError `not_found`, `conflict` when these are the current rules, `version_mismatch`
 */
export async function rollbackPrompt(
  ctx: OperationContext,
  agentId: string,
  body: RollbackBody,
  ifMatch: number | undefined,
): Promise<Prompt> {
  return await ctx.tx(async (tx) => {
    const playbook = await lockPlaybook(tx, agentId, body.sensitivity);
    requireExpected({ version: playbook.currentVersion ?? 0 }, ifMatch);
    const found = await requireVersion(tx, playbook, body.version);
    const target = { ...found, rules: withoutErased(found.rules) };
    const current = playbook.currentVersion === null
      ? undefined
      : await requireVersion(tx, playbook, playbook.currentVersion);
    if (current !== undefined && hasSameRules(current.rules, target.rules)) {
      throw new ServiceError(
        "conflict",
        `Cannot roll back: version ${current.version} already has the rules of ${body.version}`,
      );
    }
    const before = await loadRules(tx, playbook);
    const rules = restoreRules(before, target);
    const next = await cutVersion(tx, playbook, {
      rules: target.rules,
      status: "current",
      cause: "rollback",
      reason: body.reason ?? `back to version ${target.version}`,
      // If the rules are the same, earlier runs go on counting.
      ...(target.rules.length === found.rules.length && { scored: target }),
    });
    await writeRules(tx, next, before, rules);
    await queries.upsertPlaybook(tx, next);
    return toPrompt(next, await requireVersion(tx, next, next.currentVersion!), PROMPT_TOKENS);
  });
}

/** Changes the rules so that exactly those of the version are in force. */
function restoreRules(before: readonly Rule[], target: PlaybookVersionRow): Rule[] {
  const wanted = new Map(target.rules.map((rule) => [ruleNo(rule.id), rule]));
  const known = new Set(before.map((rule) => rule.no));
  const restored = before.map((rule): Rule => {
    const shown = wanted.get(rule.no);
    if (shown === undefined) return isLive(rule) ? { ...rule, status: "retired", retiredReason: "rolled_back" } : rule;
    const { section, text, pinned } = shown;
    if (isLive(rule)) return { ...rule, section, text, pinned };
    return { ...rule, section, text, pinned, status: "trial", retiredReason: null, unused: 0 };
  });
  const forgotten = [...wanted].filter(([no]) => !known.has(no)).map(([no, { section, text, pinned }]): Rule => ({
    no,
    section,
    text,
    pinned,
    lesson: text,
    status: "trial",
    retiredReason: null,
    source: "lesson",
    helpful: 0,
    harmful: 0,
    support: 1,
    unused: 0,
  }));
  return [...restored, ...forgotten].sort((a, b) => a.no - b.no);
}

/**
 * Changes a rule by hand. A rule of the current version changes there immediately, as a new version: a manual edit
 * needs no evidence. Other differences from it go on trial as a candidate again.
 * @throws ServiceError `not_found`, `erased`, `conflict` when so many rules are pinned that there is no room for
 * another
 */
export async function updatePlaybookRule(
  ctx: OperationContext,
  agentId: string,
  id: string,
  body: UpdateRuleBody,
  ifMatch: number | undefined,
): Promise<PlaybookRule> {
  return await ctx.tx(async (tx) => {
    const playbook = await lockPlaybook(tx, agentId, body.sensitivity);
    const before = await loadRules(tx, playbook);
    const rule = before.find((one) => ruleId(one.no) === id);
    if (rule === undefined) throw await missingRule(tx, playbook, ruleNo(id));
    requireExpected(rule, ifMatch);
    const next = editRule(rule, body);
    if (next.pinned && before.filter((one) => one.pinned && one !== rule).length >= PINNED_MAX) {
      throw new ServiceError("conflict", `Cannot pin the rule: ${PINNED_MAX} rules of the playbook are pinned already`);
    }
    const rules = before.map((one) => one === rule ? next : one);
    await writeRules(tx, playbook, before, rules);
    await queries.upsertPlaybook(tx, await showEdit(tx, playbook, next, rules, body));
    const written = (await loadRules(tx, playbook)).find((one) => one.no === rule.no)!;
    return toRule(written);
  });
}

async function missingRule(tx: Tx, playbook: PlaybookRow, no: number): Promise<ServiceError> {
  const filter = { statuses: ["retired"], order: "asc", after: no - 1, limit: 1 } as const;
  const [row] = await queries.listRules(tx, playbook.id, filter);
  if (row?.no === no) return new ServiceError("erased", "Cannot change the rule: its source was erased");
  return new ServiceError("not_found", "Cannot find the rule in the agent's playbook");
}

function editRule(rule: RuleRow, body: UpdateRuleBody): RuleRow {
  const status = body.status ?? rule.status;
  return {
    ...rule,
    text: body.text === undefined ? rule.text : toLine(body.text),
    section: body.section ?? rule.section,
    pinned: status === "retired" ? false : body.pinned ?? rule.pinned,
    status,
    retiredReason: status !== "retired" ? null : rule.status === "retired" ? rule.retiredReason : "edited",
    unused: status === rule.status ? rule.unused : 0,
  };
}

/** Makes a current version with or without the edited rule; then a candidate of the other differences. */
async function showEdit(
  tx: Tx,
  playbook: PlaybookRow,
  rule: Rule,
  rules: readonly Rule[],
  body: UpdateRuleBody,
): Promise<PlaybookRow> {
  if (playbook.currentVersion === null) return playbook;
  const current = await requireVersion(tx, playbook, playbook.currentVersion);
  const id = ruleId(rule.no);
  const isShown = isLive(rule) &&
    (current.rules.some((one) => one.id === id) || body.status === "active" || rule.pinned);
  const shown = new Set([...current.rules.map((one) => one.id).filter((one) => one !== id), ...(isShown ? [id] : [])]);
  const kept = new Map(current.rules.map((one) => [one.id, one]));
  const ranked = snapshotOf(rules).filter((one) => shown.has(one.id)).map((one) =>
    one.id === id ? one : kept.get(one.id)!
  );
  // Rules that a candidate would remove stay until it is decided.
  const missing = current.rules.filter((one) => one.id !== id && !ranked.includes(one));
  const edited = [...ranked, ...missing];
  if (hasSameRules(current.rules, edited)) return (await cutCandidate(tx, playbook, snapshotOf(rules))).playbook;
  const next = await cutVersion(tx, playbook, {
    rules: edited,
    status: "current",
    cause: "edit",
    reason: body.reason ?? null,
    // If the rules and their wording are the same, earlier runs go on counting.
    ...(body.text === undefined && body.status === undefined && { scored: current }),
  });
  return (await cutCandidate(tx, next, snapshotOf(rules))).playbook;
}
