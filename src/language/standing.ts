/**
 * Decides whether words can be understood by themselves, and which earlier sentences make them so: "Three quotes in."
 * names neither what is quoted nor for whom. Pure, linear in the length of the texts.
 */
import type { ConversationTurn } from "./conversation.ts";
import { isForeign } from "./foreign_talk.ts";
import { writeOut } from "./informal.ts";
import { splitSentences } from "./sentences.ts";
import { listContentStems } from "./words.ts";

/** A sentence that somebody said. */
export interface Sentence {
  readonly turn: ConversationTurn;
  readonly text: string;
  readonly isQuestion: boolean;
}

/** Stems that name no matter: of times, numbers, and verbs and nouns that mean anything. */
const LIGHT: ReadonlySet<string> = new Set(
  listContentStems(
    `monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december today tomorrow yesterday tonight morning afternoon evening night week weekend month year day
    hour minute time date one two three four five six seven eight nine ten eleven twelve half past quarter first second
    third last next early late new old same other more less come came go went gone get got give gave take took make made
    put set move moved change changed switch swap swapped book booked cancel cancelled confirm confirmed done do did say
    said tell told ask asked want need like think thought know see call called send sent pay paid pick keep kept find
    found start end begin finish add added use used leave left good great nice fine ok okay yes yeah no sure sorry thanks
    thank please lol haha hey hi hello really just also still now then well actually around about thing stuff lot bit way kind sort
    people somebody everybody agree agreed best better happy able right exactly attached euros dollars pounds total number`,
    "prose",
  ),
);
const SELF = /^(?:(?:and|but|so|also|oh|ok|well|yes|no|yeah|hi|hey)[,.!]? )*(?:i|i'm|i've|i'd|i'll|my)\b/iu;
const OURS = /^(?:(?:and|but|so|also|oh|ok|well|yes|no|yeah|hi|hey)[,.!]? )*(?:we|our|we're|we've)\b/iu;
/** What a text takes for known: "the deposit", "that one", "our policy". */
const TAKES_AS_KNOWN =
  /\b(?:the|this|that|these|those) \p{Ll}{3}|\bones?\b|\bour (?:policy|plan|rule|limit|target|deal|budget)\b|\bthere\b/iu;
const NAMED = /(?<=[\p{Ll}\p{N},] )\p{Lu}\p{Ll}/u;
/** Stems that make a text stand alone: of the speaker's group, with a name, and else. */
const OURS_MIN = 2;
const NAMED_MIN = 3;
const KNOWN_MIN = 4;
const WITH_CONTEXT_MIN = 5;
const FOREIGN_CHARS_MIN = 45;
const FOREIGN_CONTEXT_CHARS_MIN = 70;

/** What of a text is read. */
const READ_CHARS_MAX = 1_000;

/** The stems of what a text is about, each once. */
export function matterOf(text: string): Set<string> {
  return new Set(
    listContentStems(writeOut(text.slice(0, READ_CHARS_MAX)), "prose").filter((stem) =>
      !LIGHT.has(stem) && !/^\p{N}/u.test(stem)
    ),
  );
}

/** Whether a text names its matter, so that a reader who knows who said it and when understands it. */
export function standsAlone(whole: string): boolean {
  const text = whole.slice(0, READ_CHARS_MAX);
  if (isForeign(text) === true) return widthOf(text) >= FOREIGN_CHARS_MIN;
  const sentences = splitSentences(text).map(({ start, end }) => text.slice(start, end)).filter((one) =>
    !isSocial(one)
  );
  // "Changed to 8. I bring wine": each part names something.
  if (sentences.some((one) => matterOf(one).size === 0)) return false;
  const matter = matterOf(text).size;
  if (TAKES_AS_KNOWN.test(text)) return matter >= KNOWN_MIN;
  const first = sentences[0] ?? "";
  return matter >= (SELF.test(first) ? 1 : OURS.test(first) ? OURS_MIN : NAMED.test(text) ? NAMED_MIN : KNOWN_MIN);
}

/** Whether a text with the sentences that are quoted before it names enough. */
export function suffices(texts: readonly string[]): boolean {
  const all = texts.join(" ").slice(0, READ_CHARS_MAX);
  if (isForeign(all) === true) return widthOf(all) >= FOREIGN_CONTEXT_CHARS_MIN;
  return matterOf(all).size >= WITH_CONTEXT_MIN;
}

/** Whether a sentence may tell what a talk is about. */
export function namesMatter({ text: whole }: Sentence): boolean {
  const text = whole.slice(0, READ_CHARS_MAX);
  return isForeign(text) === true ? widthOf(text) >= 25 : matterOf(text).size >= 3;
}

/** Letters of scripts without spaces count three times. */
function widthOf(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return text.length + 2 * wide;
}

/** What a turn says in short: all of it, or its question, or its first sentence that names something. */
export function gistOf<S extends Sentence>(sentences: readonly S[], charsMax: number): S[] {
  const chars = sentences.reduce((sum, { text }) => sum + text.length, 0);
  if (chars <= charsMax) return [...sentences];
  const asked = sentences.findLastIndex(({ isQuestion }) => isQuestion);
  const index = asked >= 0 ? asked : sentences.findIndex(namesMatter);
  const chosen = sentences[Math.max(0, index)];
  if (chosen === undefined || chosen.text.length > 2 * charsMax) return [];
  const before = index > 0 ? sentences[index - 1]! : undefined;
  const both = asked >= 0 && before !== undefined && before.text.length + chosen.text.length <= charsMax;
  return both ? [before, chosen] : [chosen];
}

const SOCIAL: ReadonlySet<string> = new Set(
  `ok okay k kk great charm cheers love ya you u lovely nice cool perfect brilliant awesome thank thanks thx ty ta got it
  will do noted see later soon then bye good night morning x xx xxx haha hahaha lol sure fine yes yep yeah no nope sounds
  same done on worries problem np of course much so very all the best merci beaucoup danke schön gracias grazie mille
  obrigado obrigada hey hi hello hm hmm oh wow aw aww omg right exactly absolutely nah attached works me too you're welcome test mail sent a message`
    .split(/\s+/u),
);
const SOCIAL_WORDS_MAX = 8;

/** Whether a message is social talk, of which nothing is kept. */
export function isSocial(text: string): boolean {
  const words = text.slice(0, 200).toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  return text.length <= 200 && words.length <= SOCIAL_WORDS_MAX && words.every((word) => SOCIAL.has(word));
}

/** How a sentence begins that corrects the one before: "No sorry, 11:15", "Well, one is". */
const CORRECTS =
  /^(?:(?:oh|ah|oops|ups|hm+|er|erm|argh|ach|ay)[,.…!]? )?(?:no|well|sorry|wait|actually|correction|scratch that|rather|i mean|my mistake|make that|or rather|nein|pardon|perdón|perdona|desculpa|scusa|quatsch|doch nicht|besser gesagt|mejor dicho|enfin|en fait|anzi|quer dizer|aliás)(?:[^\p{L}]|$)/iu;

/** Whether a sentence corrects what its speaker has just said. */
export function corrects(sentence: string): boolean {
  return CORRECTS.test(sentence);
}
