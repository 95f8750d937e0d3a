/**
 * What tells whether a newer statement answers a question instead of the older one about the same matter: the inputs of the
 * model in `newer_order.ts`, which `scripts/train/newer.ts` fits. Pure.
 */
import { analyseText, wordAndStemTerms } from "../../retrieval/mod.ts";

/** A statement as the model sees it. */
export interface SeenStatement {
  readonly text: string;
  /** When it began to hold, or was said, in ms. */
  readonly at: number;
  /** The cosine with the question; undefined: not known. */
  readonly nearness: number | undefined;
}

/** The cosine that is assumed where a text has no vector to compare. */
export const NEARNESS_UNKNOWN = 0.2;

/** The inputs of the model, by name. */
export const ORDER_SIGNS = [
  "strength",
  "nearness of the newer",
  "nearness of the older",
  "words of the question that the newer has",
  "words of the question that only the older has",
  "words of the older that the newer has",
  "numbers in both",
  "numbers in the older alone",
  "asks for a number",
  "ending or change",
  "days between",
  "names of the older that the newer has",
  "length of the newer",
] as const;

/** Words by which people end or correct what they said before, in the languages in which we have examples. */
const CHANGE = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:any ?more|no longer|no more|not the|isn'?t|aren'?t|instead|scratch that|cancel+ed|called off|gave up|" +
    "given up|quit|stopped|done with|over|gone|sold|broke|died|dead|dropped|ditched|binned|switched|moved|swapped|replaced|" +
    "changed|retired|left|closed|shut|ended|expired|finally|actually|turns out|these days|nowadays|now|from now on|since|" +
    "new|back to|back on|used to|until|nicht mehr|kein|keine|jetzt|nun|seit|statt|doch|plus|maintenant|désormais|depuis|" +
    "fini|ya no|ahora|desde|agora|não|più|adesso|niet meer|nu|już|teraz|теперь|больше)(?![\\p{L}\\p{N}])|もう|になった|なくなった|改|换|不再|现在",
  "giu",
);
const NUMBER = /\p{N}+(?:[.,:]\p{N}+)*/gu;
const ASKS_NUMBER =
  /\b(?:how (?:many|much|long|old|often|far|big|tall|fast)|when|what time|which (?:day|date|number)|price|cost)\b/iu;
const DAY_MS = 86_400_000;

/** The inputs of the model, in the order of `ORDER_SIGNS`. */
export function readOrderSigns(
  question: string,
  older: SeenStatement,
  newer: SeenStatement,
  strength: number,
): number[] {
  const asked = wordsOf(question), before = wordsOf(older.text), after = wordsOf(newer.text);
  const [numbersBefore, numbersAfter] = [numbersOf(older.text), numbersOf(newer.text)];
  const covered = shareOf(asked, after);
  const names = namesOf(older.text);
  return [
    strength,
    newer.nearness ?? NEARNESS_UNKNOWN,
    older.nearness ?? NEARNESS_UNKNOWN,
    covered,
    shareOf(asked, before.difference(after)),
    shareOf(before, after),
    Number(numbersBefore > 0 && numbersAfter > 0),
    Number(numbersBefore > 0 && numbersAfter === 0),
    Number(ASKS_NUMBER.test(question)),
    Math.min(2, newer.text.match(CHANGE)?.length ?? 0),
    Math.log1p(Math.max(0, newer.at - older.at) / DAY_MS),
    shareOf(names, after),
    Math.log1p(newer.text.length),
  ];
}

function wordsOf(text: string): Set<string> {
  return new Set(wordAndStemTerms(analyseText(text).terms));
}

function numbersOf(text: string): number {
  return text.match(NUMBER)?.length ?? 0;
}

/** The words that begin with a capital, in the form in which `wordsOf` gives words. */
function namesOf(text: string): Set<string> {
  return wordsOf((text.match(/\p{Lu}[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" "));
}

/** The share of some words that others hold; 0 of none. */
function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : words.intersection(others).size / words.size;
}
