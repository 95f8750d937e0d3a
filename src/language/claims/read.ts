/**
 * Reads claims from English statements by rules: who, in which respect, what, and whether it has changed.
 *
 * Pure, never throws, and reads a bounded beginning of a text, each sentence once. It leaves out what it cannot read: a
 * missed claim costs less than a wrong one. Questions, wishes, hearsay and statements about the past make no claims.
 */
import { splitSentences } from "../sentences.ts";
import { readCancelled, readChangedValue, readName } from "./change_rules.ts";
import { type Claim, type Guessed, NAMELESS } from "./claim.ts";
import { type Clause, splitAll } from "./clause.ts";
import {
  readBooked,
  readDuration,
  readRank,
  readReached,
  readStatus,
  readStep,
  readTally,
  readTrip,
} from "./count_rules.ts";
import { DIETS } from "./diet_guesses.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { readEvent } from "./event_rules.ts";
import { isFramed } from "./framing.ts";
import { guessClaims } from "./guess.ts";
import { addressed, asDone } from "./instructions.ts";
import { straighten } from "./marks.ts";
import { isPerson, readHome, readRelation, readRole } from "./people_rules.ts";
import { rephrase, tellWho } from "./rephrase.ts";
import { readTelling } from "./reality.ts";
import { keyOfClaim } from "./relate.ts";
import { asSpeaker } from "./speaker.ts";
import { readFavourite, readState } from "./state_rules.ts";
import { readPermission, readPossession } from "./having_rules.ts";
import {
  activity,
  readDoer,
  readEating,
  readLiking,
  readMeasure,
  readStopped,
  readStopping,
  readTool,
} from "./thing_rules.ts";
import { maskValues, stemsOf } from "./values.ts";
import { ingOf, isEvent, pastOf, pastTenseOf } from "./verbs.ts";
import { readWork } from "./work_rules.ts";

/** The most characters and the most sentences of a statement that are read. */
const CHARS_MAX = 1_200;
const SENTENCES_MAX = 6;
/** The confidence of a claim from a clause with "who". It is below `SURE_MIN`, so such a claim ends nothing. */
const ASIDE = 0.7;
const CLAIMS_MAX = 8;
/** The most guesses, and the most keys by which the claims that they may outdate are searched. */
const GUESSES_MAX = 2_000;
const GUESSED_KEYS_MAX = 250;

/** In order; the first rule that applies decides. */
const RULES: readonly Rule[] = [
  readStep,
  readStatus,
  readRank,
  readReached,
  readTally,
  readBooked,
  readTrip,
  readFavourite,
  readPermission,
  readCancelled,
  readStopped,
  readLiking,
  readRelation,
  readEating,
  readRole,
  readName,
  readWork,
  readEvent,
  readMeasure,
  readHome,
  readChangedValue,
  readTool,
  readState,
  readPossession,
];
/** Verbs that only say that something was done. */
const NO_ACTIVITY = new Set(
  "be have say tell know see make do go come get give put ask call leave mention become begin end act".split(" "),
);

/** "Caroline: ", and "Caroline, 8 May 2023: " of collapsed sessions. */
const LABEL = /^([\p{L}][\p{L}\p{M}' .-]{0,40})(?:, \d{1,2} \p{Lu}\p{Ll}+ \d{4})?: (?=\S)/u;
/** What is quoted with the sentence before it says "she" and "it" of what that sentence names. */
const WITH_BEFORE = /^[^:"]{1,60}: "/u;
const NO_SPEAKER =
  /\b(?:reminder|note|update|correction|fyi|news|warning|todo|template|status|decision|question|answer|re|ps|subject)\b/iu;
/** "It worked: I keep my tools in the cellar now" */
const CLAUSE_BEFORE =
  /^(?:it|that|this|i|i'm|we|you|he|she|they|there|here|so|and|but|also|the user(?: (?!and others$).+))$|^(?:it|that|this|i|i'm|we|you|he|she|they|there|here) |^the user (?!and others)/iu;
const SPEAKS =
  /\b(?:says?|said|asks?|asked|claims?|writes|wrote|headline|caption|slogan|motto|lyrics?|draft|script|prompt)\b/iu;

/**
 * The claims of a statement, in order. `speaker` is the person who says "I"; a name before the first colon takes
 * precedence, as in collapsed sessions ("Caroline: I moved").
 */
export function readClaims(statement: string, speaker: string = NAMELESS): Claim[] {
  const claims: Claim[] = [];
  for (const [sentence, who, isAside] of listSentences(statement, speaker)) {
    for (const clause of splitAll(sentence, who)) {
      if (!clause.isTold) {
        // "had my tenth lesson yesterday" says how many there have been.
        if (!clause.isHistory) claims.push(...readTally(clause) ?? []);
        continue;
      }
      const lasting = readDuration(clause);
      const read = [...readLasting(clause, lasting), ...lasting];
      // A claim in a subordinate clause may be about somebody else, so it can only mark older claims as outdated.
      claims.push(
        ...(isAside ? read.map((claim) => ({ ...claim, confidence: Math.min(claim.confidence, ASIDE) })) : read),
      );
    }
    if (claims.length >= CLAIMS_MAX) break;
  }
  return claims.slice(0, CLAIMS_MAX).map((claim) => ofItem(claim, statement));
}

/** Matches the one of several things that a statement is about: "Ticket 12: the user has called twice". */
const ITEM =
  /^((?:ticket|case|issue|order|customer|client|project|sprint|room|flat|server|task|job|bug|incident|request|account|invoice|team|site|store) (?:no\. |#)?(?:[\p{L}]{1,9}-)?\d+): (?=\S)/iu;

/** The claim, limited to the thing that the statement names before its colon, behind the speaker and the day. */
function ofItem<T extends Claim>(claim: T, statement: string): T {
  const item = ITEM.exec(statement.slice(LABEL.exec(statement)?.[0].length ?? 0))?.[1];
  if (item === undefined) return claim;
  const scope = new Set([...claim.scope.split(" ").filter(Boolean), ...stemsOf(item)]);
  return { ...claim, scope: [...scope].sort().join(" ") };
}

/** Guesses which older claims a statement about a change likely replaces, besides those that its own claims replace. */
export function readGuesses(statement: string, speaker: string = NAMELESS): readonly Guessed[] {
  const guesses: Guessed[] = [];
  const keys = new Set<string>();
  for (const sentence of listSentences(statement, speaker)) {
    const [said, who] = sentence;
    // In a conversation with named speakers, an instruction may be meant for any of them.
    const plain = who === NAMELESS ? asDone(plainly(said)) : plainly(said);
    for (const guess of splitAll(plain, who).flatMap(guessClaims)) {
      const key = keyOfClaim(guess);
      if (guesses.length === GUESSES_MAX || (keys.size === GUESSED_KEYS_MAX && !keys.has(key))) continue;
      keys.add(key);
      guesses.push(ofItem(guess, statement));
    }
  }
  return guesses;
}

/** Rewords a sentence in which an unnamed person did something, or somebody had to do something, as one in which it was done. */
function plainly(sentence: string): string {
  return sentence.replace(/^(?:somebody|someone) (?=\p{Ll})/iu, "They ")
    .replace(/\bhad to (\p{Ll}+)\b/giu, (_, verb: string) => pastTenseOf(verb));
}

/** Lists each sentence that says what is true, who says "I" in it, and whether it was an aside of another sentence. */
function* listSentences(
  statement: string,
  speaker: string,
): Iterable<[sentence: string, speaker: string, isAside: boolean]> {
  const text = statement.length > CHARS_MAX ? statement.slice(0, CHARS_MAX) : statement;
  if (WITH_BEFORE.test(text)) return;
  const label = LABEL.exec(text);
  const isSpeaker = label !== null && !NO_SPEAKER.test(label[1]!) && !CLAUSE_BEFORE.test(label[1]!) &&
    label[1]!.split(" ").length <= 4;
  if (label !== null && (SPEAKS.test(label[1]!) || isFramed(label[1]!))) return;
  const who = isSpeaker ? nameOf(label[1]!) : speaker;
  const said = isSpeaker ? text.slice(label[0].length) : text;
  for (const { start, end } of splitSentences(said).slice(0, SENTENCES_MAX)) {
    const sentence = straighten(said.slice(start, end));
    const aside = tellWho(sentence);
    if (aside !== null) yield [who === NAMELESS ? asSpeaker(aside) : aside, who, true];
    const telling = readTelling(sentence);
    if (telling === null) continue;
    const reporter = telling.reporter;
    const plain = reporter === null ? telling.text : telling.text.replace(/^(?:he|she|they)\b/iu, reporter)
      .replace(/^(?:his|her|their)\b/iu, `${reporter}'s`);
    const own = who === NAMELESS ? asSpeaker(withoutAside(plain)) : withoutAside(plain);
    yield [rephrase(addressed(withOwner(own))), who, false];
  }
}

/** Removes an aside: "Mona, who used to live in Lyon, now lives in Nice" becomes "Mona now lives in Nice". */
function withoutAside(sentence: string): string {
  return sentence.replace(/, (?:who|which|whose) [^,;]{2,80}, (?=\p{Ll})/u, " ");
}

/** Rewords "Caroline sold Caroline's Volvo" as "Caroline sold their Volvo". */
function withOwner(sentence: string): string {
  const who = /^\p{Lu}\p{L}+(?= )/u.exec(sentence)?.[0];
  if (who === undefined) return sentence;
  const owned = ` ${who}'s `;
  return who + sentence.slice(who.length).replaceAll(owned, " their ");
}

function nameOf(label: string): string {
  return /^user$/iu.test(label) ? NAMELESS : label;
}

function readClause(said: Clause): readonly Claim[] {
  const stopped = readStopping(said);
  const clause = stopped ?? said;
  // "has not moved" says that nothing has changed.
  const isUnchanged = clause.isDenied && !clause.hasEnded && isEvent(clause.lemma) && clause.modal === null &&
    (clause.form === "past" || clause.isPassive);
  // "has not arrived" says what is not true yet.
  const isOpen = clause.isPerfect && clause.isDenied && !clause.hasEnded && /^(?:yet)?[.!]?$/iu.test(clause.rest);
  if (isOpen && clause.lemma !== "be") return [{ ...activity(clause, ""), confidence: 0.6 }].filter(isWhole);
  // "has never been to Japan", "has not tried sushi yet"
  const untried = clause.isPerfect && clause.isDenied && !clause.hasEnded && !clause.isPassive && clause.modal === null
    ? neverDone(clause)
    : null;
  if (untried !== null) return [untried].filter(isWhole);
  if (isUnchanged) return [];
  if (clause.isUnderWay && clause.isPassive && !clause.isDenied) {
    return [
      draw(clause, { respect: "status", predicate: "status", value: `being ${pastOf(clause.lemma)}`, confidence: 0.6 }),
    ].filter(isWhole);
  }
  const isGoingOn = clause.isProgressive && !isPerson(clause) && /^[.!]?$/.test(clause.rest);
  if (isGoingOn && !/^(?:work|run)$/.test(clause.lemma)) {
    const value = ingOf(clause.lemma);
    return [draw(clause, { respect: "status", predicate: "status", value }), activity(clause, "")].filter(isWhole);
  }
  for (const rule of RULES) {
    const claims = rule(clause);
    if (claims !== null) return claims.filter(isWhole);
  }
  if (stopped !== null) return [...readDoer(clause), activity(clause, clause.rest)].filter(isWhole);
  const isTimed = clause.form !== "past" && maskValues(clause.rest).values.length > 0;
  if (
    (clause.isProgressive && isEvent(clause.lemma)) ||
    (NO_ACTIVITY.has(clause.lemma) && !isVisit(clause) && (!isTimed || /^(?:be|have)$/.test(clause.lemma)))
  ) return [];
  if (clause.form === "past" && !clause.isPassive) return [];
  // A team has one leader, but a person may lead several teams. The claim about the team comes first, because a fact is
  // found by its first claim.
  return [...readDoer(clause), activity(clause, clause.rest)].filter(isWhole);
}

/** Reads what somebody has never done, or has not done yet; null: the clause does not name it. */
function neverDone(clause: Clause): Claim | null {
  const { lemma, form } = clause;
  const been = lemma === "be"
    ? /^to ((?:\p{Lu}|an? ).*?)(?: in (?:my|his|her|their) (?:whole |entire )?life)?[.!]?$/u.exec(clause.rest)?.[1]
    : undefined;
  const value = lemma === "be"
    ? been
    : clause.rest.replace(/,? (?:yet|before|so far)[.!]?$/iu, "").replace(/[.!]+$/u, "");
  if (value === undefined || value === "" || (lemma !== "be" && form !== "past") || /^(?:for|since) /iu.test(value)) {
    return null;
  }
  const done = lemma === "be" ? "been to" : pastOf(lemma);
  return draw(clause, {
    respect: "activity",
    predicate: `has ${done}`,
    value: upTo(value),
    polarity: false,
    confidence: 0.6,
  });
}

/** Reads the claims of a clause besides its duration. */
function readLasting(clause: Clause, [lasting]: readonly Claim[]): readonly Claim[] {
  if (lasting === undefined) return readClause(clause);
  const claims = readClause(withoutSpan(clause));
  // Somebody who has been a manager for two months may be a nurse as well, so the time limits the claim.
  return clause.lemma === "be"
    ? claims.map((claim) => ({ ...claim, scope: claim.scope || [...stemsOf(lasting.value)].sort().join(" ") }))
    : claims;
}

/** The clause without its duration, which is no purpose: "has been learning the ukulele for three weeks". */
function withoutSpan(clause: Clause): Clause {
  return {
    ...clause,
    rest: clause.rest.replace(/ ?\bfor (?:\S+ ){1,4}?(?:second|minute|hour|day|night|week|month|year)s?\b/iu, ""),
  };
}

/** "goes to the boxing gym" */
function isVisit({ lemma, form, rest, isPassive }: Clause): boolean {
  // "does my workouts in the garage"
  if (lemma === "do" && !isPassive && form !== "past") {
    return /^(?:my|our|his|her|their|the|most) .* (?:in|at|on|with) /iu.test(rest) || DIETS.test(rest);
  }
  // "gets my vegetables from a farm"
  if (
    lemma === "get" && !isPassive && form !== "past" && /^(?:my|our|his|her|their|the) .+ (?:from|at) /iu.test(rest)
  ) return true;
  if (lemma === "do" && isPassive) return /^(?:in|with|on|by|via|through) \p{Lu}/u.test(rest);
  if (lemma === "go" && form !== "past" && /^(?:through|via|over) \p{Lu}/u.test(rest)) return true;
  return lemma === "go" && form !== "past" && /^to (?:the|an?|my|our|his|her|their|\p{Lu})/u.test(rest);
}

const NO_PLACE = /^(?:news|English|German|French|Spanish|Italian|Dutch|Portuguese|Polish|Russian|Japanese|Chinese)$/u;

/** Whether a claim is kept: not if it has no subject or no value, or is about the listener or unnamed people. */
function isWhole({ subjectKey: subject, value, polarity, predicate, respect }: Claim): boolean {
  if (
    subject === "" || subject === "they" || (subject === "you" && !/^(?:permission|activity|tool)$/.test(respect))
  ) return false;
  // "is in the news", "is in French"
  if (predicate === "lives in" && NO_PLACE.test(value)) return false;
  // A team's calendar is no team.
  if (predicate === "is a member of" && /\p{L}'s \p{Ll}/u.test(value)) return false;
  if (subject === "we" && predicate === "lives in" && !/[\p{Lu}\p{N}]/u.test(value)) return false;
  return value !== "" || !polarity || !/^(?:is|lives in|works at|uses|has|happens)$/.test(predicate);
}
