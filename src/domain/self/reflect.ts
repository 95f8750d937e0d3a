/**
 * Reflection: a memory examines itself, finds faults and gaps, and proposes edits. It works by rules alone, so the same
 * memory gives the same findings. It changes nothing unless the caller asks for it, and then by an ordinary edit.
 */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import { Slices } from "../../pause.ts";
import * as queries from "../../db/queries/reflection.ts";
import type { ReflectionWindow } from "../../db/queries/reflection.ts";
import { findUnits } from "../../db/queries/units.ts";
import { SELF_OPERATIONS_MAX, type SelfEditOperation } from "../../schema/self_edit.ts";
import {
  LAST_HOURS_DEFAULT,
  type ReflectBody,
  type Reflection,
  REFLECTION_KINDS,
  type ReflectionFinding,
  type ReflectionKind,
} from "../../schema/self_reflection.ts";
import {
  type ComparedStatement,
  findCandidates,
  type LikelyDuplicate,
  pickDuplicate,
  toStatement,
} from "../kinds/facts/duplicates.ts";
import type { FactBody, FactRow } from "../kinds/facts/fields.ts";
import { nearDuplicateScore } from "../kinds/facts/similarity.ts";
import { typesWhere } from "../kinds/registry.ts";
import { editSelf } from "./edit.ts";
import * as rules from "./findings.ts";
import type { Finding } from "./findings.ts";
import { analyseOnly } from "../unit/indexing.ts";

/** The most rows of each that are read. */
const FACTS_MAX = 300;
const RIVALS_MAX = 2_000;
const TURNS_MAX = 2_000;
const QUESTIONS_MAX = 200;
const OTHERS_MAX = 100;
const DEADLINE_MS = 30_000;
const REFLECTED_ON = typesWhere(({ worth }) => worth.isReflectedOn);

interface Look {
  readonly findings: readonly Finding[];
  readonly lookedAt: Reflection["lookedAt"];
  readonly isCut: boolean;
}

/** Examines the memory, and applies the proposals if the caller asks for it. */
export async function reflectSelf(ctx: OperationContext, body: ReflectBody): Promise<Reflection> {
  const window = windowOf(body, ctx.deps.clock());
  const focus = new Set<ReflectionKind>(body.focus ?? REFLECTION_KINDS);
  const look = await ctx.tx((tx) => lookOver(tx, window, focus), { readOnly: true, deadlineMs: DEADLINE_MS });
  const distinct = once(look.findings);
  const shown = distinct.slice(0, body.limit);
  const { operations, findings } = chooseOperations(shown, body);
  const reason = `reflection over ${window.from.toISOString()} to ${window.to.toISOString()}`;
  const agentId = body.agentId === undefined ? {} : { agentId: body.agentId };
  const edit = operations.length === 0
    ? null
    : await editSelf(ctx, { reason, mode: "per_item", operations, ...agentId }, "reflection");
  const counts = Map.groupBy(distinct, ({ kind }) => kind);
  return {
    window: { from: window.from.toISOString(), to: window.to.toISOString() },
    lookedAt: look.lookedAt,
    found: Object.fromEntries([...counts].map(([kind, all]) => [kind, all.length])),
    truncated: look.isCut || distinct.length > shown.length,
    findings,
    edit,
  };
}

function windowOf({ window, lastHours }: ReflectBody, now: Date): ReflectionWindow {
  if (window !== undefined) {
    return { from: new Date(window.from), to: window.to === undefined ? now : new Date(window.to) };
  }
  return { from: new Date(now.getTime() - (lastHours ?? LAST_HOURS_DEFAULT) * 3_600_000), to: now };
}

/** Sorts by confidence; if two findings would change the same unit, only the first stays. */
function once(findings: readonly Finding[]): Finding[] {
  const changed = new Set<string>();
  const sorted = findings.toSorted((a, b) =>
    b.confidence - a.confidence || a.kind.localeCompare(b.kind) || (a.evidenceIds[0]! < b.evidenceIds[0]! ? -1 : 1)
  );
  return sorted.filter(({ operations }) => {
    const ids = operations.flatMap((operation) => "id" in operation ? [operation.id] : []);
    if (ids.some((id) => changed.has(id))) return false;
    for (const id of ids) changed.add(id);
    return true;
  });
}

function chooseOperations(
  shown: readonly Finding[],
  { apply, minConfidence }: ReflectBody,
): { readonly operations: SelfEditOperation[]; readonly findings: ReflectionFinding[] } {
  const operations: SelfEditOperation[] = [];
  const findings = shown.map((finding) => {
    const isSure = apply && finding.confidence >= minConfidence;
    const fits = operations.length + finding.operations.length <= SELF_OPERATIONS_MAX;
    const applied = isSure && fits ? finding.operations.map((operation) => operations.push(operation) - 1) : [];
    return { ...finding, applied };
  });
  return { operations, findings };
}

async function lookOver(tx: Tx, window: ReflectionWindow, focus: ReadonlySet<ReflectionKind>): Promise<Look> {
  const looks = [
    await lookAtFacts(tx, window, focus),
    focus.has("unanswered_question") ? await lookAtTurns(tx, window) : NOTHING,
    await lookAtOthers(tx, window, focus),
  ];
  const sum = (name: keyof Reflection["lookedAt"]) => looks.reduce((total, look) => total + look.lookedAt[name], 0);
  return {
    findings: looks.flatMap((look) => look.findings),
    lookedAt: { facts: sum("facts"), turns: sum("turns"), others: sum("others") },
    isCut: looks.some((look) => look.isCut),
  };
}

const NONE = { facts: 0, turns: 0, others: 0 };
const NOTHING: Look = { findings: [], lookedAt: NONE, isCut: false };

async function lookAtFacts(tx: Tx, window: ReflectionWindow, focus: ReadonlySet<ReflectionKind>): Promise<Look> {
  if (!focus.has("contradiction") && !focus.has("near_duplicate")) return NOTHING;
  const facts = await queries.listWindowFacts<FactBody>(tx, window, FACTS_MAX + 1);
  const looked = facts.slice(0, FACTS_MAX);
  if (looked.length === 0) return NOTHING;
  const findings: Finding[] = [];
  let isCut = facts.length > FACTS_MAX;
  const keys = [...new Set(looked.flatMap((fact) => fact.tripleKey ?? []))];
  if (focus.has("contradiction") && keys.length > 0) {
    const rivals = await queries.listRivals<FactBody>(tx, keys, RIVALS_MAX + 1);
    isCut ||= rivals.length > RIVALS_MAX;
    findings.push(...rules.findContradictions(looked, rivals.slice(0, RIVALS_MAX)));
  }
  findings.push(...await lookForAlike(tx, looked, focus));
  return { findings, lookedAt: { ...NONE, facts: looked.length }, isCut };
}

/** Finds facts that say nearly the same as one of the window, or the opposite in nearly the same words. */
async function lookForAlike(
  tx: Tx,
  facts: readonly FactRow[],
  focus: ReadonlySet<ReflectionKind>,
): Promise<Finding[]> {
  // Compared by words alone, because vectors would have to be computed again.
  const slices = new Slices();
  const statements: ComparedStatement[] = [];
  for (const { text, sensitivity } of facts) {
    await slices.yieldIfDue();
    statements.push(toStatement(text, analyseOnly({ kind: "fact", sensitivity, text })));
  }
  const candidates = await findCandidates(tx, statements);
  const pairs = new Map<
    string,
    { readonly ids: [string, string]; readonly kind: "alike" | "opposite"; score: number }
  >();
  const add = (kind: "alike" | "opposite", fact: FactRow, other: LikelyDuplicate, score: number) => {
    const ids = [fact.id, other.known.id].sort() as [string, string];
    pairs.set(ids.join(), { ids, kind, score });
  };
  facts.forEach((fact, i) => {
    const { gist } = statements[i]!;
    const others = candidates[i]!.filter(({ known }) => known.id !== fact.id);
    if (focus.has("near_duplicate")) {
      const id = pickDuplicate(fact, gist, others);
      const other = others.find(({ known }) => known.id === id);
      if (other !== undefined) add("alike", fact, other, nearDuplicateScore(gist, other.gist));
    }
    if (!focus.has("contradiction")) return;
    for (const other of others) if (rules.areOpposites(gist, other.gist)) add("opposite", fact, other, 1);
  });
  if (pairs.size === 0) return [];
  const ids = [...new Set([...pairs.values()].flatMap((pair) => pair.ids))];
  const rows = new Map((await findUnits<FactBody>(tx, ids)).map((row) => [row.id, row]));
  return [...pairs.values()].flatMap(({ ids: [a, b], kind, score }) => {
    const [first, second] = [rows.get(a), rows.get(b)];
    if (first === undefined || second === undefined) return [];
    return [kind === "alike" ? rules.duplicateFinding(first, second, score) : rules.oppositeFinding(first, second)];
  });
}

async function lookAtTurns(tx: Tx, window: ReflectionWindow): Promise<Look> {
  const turns = await queries.countTurns(tx, window, TURNS_MAX + 1);
  const questions = await queries.listQuestions(tx, window, QUESTIONS_MAX + 1);
  const open = questions.slice(0, QUESTIONS_MAX).filter(rules.isUnanswered);
  const cited = new Set(open.length === 0 ? [] : await queries.listCited(tx, open, window.from));
  return {
    findings: open.filter(({ messageId }) => !cited.has(messageId)).map(rules.questionFinding),
    lookedAt: { ...NONE, turns: Math.min(turns, TURNS_MAX) },
    isCut: turns > TURNS_MAX || questions.length > QUESTIONS_MAX,
  };
}

async function lookAtOthers(tx: Tx, window: ReflectionWindow, focus: ReadonlySet<ReflectionKind>): Promise<Look> {
  const most = OTHERS_MAX + 1;
  const soon = new Date(tx.now.getTime() + rules.EXPIRING_HOURS * 3_600_000);
  const [stale, worthless, expiring, due] = await Promise.all([
    focus.has("stale") ? queries.listStale(tx, most) : [],
    focus.has("low_worth")
      ? queries.listWorthless(tx, { types: REFLECTED_ON, worthMax: rules.WORTH_LOW, until: window.to }, most)
      : [],
    focus.has("expiring") ? queries.listExpiring(tx, soon, most) : [],
    focus.has("review_due") ? queries.listReviewDue(tx, most) : [],
  ]);
  const findings = [
    ...stale.slice(0, OTHERS_MAX).map(rules.staleFinding),
    ...worthless.slice(0, OTHERS_MAX).map(rules.worthFinding),
    ...expiring.slice(0, OTHERS_MAX).map(rules.expiryFinding),
    ...due.slice(0, OTHERS_MAX).map((unit) => rules.reviewFinding(unit, tx.now)),
  ];
  return {
    findings,
    lookedAt: { ...NONE, others: findings.length },
    isCut: [stale, worthless, expiring, due].some((list) => list.length > OTHERS_MAX),
  };
}
