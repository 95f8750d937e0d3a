/** Words of a text, for the providers that work without a model. English stop words and stems, other languages as they are. */
import { stemmer } from "stemmer";

/** Runs of letters and digits, an inner apostrophe included; nothing that two Unicode versions would split differently in practice. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu;

/** Function words that say little about what a text is about. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a about after again all also am an and any are as at be been before being both but by can could did do does doing " +
    "don't down during each few for from further had has have having he her here hers herself him himself his how i " +
    "i'd i'll i'm i've if in into is it it's its itself just let's me more most my myself no nor not now of off on once " +
    "only or other our ours ourselves out over own same she should so some such than that that's the their theirs them " +
    "themselves then there these they they're this those through to too under until up us very was we we'll we're we've " +
    "were what when where which while who whom why will with would you you'd you'll you're you've your yours yourself " +
    "yourselves isn't aren't wasn't weren't didn't doesn't can't won't wouldn't couldn't shouldn't haven't hasn't " +
    "hadn't really got get gonna yeah yes ok okay oh wow hey hi hello thanks thank")
    .split(" "),
);

/** The words of a text, folded: NFKC, lower case, straight apostrophes. */
export function splitWords(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().replaceAll("\u2019", "'").match(WORD) ?? [];
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The Porter stem of a folded English word without its possessive; any other word unchanged. */
export function stemWord(word: string): string {
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word;
  return bare.length <= 32 && /^[a-z]+$/.test(bare) ? stemmer(bare) : bare;
}

/** The stems of the words that carry content, in order, with repetitions. */
export function listContentStems(text: string): string[] {
  return splitWords(text).filter((word) => !STOP_WORDS.has(word)).map(stemWord);
}
