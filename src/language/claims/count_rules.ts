/** Rules for what somebody has counted so far, how far they have come, and how long something has lasted. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { isPerson } from "./people_rules.ts";
import { ABOUT, ORDINAL, readCount, readSpan } from "./counts.ts";
import { stemsOf } from "./values.ts";
import { findVerb, guessVerb, ingOf, pastOf } from "./verbs.ts";

/** Verbs whose number counts no acts: it is how many somebody has ("bought three"), or a new value ("grew to 12"). */
const NO_TALLY = new Set("buy get adopt grow rise fall drop climb turn move weigh cost last".split(" "));
const GOING = /^(?:be|go|travel|fly|drive|come|walk|cycle|apply|write|talk|reply|subscribe)$/;
/** "to three gyms", "at six open mics" */
const LED = /^(to|at|in|on|with|through|across|from|away|aside|up|down|out|off|together) (?=\S)/iu;
/** A number that was added is not the total. */
const MORE = /\b(?:more|another|additional|extra|others?|further|fewer|less)\b/iu;

/** "my third lesson": an ordinal is a count only for things that somebody does again and again. */
const OCCASION = new RegExp(
  `^(?:(?:my|our|his|her|their) )?(?:${ORDINAL}) (?:\\p{L}+[ -]){0,2}?(?:lessons?|sessions?|times?|attempts?|tr(?:y|ies)|games?|match(?:es)?|marathons?|races?|workouts?|class(?:es)?|runs?|rides?|swims?|hikes?|dives?|jumps?|flights?|visits?|trips?|tournaments?|concerts?|appointments?|donations?|courses?|stages?)\\b`,
  "iu",
);

/**
 * Reads how many times or things somebody has done: "has been to three gyms so far", "has finished his seventh stage".
 */
export const readTally: Rule = (clause) => {
  if (clause.isDenied || clause.isPassive || clause.isProgressive || clause.modal !== null) return null;
  const said = saidDone(clause);
  if (said?.participle === undefined && !clause.isTold && !isOrdinalSaid(said)) return null;
  if (said === null || NO_TALLY.has(said.lemma)) return null;
  const phrase = untilClause(said.rest).replace(/^(?:now|already|just|also|only|so far) /iu, "");
  const led = LED.exec(phrase)?.[1]?.toLowerCase() ?? "";
  if (led === "to" && !GOING.test(said.lemma)) return null;
  const value = led === "" ? phrase : phrase.slice(led.length + 1);
  const count = readCount(value);
  if (count === null || MORE.test(value)) return null;
  if (count.isOrdinal && !OCCASION.test(value)) return null;
  if (!said.isPerfect && !count.isOrdinal) return null;
  const done = said.participle ??
    (said.lemma === "be" ? "been" : said.lemma === "have" ? "had" : pastOf(said.lemma));
  return [
    draw(clause, {
      respect: "measure",
      predicate: `has ${done}${led === "" ? "" : ` ${led}`}`,
      // The day of "my third lesson on Monday" is no part of the count.
      value: count.isOrdinal ? value.replace(ON_DAY, "") : value,
    }),
  ];
};

function isOrdinalSaid(said: Done | null): boolean {
  return said !== null && readCount(said.rest)?.isOrdinal === true;
}

function untilClause(text: string): string {
  return text.split(/,\s|[;!]|\.(?:\s|$)|\s(?:because|since|so that|who|which|and|but|after|when|while)\s/u)[0]!.trim();
}

interface Done {
  readonly lemma: string;
  readonly rest: string;
  readonly isPerfect: boolean;
  /** The participle, if no list contains the verb. */
  readonly participle?: string;
}

/** Reads the verb of a finished act; also in "has had six lessons", "has been to …", and "has 2,800 pounds saved". */
function saidDone({ lemma, rest, form, isPerfect, isPast }: Clause): Done | null {
  if (lemma === "have" && /^had (?=\S)/iu.test(rest)) return { lemma, rest: rest.slice(4), isPerfect: true };
  if (lemma === "have" && isPast) return { lemma, rest, isPerfect: false };
  const unlisted = lemma === "have" ? /^(\p{Ll}{3,}ed) (.+)$/u.exec(rest) : null;
  if (unlisted !== null && findVerb(unlisted[1]!) === undefined) {
    return { lemma, rest: unlisted[2]!, isPerfect: true, participle: unlisted[1]! };
  }
  const saved = lemma === "have" || (lemma === "get" && isPerfect)
    ? /^((?:\S+ ){0,2}?[$€£\d]\S*(?: \p{L}+){0,2}) (saved|collected|finished|completed|raised|sold|booked|planted|done|written)\b(.*)$/iu
      .exec(rest)
    : null;
  const verb = saved === null ? null : findVerb(saved[2]!.toLowerCase()) ?? guessVerb(saved[2]!.toLowerCase());
  if (saved !== null && verb !== null) {
    return { lemma: verb.lemma, rest: saved[1]! + saved[3]!, isPerfect: true };
  }
  if (lemma === "be") return isPerfect && /^to /iu.test(rest) ? { lemma, rest, isPerfect } : null;
  return form === "past" && lemma !== "have" ? { lemma, rest, isPerfect: isPerfect && !isPast } : null;
}

/** Nouns for steps that somebody takes one after the other. */
const STEP = "page|chapter|level|lesson|season|episode|volume|unit|module|stage|round|step|book|week|day|grade";
/** "on page 310 of Middlemarch", "at level 22 in Stardew", "on a 75-day streak". */
const AT_STEP = new RegExp(
  `^(?:now )?(?:on|at|up to|halfway through|in (?=(?:the |my )?(?:${ORDINAL}|level|week|day|grade|round|stage) )) ?(?:the |my |an? )?((?:${STEP}) (?:\\d+|\\p{L}+)\\b.*|(?:${ORDINAL}|last) (?:${STEP})\\b.*|\\d+-day streak\\b.*)$`,
  "iu",
);

/**
 * Reads how far a person has come: "on page 310 of Middlemarch", "reached level 35". For a thing it is only its place.
 */
export const readStep: Rule = (clause) => {
  const { lemma, rest, isDenied, isPassive, isProgressive } = clause;
  if (isDenied || isPassive || isProgressive || clause.modal !== null || !isPerson(clause)) return null;
  const at = lemma === "be" ? AT_STEP.exec(upTo(rest))?.[1] : undefined;
  const reached = lemma === "reach" || lemma === "hit" || lemma === "pass"
    ? /^(?:the )?((?:level|page|chapter|stage|lesson|round|grade|volume) \S+.*)$/iu.exec(upTo(rest))?.[1]
    : undefined;
  const begun = clause.form === "past" && /^(?:start|begin|enter)$/.test(lemma)
    ? /^(?:the |his |her |my )?((?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)) (?:grade|semester))(?=[.,;!]|$| (?:in|on|at|this|last|today|yesterday|now|after|when)\b)/iu
      .exec(rest)?.[1]
    : undefined;
  const value = at ?? reached ?? begun;
  if (value === undefined || readCount(value, true) === null) return null;
  const change = reached === undefined && begun === undefined ? {} : { change: "adjusted" as const };
  return [draw(clause, { respect: "measure", predicate: "has come to", value, ...change })];
};

const STATUS_OF =
  /^(?:an? |the |(?:my|his|her|their)(?= \S+ belt\b) )?((?:\p{L}+ ){1,2}(?:status|tier|rank|belt|membership level))\b(.*)$/iu;

/** "made Gold status with Lufthansa": a person has one status at a time with each company or club. */
export const readStatus: Rule = (clause) => {
  const { lemma, rest, isDenied, isPassive } = clause;
  if (isDenied || isPassive || clause.modal !== null) return null;
  const isHaving = lemma === "have" || (lemma === "get" && clause.isPerfect);
  const isReached = clause.form === "past" &&
    /^(?:make|reach|hit|get|earn|achieve|gain|win|attain|receive)$/.test(lemma);
  const isOne = lemma === "be";
  if (!isHaving && !isReached && !isOne) return null;
  const said = STATUS_OF.exec(upTo(rest));
  if (said === null || !isGiven(said[1]!, said[2]!, isOne)) return null;
  const value = said[1]! + said[2]!.replace(/ (?:in|since) (?:\p{Lu}\p{L}+|\d{4})(?: \d{4})?\b.*$/u, "");
  return [
    draw(clause, {
      respect: "membership",
      predicate: "has the status",
      value,
      ...(isHaving || isOne ? {} : { change: "adjusted" }),
    }),
  ];
};

const COLOURED = /^(?:white|yellow|orange|green|blue|purple|brown|black|red|grey) belt$/iu;
const ART =
  /^ in (?:brazilian )?(?:judo|karate|jiu[- ]?jitsu|ju[- ]?jutsu|bjj|tae ?kwon ?do|aikido|kung fu|krav maga|kendo|kickboxing|hapkido|(?:\p{L}+ )?martial arts)\b/iu;
const GRADED =
  /^(?:(?:bronze|silver|gold(?:en)?|platinum|diamond|titanium|palladium|ruby|emerald|sapphire|elite|premier|premium|senator|executive|globalist) ?)+(?:status|tier|rank|membership level)$/iu;

/** Whether some words name a rank: a belt of an art, a grade with a metal, or a status with a named company. */
function isGiven(status: string, tail: string, isOne: boolean): boolean {
  if (/belt$/iu.test(status)) return COLOURED.test(status) && (isOne || ART.test(tail));
  return !isOne && (GRADED.test(status) || /^ (?:with|at|on) (?:the )?\p{Lu}/u.test(tail));
}

const RANKED = new RegExp(
  `^(?:in |at )?(?:the )?(${ORDINAL}|last) (?:(?:place|position) )?((?:in|of|on) .+)$`,
  "iu",
);

/** "is third in the league", "are in fifth place in the league". */
export const readRank: Rule = (clause) => {
  if (clause.isDenied || clause.isProgressive || clause.isPassive || clause.modal !== null) return null;
  const isEvent = /^(?:move|climb|come|drop|fall|rise|go)$/.test(clause.lemma) && clause.form === "past";
  if (clause.lemma !== "be" && !isEvent) return null;
  const said = RANKED.exec(upTo(clause.rest).replace(isEvent ? /^(?:up |down |back )?(?:to|into) / : /^$/, ""));
  if (said === null) return null;
  const value = `${said[1]} ${said[2]!.replace(/ with .+$/iu, "")}`;
  return [
    draw(clause, {
      respect: "measure",
      predicate: "is ranked",
      value,
      ...(isEvent && { change: "adjusted" as const }),
    }),
  ];
};

/** Matches numbers of things that only grow. If a statement says that such a number has reached or passed a value, the value is the count. */
const GROWING =
  /^(?:(?:about|around|over|almost|nearly|more than) )?[\d.,]+(?:k|m)?(?: (?:hundred|thousand|million|billion))? (?:\p{L}+ ){0,2}?(?:followers?|subscribers?|users?|stars?|downloads?|members?|customers?|readers?|listeners?|viewers?|views?|installs?|installations|sign-?ups?|likes|fans?|contributors?|streams?|plays)(?: on (?!average|the )\S+)?$/iu;

/** "has passed 1,000 subscribers": how many there are now. */
export const readReached: Rule = (clause) => {
  const { lemma, rest, isDenied, isPassive } = clause;
  if (isDenied || isPassive || clause.form !== "past" || !/^(?:pass|hit|reach|cross|surpass|top)$/.test(lemma)) {
    return null;
  }
  const value = upTo(rest).replace(/^(?:the )?(?:mark of )?/iu, "").replace(/ (?:mark|line)$/iu, "")
    .replace(ON_DAY, "");
  if (readCount(value) === null || !GROWING.test(value)) return null;
  return [draw(clause, { respect: "possession", predicate: "has", value, change: "adjusted" })];
};

const ON_DAY =
  / (?:on|in|at) (?:the )?(?:\p{Lu}\p{L}+day|week of|\d+|january|february|march|april|may|june|july|august|september|october|november|december)\b.*$/iu;

/** Reads the destination and the time of a trip: "are flying to Lisbon in May". */
export const readTrip: Rule = (clause) => {
  const { lemma, rest, isProgressive, isDenied } = clause;
  if (!isProgressive || isDenied || !/^(?:go|fly|travel|drive|head)$/.test(lemma)) return null;
  const said = /^to (\p{Lu}.+?)(?: (?:in|on|for|this|next) (.+))?$/u.exec(
    upTo(rest).replace(/ with (?:the|my|our) .+$/iu, ""),
  );
  if (said === null) return null;
  const claim = draw({ ...clause, isBounded: false }, {
    respect: "activity",
    predicate: "travels to",
    value: said[1]!,
    confidence: 0.7,
  });
  return [{ ...claim, scope: stemsOf(said[2] ?? "").join(" ") }];
};

/** "has booked a table at Lucia for her birthday": somebody books one thing of a kind for each occasion. */
export const readBooked: Rule = (clause) => {
  const { lemma, rest, isDenied, isPassive, isPerfect, isPast } = clause;
  if (isDenied || isPassive || !isPerfect || isPast || !/^(?:book|reserve)$/.test(lemma) || !/ for /u.test(rest)) {
    return null;
  }
  return [draw(clause, { respect: "activity", predicate: `has ${pastOf(lemma)}`, value: upTo(rest) })];
};

/** Reads how long something has lasted: "has been living in Lisbon for two months", "has not smoked for ten days". */
export function readDuration(clause: Clause): Claim[] {
  const { lemma, rest, isPerfect, isProgressive, isPassive, isDenied, subjectText } = clause;
  const isHaving = lemma === "have" && /^had \S/iu.test(rest);
  const isState = isPassive && /^(?:marry|retire|engage|separate|divorce)$/.test(lemma);
  if ((!isPerfect && !isHaving) || (isPassive && !isState) || clause.isPast || clause.modal !== null) return [];
  if (
    !isProgressive && !isDenied && !isState && lemma !== "be" &&
    !/^(?:live|work|know|own|have|play|use|study|stay)$/.test(lemma)
  ) return [];
  const said = /^(.*) ?\bfor (.+)$/iu.exec(upTo(lemma === "have" ? rest.replace(/^had /iu, "") : rest));
  const span = said === null ? null : readSpan(said[2]!);
  if (said === null || span === null) return [];
  const what = isState ? `${pastOf(lemma)} ${said[1]}` : lemma === "be" ? said[1]! : `${ingOf(lemma)} ${said[1]}`;
  if (what.trim() === "") return [];
  return [
    draw({ ...clause, isDenied: false, isNew: false, hasEnded: false, lead: "" }, {
      subject: `${subjectText}'s time ${isDenied ? "without " : ""}${what.trim()}`,
      respect: "measure",
      predicate: "is",
      value: said[2]!.replace(ABOUT, "").replace(/^an? /iu, "one "),
      change: null,
    }),
  ];
}
