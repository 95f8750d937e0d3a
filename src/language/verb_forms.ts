/** Forms of English verbs, as far as the rules need them: the third person of the present, and past forms. */
import { wordSet } from "./word_set.ts";

/** Past forms and participles that differ from the base. */
export const IRREGULAR_PASTS = wordSet(`
  went bought got had made took saw met came ran gave found left lost won wrote rewrote sold sent spent began broke brought built
  caught drove drank ate fell flew grew held kept knew led learnt paid rode sang sat slept spoke stood swam taught told
  woke wore hung did chose dreamt fed fought lent shot threw became forgot rang drew heard said thought felt meant
  was were been done gone seen taken written given known grown chosen eaten driven flown broken fallen begun ridden
  spoken swum worn understood sought shook stole stuck struck swore swept tore laid lay lit bit blew bent bred burnt
  clung crept dealt dug fled forgave froze ground hid knelt leapt overcame proved shone shrank sank slid smelt spun
  split spoilt sprang swung undertook wept wound withdrew drawn frozen hidden shown stolen forgotten bitten blown
  gotten rebuilt resold redid underwent outgrew upheld withheld`);

/** Verbs whose past form is their base: "I put", "I quit". */
const UNCHANGED_PASTS = wordSet(
  "put cut set hit let read quit cost hurt shut bet beat spread cast burst rid shed split upset reset broadcast",
);
/** Base forms that end like a past form. */
const BASES_IN_ED = wordSet("need feed speed proceed succeed exceed bleed breed seed weed embed heed");
const UNCHANGING = wordSet(`
  can can't cannot could couldn't will won't would wouldn't shall should shouldn't may might must mustn't ought used
  did didn't had hadn't was wasn't is isn't has hasn't does doesn't better rather`);
const THIRD_PERSONS: Readonly<Record<string, string>> = {
  am: "is",
  are: "is",
  "aren't": "isn't",
  were: "was",
  "weren't": "wasn't",
  have: "has",
  "haven't": "hasn't",
  do: "does",
  "don't": "doesn't",
  be: "is",
  wanna: "wants to",
  gotta: "has to",
  gonna: "is going to",
  go: "goes",
};

/** Base forms that may follow "and" after the verb of a subject: "I live in Oslo and work at Acme". */
const COMMON_BASES = wordSet(`
  live work have like love hate prefer enjoy need want use run teach study plan hope own speak play collect eat drink
  drive take make go come get see know think believe keep leave lead manage write read sing dance cook bake swim train
  travel meet visit spend pay buy sell rent share help stay sleep wake start stop finish try learn call ask tell give
  bring wear carry follow support earn save do commute volunteer practise practice prepare host organise organize`);

/** Adverbs that may stand between a subject and its verb. */
export const MIDDLE_ADVERBS = wordSet(`
  also still always never often usually now just only both all even then first once already really actually absolutely
  definitely totally honestly finally recently lately currently sometimes rarely hardly ever soon later probably maybe
  perhaps mostly mainly simply quite almost nearly too again kinda personally especially truly originally temporarily
  permanently officially not no longer so accidentally basically generally normally typically regularly deeply`);

/** Whether a word, lower case, is a past form. Those that are bases as well ("put") are not. */
export function isPastForm(word: string): boolean {
  return IRREGULAR_PASTS.has(word) ||
    (word.length > 3 && word.endsWith("ed") && !BASES_IN_ED.has(word) && !/^(?:hundred|naked|sacred|red)$/.test(word));
}

/** The form of a verb after a subject in the third person singular: "work" → "works", "am" → "is", "went" → "went". */
export function toThirdPerson(verb: string): string {
  const word = verb.toLowerCase();
  const fixed = THIRD_PERSONS[word];
  if (fixed !== undefined) return fixed;
  if (UNCHANGING.has(word) || UNCHANGED_PASTS.has(word) || isPastForm(word) || !/^[a-z]{2,20}$/.test(word)) return verb;
  if (word.endsWith("ing") && word.length > 5) return verb;
  if (/(?:s|sh|ch|x|z|o)$/.test(word)) return `${verb}es`;
  return /[^aeiou]y$/.test(word) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

/** Whether a word is the base form of a common verb. */
export function isCommonBase(word: string): boolean {
  return COMMON_BASES.has(word);
}

const FUTURE = /\b(?:will|won't|'ll|shall|going to|gonna|plan(?:s|ning)? to|about to|next)\b/iu;

/** Whether a clause is about the past. */
export function leansPast(clause: string): boolean {
  if (FUTURE.test(clause)) return false;
  const words = clause.toLowerCase().match(/[a-z']+/g) ?? [];
  // A participle after "is" is no past form: "water is turned off".
  const isPresent = (i: number) =>
    /^(?:is|are|am|be|being|gets?|'s|'re|isn't|aren't)$/.test(words[i - 1] ?? "") ||
    /(?:'s|'re|'m)$/.test(words[i - 1] ?? "") ||
    // "I've got the dentist on Tuesday"
    (words[i] === "got" && /(?:'ve|^have|^has)$/.test(words[i - 1] ?? ""));
  return words.some((word, i) =>
    ((isPastForm(word) || UNCHANGED_PASTS.has(word)) && !isPresent(i)) || /^(?:didn't|wasn't|weren't)$/.test(word)
  );
}
