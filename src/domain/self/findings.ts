/** The rules of reflection: which findings there are and which edits follow from them; without I/O. */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Question } from "../../db/queries/reflection.ts";
import type { ReflectionFinding, ReflectionKind } from "../../schema/self_reflection.ts";
import type { SelfEditOperation } from "../../schema/self_edit.ts";
import { contradicts } from "../kinds/facts/conflicts.ts";
import type { FactRow } from "../kinds/facts/fields.ts";
import { type Gist, lexicalSimilarity } from "../kinds/facts/similarity.ts";

/** Statements with this share of common stems contradict each other if one of them denies. */
const OPPOSITE_MIN = 0.85;
/** Units of at most this worth count as of low worth. */
export const WORTH_LOW = 0.2;
export const EXPIRING_HOURS = 72;
/** The extension that is proposed for a decision that nobody has reviewed. */
const REVIEW_DAYS = 30;
const QUOTE_MAX = 300;
/** Answers that say that the answer is not known. */
const IGNORANCE = /\b(?:i (?:do not|don['’]?t) know|no idea|not sure|i (?:can['’]?t|cannot) (?:say|tell))\b/iu;

export type Finding = Omit<ReflectionFinding, "applied">;

function finding(
  kind: ReflectionKind,
  confidence: number,
  summary: string,
  evidenceIds: readonly string[],
  operations: readonly SelfEditOperation[],
): Finding {
  const rounded = Math.round(Math.min(1, Math.max(0, confidence)) * 100) / 100;
  return { kind, confidence: rounded, summary, evidenceIds: [...evidenceIds], operations: [...operations] };
}

/** Picks the fact of two that gives way: the less trusted, else the contested, else the older one. */
function weaker(a: FactRow, b: FactRow): [loser: FactRow, winner: FactRow] {
  const strength = (fact: FactRow) => [fact.trustScore, fact.status === "active" ? 1 : 0, fact.recordedAt.getTime()];
  const [x, y] = [strength(a), strength(b)];
  const i = x.findIndex((value, at) => value !== y[at]);
  const isFirst = i === -1 ? a.id < b.id : x[i]! < y[i]!;
  return isFirst ? [a, b] : [b, a];
}

/** How sure it is that the weaker one is wrong: more with each point of trust between the two. */
function certainty(loser: FactRow, winner: FactRow, base: number): number {
  return base + (winner.trustScore - loser.trustScore) / 200;
}

/** Finds facts of the window that exclude other facts of the same subject and predicate. */
export function findContradictions(window: readonly FactRow[], live: readonly FactRow[]): Finding[] {
  const byKey = Map.groupBy(live, (fact) => fact.tripleKey);
  const seen = new Set<string>();
  return window.flatMap((fact) =>
    (byKey.get(fact.tripleKey) ?? []).flatMap((other) => {
      const pair = [fact.id, other.id].sort().join();
      if (fact.tripleKey === null || !contradicts(fact, other) || seen.has(pair)) return [];
      seen.add(pair);
      const [loser, winner] = weaker(fact, other);
      return [contradiction(loser, winner, certainty(loser, winner, 0.5), "say different things of the same")];
    })
  );
}

function contradiction(loser: FactRow, winner: FactRow, confidence: number, how: string): Finding {
  return finding(
    "contradiction",
    confidence,
    `${loser.id} and ${winner.id} ${how}; ${winner.id} is trusted more, or newer`,
    [loser.id, winner.id],
    [{ op: "retract", id: loser.id, expectedVersion: loser.version }],
  );
}

/** Whether one says what the other denies, in nearly the same words. */
export function areOpposites(a: Gist, b: Gist): boolean {
  const sameNumbers = a.numbers.size === b.numbers.size && a.numbers.isSubsetOf(b.numbers);
  return a.isDenial !== b.isDenial && sameNumbers && a.stems.size >= 2 && lexicalSimilarity(a, b) >= OPPOSITE_MIN;
}

export function oppositeFinding(a: FactRow, b: FactRow): Finding {
  const [loser, winner] = weaker(a, b);
  return contradiction(loser, winner, certainty(loser, winner, 0.4), "say the opposite");
}

export function duplicateFinding(a: FactRow, b: FactRow, score: number): Finding {
  const rank = (
    fact: FactRow,
  ) => [Number(fact.pinned), fact.trustScore, fact.corroborationCount, -fact.recordedAt.getTime()];
  const [x, y] = [rank(a), rank(b)];
  const at = x.findIndex((value, i) => value !== y[i]);
  const [kept, put] = (at === -1 ? a.id < b.id : x[at]! > y[at]!) ? [a, b] : [b, a];
  return finding(
    "near_duplicate",
    // From the lowest score of a near-duplicate up to identical words.
    0.5 + 0.4 * score,
    `${put.id} says nearly the same as ${kept.id}`,
    [put.id, kept.id],
    [{ op: "forget", id: put.id, mode: "archive", expectedVersion: put.version }],
  );
}

export function staleFinding(unit: UnitRow): Finding {
  return finding("stale", 0.4, `${unit.type} ${unit.id} rests on what does not stand any more`, [unit.id], [
    { op: "forget", id: unit.id, mode: "archive", expectedVersion: unit.version },
  ]);
}

export function worthFinding(unit: UnitRow): Finding {
  const confidence = 0.9 - 0.4 * unit.worth / WORTH_LOW;
  const summary = `${unit.type} ${unit.id} is worth ${Math.round(unit.worth * 100) / 100}`;
  return finding("low_worth", confidence, summary, [unit.id], [
    { op: "forget", id: unit.id, mode: "archive", expectedVersion: unit.version },
  ]);
}

export function expiryFinding(unit: UnitRow & { readonly useCount: number }): Finding {
  const confidence = unit.pinned ? 0.8 : Math.min(0.8, 0.2 + unit.useCount / 10);
  const summary = `${unit.id} expires at ${unit.expiresAt!.toISOString()} and was used ${unit.useCount} times`;
  return finding("expiring", confidence, summary, [unit.id], [
    { op: "update", id: unit.id, patch: { expiresAt: null }, expectedVersion: unit.version },
  ]);
}

export function reviewFinding(unit: UnitRow, now: Date): Finding {
  const reviewAt = new Date(now.getTime() + REVIEW_DAYS * 86_400_000).toISOString();
  const summary = `decision ${unit.id} was to be reviewed at ${unit.body["reviewAt"]}`;
  return finding("review_due", 0.3, summary, [unit.id], [
    { op: "update", id: unit.id, patch: { reviewAt }, expectedVersion: unit.version },
  ]);
}

/** Whether there is no answer, or only one that says that it is not known. */
export function isUnanswered({ answer }: Question): boolean {
  return answer === null || IGNORANCE.test(answer);
}

export function questionFinding({ id, sessionId, messageId, content, sensitivity }: Question): Finding {
  const asked = content.replace(/\s+/gu, " ").trim();
  // The question is at the end of the text.
  const quote = asked.length <= QUOTE_MAX ? asked : asked.slice(-QUOTE_MAX).replace(/^[\uDC00-\uDFFF]/u, "");
  return finding("unanswered_question", 0.6, "a question that nobody has answered", [id], [{
    op: "add",
    type: "fact",
    body: {
      statement: `Open question: ${quote}`,
      factType: "observation",
      attribution: "agent_inferred",
      tags: ["open-question"],
      sensitivity,
      citations: [{ messageId, sessionId }],
    },
  }]);
}
