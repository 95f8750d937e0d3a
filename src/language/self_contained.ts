/**
 * Decides whether words can be understood by themselves, and which earlier sentences make them so: "Three quotes in."
 * names neither what is quoted nor for whom. Pure, linear in the length of the texts.
 */
import { readRoughly, SURE_MIN } from "./claims/mod.ts";
import type { ConversationTurn } from "./conversation.ts";
import { supplySubject } from "./ellipsis.ts";
import { isForeign, pointsAbroad } from "./foreign_talk.ts";
import { writeOut } from "./informal.ts";
import { isClause } from "./judgement.ts";
import { UNREAL } from "./extraction_patterns.ts";
import { OPENING_MARKERS } from "./discourse_markers.ts";
import { isAntecedent, listAnaphors } from "./anaphora.ts";
import { splitSentences } from "./sentences.ts";
import { listContentStems } from "./tokenise.ts";

/** A sentence that somebody said. */
export interface SaidSentence {
  readonly turn: ConversationTurn;
  readonly text: string;
  readonly isQuestion: boolean;
}

/** Stems that name no matter: of times, numbers, and verbs and nouns that mean anything. */
const LIGHT: ReadonlySet<string> = new Set(
  listContentStems(
    `monday tuesday wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri sat sun january february march april june july august september
    october november december today tomorrow yesterday tonight morning afternoon evening night week weekend month year day
    hour minute time date one two three four five six seven eight nine ten eleven twelve half past quarter first second
    third last next early late new old same other more less come came go went gone get got give gave take took make made
    put set move moved change changed switch swap swapped book booked cancel cancelled confirm confirmed done do did say
    said tell told ask asked want need like think thought know see call called send sent pay paid pick keep kept find
    found start end begin finish add added use used leave left good great nice fine ok okay yes yeah no sure sorry thanks
    thank please lol haha hey hi hello yo really just also still now then well actually around about thing stuff lot bit way kind sort
    people somebody everybody everyone everything something nothing anything always never remember forget agree agreed best better happy able right exactly attached euros dollars pounds total number`,
    "prose",
  ),
);
const SELF = /^(?:i|i'm|i've|i'd|i'll|my)\b/iu;
const OURS = /^(?:we|our|we're|we've)\b/iu;
const IS_NEAT = /^[^\p{Ll}]*\p{Lu}/u;
const OF_SELF = /\b(?:i|i'm|my|our|we|me|us)\b/iu;
/** What somebody offers or agrees to do answers somebody. */
const PROMISES = /^(?:i'll|i will|i can|i could|i'd) (?!like|love)/iu;
const REPLIES = /^(?:yes|yep|yeah|yea|no|nope|nah|exactly)\b(?! (?:one|idea)\b)/iu;
/** "I'd take the other", "then 30 it is": what follows from something that was said. */
const LEANS =
  /^then\b|\bthe (?:\p{L}+ )?ones?\b|\p{L}'s(?=[,.!;]|$)|\b(?:these|those) (?!days|two|three)\p{Ll}{3}|\bchange of plans?\b|\b(?:owe|give|gave|pay|paid|lend|lent|send|sent) you\b|\btoo(?=[,.!;]| (?:on|in|at|for|with|from|then|now|please|pls)\b)|\b(?:too|either|instead|tho|though|as well|then|else)[.!…]*$|\b(?:another|the (?:other|others|same|rest|first|second|third|last|\d+))\b(?! (?:weeks?|months?|years?|nights?|time|days?|of|minute|weekend|floor|thing))/iu;
/** "I have 2.5, bought at Veit": of what, was said before. */
const COUNTS_BARE =
  /\b(?:have|has|got|need|needs|want|wants|took|take|bought|ordered|found|sold|makes?) (?:about |around |only |just |like )?(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten)(?=[,;!]|[.]?$| (?:in|at|from|left|more|too|already)\b)/iu;
/** What a text takes for known: "the deposit", "that one", "our policy". */
const TAKES_AS_KNOWN =
  /\b(?:the|this|that|these|those) \p{Ll}{3}|\bones?\b|\bour (?:policy|plan|rule|limit|target|deal|budget)\b|\bthere\b/iu;
/** A subject of which nobody says whose or which one it is: "vaccines done", "key safe code is 4471". */
const BARE_NOUN =
  /^(?!(?:the|an?|my|our|your|his|her|their|its|this|that|these|those|some|all|both|every|each|no|he|she|it|they|we|you|i|there|don't|do|please|never|always|use|let's|if|when|while|because|so|not|just|yes|yeah)\b|\p{L}+'s\b)\p{Ll}{2,}/iu;
const NAMED = /(?<=[\p{Ll}\p{N},] )\p{Lu}\p{Ll}/u;
/** Stems that make a text stand alone: of the speaker's group, with a name, and else. */
const SELF_MIN = 2;
const OURS_MIN = 2;
const NAMED_MIN = 3;
const KNOWN_MIN = 4;
const LEAN_MATTER_MIN = 2;
const EXCLAIMED_WORDS_MAX = 3;
const CHAT_MIN = 6;
const FOREIGN_CHARS_MIN = 160;
const FOREIGN_QUESTION_CHARS_MIN = 60;
const QUESTION_MIN = 2;

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

/** Whether who knows only who said words, and when, knows what they are about. */
export function standsAlone(whole: string): boolean {
  const text = whole.slice(0, READ_CHARS_MAX);
  if (isForeign(text) === true) return widthOf(text) >= FOREIGN_CHARS_MIN && !pointsAbroad(text);
  let known = "";
  for (const { start, end } of splitSentences(text)) {
    const sentence = text.slice(start, end);
    if (isSocial(sentence)) continue;
    if (!isWhole(sentence, known)) {
      // "Snipped. My physio is called Ada": an exclamation before what is told.
      const isShort = sentence.split(" ", EXCLAIMED_WORDS_MAX + 1).length <= EXCLAIMED_WORDS_MAX;
      if (known === "" && isShort && listAnaphors(writeOut(sentence)).length === 0) continue;
      return false;
    }
    known += `${sentence} `;
  }
  return known !== "";
}

/** Whether words go on from what was said directly before: a part of a clause, a reply, or what points there. */
export function leansOnLast(words: string): boolean {
  if (isForeign(words) === true) return true;
  const plain = supplySubject(writeOut(words).replace(OPENING_MARKERS, ""));
  return REPLIES.test(writeOut(words)) || pointsBack(words) ||
    !IS_NEAT.test(words) && !OF_SELF.test(plain) && BARE_NOUN.test(plain) || !isClause(plain) ||
    matterOf(plain).size < LEAN_MATTER_MIN + Number(PROMISES.test(plain));
}

/** Whether words cannot be understood without what was said before. */
export function pointsBack(words: string): boolean {
  return LEANS.test(writeOut(words)) || pointsToLast(words);
}

/** Whether words tell of a thing, and not whose or which one it is: "key safe code is 4471". */
export function isOfBareThing(words: string): boolean {
  const plain = writeOut(words).replace(OPENING_MARKERS, "");
  return !IS_NEAT.test(words) && !OF_SELF.test(plain) && BARE_NOUN.test(plain) && isForeign(words) !== true;
}

/** Whether a word means what was said directly before. Of persons, other sentences tell. */
export function pointsToLast(words: string): boolean {
  return isForeign(words) === true || COUNTS_BARE.test(words) ||
    listAnaphors(supplySubject(writeOut(words).replace(OPENING_MARKERS, ""))).some((anaphor) =>
      /^(?:it|any|they)$/.test(anaphor)
    );
}

/** Whether a sentence tells what would be, and nothing that is so. */
export function isUnreal(plain: string): boolean {
  return UNREAL.test(plain) || /\bif (?:i|we) (?:were|had|won)\b|\bi could (?:eat|sleep|murder|kill)\b/iu.test(plain);
}

/** Whether words name a thing that others know, and little else: "the letter", "that one". */
export function takesAsKnown(words: string): boolean {
  return TAKES_AS_KNOWN.test(words) && matterOf(words).size < KNOWN_MIN;
}

/** Whether a sentence is a clause whose subject and matter are named, in it or in what is known. */
function isWhole(sentence: string, known: string): boolean {
  const plain = supplySubject(writeOut(sentence).replace(OPENING_MARKERS, ""));
  const matter = matterOf(plain).size;
  const open = listAnaphors(plain);
  // "Changed to 8. I bring wine": each part names something.
  if (
    matter === 0 || LEANS.test(plain) || known === "" && COUNTS_BARE.test(plain) ||
    known === "" && REPLIES.test(sentence)
  ) return false;
  if (known !== "") return open.every((anaphor) => anaphor !== "any" && isAntecedent(known, anaphor));
  if (open.length > 0 || !isClause(plain)) return false;
  const [isNeat, takes] = [IS_NEAT.test(sentence), TAKES_AS_KNOWN.test(plain)];
  if (SELF.test(plain)) {
    const more = Number(PROMISES.test(plain)) + (takes ? (isNeat ? 1 : 2) : 0);
    const least = SELF_MIN + more;
    const all = matter + (/\d/.test(plain) ? 1 : 0);
    // "I live in Oslo" says all, "I earn the same" does not.
    return all > least || all === least && (more > 0 || claimsSurely(sentence));
  }
  if (takes) return matter >= (OF_SELF.test(plain) ? KNOWN_MIN : CHAT_MIN);
  if (OURS.test(plain)) return matter > OURS_MIN || matter === OURS_MIN && claimsSurely(sentence);
  // "closed is wrong in summer": who types so leaves out what the other one knows.
  if (!isNeat && !OF_SELF.test(plain)) return matter >= CHAT_MIN;
  return matter >= (NAMED.test(plain) ? NAMED_MIN : KNOWN_MIN) || matter >= SELF_MIN && claimsSurely(sentence);
}

function claimsSurely(sentence: string): boolean {
  return readRoughly(sentence).some(({ confidence }) => confidence >= SURE_MIN);
}

/** Whether a question says what it asks about. */
export function asksClearly(question: string): boolean {
  if (isForeign(question) === true) return widthOf(question) >= FOREIGN_QUESTION_CHARS_MIN;
  return listAnaphors(question).length === 0 && matterOf(question).size >= QUESTION_MIN &&
    !TAKES_AS_KNOWN.test(question);
}

/** Whether a sentence may tell what a talk is about. */
function namesMatter({ text: whole }: SaidSentence): boolean {
  const text = whole.slice(0, READ_CHARS_MAX);
  return isForeign(text) === true ? widthOf(text) >= 25 : matterOf(text).size >= 3;
}

/** Letters of scripts without spaces count three times. */
function widthOf(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return text.length + 2 * wide;
}

/** What a turn says in short: all of it, or its question, or its first sentence that names something. */
export function gistOf<S extends SaidSentence>(sentences: readonly S[], charsMax: number): S[] {
  const chars = sentences.reduce((sum, { text }) => sum + text.length, 0);
  const asked = sentences.findLastIndex(({ isQuestion }) => isQuestion);
  const question = sentences[asked];
  // What an assistant says before it asks is not what is answered.
  if (question?.turn.role === "assistant" && question === sentences.at(-1) && asksClearly(question.text)) {
    return [question];
  }
  if (chars <= charsMax) return [...sentences];
  const index = asked >= 0 ? asked : sentences.findIndex(namesMatter);
  const chosen = sentences[Math.max(0, index)];
  if (chosen === undefined) return [];
  const before = index > 0 ? sentences[index - 1]! : undefined;
  const both = asked >= 0 && before !== undefined && before.text.length + chosen.text.length <= charsMax;
  return both ? [before, chosen] : [shorten(chosen, charsMax)];
}

const BREAK =
  /[,;:(\u2013\u2014\u3001\uff0c]| (?:and|but|because|so|which|und|aber|weil|y|pero|porque|et|mais|e|mas) /gu;

/** A sentence that ends before the clause in which it gets too long. */
export function shorten<S extends SaidSentence>(sentence: S, charsMax: number): S {
  const { text } = sentence;
  if (text.length <= charsMax) return sentence;
  const head = text.slice(0, charsMax);
  const clause = [...head.matchAll(BREAK)].at(-1)?.index ?? 0;
  const end = clause >= charsMax / 2 ? clause : Math.max(head.lastIndexOf(" "), charsMax / 2);
  return { ...sentence, text: `${text.slice(0, end).trimEnd().toWellFormed().replace(/\ufffd$/u, "")} …` };
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
