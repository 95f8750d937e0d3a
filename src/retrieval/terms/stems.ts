/**
 * Terms by which recall finds other forms of a word in languages other than English. The index
 * holds the stems of a text's words as pseudo-terms, and a query asks for the stems of its own
 * words as expansions.
 *
 * A text shows its language by its function words. A query of two words does not, so it asks for
 * the stems of all languages of its script. The pseudo-terms are added to the words: texts that
 * were indexed before are still found by their words, and `analyseText` gives the same for English
 * texts as before.
 *
 * Pure and synchronous. See `STEM_RULE` for what to do when the terms change.
 */
import { behindArticle, stemForeign } from "../../language/foreign_stems.ts";
import {
  FUNCTION_WORDS_BY_LANGUAGE,
  LATIN_LANGUAGES,
  type LatinLanguage,
  SCRIPT_FUNCTION_WORDS,
} from "../../language/function_words.ts";
import { withoutMarks } from "../../language/letters.ts";
import { detectLanguages, type Language, type LanguageReading, scriptOf } from "../../language/detect_language.ts";
import { hasUnspaced, listPairs, listPieces, listSingles } from "../../language/unspaced.ts";
import { isStopWord, opensSentence, splitWords, TERM_UNITS_MAX, type Word } from "../../language/tokenise.ts";

/** Pseudo-terms of stems start with this. */
export const STEM_PREFIX = "@s:";

const ASCII_ONLY = /^[ -~\s]*$/;

/** The pseudo-term of a stem. */
export function stemTerm(stem: string): string {
  return (STEM_PREFIX + stem).slice(0, TERM_UNITS_MAX);
}

/**
 * Languages in which names of people and places have no endings. A word with a capital inside a
 * sentence is not stemmed in them.
 */
const NAMES_STAY: ReadonlySet<Language> = new Set<Language>([
  "spanish",
  "french",
  "italian",
  "portuguese",
  "vietnamese",
]);

function isName(text: string, { raw, index }: Word): boolean {
  return raw[0] !== raw[0].toLowerCase() && !opensSentence(text, index);
}

/**
 * The pseudo-terms of the stems of a normalised text, with repetitions; none for an English text.
 * @param words of the text, as `splitWords` gives them
 */
export function listStemTerms(text: string, words: readonly Word[]): string[] {
  const out: string[] = [];
  const isAscii = ASCII_ONLY.test(text);
  const reading = detectLanguages(text, words);
  if (isAscii && reading.whole.length === 0 && !words.some((_, i) => reading.of(i).length > 0)) return out;
  words.forEach((word, i) => {
    const bare = behindArticle(word.raw);
    const folded = bare ?? word.folded;
    const script = scriptOf(folded);
    if (script === "other") return;
    if (script !== "latin") {
      if (!SCRIPT_FUNCTION_WORDS[script].has(folded)) add(out, stemsOf(folded, script));
      return;
    }
    const languages = reading.of(i);
    if (languages.length === 0 || isStopWord(folded, "search") || isFunctionWord(folded, languages)) return;
    const name = isName(text, word);
    add(
      out,
      languages.flatMap((language) =>
        name && NAMES_STAY.has(language) ? [withoutMarks(folded)] : stemsOf(folded, language)
      ),
    );
  });
  if (!isAscii && hasUnspaced(text)) {
    for (const { text: piece, isUnspaced, isOfWord } of listPieces(text)) {
      if (!isUnspaced) add(out, splitWords(piece).map(({ folded }) => folded));
      else add(out, [...listSingles(piece), ...(isOfWord ? listPairs(piece) : [])]);
    }
  }
  return out;
}

function add(out: string[], stems: readonly string[]): void {
  for (const stem of new Set(stems)) if (stem !== "") out.push(stemTerm(stem));
}

function stemsOf(folded: string, language: Language): string[] {
  const { stems, lesser } = stemForeign(folded, language);
  return [...stems, ...lesser];
}

function isFunctionWord(folded: string, languages: readonly LatinLanguage[]): boolean {
  return languages.some((language) => FUNCTION_WORDS_BY_LANGUAGE[language].has(folded));
}

/** Whether a word of a query is a function word in the language of the query. */
export function isForeignStopWord({ folded }: Word, reading: LanguageReading): boolean {
  const script = scriptOf(folded);
  if (script === "other") return false;
  return script === "latin" ? isFunctionWord(folded, reading.whole) : SCRIPT_FUNCTION_WORDS[script].has(folded);
}

/**
 * Weights of a stem against 1 for the word itself: if the query shows its language, if it does not,
 * and for a lesser stem.
 */
const STEM_WEIGHT = 0.95, UNSURE_WEIGHT = 0.85, LESSER_WEIGHT = 0.6;
/** Weight of the word itself without its marks; it ranks above other forms of the word. */
const SAME_WEIGHT = 0.97;
/**
 * Weight of a plain word that is spelled like the stem. It finds texts that do not show their
 * language or were indexed before stems were.
 */
const PLAIN_WEIGHT = 0.85;
/** Weight of the plain word without its marks. */
const UNMARKED_WEIGHT = 0.5;
const LATIN_LETTERS_MIN = 3;

/** A term that may stand in for a word of a query, and the weight of a match against 1 for the word itself. */
export interface Expansion {
  readonly term: string;
  readonly weight: number;
}

/**
 * The terms that may stand in for a word of a query, best first: stems of the query's language, or
 * of all languages of the word's script if the query does not show its language.
 * @param isNameLike whether the word has a capital inside a sentence of the query
 */
export function expandStems(word: Word, reading: LanguageReading, isNameLike: boolean): Expansion[] {
  const folded = behindArticle(word.raw) ?? word.folded;
  const script = scriptOf(folded);
  const found = new Map<string, number>();
  const offer = (term: string, weight: number) => {
    if (weight > (found.get(term) ?? 0)) found.set(term, weight);
  };
  if (script === "other") offer(stemTerm(folded), SAME_WEIGHT);
  else if (script !== "latin") offerStems(offer, folded, script, true);
  else {
    const isKnown = reading.whole.length > 0;
    const plain = withoutMarks(folded);
    offer(stemTerm(plain), SAME_WEIGHT);
    if (plain !== folded && !reading.isEnglish) offer(plain, UNMARKED_WEIGHT);
    if (folded.length >= LATIN_LETTERS_MIN) {
      for (const language of isKnown ? reading.whole : LATIN_LANGUAGES) {
        if (!(isNameLike && NAMES_STAY.has(language))) offerStems(offer, folded, language, isKnown);
      }
    }
  }
  return [...found].map(([term, weight]) => ({ term, weight })).sort((a, b) => b.weight - a.weight);
}

function offerStems(
  offer: (term: string, weight: number) => void,
  folded: string,
  language: Language,
  isKnown: boolean,
): void {
  if (language === "vietnamese") return;
  const { stems, lesser } = stemForeign(folded, language);
  for (const stem of stems) {
    offer(stemTerm(stem), isKnown ? STEM_WEIGHT : UNSURE_WEIGHT);
    if (isKnown && stem !== folded) offer(stem, PLAIN_WEIGHT);
  }
  for (const stem of lesser) offer(stemTerm(stem), LESSER_WEIGHT);
}
