/**
 * Detects the languages of a text by its script and function words. Pure.
 *
 * Text without a sign of another language counts as English, and the list of its languages is
 * empty.
 */
import {
  FUNCTION_WORDS_BY_LANGUAGE,
  HALF_WORDS,
  LATIN_LANGUAGES,
  type LatinLanguage,
  type ScriptLanguage,
} from "./function_words.ts";
import { isStopWord, type Word } from "./tokenise.ts";

export type Language = LatinLanguage | ScriptLanguage;
export type Script = "latin" | ScriptLanguage | "other";

/** The signs of a text's language. */
export interface LanguageReading {
  /** The languages that a word of Latin letters may be in, by its place among the words; empty: English, or unknown. */
  readonly of: (place: number) => readonly LatinLanguage[];
  /** The languages of the whole text; empty: English, or unknown. */
  readonly whole: readonly LatinLanguage[];
  /** Whether the text as a whole shows that it is in English. */
  readonly isEnglish: boolean;
}

/** The fewest points that decide for a language; it must also have more points than English. */
const POINTS_MIN = 1;
/** The fewest points that decide for a language of one sentence, if the text as a whole is English. */
const AMONG_ENGLISH_MIN = 2;
/** Languages that are at most this far behind the best one are possible, too. */
const TIE = 0.5;
const HALF = 0.5, LETTER_POINTS = 0.6, ENDING_POINTS = 1;

const PLACE_OF: Readonly<Record<LatinLanguage, number>> = {
  german: 0,
  spanish: 1,
  french: 2,
  italian: 3,
  portuguese: 4,
  vietnamese: 5,
};
const NO_LANGUAGES: readonly LatinLanguage[] = [];
const NO_READING: LanguageReading = { of: () => NO_LANGUAGES, whole: NO_LANGUAGES, isEnglish: false };
const ENGLISH: LanguageReading = { ...NO_READING, isEnglish: true };

interface Sign {
  readonly languages: readonly LatinLanguage[];
  readonly points: number;
}

const FUNCTION_SIGNS: ReadonlyMap<string, Sign> = new Map(
  [...new Set(LATIN_LANGUAGES.flatMap((language) => [...FUNCTION_WORDS_BY_LANGUAGE[language]]))].map((word) => [word, {
    languages: LATIN_LANGUAGES.filter((language) => FUNCTION_WORDS_BY_LANGUAGE[language].has(word)),
    // A word that is also an English stop word counts in full, because English gets a point for it,
    // too.
    points: HALF_WORDS.has(word) && !isStopWord(word, "search") ? HALF : 1,
  }]),
);

/** Letters that a language has and English lacks. A word is compared with the languages in this order. */
const LETTER_SIGNS: readonly (readonly [RegExp, Sign])[] = [
  [
    /[ăơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/,
    { languages: ["vietnamese"], points: 1 },
  ],
  [/(?:ción|ciones)$|ñ/, { languages: ["spanish"], points: ENDING_POINTS }],
  [/(?:ção|ções)$|[ãõ]/, { languages: ["portuguese"], points: ENDING_POINTS }],
  [/[äöß]|ü/, { languages: ["german"], points: LETTER_POINTS }],
  [/[œêëîïû]/, { languages: ["french"], points: LETTER_POINTS }],
  [/ç/, { languages: ["french", "portuguese"], points: LETTER_POINTS }],
  [/[èùì]/, { languages: ["french", "italian"], points: LETTER_POINTS }],
  [/[áíóú]/, { languages: ["spanish", "portuguese"], points: LETTER_POINTS }],
  [/à/, { languages: ["french", "italian", "portuguese"], points: LETTER_POINTS }],
];

/** Endings that no English word has, by their last letter. */
const ENDINGS: Readonly<Record<string, readonly (readonly [string, LatinLanguage[]])[]>> = {
  n: ["ungen", "heiten", "keiten", "schaften"].map((ending) => [ending, ["german"]]),
  t: [["keit", ["german"]], ["schaft", ["german"]]],
  s: [["aciones", ["spanish"]], ["idades", ["spanish", "portuguese"]]],
  e: [["zione", ["italian"]]],
  i: [["zioni", ["italian"]]],
};
const ENDING_WORD_MIN = 6;
/** An article or pronoun that has lost its vowel: "l'ordine", "qu'il", "dell'anno". */
const ELIDED = /^(?:[ld]|qu|dell|all|nell|sull|dall)['’ʼ]\p{L}{2}/iu;
const ELIDED_SIGN: Sign = { languages: ["french", "italian"], points: LETTER_POINTS };
const SENTENCE_END = /[.!?…;\n¡¿]/;
const APOSTROPHE = /['’ʼ]/;

function signOf({ raw, folded }: Word): Sign | undefined {
  const known = FUNCTION_SIGNS.get(folded);
  if (known !== undefined) return known;
  for (let i = 0; i < folded.length; i++) {
    if (folded.charCodeAt(i) > 0x7f) return LETTER_SIGNS.find(([letters]) => letters.test(folded))?.[1];
  }
  if (raw.length > folded.length && APOSTROPHE.test(raw) && ELIDED.test(raw)) return ELIDED_SIGN;
  if (folded.length < ENDING_WORD_MIN) return undefined;
  const ending = ENDINGS[folded.at(-1)!]?.find(([one]) => folded.endsWith(one));
  return ending && { languages: ending[1], points: ENDING_POINTS };
}

const VOWEL_ENDED: readonly LatinLanguage[] = ["spanish", "italian", "portuguese"];
const VOWEL_ENDED_MIN = 4;

/**
 * Whether a text without a function word is in Italian or a language like it: four words or more that all end in a vowel, most
 * of them not in the -e that English words end in, too.
 */
function hasRomanceEndings(words: readonly Word[]): boolean {
  if (words.length < VOWEL_ENDED_MIN || !words.every(({ folded }) => /^[a-zàèéìòù]{3,}[aeio]$/.test(folded))) {
    return false;
  }
  return 2 * words.filter(({ folded }) => folded.endsWith("e")).length < words.length;
}

/** Points of each language and of English; a repeated word adds none. */
class Tally {
  readonly #seen = new Set<string>();
  readonly points = new Float64Array(LATIN_LANGUAGES.length);
  english = 0;

  add(word: Word, sign: Sign | undefined): void {
    if (isStopWord(word.folded, "search")) this.english++;
    if (sign === undefined || this.#seen.has(word.folded)) return;
    this.#seen.add(word.folded);
    for (const language of sign.languages) this.points[PLACE_OF[language]] += sign.points;
  }

  get best(): number {
    return Math.max(...this.points);
  }

  /** The languages with the most points; empty: English, or unknown. English wins a tie. */
  decide(pointsMin = POINTS_MIN): readonly LatinLanguage[] {
    const { best } = this;
    if (best < pointsMin || best <= this.english) return NO_LANGUAGES;
    return LATIN_LANGUAGES.filter((language) => this.points[PLACE_OF[language]] >= best - TIE);
  }
}

/**
 * Reads which languages the words of a normalised text are in: each sentence by its own signs, and one without any by those
 * of the whole text.
 */
export function detectLanguages(text: string, words: readonly Word[]): LanguageReading {
  const signs = words.map(signOf);
  const whole = new Tally();
  let hasSign = false;
  words.forEach((word, i) => {
    hasSign ||= signs[i] !== undefined;
    whole.add(word, signs[i]);
  });
  const decided = whole.english === 0 && whole.best < POINTS_MIN && hasRomanceEndings(words)
    ? VOWEL_ENDED
    : whole.decide();
  const isEnglish = decided.length === 0 && whole.english > 0;
  const pointsMin = isEnglish ? AMONG_ENGLISH_MIN : POINTS_MIN;
  if (decided === VOWEL_ENDED) return { of: () => VOWEL_ENDED, whole: VOWEL_ENDED, isEnglish };
  if (!hasSign || whole.best < pointsMin) return isEnglish ? ENGLISH : NO_READING;
  const sentences: { readonly from: number; readonly tally: Tally }[] = [];
  words.forEach((word, i) => {
    const before = words[i - 1];
    const starts = before === undefined || SENTENCE_END.test(text.slice(before.index + before.raw.length, word.index));
    if (starts) sentences.push({ from: i, tally: new Tally() });
    sentences.at(-1)!.tally.add(word, signs[i]);
  });
  const languages: (readonly LatinLanguage[])[] = [];
  sentences.forEach(({ from, tally }, s) => {
    const own = tally.decide(pointsMin);
    const found = own.length === 0 && tally.english === 0 ? decided : own;
    const to = sentences[s + 1]?.from ?? words.length;
    for (let i = from; i < to; i++) languages.push(found);
  });
  return {
    of: (place) => languages[place] ?? NO_LANGUAGES,
    whole: decided,
    isEnglish,
  };
}

/** The script of a word's first letter; `other` where the word holds anything but letters and their marks. */
export function scriptOf(word: string): Script {
  if (!/^[\p{L}\p{M}]+$/u.test(word)) return "other";
  const first = word.charCodeAt(0);
  if (first < 0x250 || first >= 0x1e00 && first < 0x1f00) return "latin";
  if (first >= 0x400 && first < 0x530) return "russian";
  if (first >= 0x600 && first < 0x780) return "arabic";
  return first >= 0xac00 && first < 0xd7a4 ? "korean" : "other";
}
