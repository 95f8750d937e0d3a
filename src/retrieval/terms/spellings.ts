/**
 * Pseudo-terms by which a query finds a word that the text spells otherwise: with or without marks, an identifier that
 * is grouped otherwise, an emoji, a name that is also a word without meaning ("Will", "May").
 *
 * The index holds them beside the words, and a query asks for them in place of its own words. Pure and synchronous. They
 * are stems, so see `STEM_RULE` for what to do when they change.
 */
import { listCodes } from "../../language/codes.ts";
import { foldLetters, isPlain, listEmoji, listSpellings } from "../../language/letters.ts";
import { PRONOUNS } from "../../language/pronouns.ts";
import { isPastForm } from "../../language/verb_forms.ts";
import { isStopWord, opensSentence, stemWord, type Word } from "../../language/tokenise.ts";
import { type Expansion, stemTerm } from "./stems.ts";

const ofLetters = (spelling: string) => stemTerm(`=${stemWord(spelling, "search")}`);
const ofCode = (code: string) => stemTerm(`#${code}`);
const ofName = (word: string) => stemTerm(`!${word}`);

/** The pseudo-terms of the other spellings in a normalised text, with repetitions. */
export function listSpellingTerms(text: string, words: readonly Word[]): string[] {
  const out: string[] = [];
  words.forEach((word, i) => {
    if (isStopWord(word.folded, "search")) {
      if (isSmallName(text, words, i)) out.push(ofName(word.folded));
    } else if (!isPlain(word.folded)) out.push(...listSpellings(word.folded).map(ofLetters));
  });
  for (const { code, from, to } of listCodes(text, words)) {
    if (to - from > 1 || code !== words[from]!.folded) out.push(ofCode(code));
  }
  for (const { emoji } of isPlain(text) ? [] : listEmoji(text)) out.push(stemTerm(emoji));
  return out;
}

const FINITE = /^(?:is|was|has|had|does|did)$/;
/** Words that may stand before a verb of the third person without being a name. */
const SUBJECTS =
  /^(?:th.*|wh.*|how.*|here|i.{1,2}|.*(?:self|selves)|and|or|but|if|as|than|either|neither|else|no|same)$/;

/** Whether a stop word of a text is written as a name: "ask Will", "Will collects stamps", not "Will you come?". */
function isSmallName(text: string, words: readonly Word[], at: number): boolean {
  const { raw, folded, index } = words[at]!;
  if (!isCapital(raw) || /^i(?:m|ve|d|ll)?$/.test(folded)) return false;
  if (isInitials(raw) || !opensSentence(text, index)) return true;
  const next = words[at + 1];
  if (next === undefined || folded in PRONOUNS || SUBJECTS.test(folded)) return false;
  if (next.index !== index + raw.length + 1 || isCapital(next.raw)) return false;
  return FINITE.test(next.folded) ||
    !isStopWord(next.folded, "search") && (/[^s]s$/.test(next.folded) || isPastForm(next.folded));
}

function isCapital(raw: string): boolean {
  return raw[0] !== raw[0]!.toLowerCase();
}

/** "IT" */
function isInitials(raw: string): boolean {
  return raw.length > 1 && /^\p{Lu}+$/u.test(raw);
}

/**
 * The stop words of a query that are meant as names, by their capital in a query that is not all capitals; a query of
 * nothing else needs no other signal.
 */
export function listSmallNames(text: string, words: readonly Word[]): Word[] {
  const stops = words.filter(({ folded }) => isStopWord(folded, "search"));
  const capital = stops.filter(({ raw, folded }) => isCapital(raw) && !/^i(?:m|ve|d|ll)?$/.test(folded));
  if (words.length === 1) return capital;
  const middle = words.filter(({ index }) => !opensSentence(text, index));
  if (!middle.some(({ raw }) => raw === raw.toLowerCase())) return [];
  return capital.filter(({ raw, index }) => isInitials(raw) || !opensSentence(text, index));
}

/** Weight of another spelling against 1 for the word as it is written. */
const SPELLING_WEIGHT = 0.97, PLAIN_WEIGHT = 0.9;

/** The terms that may stand in for a word of a query because they spell it otherwise. */
export function expandSpelling({ folded }: Word): Expansion[] {
  if (isStopWord(folded, "search")) return [{ term: ofName(folded), weight: 1 }];
  const spellings = isPlain(folded) ? [] : listSpellings(folded);
  return [
    ...new Set([folded, foldLetters(folded), ...spellings].map(ofLetters)),
  ].map((term) => ({ term, weight: SPELLING_WEIGHT }))
    .concat(spellings.map((spelling) => ({ term: stemWord(spelling, "search"), weight: PLAIN_WEIGHT })));
}

/** The terms for the identifiers of a query, by the place of each word that is a part of one. */
export function expandCodes(text: string, words: readonly Word[]): ReadonlyMap<number, readonly Expansion[]> {
  const out = new Map<number, Expansion[]>();
  for (const { code, from, to } of listCodes(text, words)) {
    for (const word of words.slice(from, to)) {
      const known = out.get(word.index) ?? [];
      out.set(word.index, known);
      known.push({ term: ofCode(code), weight: SPELLING_WEIGHT });
      if (code !== word.folded) known.push({ term: stemWord(code, "search"), weight: PLAIN_WEIGHT });
    }
  }
  return out;
}

/** The emoji of a query as words. */
export function listEmojiWords(text: string): (Word & { readonly expansions: readonly Expansion[] })[] {
  return isPlain(text) ? [] : listEmoji(text).map(({ raw, emoji, index }) => ({
    raw,
    folded: emoji,
    index,
    expansions: [{ term: stemTerm(emoji), weight: 1 }],
  }));
}
