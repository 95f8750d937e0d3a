/** Optimises a playbook by runs. */
import type { OperationContext } from "../../context.ts";
import { contentHash, sha256Hex } from "../../crypto/hash.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as queries from "../../db/queries/procedural.ts";
import type { PlaybookRow, TrajectoryRow } from "../../db/queries/procedural.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { proposeWording } from "../../providers/rule_wording.ts";
import type { OptimizeBody, OptimizeReply, PromptDecision, RunOutcome, Trajectory } from "../../schema/procedural.ts";
import { normaliseGoal } from "../reasoning/goals.ts";
import { requireClearance } from "../unit/trust.ts";
import { deriveRules } from "./derive.ts";
import { judgeCandidate } from "./evidence.ts";
import {
  cutCandidate,
  decideCandidate,
  loadRules,
  recordPlaybook,
  RETIRED_MAX,
  RULES_READ_MAX,
  snapshotOf,
} from "./locked_playbook.ts";
import {
  type Evolution,
  evolveRules,
  isLive,
  type NewRule,
  type Rule,
  ruleId,
  ruleNo,
  type Run,
  toLine,
} from "./rules.ts";

const SCORES: Readonly<Record<RunOutcome, number>> = { success: 1, partial: 0.5, failure: 0 };
/** Earlier runs of a task that rules are derived from. */
const TASK_RUNS_MAX = 50;

/** The hash of a run whose content was erased; a run with the same id counts as known, whatever its content. */
const ERASED_HASH = "erased";

/** A run before its write. */
interface PreparedRun extends Run {
  readonly key: string;
  readonly row: TrajectoryRow;
}

export interface PreparedOptimize {
  readonly body: OptimizeBody;
  readonly runs: readonly PreparedRun[];
}

/** Hashes the runs and asks a configured model for wordings; it does not use the database. */
export async function prepareOptimize(ctx: OperationContext, body: OptimizeBody): Promise<PreparedOptimize> {
  requireClearance(ctx, body.sensitivity);
  const lessons = body.trajectories.flatMap((run) => run.lessons.map(lessonText));
  const { generator } = ctx.deps;
  const wordings = generator === undefined
    ? new Map<number, string>()
    : await proposeWording(generator, lessons, ctx.signal);
  let place = 0;
  const runs = body.trajectories.map((run) => {
    const namedIds = idsIn(run);
    const told = run.lessons.map((lesson): NewRule => {
      const text = lessonText(lesson);
      const section = typeof lesson === "string" ? "strategies" : lesson.section;
      return { section, lesson: text, text: wordings.get(place++) ?? text, source: "lesson", namedIds };
    });
    return prepareRun(run, told);
  });
  return { body, runs };
}

function lessonText(lesson: Trajectory["lessons"][number]): string {
  return toLine(typeof lesson === "string" ? lesson : lesson.text);
}

/** Finds the ids anywhere in a run; a run of 32 KiB has at most 1,000. */
function idsIn(run: unknown): string[] {
  const named = JSON.stringify(run).toLowerCase().match(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g);
  return [...new Set(named)];
}

function prepareRun(trajectory: Trajectory, lessons: readonly NewRule[]): PreparedRun {
  const { trajectoryId, ...content } = trajectory;
  const hash = contentHash(content);
  const key = trajectoryId ?? hash;
  const score = trajectory.score ?? SCORES[trajectory.outcome];
  const { task, steps, outcome, usedRuleIds, helpfulRuleIds, harmfulRuleIds, promptVersion } = trajectory;
  return {
    key,
    score,
    lessons,
    usedRuleIds,
    helpfulRuleIds,
    harmfulRuleIds,
    promptVersion,
    row: {
      key,
      contentHash: hash,
      taskKey: sha256Hex(normaliseGoal(task)),
      promptVersion: promptVersion ?? null,
      outcome,
      score,
      body: { task, steps, lessons: trajectory.lessons, usedRuleIds, helpfulRuleIds, harmfulRuleIds },
    },
  };
}

/**
 * Evolves an agent's playbook by runs, and decides about the candidate by their scores. A run counts once; concurrent
 * calls count one after the other. The same calls in the same order make the same playbook.
 * @throws ServiceError `validation_failed` when a run names an unknown rule or version, `conflict` when a trajectory's
 * id was used for another one
 */
export async function optimizePlaybook(ctx: OperationContext, body: OptimizeBody): Promise<OptimizeReply> {
  const prepared = await prepareOptimize(ctx, body);
  return await ctx.tx((tx) => writeOptimize(tx, prepared));
}

/** The transaction's part of `optimizePlaybook`. */
export async function writeOptimize(tx: Tx, { body, runs }: PreparedOptimize): Promise<OptimizeReply> {
  await lockNames(tx, [`procedural:${body.sensitivity}:${body.agentId}`]);
  let playbook = await findOrCreate(tx, body);
  const fresh = await takeFresh(tx, playbook, runs);
  const before = await loadRules(tx, playbook);
  await requireNamed(tx, playbook, before, runs);
  const derived = await derive(tx, playbook, fresh);
  const evolution = evolveRules(before, playbook.lastRuleNo, fresh, derived);
  let rules = evolution.rules;
  await queries.insertTrajectories(tx, playbook, fresh.map((run) => run.row));
  await queries.addRuns(tx, playbook.id, sumRuns(fresh));
  playbook = { ...playbook, lastRuleNo: evolution.lastNo };
  let decision = fresh.length === 0 ? null : await judge(tx, playbook);
  if (decision?.outcome === "rejected") rules = await withoutRejected(tx, playbook, rules);
  if (decision?.outcome === "promoted" || decision?.outcome === "rejected") {
    playbook = await decideCandidate(tx, playbook, decision);
  }
  const hadCurrent = playbook.currentVersion !== null;
  const cut = await cutCandidate(tx, playbook, snapshotOf(rules));
  playbook = cut.playbook;
  if (!hadCurrent && playbook.currentVersion !== null) decision = noDecision("first", "there was no version before it");
  await writeRules(tx, playbook, before, rules);
  await queries.upsertPlaybook(tx, playbook);
  await queries.insertSources(tx, playbook, [...evolution.namedIds].map(([no, ids]) => ({ no, ids: [...ids] })));
  if (fresh.length > 0) recordPlaybook(tx, "optimized", playbook, playbook.lastVersion);
  return toReply(body, runs, fresh, evolution, {
    decision: decision ?? noDecision("none", "there is no candidate"),
    currentVersion: playbook.currentVersion,
    candidateVersion: playbook.candidateVersion,
    pendingChanges: cut.isPending,
  });
}

function noDecision(outcome: PromptDecision["outcome"], reason: string): PromptDecision {
  return { outcome, reason, candidate: null, current: null };
}

async function findOrCreate(tx: Tx, { agentId, sensitivity }: OptimizeBody): Promise<PlaybookRow> {
  const found = await queries.findPlaybook(tx, agentId, sensitivity, { lock: true });
  if (found !== undefined) return found;
  const row: PlaybookRow = {
    id: uuidv7(tx.now),
    agentId,
    sensitivity,
    lastRuleNo: 0,
    lastVersion: 0,
    currentVersion: null,
    candidateVersion: null,
  };
  await queries.upsertPlaybook(tx, row);
  return row;
}

/** The runs that have not been counted before, each once. */
async function takeFresh(tx: Tx, playbook: PlaybookRow, runs: readonly PreparedRun[]): Promise<PreparedRun[]> {
  const known = new Map(
    (await queries.findTrajectories(tx, playbook.id, runs.map((run) => run.key))).map((
      row,
    ) => [row.key, row.contentHash]),
  );
  const fresh: PreparedRun[] = [];
  for (const [i, run] of runs.entries()) {
    const hash = known.get(run.key);
    if (hash !== undefined && hash !== ERASED_HASH && hash !== run.row.contentHash) {
      throw new ServiceError("conflict", `Cannot accept the run: ${run.key} is already the id of another run`, {
        errors: [{ path: `trajectories.${i}.trajectoryId`, message: "is the id of another run" }],
      });
    }
    if (hash !== undefined) continue;
    known.set(run.key, run.row.contentHash);
    fresh.push(run);
  }
  return fresh;
}

async function requireNamed(
  tx: Tx,
  playbook: PlaybookRow,
  rules: readonly Rule[],
  runs: readonly PreparedRun[],
): Promise<void> {
  const nos = new Set(rules.map((rule) => rule.no));
  // A forgotten rule may still be in the prompt of a run.
  const isKnown = (no: number) => nos.has(no) || no <= playbook.lastRuleNo;
  const wanted = [...new Set(runs.flatMap((run) => run.promptVersion ?? []))];
  const versions = new Set(
    wanted.length === 0 ? [] : (await queries.findVersions(tx, playbook.id, wanted)).map((row) => row.version),
  );
  const errors = runs.flatMap((run, i) => [
    ...(["usedRuleIds", "helpfulRuleIds", "harmfulRuleIds"] as const).flatMap((name) =>
      run[name].flatMap((id, k) =>
        isKnown(ruleNo(id)) ? [] : [{ path: `trajectories.${i}.${name}.${k}`, message: "is not known" }]
      )
    ),
    ...(run.promptVersion === undefined || versions.has(run.promptVersion)
      ? []
      : [{ path: `trajectories.${i}.promptVersion`, message: "is not known" }]),
  ]);
  if (errors.length === 0) return;
  throw new ServiceError("validation_failed", "Cannot accept the runs: they name unknown resources", {
    errors: errors.slice(0, 50),
  });
}

/** Derives rules from tasks whose runs tell no lessons. */
async function derive(tx: Tx, playbook: PlaybookRow, fresh: readonly PreparedRun[]): Promise<NewRule[]> {
  const derived: NewRule[] = [];
  for (const [taskKey, own] of Map.groupBy(fresh, (run) => run.row.taskKey)) {
    if (own.some((run) => run.lessons.length > 0)) continue;
    const earlier = await queries.listTaskRuns(tx, playbook.id, taskKey, TASK_RUNS_MAX);
    const now = own.map(({ row, score }) => ({ ...row.body as { task: string; steps: unknown[] }, score }));
    const namedIds = idsIn([...earlier, ...now]);
    derived.push(...deriveRules([...earlier, ...now]).map((rule) => ({ ...rule, namedIds })));
  }
  return derived;
}

function sumRuns(runs: readonly PreparedRun[]) {
  const sums = new Map<number, { version: number; runs: number; scoreSum: number }>();
  for (const { promptVersion: version, score } of runs) {
    if (version === undefined) continue;
    const sum = sums.get(version) ?? { version, runs: 0, scoreSum: 0 };
    sums.set(version, { version, runs: sum.runs + 1, scoreSum: sum.scoreSum + score });
  }
  return [...sums.values()];
}

async function judge(tx: Tx, playbook: PlaybookRow): Promise<PromptDecision | null> {
  const { currentVersion, candidateVersion } = playbook;
  if (currentVersion === null || candidateVersion === null) return null;
  const versions = await queries.findVersions(tx, playbook.id, [currentVersion, candidateVersion]);
  const candidate = versions.find((row) => row.version === candidateVersion)!;
  const current = versions.find((row) => row.version === currentVersion)!;
  return judgeCandidate(candidate, current);
}

/** Retires the rules that only a rejected candidate had, unless they have proved helpful. */
async function withoutRejected(tx: Tx, playbook: PlaybookRow, rules: readonly Rule[]): Promise<readonly Rule[]> {
  const named = [playbook.currentVersion!, playbook.candidateVersion!];
  const versions = await queries.findVersions(tx, playbook.id, named);
  const idsOf = (version: number) =>
    new Set(versions.find((row) => row.version === version)!.rules.map((rule) => rule.id));
  const [current, candidate] = named.map(idsOf);
  return rules.map((rule) => {
    const id = ruleId(rule.no);
    const goes = isLive(rule) && !rule.pinned && candidate!.has(id) && !current!.has(id) &&
      rule.helpful <= rule.harmful;
    return goes ? { ...rule, status: "retired", retiredReason: "rejected" } : rule;
  });
}

/** Writes the rules that have changed. */
export async function writeRules(
  tx: Tx,
  playbook: PlaybookRow,
  before: readonly Rule[],
  after: readonly Rule[],
): Promise<void> {
  const known = new Map(before.map((rule) => [rule.no, rule]));
  const changed = after.filter((rule) => {
    const old = known.get(rule.no);
    return old === undefined || (Object.keys(rule) as (keyof Rule)[]).some((name) => rule[name] !== old[name]);
  });
  await queries.upsertRules(tx, playbook, changed);
  if (after.length > RULES_READ_MAX - RETIRED_MAX / 2) await queries.pruneRules(tx, playbook.id, RETIRED_MAX);
}

function toReply(
  { agentId, sensitivity }: OptimizeBody,
  runs: readonly PreparedRun[],
  fresh: readonly PreparedRun[],
  evolution: Evolution,
  rest: Pick<OptimizeReply, "decision" | "currentVersion" | "candidateVersion" | "pendingChanges">,
): OptimizeReply {
  const counted = new Set(fresh);
  return {
    agentId,
    sensitivity,
    trajectories: runs.map((run) => ({ trajectoryId: run.key, status: counted.has(run) ? "counted" : "known" })),
    changes: {
      added: evolution.added.map(ruleId),
      joined: evolution.joined.map(ruleId),
      activated: evolution.activated.map(ruleId),
      retired: evolution.retired.map(ruleId),
      refused: evolution.refused.map(ruleId),
    },
    ...rest,
  };
}
