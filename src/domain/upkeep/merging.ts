/**
 * Decides which facts consolidation may merge, and which episodes are repetitions, without I/O.
 *
 * Nobody checks a merge before it is made, so likeness is not enough: facts need the same words in the same order
 * (except articles, case and inflection), or the same triple in nearly the same words. The rest is only suggested.
 */
import { listWords, stemWord } from "../../language/tokenise.ts";
import type { FactRow } from "../kinds/facts/fields.ts";
import {
  differsInValue,
  type Gist,
  gistOf,
  isComparable,
  isNearByWords,
  lexicalSimilarity,
} from "../kinds/facts/similarity.ts";
import { isProtected } from "../unit/trust.ts";

const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);
/** The share of common words that facts with the same triple also need. */
const SAME_TRIPLE_MIN = 0.6;
/** The likeness of episodes' titles, and of their outcomes. */
const EPISODE_MIN = 0.6;

/** Whether consolidation never closes a unit, whatever its worth. */
export function isKept(unit: { readonly pinned: boolean; readonly attribution: string }): boolean {
  return unit.pinned || isProtected(unit);
}

/** The words of facts, each fact read once, however many others it is compared with. */
export class Wordings {
  readonly #gists = new Map<string, Gist>();
  readonly #wordings = new Map<string, string>();

  gist({ text }: FactRow): Gist {
    return remember(this.#gists, text, gistOf);
  }

  wording({ text }: FactRow): string {
    return remember(this.#wordings, text, wordingOf);
  }
}

function remember<T>(known: Map<string, T>, text: string, read: (text: string) => T): T {
  let value = known.get(text);
  if (value === undefined) known.set(text, value = read(text));
  return value;
}

/** Returns the stems of a statement's words, in order and without articles, for comparison. */
export function wordingOf(statement: string): string {
  return listWords(statement, "search").filter((word) => !ARTICLES.has(word))
    .map((word) => stemWord(word, "search")).join(" ");
}

function isSameTime(a: Date | null, b: Date | null): boolean {
  return a?.getTime() === b?.getTime();
}

/** Whether two facts say the same about the same time to the same readers, so that one of them is enough. */
export function saysSame(a: FactRow, b: FactRow, known = new Wordings()): boolean {
  if (a.id === b.id || a.status !== "active" || b.status !== "active") return false;
  if (a.sensitivity !== b.sensitivity || a.body.factType !== b.body.factType) return false;
  if (!isSameTime(a.validFrom, b.validFrom) || !isSameTime(a.validTo, b.validTo)) return false;
  if (!isSameTime(a.expiresAt, b.expiresAt)) return false;
  if (a.body.factType === "observation" && !isSameTime(a.occurredAt, b.occurredAt)) return false;
  if (hasTriple(a) && hasTriple(b)) {
    const isOneTriple = a.tripleKey === b.tripleKey && a.body.folded.object === b.body.folded.object;
    if (!isOneTriple) return false;
    const [gist, other] = [known.gist(a), known.gist(b)];
    const isAlike = isComparable(gist, other) && lexicalSimilarity(gist, other) >= SAME_TRIPLE_MIN;
    if (isAlike && !differsInValue(gist, other)) return true;
  }
  return known.wording(a) === known.wording(b);
}

/** Whether somebody gave the triple. */
function hasTriple({ tripleKey, body }: FactRow): boolean {
  return tripleKey !== null && body.folded.inferred !== true;
}

/** How alike two facts are that do not say the same; 0 if there is nothing to suggest. */
export function likenessOf(a: FactRow, b: FactRow, known = new Wordings()): number {
  if (hasTriple(a) && hasTriple(b)) return 0;
  const [gist, other] = [known.gist(a), known.gist(b)];
  const lexical = lexicalSimilarity(gist, other);
  // A person checks the suggestion, so one word may replace another.
  return isComparable(gist, other) && isNearByWords(lexical) && !differsInValue(gist, other) ? lexical : 0;
}

/**
 * Puts first, of two facts that say the same, the one to keep: the more trusted, then the protected, the more often
 * stated, the older. Undefined if the other one is protected: both stay.
 */
export function chooseKept<F extends FactRow>(a: F, b: F): readonly [kept: F, merged: F] | undefined {
  const order = b.trustScore - a.trustScore || Number(isKept(b)) - Number(isKept(a)) ||
    b.corroborationCount - a.corroborationCount || (a.id < b.id ? -1 : 1);
  const [kept, merged] = order < 0 ? [a, b] : [b, a];
  return isKept(merged) ? undefined : [kept, merged];
}

export interface Repeatable {
  readonly id: string;
  readonly kind: string;
  readonly sensitivity: string;
  readonly title: string;
  readonly outcome: string;
}

/** The fewest episodes for a strategy, and the most that it names. */
export const REPEATED_MIN = 3;
export const REPEATED_MAX = 100;

/**
 * Groups at least three episodes of one kind and sensitivity whose titles and outcomes are alike. Each is compared with
 * the first of a group, so that a chain of small differences does not join unlike episodes.
 */
export function findRepeated<E extends Repeatable>(episodes: readonly E[]): E[][] {
  const groups: { readonly title: Gist; readonly outcome: Gist; readonly members: E[] }[] = [];
  for (const episode of episodes) {
    const title = gistOf(episode.title);
    const outcome = gistOf(episode.outcome);
    const group = groups.find(({ members: [first], ...other }) =>
      first!.kind === episode.kind && first!.sensitivity === episode.sensitivity &&
      lexicalSimilarity(title, other.title) >= EPISODE_MIN &&
      outcome.isDenial === other.outcome.isDenial && lexicalSimilarity(outcome, other.outcome) >= EPISODE_MIN
    );
    if (group === undefined) groups.push({ title, outcome, members: [episode] });
    else if (group.members.length < REPEATED_MAX) group.members.push(episode);
  }
  return groups.map((group) => group.members).filter((members) => members.length >= REPEATED_MIN);
}
