/**
 * Reads claims from English statements by rules: who, in which respect, what, and whether it has changed.
 *
 * Pure, never throws, and reads a bounded beginning of a text, each sentence once. It leaves out what it cannot read: a
 * missed claim costs less than a wrong one. Questions, wishes, hearsay and statements about the past make no claims.
 */
import { splitSentences } from "../sentences.ts";
import { NAMES } from "./name_rules.ts";
import { CHANGES_OF_VALUES } from "./change_rules.ts";
import { type Claim, NAMELESS } from "./claim.ts";
import { type Clause, splitAll } from "./clause.ts";
import { RANKS, STATUSES, STEPS } from "./progress_rules.ts";
import { BOOKINGS, DURATIONS, NUMBERS, TALLIES } from "./count_rules.ts";
import { CANCELLATIONS, EVENTS } from "./event_rules.ts";
import { isFramed } from "./framing.ts";
import { addressed } from "./instructions.ts";
import { straighten } from "./marks.ts";
import { HOMES } from "./home_rules.ts";
import { RELATIONS } from "./relation_rules.ts";
import { ROLES } from "./role_rules.ts";
import { rephrase, tellWho } from "./rephrase.ts";
import { readTelling } from "./reality.ts";
import { asSpeaker } from "./speaker.ts";
import { type ClauseReader, type ClauseReading, readerOf, type Row } from "./row.ts";
import { FAVOURITES, STATES } from "./state_rules.ts";
import { LEVELS, POSSESSIONS } from "./having_rules.ts";
import { RIGHTS } from "./right_rules.ts";
import { ACTIVITIES, readStopping, STARTS_AND_STOPS, UNDONE } from "./act_rules.ts";
import { DIETS_AND_FOOD, TASTES } from "./taste_rules.ts";
import { MEASURES, TOOLS } from "./thing_rules.ts";
import { believe } from "./sound.ts";
import { stemsOf } from "./values.ts";
import { WORK } from "./work_rules.ts";

/** The most characters and the most sentences of a statement that are read. */
const CHARS_MAX = 1_200;
const SENTENCES_MAX = 6;
/** The confidence of a claim from a clause with "who". It is below `SURE_MIN`, so such a claim ends nothing. */
const ASIDE = 0.7;
const CLAIMS_MAX = 8;

/** In order; the first row that applies decides. */
export const ROWS: readonly Row[] = [
  ...UNDONE,
  ...STEPS,
  ...STATUSES,
  ...RANKS,
  ...NUMBERS,
  ...TALLIES,
  ...BOOKINGS,
  ...FAVOURITES,
  ...RIGHTS,
  ...CANCELLATIONS,
  ...STARTS_AND_STOPS,
  ...TASTES,
  ...RELATIONS,
  ...DIETS_AND_FOOD,
  ...ROLES,
  ...NAMES,
  ...WORK,
  ...EVENTS,
  ...MEASURES,
  ...HOMES,
  ...CHANGES_OF_VALUES,
  ...TOOLS,
  ...LEVELS,
  ...STATES,
  ...POSSESSIONS,
  ...ACTIVITIES,
];

/** The readers of the claims of a clause, of how long it has lasted, and of how often somebody did it. */
export interface Readers {
  readonly claims: ClauseReader;
  readonly durations: ClauseReader;
  readonly tallies: ClauseReader;
}

/** Makes the readers of the rows, which a test may change. */
export function readersOf(change: (rows: readonly Row[]) => readonly Row[] = (rows) => rows): Readers {
  const [claims, durations, tallies] = [ROWS, DURATIONS, TALLIES].map((rows) => readerOf(change(rows)));
  return { claims: claims!, durations: durations!, tallies: tallies! };
}

const ALL = readersOf();

/** "Caroline: ", and "Caroline, 8 May 2023: " of collapsed sessions. */
const LABEL = /^([\p{L}][\p{L}\p{M}' .-]{0,40})(?:, \d{1,2} \p{Lu}\p{Ll}+ \d{4})?: (?=\S)/u;
/** What is quoted with the sentence before it says "she" and "it" of what that sentence names. */
const WITH_BEFORE = /^[^:"]{1,60}: "/u;
const NO_SPEAKER =
  /\b(?:reminder|note|update|correction|fyi|news|warning|todo|template|status|decision|question|answer|re|ps|subject)\b/iu;
/** "It worked: I keep my tools in the cellar now" */
const CLAUSE_BEFORE =
  /^(?:it|that|this|i|i'm|we|you|he|she|they|there|so|and|but|also)$|^(?:it|that|this|i|i'm|we|you|he|she|they|there|here) /iu;
const SPEAKS = /\b(?:says?|asks?|asked|claims?|writes|caption|draft|script|prompt)\b/iu;

/**
 * The claims of a statement, in order. `speaker` is the person who says "I"; a name before the first colon takes
 * precedence, as in collapsed sessions ("Caroline: I moved").
 */
export function readClaims(statement: string, speaker: string = NAMELESS): Claim[] {
  const claims: Claim[] = [];
  for (const { row, claims: read } of listReadings(statement, speaker)) {
    for (const claim of read) claims.push(...[believe(claim, row.isLoose === true)].filter((one) => one !== null));
  }
  return claims.slice(0, CLAIMS_MAX).map((claim) => ofItem(claim, statement));
}

/** What the rows read, believed or not: it says whether a sentence tells something, and not what is true. */
export function readRoughly(statement: string): Claim[] {
  return [...listReadings(statement)].flatMap(({ claims }) => claims).slice(0, CLAIMS_MAX);
}

/** What each row reads in a statement, in the order of the clauses. */
export function* listReadings(statement: string, speaker: string = NAMELESS, readers = ALL): Iterable<ClauseReading> {
  let count = 0;
  for (const [sentence, who, isAside] of listSentences(statement, speaker)) {
    for (const clause of splitAll(sentence, who)) {
      for (const { row, claims: read } of readClause(clause, readers)) {
        const claims = read.filter(({ subjectKey }) => subjectKey !== "" && subjectKey !== "they");
        count += claims.length;
        // A claim in a subordinate clause may be about somebody else, so it can only mark older claims as outdated.
        yield {
          row,
          claims: isAside && clause.isTold
            ? claims.map((claim) => ({ ...claim, confidence: Math.min(claim.confidence, ASIDE) }))
            : claims,
        };
      }
    }
    if (count >= CLAIMS_MAX) return;
  }
}

/** What the rows read in a clause: its claims, and then for how long it has held. */
function readClause(clause: Clause, readers: Readers): ClauseReading[] {
  if (!clause.isTold) {
    // "had my tenth lesson yesterday" says how many there have been.
    const tally = clause.isHistory ? null : readers.tallies(clause);
    return tally === null ? [] : [tally];
  }
  const lasting = readers.durations(clause);
  const plain = lasting === null ? clause : withoutSpan(clause);
  const read = readers.claims(readStopping(plain) ?? plain);
  const [span] = lasting?.claims ?? [];
  // Somebody who has been a manager for two months may be a nurse as well, so the time limits the claim.
  const limited = read !== null && span !== undefined && clause.lemma === "be"
    ? {
      ...read,
      claims: read.claims.map((claim) => ({
        ...claim,
        scope: claim.scope || [...stemsOf(span.value)].sort().join(" "),
      })),
    }
    : read;
  return [limited, lasting].filter((reading) => reading !== null);
}

/** Matches the one of several things that a statement is about: "Ticket 12: the user has called twice". */
const ITEM =
  /^((?:ticket|case|issue|order|customer|client|project|sprint|room|flat|server|task|job|bug|incident|request|account|invoice|team|site|store) (?:no\. |#)?(?:[\p{L}]{1,9}-)?\d+): (?=\S)/iu;

/** The claim, limited to the thing that the statement names before its colon, behind the speaker and the day. */
function ofItem(claim: Claim, statement: string): Claim {
  const item = ITEM.exec(statement.slice(LABEL.exec(statement)?.[0].length ?? 0))?.[1];
  if (item === undefined) return claim;
  const scope = new Set([...claim.scope.split(" ").filter(Boolean), ...stemsOf(item)]);
  return { ...claim, scope: [...scope].sort().join(" ") };
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

/** The clause without its duration, which is no purpose: "has been learning the ukulele for three weeks". */
function withoutSpan(clause: Clause): Clause {
  return {
    ...clause,
    rest: clause.rest.replace(/ ?\bfor (?:\S+ ){1,4}?(?:second|minute|hour|day|night|week|month|year)s?\b/iu, ""),
  };
}
