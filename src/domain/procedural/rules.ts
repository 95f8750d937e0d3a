/**
 * Evolves a playbook's rules by small merges, without I/O. The same rules and runs give the same rules.
 *
 * A lesson that says nearly the same as a rule joins it; any other becomes a new rule on trial. Runs credit the rules
 * that they used. Rules that harm, or are never used, are retired; pinned rules stay.
 */
import type { RuleRetiredReason, RuleSection, RuleStatus, Trajectory } from "../../schema/procedural.ts";
import { type GoalText, goalTextOf, normaliseGoal, wordSimilarity } from "../reasoning/goals.ts";

export interface Rule {
  /** Shown to callers as `r<no>`. */
  readonly no: number;
  readonly section: RuleSection;
  readonly text: string;
  readonly lesson: string;
  readonly status: RuleStatus;
  readonly retiredReason: RuleRetiredReason | null;
  readonly source: "lesson" | "derived";
  readonly helpful: number;
  readonly harmful: number;
  readonly support: number;
  readonly unused: number;
  readonly pinned: boolean;
}

/** The most rules in force in a playbook. */
export const LIVE_MAX = 100;
/** The most of these that may be pinned. */
export const PINNED_MAX = 50;
/** Rules this similar are the same. */
const SAME_MIN = 0.85;
/** Scores that credit the rules of a run. */
export const GOOD_MIN = 0.7;
export const BAD_MAX = 0.3;
const HELPFUL_TO_ACTIVATE = 2;
const HARMFUL_SURPLUS_TO_RETIRE = 3;
const UNUSED_TO_RETIRE = 20;

/** A lesson of a run, or one that was derived from several. */
export interface NewRule {
  readonly section: RuleSection;
  readonly lesson: string;
  /** The wording that a model proposes, or the lesson itself. */
  readonly text: string;
  readonly source: "lesson" | "derived";
  /** Ids of units and sessions that the runs behind the rule contain. */
  readonly namedIds: readonly string[];
}

export interface Evolution {
  /** For each rule's number, the ids in the runs that submitted the rule. */
  readonly namedIds: ReadonlyMap<number, ReadonlySet<string>>;
  readonly rules: readonly Rule[];
  readonly lastNo: number;
  readonly added: readonly number[];
  readonly joined: readonly number[];
  readonly activated: readonly number[];
  readonly retired: readonly number[];
  readonly refused: readonly number[];
}

/** The members of a run that matter to rules. */
export type Run = Pick<Trajectory, "usedRuleIds" | "helpfulRuleIds" | "harmfulRuleIds"> & {
  readonly score: number;
  readonly promptVersion?: number | undefined;
  readonly lessons: readonly NewRule[];
};

export function ruleId(no: number): string {
  return `r${no}`;
}

export function ruleNo(id: string): number {
  return Number(id.slice(1));
}

export function isLive(rule: Rule): boolean {
  return rule.status !== "retired";
}

/** Puts a text on one line, so that a rule cannot end the list that contains it. */
export function toLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The better of two rules comes first: pinned, then by reliability, support and age. */
export function byRank(a: Rule, b: Rule): number {
  return Number(b.pinned) - Number(a.pinned) || meritOf(b) - meritOf(a) || b.support - a.support || a.no - b.no;
}

function meritOf({ helpful, harmful }: Rule): number {
  return (1 + helpful) / (2 + helpful + harmful);
}

/** Merges runs, in their order, and then the rules derived from them. */
export function evolveRules(
  before: readonly Rule[],
  lastNo: number,
  runs: readonly Run[],
  derived: readonly NewRule[],
): Evolution {
  const book = new Book(before, lastNo);
  for (const run of runs) {
    book.credit(run);
    for (const lesson of run.lessons) book.tell(lesson);
  }
  for (const rule of derived) book.tell(rule);
  return book.settle();
}

/** The rules while runs are merged into them. */
class Book {
  readonly #rules = new Map<number, Rule>();
  readonly #texts = new Map<number, GoalText>();
  #lastNo: number;
  readonly #added = new Set<number>();
  readonly #joined = new Set<number>();
  readonly #refused = new Set<number>();
  readonly #harmed = new Set<number>();
  readonly #before: readonly Rule[];
  readonly #namedIds = new Map<number, Set<string>>();

  constructor(rules: readonly Rule[], lastNo: number) {
    this.#before = rules;
    this.#lastNo = lastNo;
    for (const rule of rules) this.#rules.set(rule.no, rule);
  }

  /** Counts what a run says about rules. */
  credit(run: Run): void {
    const helpful = new Set(run.helpfulRuleIds.map(ruleNo));
    const harmful = new Set(run.harmfulRuleIds.map(ruleNo));
    const used = new Set(run.usedRuleIds.map(ruleNo));
    for (const no of used) {
      if (helpful.has(no) || harmful.has(no)) continue;
      if (run.score >= GOOD_MIN) helpful.add(no);
      else if (run.score <= BAD_MAX) harmful.add(no);
    }
    const named = new Set([...used, ...helpful, ...harmful]);
    const hadPrompt = named.size > 0 || run.promptVersion !== undefined;
    for (const rule of this.#rules.values()) {
      if (named.has(rule.no)) {
        if (harmful.has(rule.no)) this.#harmed.add(rule.no);
        this.#rules.set(rule.no, {
          ...rule,
          helpful: rule.helpful + Number(helpful.has(rule.no)),
          harmful: rule.harmful + Number(harmful.has(rule.no)),
          unused: 0,
        });
      } else if (hadPrompt && isLive(rule)) this.#rules.set(rule.no, { ...rule, unused: rule.unused + 1 });
    }
  }

  /** Joins a lesson to the rule that says nearly the same, or adds it on trial. */
  tell({ namedIds, ...lesson }: NewRule): void {
    const known = this.#findSame(lesson);
    this.#name(known?.no ?? this.#lastNo + 1, namedIds);
    if (known === undefined) {
      const no = ++this.#lastNo;
      this.#rules.set(no, {
        ...lesson,
        no,
        status: "trial",
        retiredReason: null,
        helpful: 0,
        harmful: 0,
        support: 1,
        unused: 0,
        pinned: false,
      });
      this.#added.add(no);
      return;
    }
    const told = { ...known, support: known.support + 1 };
    if (isLive(known)) {
      this.#rules.set(known.no, told);
      if (!this.#added.has(known.no)) this.#joined.add(known.no);
    } else if (known.retiredReason === "unused" || known.retiredReason === "displaced") {
      this.#rules.set(known.no, { ...told, status: "trial", retiredReason: null, unused: 0 });
      this.#added.add(known.no);
    } else {
      this.#rules.set(known.no, told);
      this.#refused.add(known.no);
    }
  }

  #name(no: number, ids: readonly string[]): void {
    if (ids.length > 0) this.#namedIds.set(no, new Set([...this.#namedIds.get(no) ?? [], ...ids]));
  }

  /** Rules in force come before others, then the most similar, then the oldest. */
  #findSame({ lesson }: Pick<NewRule, "lesson">): Rule | undefined {
    const key = normaliseGoal(lesson);
    const text = goalTextOf(lesson);
    let best: { readonly rule: Rule; readonly similarity: number } | undefined;
    for (const rule of this.#rules.values()) {
      const similarity = normaliseGoal(rule.lesson) === key ? 1 : this.#similarityOf(rule, text);
      if (similarity < SAME_MIN) continue;
      const isBetter = best === undefined || Number(isLive(rule)) > Number(isLive(best.rule)) ||
        (isLive(rule) === isLive(best.rule) && similarity > best.similarity);
      if (isBetter) best = { rule, similarity };
    }
    return best?.rule;
  }

  #similarityOf(rule: Rule, text: GoalText): number {
    let own = this.#texts.get(rule.no);
    if (own === undefined) this.#texts.set(rule.no, own = goalTextOf(rule.lesson));
    const [a, b] = [own.gist.stems.size, text.gist.stems.size];
    // With such different lengths, no overlap makes the texts the same.
    return 2 * Math.min(a, b) < SAME_MIN * (a + b) ? 0 : wordSimilarity(own, text);
  }

  /** Activates and retires rules by their counts. */
  settle(): Evolution {
    const activated: number[] = [];
    for (const rule of this.#rules.values()) {
      if (!isLive(rule)) continue;
      const isHarmful = this.#harmed.has(rule.no) && rule.harmful - rule.helpful >= HARMFUL_SURPLUS_TO_RETIRE;
      if (!rule.pinned && (isHarmful || rule.unused >= UNUSED_TO_RETIRE)) {
        this.#retire(rule, isHarmful ? "harmful" : "unused");
      } else if (rule.status === "trial" && rule.helpful >= HELPFUL_TO_ACTIVATE && rule.helpful > rule.harmful) {
        this.#rules.set(rule.no, { ...rule, status: "active" });
        activated.push(rule.no);
      }
    }
    const live = [...this.#rules.values()].filter(isLive).sort(byRank);
    for (const rule of live.slice(LIVE_MAX)) if (!rule.pinned) this.#retire(rule, "displaced");
    const wasLive = new Set(this.#before.filter(isLive).map((rule) => rule.no));
    const rules = [...this.#rules.values()].sort((a, b) => a.no - b.no);
    const retired = rules.filter((rule) => !isLive(rule) && (wasLive.has(rule.no) || this.#added.has(rule.no)));
    const ordered = (nos: Iterable<number>) => [...nos].sort((a, b) => a - b);
    return {
      namedIds: this.#namedIds,
      rules,
      lastNo: this.#lastNo,
      added: ordered(this.#added),
      joined: ordered(this.#joined),
      activated: ordered(activated),
      retired: retired.map((rule) => rule.no),
      refused: ordered(this.#refused),
    };
  }

  #retire(rule: Rule, retiredReason: RuleRetiredReason): void {
    this.#rules.set(rule.no, { ...rule, status: "retired", retiredReason });
  }
}
