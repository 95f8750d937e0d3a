/** Rules for what somebody has counted so far, how far they have come, and how long something has lasted. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { draw, say, upTo } from "./draft.ts";
import { type Row, rowsWith } from "./row.ts";
import { ABOUT, ORDINAL, readCount, readSpan } from "./counts.ts";
import { stemsOf } from "./values.ts";
import { findVerb, ingOf, pastOf } from "./verbs.ts";

/** Verbs whose number counts no acts: it is how many somebody has ("bought three"), or a new value ("grew to 12"). */
const NO_TALLY = new Set("buy get adopt grow rise fall drop climb turn move weigh cost last".split(" "));

const GOING = /^(?:be|go|travel|fly|drive|come|walk|apply|talk)$/;

/** "to three gyms", "at six open mics" */
const LED = /^(to|at|in|on|with|through|from|away|aside|up|down|out|off|together) (?=\S)/iu;

/** A number that was added is not the total. */
const MORE = /\b(?:more|another|additional|extra|others?|further|fewer|less)\b/iu;

/** "my third lesson": an ordinal is a count only for things that somebody does again and again. */
const OCCASION = new RegExp(
  `^(?:(?:my|our|his|her|their) )?(?:${ORDINAL}) (?:\\p{L}+[ -]){0,2}?(?:lessons?|sessions?|times?|attempts?|tr(?:y|ies)|games?|match(?:es)?|marathons?|races?|workouts?|class(?:es)?|runs?|rides?|swims?|hikes?|dives?|jumps?|flights?|visits?|trips?|tournaments?|concerts?|appointments?|donations?|courses?|stages?)\\b`,
  "iu",
);

/** Makes the claim of how many times or things somebody has done. */
function tally(clause: Clause, said: Done): Claim[] | null {
  if (said.participle === undefined && !clause.isTold && readCount(said.rest)?.isOrdinal !== true) return null;
  if (NO_TALLY.has(said.lemma)) return null;
  const phrase = untilClause(said.rest);
  const led = LED.exec(phrase)?.[1]?.toLowerCase() ?? "";
  if (led === "to" && !GOING.test(said.lemma)) return null;
  const value = led === "" ? phrase : phrase.slice(led.length + 1);
  const count = readCount(value);
  if (count === null || MORE.test(value)) return null;
  if (count.isOrdinal ? !OCCASION.test(value) : !said.isPerfect) return null;
  const done = said.participle ??
    (said.lemma === "be" ? "been" : said.lemma === "have" ? "had" : pastOf(said.lemma));
  // The day of "my third lesson on Monday" is no part of the count.
  return [
    say(clause, `has ${done}${led === "" ? "" : ` ${led}`}`, count.isOrdinal ? value.replace(ON_DAY, "") : value, {
      respect: "measure",
    }),
  ];
}

/** The text up to the next clause; unlike `upTo` it keeps "with my new therapist". */
function untilClause(text: string): string {
  return text.split(/,\s|\s(?:because|since|so that|who|which|and|but|after|when|while)\s/u)[0]!.trim();
}

interface Done {
  readonly lemma: string;
  readonly rest: string;
  readonly isPerfect: boolean;
  /** The participle, if no list contains the verb. */
  readonly participle?: string;
}

/** How many times or things somebody has done; also in a clause that only reports an act. */
export const TALLIES = rowsWith({ is: "affirmed active settled plain" }, [
  {
    name: "has had so many",
    verbs: "have",
    match: /^had (?=\S)/iu,
    claims: (clause) => tally(clause, { lemma: "have", rest: clause.rest.slice(4), isPerfect: true }),
    says: [
      "I've had six {lessons|driving lessons so far}. → user has had six {lessons|driving lessons (began)}",
      "I've had about forty guests. → user has had about forty guests",
    ],
    saysNot: [
      "I've had three {more|additional|extra|other|further|fewer|less} lessons.",
      "I've had another three lessons.",
      "I've had a good day.",
      "I've had three more lessons.",
    ],
  },
  {
    name: "has done so many, in a verb of no list",
    verbs: "have",
    match: /^(\p{Ll}{3,}ed) (.+)$/u,
    claims: (clause, [, participle, rest]) =>
      findVerb(participle!) === undefined
        ? tally(clause, { lemma: "have", rest: rest!, isPerfect: true, participle: participle! })
        : null,
    says: ["I have juggled seven balls so far. → user has juggled seven balls (began)"],
    saysNot: ["I have limited time.", "I have juggled a lot."],
  },
  {
    name: "has been to so many",
    verbs: "be",
    is: "perfect",
    match: /^to /iu,
    claims: (clause) => tally(clause, { lemma: "be", rest: clause.rest, isPerfect: true }),
    says: ["I've been to three gyms so far. → user has been to three gyms (began)"],
    saysNot: ["I've been to the gym.", "I've been to Rome."],
  },
  {
    name: "has done so many",
    is: "past",
    when: ({ lemma }) => lemma !== "have" && lemma !== "be",
    claims: (clause) =>
      tally(clause, { lemma: clause.lemma, rest: clause.rest, isPerfect: clause.isPerfect && !clause.isPast }),
    says: [
      "Ben has finished 12 stages{, all alone| when he slept}. → Ben has finished 12 stages",

      "I've put {aside|together} 900 euros. → user has put $1 900 euros",
      "I've {come|applied|talked} to three concerts. → user has $1 to three concerts",
      "I ran my third marathon on {12 June|June 12}. → user has run my third marathon",
      "Ben has finished {his seventh stage|12 stages}. → Ben has finished $1",
      "I've performed at six open mics. → user has performed at six open mics",
      "I've {gone|travelled|flown|driven|walked} to three concerts. → user has $1 to three concerts",
      "I ran my third {marathon|race} on Saturday. → user has run my third $1",
    ],
    saysNot: ["I've bought three books.", "I ran two races.", "I've talked to him.", "I've listened to two albums."],
  },
]);

/** Numbers of things that only grow: if a statement says that such a number has reached a value, the value is the count. */
const GROWING =
  /^(?:(?:about|around|over|almost|nearly|more than) )?[\d.,]+ (?:\p{L}+ ){0,2}?(?:followers?|subscribers?|users?|stars?|downloads?|members?|customers?|readers?|listeners?|viewers?|views?|installs?|sign-?ups?|likes|fans?|contributors?|streams?|plays)(?: on (?!average)\S+)?$/iu;

/** Numbers that grow, trips and bookings. */
export const NUMBERS: readonly Row[] = [
  {
    name: "a number that grows has passed a value",
    verbs: "pass hit reach surpass top",
    is: "affirmed active past",
    claims: (clause) => {
      const value = upTo(clause.rest).replace(/^(?:the )?(?:mark of )?/iu, "").replace(/ (?:mark|line)$/iu, "")
        .replace(ON_DAY, "");
      return readCount(value) === null || !GROWING.test(value)
        ? null
        : [say(clause, "has", value, { change: "adjusted" })];
    },
    says: [
      "The channel has passed the 1,000 subscriber {mark|line}. → channel has 1,000 subscriber (adjusted)",
      "The channel has {passed|hit|reached|surpassed|topped} 1,000 subscribers. → channel has 1,000 subscribers (adjusted)",
      "The app has passed {2 million|about 300|the mark of 900|over 500} {users|downloads|stars|installs} on GitHub. → app has {2 million|about 300|900|over 500} $2 on GitHub (adjusted)",
      "We've reached 200 {followers|members|customers|readers|listeners|viewers|views|sign-ups|likes|fans|contributors|streams|plays}. → we has 200 $1 (adjusted)",
    ],
    saysNot: [
      "We've reached 200 kilometres.",
      "We've reached 20 plays on average.",
    ],
  },
];

export const BOOKINGS: readonly Row[] = [
  {
    name: "has booked for an occasion",
    verbs: "book",
    is: "affirmed active perfect",
    when: ({ isPast }) => !isPast,
    match: / for /u,
    claims: (clause) => [say(clause, `has ${pastOf(clause.lemma)}`, upTo(clause.rest))],
    says: ["I've booked a table at Lucia for her birthday. → user has booked table at Lucia [birthdai]"],
    saysNot: ["I've booked a table at Lucia.", "I booked a table for her birthday."],
  },
  {
    name: "travels to a place",
    verbs: "go fly travel drive head",
    is: "affirmed ongoing",
    claims: (clause) => {
      const said = /^to (\p{Lu}.+?)(?: (?:in|on|for|this|next) (.+))?$/u.exec(
        upTo(clause.rest).replace(/ with (?:the|my|our) .+$/iu, ""),
      );
      if (said === null) return null;
      const claim = say({ ...clause, isBounded: false }, "travels to", said[1]!, { confidence: 0.7 });
      return [{ ...claim, scope: stemsOf(said[2] ?? "").join(" ") }];
    },
    says: [
      "We're flying to Lisbon this August. → we travels to Lisbon [august]?",
      "We're {flying|going|travelling|driving|heading} to Lisbon in May. → we travels to Lisbon [mai]?",
      "We're flying to Lisbon {on Friday|for Easter|this summer|next week}. → we travels to {Lisbon [fridai]|Lisbon [easter]|Lisbon|Lisbon [week]}?",
      "We're flying to Lisbon with {the|my|our} parents. → we travels to Lisbon?",
    ],
    saysNot: ["We're going to the gym.", "We're going to move."],
  },
];

const ON_DAY =
  / (?:on|in|at) (?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december)\b.*$/iu;

/** How long something has lasted. Such a claim stands beside the others of its clause. */
export const DURATIONS: readonly Row[] = [
  {
    name: "has lasted for a time",
    is: "plain",
    when: ({ isPast }) => !isPast,
    claims: durationOf,
    says: [
      "I've been {living in Lisbon|learning the ukulele|a vegan} for two months. → user's time $1 is (measure) two months",
      "I've {lived|worked|stayed} here for three years. → user's time {living|working|staying} here is (measure) three years",
      "I've had the car for a year. → user's time having the car is (measure) one year",
      "I've {known Ben|owned it|played the cello|used it|studied law} for ten years. → user's time {knowing Ben|owning it|playing the cello|using it|studying law} is (measure) ten years",
      "I've been {married|retired|engaged|separated|divorced} for three weeks. → user's time $1 is (measure) three weeks",
      "I haven't smoked for ten days. → user's time without smoking is (measure) ten days",
    ],
    saysNot: ["I've waited for Ben.", "I've read for two hours.", "I had it for a year."],
  },
];

function durationOf(clause: Clause): Claim[] | null {
  const { lemma, rest, isPerfect, isProgressive, isPassive, isDenied, subjectText } = clause;
  const isHaving = lemma === "have" && /^had \S/iu.test(rest);
  const isState = isPassive && /^(?:marry|retire|separate|divorce)$/.test(lemma);
  if ((!isPerfect && !isHaving) || (isPassive && !isState)) return null;
  if (
    !isProgressive && !isDenied && !isState &&
    !/^(?:be|live|work|know|own|have|play|use|study|stay)$/.test(lemma)
  ) return null;
  const said = /^(.*) ?\bfor (.+)$/iu.exec(upTo(lemma === "have" ? rest.replace(/^had /iu, "") : rest));
  const span = said === null ? null : readSpan(said[2]!);
  if (said === null || span === null) return null;
  const what = isState ? `${pastOf(lemma)} ${said[1]}` : lemma === "be" ? said[1]! : `${ingOf(lemma)} ${said[1]}`;
  if (what.trim() === "") return null;
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
