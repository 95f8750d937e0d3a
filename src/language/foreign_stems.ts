/**
 * The stems of words that are not English, by language: Snowball's for the languages of Latin letters and Russian,
 * light ones for Arabic, and words without particles and endings for Korean.
 *
 * A word has several stems: a query finds a text if a word of each has a stem in common. Pure.
 */
import { stemmer as stemFrench } from "@orama/stemmers/french";
import { stemmer as stemGerman } from "@orama/stemmers/german";
import { stemmer as stemItalian } from "@orama/stemmers/italian";
import { stemmer as stemPortuguese } from "@orama/stemmers/portuguese";
import { stemmer as stemRussian } from "@orama/stemmers/russian";
import { stemmer as stemSpanish } from "@orama/stemmers/spanish";
import { stemArabic } from "./arabic_stems.ts";
import { stemKorean } from "./korean_endings.ts";
import { withoutMarks } from "./letters.ts";
import type { Language } from "./detect_language.ts";

/**
 * The number of the rule by which texts get stems besides their words. The database stores it with how far each
 * workspace's texts have been indexed by it. Raise it when the stems of a text change, so that older texts get the new
 * ones, too (`domain/unit/restem.ts`). A rule may only add stems: the code that removes a text from the index asks
 * today's rule which postings contain it, and would leave the others behind.
 */
export const STEM_RULE = 2;

/** The stems of a word: the usual ones, and others that it may have, which are a lesser match. */
export interface ForeignStems {
  readonly stems: readonly string[];
  readonly lesser: readonly string[];
}

/** A longer word, such as a pasted blob, has no stem but itself. */
const STEMMED_MAX = 40;
const CACHE_MAX = 32_768;
const cache = new Map<string, ForeignStems>();

/** The stems of a folded word in a language; all its characters must be letters. */
export function stemForeign(word: string, language: Language): ForeignStems {
  const key = `${language} ${word}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const { stems, lesser } = word.length > STEMMED_MAX ? { stems: [word], lesser: [] } : STEMMERS[language](word);
  const usual = new Set(stems);
  const made = { stems: [...usual], lesser: [...new Set(lesser)].filter((stem) => !usual.has(stem)) };
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(key, made);
  return made;
}

const ARTICLE =
  /^(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu|dell|all|nell|sull|dall|un|quest|quell|dov|com)['’ʼ](\p{L}[\p{L}\p{M}]*)$/iu;

/** The word behind an elided article or pronoun, in lower case: "ordine" of "l'ordine". */
export function behindArticle(raw: string): string | undefined {
  return ARTICLE.exec(raw)?.[1].toLowerCase();
}

const STEMMERS: Readonly<Record<Language, (word: string) => ForeignStems>> = {
  german: listGerman,
  spanish: (word) => withoutVowel(withoutMarks(stemSpanish(word))),
  french: listFrench,
  italian: listItalian,
  portuguese: (word) => withoutVowel(withoutMarks(stemPortuguese(toSingular(word)))),
  vietnamese: (word) => ({ stems: [], lesser: [withoutMarks(word)] }),
  russian: (word) => ({ stems: [stemRussian(word)], lesser: [] }),
  arabic(word) {
    const { stems, skeletons } = stemArabic(word);
    return { stems, lesser: skeletons.map((skeleton) => `~${skeleton}`) };
  },
  korean(word) {
    const { stems, grams } = stemKorean(word);
    return { stems, lesser: grams };
  },
};

/** Snowball leaves the plural in -s after a vowel ("Autos"), the verb's -t ("wohnt") and the participle's ge- ("gebucht"). */
function listGerman(word: string): ForeignStems {
  const stem = stemGerman(word);
  const stems = [withoutMarks(stem)], lesser: string[] = [];
  // "Müller" is found as "Mueller". Not the other way round: "neue" and "Quelle" hold no umlaut.
  if (/[äöü]/.test(word)) {
    const spelled = word.replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue");
    stems.push(spelled, withoutMarks(stemGerman(spelled)));
  }
  if (/[aeiouy]s$/.test(word)) lesser.push(withoutMarks(stemGerman(word.slice(0, -1))));
  // "Kolleginnen" and "Kollegin", "Zentren" and "Zentrum".
  if (stem.endsWith("inn")) lesser.push(withoutMarks(stem.slice(0, -1)));
  if (/[^aeiou]um$/.test(stem) && stem.length >= 6) lesser.push(withoutMarks(stem.slice(0, -2)));
  const bare = withoutVerbEnding(stem);
  if (bare !== undefined) lesser.push(bare);
  if (/^ge.{4,}(?:t|en)$/.test(word)) {
    const participle = stemGerman(word.slice(2));
    lesser.push(withoutMarks(withoutVerbEnding(participle) ?? participle));
  }
  return { stems, lesser };
}

function withoutVerbEnding(stem: string): string | undefined {
  return /[^aeiou]t$/.test(stem) && stem.length >= 5
    ? withoutMarks(stemGerman(stem.slice(0, -1)))
    : /[td]et$/.test(stem)
    ? withoutMarks(stemGerman(stem.slice(0, -2)))
    : undefined;
}

/** Snowball leaves the ending of "habitent", which is "habite" in the singular. */
function listFrench(word: string): ForeignStems {
  const lesser = /[^m]ent$/.test(word) && word.length >= 6 ? [withoutMarks(stemFrench(word.slice(0, -2)))] : [];
  return { stems: [withoutMarks(stemFrench(word))], lesser };
}

/** "tedeschi" is "tedesco" in the singular. */
function listItalian(word: string): ForeignStems {
  const stem = withoutMarks(stemItalian(word));
  return /[cg]h$/.test(stem) ? { stems: [stem], lesser: [stem.slice(0, -1)] } : withoutVowel(stem);
}

/** Snowball's stems of "alergia" and "alérgica" differ by a vowel. */
function withoutVowel(stem: string): ForeignStems {
  return { stems: [stem], lesser: /[aeiou]$/.test(stem) && stem.length >= 5 ? [stem.slice(0, -1)] : [] };
}

const PLURALS: readonly (readonly [RegExp, string])[] = [
  [/[õã]es$/, "ão"],
  [/ãs$/, "ã"],
  [/ais$/, "al"],
  [/[eé]is$/, "el"],
  [/[oó]is$/, "ol"],
  [/ns$/, "m"],
];

/** Plurals of Portuguese that change more than an -s; Snowball leaves "canções" and "canção" apart. */
function toSingular(word: string): string {
  const plural = word.length >= 4 ? PLURALS.find(([ending]) => ending.test(word)) : undefined;
  return plural === undefined ? word : word.replace(plural[0], plural[1]);
}
