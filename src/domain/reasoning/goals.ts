/** Decides which goals are the same or similar, without I/O. */
import { canonicalJson } from "../../crypto/canonical_json.ts";
import { sha256Hex } from "../../crypto/hash.ts";
import { listContentStems } from "../../language/tokenise.ts";
import { type Gist, gistOf, isComparable } from "../kinds/facts/similarity.ts";

export type ContextKind = "none" | "text" | "object";

/** Terms of a goal that the search reads; a goal rarely has more than twenty. */
const TERMS_MAX = 64;

/** NFKC, lower case, single spaces, without the marks that end a sentence. */
export function normaliseGoal(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim().replace(/(?<![\s.!?…])[\s.!?…]+$/u, "");
}

/** The hashes by which a goal and its context are compared. */
export interface GoalKey {
  /** SHA-256 of the normalised goal and context: equal goals in equal contexts. */
  readonly goalKey: string;
  readonly contextKind: ContextKind;
  readonly contextKey: string;
}

export function keyOf(goal: string, context: unknown): GoalKey {
  const contextKind = context === undefined || context === null
    ? "none"
    : typeof context === "string"
    ? "text"
    : "object";
  const normalised = contextKind === "none" ? "" : typeof context === "string" ? normaliseGoal(context) : context;
  const contextKey = sha256Hex(canonicalJson([contextKind, normalised]));
  return { goalKey: sha256Hex(canonicalJson([normaliseGoal(goal), contextKey])), contextKind, contextKey };
}

/** The stems and numbers by which a goal is found. */
export function termsOf(goal: string): string[] {
  const { stems, numbers } = gistOf(goal);
  return [...stems, ...numbers].slice(0, TERMS_MAX);
}

/** The parts of two goals that are compared. */
export interface GoalText {
  readonly gist: Gist;
  /** The stems in the order of their first occurrence. */
  readonly order: readonly string[];
}

export function goalTextOf(text: string): GoalText {
  const gist = gistOf(text);
  const order: string[] = [];
  for (const stem of listContentStems(text, "search")) {
    if (gist.stems.has(stem) && !order.includes(stem)) order.push(stem);
  }
  return { gist, order };
}

/**
 * How alike two texts are by their words, 0 to 1: the share of common stems (Dice's coefficient), times the share of
 * these in the same order ("EUR to USD" is not "USD to EUR"). A word that replaces another ("for the German customers",
 * "for the French") matters more than an added one, and counts twice. 0 if numbers or a denial differ.
 */
export function wordSimilarity(a: GoalText, b: GoalText): number {
  if (!isComparable(a.gist, b.gist)) return 0;
  const sizes = [a.gist.stems.size, b.gist.stems.size] as const;
  const common = a.order.filter((stem) => b.gist.stems.has(stem)).length;
  if (common === 0) return sizes[0] + sizes[1] === 0 ? 1 : 0;
  const replaced = Math.min(...sizes) - common;
  const share = 2 * (common - replaced) / (sizes[0] + sizes[1]);
  return Math.max(0, share) * orderAgreement(a, b);
}

/** The share of the common stems in the same order; 1 without any. */
function orderAgreement(a: GoalText, b: GoalText): number {
  const places = a.order.filter((stem) => b.gist.stems.has(stem)).map((stem) => b.order.indexOf(stem));
  return places.length === 0 ? 1 : longestRise(places) / places.length;
}

/** The length of the longest rising subsequence. */
function longestRise(values: readonly number[]): number {
  const tails: number[] = [];
  for (const value of values) {
    const at = tails.findIndex((tail) => tail >= value);
    if (at === -1) tails.push(value);
    else tails[at] = value;
  }
  return tails.length;
}

/**
 * How similar two goals are, 0 to 1: by their words, or by the mean of that and the cosine of their embeddings if that
 * is higher. Embeddings alone never make a hit at the default threshold, because "staging" and "production" lie close
 * together. They hardly reflect order, so they do not count if the order differs.
 */
export function goalSimilarity(a: GoalText, b: GoalText, cosine: number | undefined): number {
  if (!isComparable(a.gist, b.gist)) return 0;
  const words = wordSimilarity(a, b);
  const similarity = cosine === undefined || orderAgreement(a, b) < 1
    ? words
    : Math.max(words, (words + Math.max(0, cosine)) / 2);
  return Math.min(1, similarity);
}

/** How alike two contexts are: objects, and missing contexts, are equal or not; texts are compared by their words. */
export function contextSimilarity(
  a: { readonly contextKind: ContextKind; readonly contextKey: string; readonly context: unknown },
  b: { readonly contextKind: ContextKind; readonly contextKey: string; readonly context: unknown },
): number {
  if (a.contextKey === b.contextKey) return 1;
  if (a.contextKind !== "text" || b.contextKind !== "text") return 0;
  return wordSimilarity(goalTextOf(String(a.context)), goalTextOf(String(b.context)));
}
