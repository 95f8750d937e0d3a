/**
 * One spelling for words that people write with or without marks: "Zoë" and "Zoe", "Łukasz" and "Lukasz", "straße" and
 * "strasse". Pure.
 */

const STEM_LETTERS: Readonly<Record<string, string>> = { ß: "ss", đ: "d", ø: "o", œ: "oe", æ: "ae", ł: "l" };
const LETTERS: Readonly<Record<string, string>> = {
  ...STEM_LETTERS,
  ı: "i",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŋ: "n",
  ŧ: "t",
  ə: "e",
  ς: "σ",
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/**
 * Accents of Latin, Greek and Cyrillic letters, points of Hebrew and vowel signs of Arabic. "й" is a letter of its own.
 * The vowels of Indian scripts and the voicing of Japanese ones are no accents.
 */
const ACCENTS = /(?<!и)[\u0300-\u036f]|[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;

/** Latin letters without their marks, for stems. Stored postings depend on it: it must not change. */
export function withoutMarks(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").replace(/[ßđøœæł]/g, (letter) => STEM_LETTERS[letter]!);
}

/** Whether a text has ASCII alone, so that it has one normal form. */
export function isPlain(text: string): boolean {
  // deno-lint-ignore no-control-regex
  return /^[\x00-\x7f]*$/.test(text);
}

/** A lower-case word with plain letters instead of marked ones. */
export function foldLetters(word: string): string {
  return word.normalize("NFD").replace(ACCENTS, "").normalize("NFC").replace(LETTER, (letter) => LETTERS[letter]!);
}

/** A lower-case word with two plain letters for a marked one. */
export function foldToPairs(word: string): string {
  return foldLetters(word.replace(/[äöüøå]/g, (letter) => PAIRS[letter]!));
}

/** How letters with a mark are written where a keyboard lacks them: "Mueller", "Soeren", "Aarhus". */
const PAIRS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };
const HEBREW = /^[\u05d0-\u05ea]+$/;
/** "and", "the", "in", "to", "as", "from" and "that", which Hebrew joins to the next word. */
const HEBREW_PREFIX = /^[והבלכמש]/;
const PREFIXES_MAX = 2;

/** The other plain spellings of a lower-case word in NFKC, without the word itself. */
export function listSpellings(word: string): string[] {
  const found = new Set([foldLetters(word), foldToPairs(word)]);
  if (HEBREW.test(word)) {
    let bare = word;
    for (let i = 0; i < PREFIXES_MAX && bare.length > 2 && HEBREW_PREFIX.test(bare); i++) {
      bare = bare.slice(1);
      found.add(bare);
    }
  }
  found.delete(word);
  return [...found];
}

const EMOJI = /\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Extended_Pictographic}/gv;

/** The emoji of a text with their places, without skin tones and the mark that asks for colour. */
export function listEmoji(text: string): { readonly raw: string; readonly emoji: string; readonly index: number }[] {
  return [...text.matchAll(EMOJI)].map(({ 0: raw, index }) => {
    const emoji = raw.replace(/(?!^)[\u{1f3fb}-\u{1f3ff}]|\ufe0f/gu, "");
    return { raw, emoji, index };
  });
}
