/** How far somebody has come: steps, statuses and ranks. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { say, upTo } from "./draft.ts";
import { isPerson } from "./role_rules.ts";
import { rowsWith } from "./row.ts";
import { ORDINAL, readCount } from "./counts.ts";

/** Nouns for steps that somebody takes one after the other. */
const STEP = "page|chapter|level|lesson|season|episode|volume|unit|module|stage|round|step|book|week|day|grade";

/** "on page 310 of Middlemarch", "at level 22 in Stardew", "on a 75-day streak". */
const AT_STEP = new RegExp(
  `^(?:now )?(?:on|at|up to|halfway through|in (?=(?:the |my )?(?:${ORDINAL}|level|week|day|grade|round|stage) )) ?(?:the |my |an? )?((?:${STEP}) (?:\\d+|\\p{L}+)\\b.*|(?:${ORDINAL}|last) (?:${STEP})\\b.*)$`,
  "iu",
);

function comeTo(clause: Clause, value: string, isEvent: boolean): Claim[] | null {
  if (readCount(value, true) === null) return null;
  return [say(clause, "has come to", value, isEvent ? { change: "adjusted" } : {})];
}

/** How far a person has come. For a thing it is only its place. */
export const STEPS = rowsWith({ is: "affirmed active settled plain", when: isPerson }, [
  {
    name: "is at a step",
    verbs: "be",
    head: AT_STEP,
    claims: (clause, [, step]) => comeTo(clause, step!, false),
    says: [
      "I'm on {page|chapter|level|lesson|season|episode|volume|unit|module|stage|round|step|book|week|day} 12 of it. → user has come to $1 12 of it",
      "I'm {on|at|up to|halfway through} chapter 7. → user has come to chapter 7",
      "I'm in {the second|my third} {grade|round}. → user has come to {second|third} $2",
      "I'm in {level|week|day|round|stage|grade} 4. → user has come to {level 4|week 4?|day 4|round 4|stage 4|grade 4}",
    ],
    saysNot: ["The typo is on page 7.", "I'm on the train.", "I'm in book five."],
  },
  {
    name: "reached a step",
    verbs: "reach hit pass",
    head: /^(?:the )?((?:level|page|chapter|stage|lesson|round|grade|volume) \S+.*)$/iu,
    claims: (clause, [, step]) => comeTo(clause, step!, true),
    says: [
      "I've {reached|hit|passed} level 35. → user has come to level 35 (adjusted)",
      "I've reached {page|chapter|stage|lesson|round|grade|volume} 12. → user has come to $1 12 (adjusted)",
    ],
    saysNot: ["I've reached level ground.", "I've reached the summit."],
  },
  {
    name: "started a school year",
    verbs: "start begin enter",
    is: "past",
    match:
      /^(?:the |his |her |my )?((?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)) (?:grade|semester))(?=[.,;!]|$)/iu,
    claims: (clause, [, step]) => comeTo(clause, step!, true),
    says: [
      "Lena has {started|begun|entered} {first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|11th} grade. → Lena has come to $2 grade (adjusted)",
      "I've started {the|my} fourth semester. → user has come to fourth semester (adjusted)",
    ],
    saysNot: ["Lena started third grade homework."],
  },
]);

const STATUS_OF =
  /^(?:an? |the |(?:my|his|her|their)(?= \S+ belt\b) )?((?:\p{L}+ ){1,2}(?:status|tier|rank|belt|membership level))\b(.*)$/iu;

const COLOURED = /^(?:white|yellow|orange|green|blue|purple|brown|black|red) belt$/iu;

const ART =
  /^ in (?:brazilian )?(?:judo|karate|jiu[- ]?jitsu|bjj|tae ?kwon ?do|aikido|kung fu|krav maga|kendo|kickboxing|(?:\p{L}+ )?martial arts)\b/iu;

const GRADED =
  /^(?:(?:bronze|silver|gold(?:en)?|platinum|diamond|titanium|palladium|ruby|emerald|sapphire|elite|premier|premium|senator|executive|globalist) ?)+status$/iu;

/** Whether some words name a rank: a belt of an art, a grade with a metal, or a status with a named company. */
function isGiven(status: string, tail: string, isOne: boolean): boolean {
  if (/belt$/iu.test(status)) return COLOURED.test(status) && (isOne || ART.test(tail));
  return !isOne && (GRADED.test(status) || /^ (?:with|at|on) (?:the )?\p{Lu}/u.test(tail));
}

function statusOf(clause: Clause, [, status, tail]: RegExpExecArray, change: Claim["change"]): Claim[] | null {
  if (!isGiven(status!, tail!, clause.lemma === "be")) return null;
  const value = status! + tail!.replace(/ in \p{Lu}\p{L}+(?: \d{4})?\b.*$/u, "");
  return [say(clause, "has the status", value, { change })];
}

/** A person has one status at a time with each company or club. */
export const STATUSES = rowsWith({ is: "affirmed active plain" }, [
  {
    name: "has a status",
    verbs: "have get be",
    when: ({ lemma, isPerfect }) => lemma !== "get" || isPerfect,
    head: STATUS_OF,
    claims: (clause, found) => statusOf(clause, found, null),
    says: [
      "I have Frequent Flyer status with Delta since May. → user has the status Frequent Flyer status with Delta (began)",
      "I have Gold {status|tier|rank|membership level} with Lufthansa. → user has the status Gold {status|tier|rank|membership level} with Lufthansa",
      "I have {bronze|silver|gold|golden|platinum|diamond|titanium|palladium|ruby|emerald|sapphire|elite|premier|premium|senator|executive|globalist} status. → user has the status $1 status",
      "I've got Gold status with Lufthansa. → user has the status Gold status with Lufthansa",
      "I have Frequent Flyer status with Delta since 2021. → user has the status Frequent Flyer status with Delta",
      "I'm a {white|yellow|orange|green|blue|purple|brown|black|red} belt in judo. → user has the status $1 belt in judo",
    ],
    saysNot: ["I have a leather belt.", "I have a high rank."],
  },
  {
    name: "reached a status",
    verbs: "reach hit get earn achieve win attain receive",
    is: "past",
    head: STATUS_OF,
    claims: (clause, found) => statusOf(clause, found, "adjusted"),
    says: [
      "I {reached|hit|got|achieved|attained|made} Gold status with Lufthansa. → user has the status Gold status with Lufthansa (adjusted)",
      "I've {earned|won|received} Gold status with Lufthansa. → user has the status Gold status with Lufthansa (adjusted)",
      "I got my blue belt in {judo|karate|jiu-jitsu|BJJ|taekwondo|aikido|kung fu|krav maga|kendo|kickboxing|mixed martial arts}. → user has the status blue belt {in judo |in karate |in jiu-jitsu ||in taekwondo |in aikido |in kung fu |in krav maga |in kendo |in kickboxing |in mixed martial arts }(adjusted)",
    ],
    saysNot: ["I got a red belt for my birthday.", "I won the high rank."],
  },
]);

const RANKED = new RegExp(
  `^(?:in |at )?(?:the )?(${ORDINAL}|last) (?:(?:place|position) )?((?:in|of|on) .+)$`,
  "iu",
);

function ranked(clause: Clause, text: string, change: Claim["change"]): Claim[] | null {
  const said = RANKED.exec(text);
  return said === null
    ? null
    : [say(clause, "is ranked", `${said[1]} ${said[2]!.replace(/ with .+$/iu, "")}`, { change })];
}

/** Which place somebody has in a table. */
export const RANKS = rowsWith({ is: "affirmed active settled plain" }, [
  {
    name: "is ranked",
    verbs: "be",
    claims: (clause) => ranked(clause, upTo(clause.rest), null),
    says: [
      "We are {in fifth place|in the fifth position|third|last} in the league. → we is ranked {fifth|fifth|third|last} in the league",
      "We are third in the league with 20 points. → we is ranked third in the league",
    ],
    saysNot: ["We are third."],
  },
]);
