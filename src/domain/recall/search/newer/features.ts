/**
 * What tells whether a newer statement answers a question instead of the older one about the same matter: the inputs of the
 * model in `order.ts`, which `scripts/train/newer.ts` fits. Pure.
 */
import { analyseText, wordAndStemTerms } from "../../../../retrieval/mod.ts";

/** What a text says, as far as the features look at it. */
export interface ReadText {
  readonly length: number;
  readonly words: ReadonlySet<string>;
  /** The words that begin with a capital, in the form of `words`. */
  readonly names: ReadonlySet<string>;
  readonly hasNumber: boolean;
  /** Words by which people end, begin or correct something. */
  readonly changes: number;
}

/** A statement as the model sees it. */
export interface SeenStatement extends ReadText {
  /** When it began to hold, or was said, in ms. */
  readonly at: number;
  /** The cosine with the question; undefined: not known. */
  readonly nearness: number | undefined;
  /** Its score as a result; undefined: only a link found it. */
  readonly score: number | undefined;
  /** The subject and the predicate that it was read to speak of, as JSON; null: not known. */
  readonly tripleKey: string | null;
}

/** How likely two linked statements are about the same matter, and that of the older one's strongest link. */
export interface LinkStrength {
  readonly strength: number;
  readonly strongest: number;
}

/** A question as the model sees it. */
export interface SeenQuestion extends ReadText {
  readonly asksNumber: boolean;
  /** The question asks about a former state, as in "Where did Ada use to live?". */
  readonly asksFormer: boolean;
}

/** The cosine that is assumed where a text has no vector to compare. */
export const NEARNESS_UNKNOWN = 0.2;

/** The inputs of the model, by name. */
export const ORDER_FEATURES = [
  "strength",
  "strength where the nearness is not known",
  "strength below the strongest",
  "nearness of the newer",
  "nearness of the older",
  "nearness is known",
  "words of the question that the newer has",
  "words of the question that only the older has",
  "words of the question that only the newer has",
  "words of the older that the newer has",
  "number asked for, and the newer has one",
  "ending or change",
  "days between",
  "names of the older that the newer has",
  "another subject",
  "the same subject",
  "the same subject and predicate",
  "length of the older",
  "length of the newer",
  "words of the newer that the older has",
  "score of the older",
] as const;

/** Words by which people end or correct what they said before, in the languages in which we have examples. */
const CHANGE = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:" +
    "any ?more|no longer|no more|not the|isn'?t|aren'?t|instead|scratch that|cancel+ed|called off|gave up|given up|quit|stopped|" +
    "done with|over|gone|sold|broke|died|dead|dropped|ditched|binned|switched|moved|swapped|replaced|changed|retired|left|" +
    "closed|shut|ended|expired|finally|actually|turns out|these days|nowadays|now|from now on|since|new|back to|back on|" +
    "used to|until|goodbye|bye|good riddance|rid of|ex|correction|nicht mehr|kein|keine|jetzt|nun|seit|statt|doch|plus|" +
    "maintenant|désormais|depuis|fini|ya no|ahora|desde|agora|não|più|adesso|niet meer|nu|już|teraz|теперь|больше" +
    ")(?![\\p{L}\\p{N}])|もう|になった|なくなった|改|换|不再|现在",
  "giu",
);
const NUMBER = /\p{N}/u;
const ASKS_NUMBER =
  /\b(?:how (?:many|much|long|old|often|far|big|tall|fast)|when|what time|(?:which|what) (?:day|date|number)|price|cost)\b/iu;
/** Matches questions about what was so before; `BEFORE` does so beside a word of `WAS`. */
const ASKS_FORMER = /\b(?:used to|formerly|former|previous|previously|originally|back then|in the past|at first)\b/iu;
const BEFORE = /\bbefore\b/iu, WAS = /\b(?:did|was|were|had)\b/iu;
const DAY_MS = 86_400_000;
/** Characters of a text from which on its length tells no more. */
const LENGTH_MAX = 300;

export function readText(text: string): ReadText {
  return {
    length: text.length,
    words: wordsOf(text),
    names: wordsOf((text.match(/\p{Lu}[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")),
    hasNumber: NUMBER.test(text),
    changes: countChanges(text),
  };
}

/** Words by which people end, begin or correct something. */
export function countChanges(text: string): number {
  return text.match(CHANGE)?.length ?? 0;
}

export function readQuestion(text: string): SeenQuestion {
  return {
    ...readText(text),
    asksNumber: ASKS_NUMBER.test(text),
    asksFormer: ASKS_FORMER.test(text) || BEFORE.test(text) && WAS.test(text),
  };
}

/** The inputs of the model, in the order of `ORDER_FEATURES`. */
export function readOrderFeatures(
  question: SeenQuestion,
  older: SeenStatement,
  newer: SeenStatement,
  { strength, strongest }: LinkStrength,
): number[] {
  const [before, after] = [older.words, newer.words];
  const [onlyBefore, onlyAfter] = [before.difference(after), after.difference(before)];
  return [
    strength,
    newer.nearness === undefined ? strength : 0,
    strongest - strength,
    newer.nearness ?? NEARNESS_UNKNOWN,
    older.nearness ?? NEARNESS_UNKNOWN,
    Number(newer.nearness !== undefined),
    shareOf(question.words, after),
    shareOf(question.words, onlyBefore),
    shareOf(question.words, onlyAfter),
    shareOf(before, after),
    Number(question.asksNumber && newer.hasNumber),
    Math.min(2, newer.changes),
    Math.log1p(Math.max(0, newer.at - older.at) / DAY_MS),
    shareOf(older.names, after),
    ...compareSubjects(older.tripleKey, newer.tripleKey),
    Math.log1p(Math.min(LENGTH_MAX, older.length)),
    Math.log1p(Math.min(LENGTH_MAX, newer.length)),
    shareOf(after, before),
    older.score ?? 0,
  ];
}

/** Whether two statements speak of different subjects, of the same subject, and of the same slot. */
function compareSubjects(a: string | null, b: string | null): number[] {
  if (a === null || b === null) return [0, 0, 0];
  const [one, other] = [a, b].map((key) => key.slice(0, key.lastIndexOf(",")));
  return [Number(one !== other), Number(one === other), Number(a === b)];
}

function wordsOf(text: string): Set<string> {
  return new Set(wordAndStemTerms(analyseText(text).terms));
}

/** The share of some words that others hold; 0 of none. */
function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : words.intersection(others).size / words.size;
}
