/** Rules for what has another value than before: a time, a number, a place, a team, a tool, a name. */
import { type Claim, NAMELESS } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { say, upTo } from "./draft.ts";
import { NOWHERE } from "./home_rules.ts";
import { isPerson } from "./role_rules.ts";
import { rowsWith } from "./row.ts";
import { cleanValue, firstValue, maskOf, maskValues } from "./values.ts";

export const FROM_TO = /^(?:.*?\b)?from (.+?) (?:in)?to (.+)$/iu;

export const TO = /^(?:(?:back|forward|up|down|out|over|away|on|again) )*(?:(?:in)?to|until|till) (.+)$/iu;

export const BY = /\bto (.+)$/iu;

const MOVES = "move shift postpone defer reschedule delay extend prolong push bring put relocate slip bump";

const ADJUSTS =
  "raise increase lower reduce cut drop rise fall climb jump grow shrink go turn change double halve shorten lengthen prolong trim slash hike set improve boost";

const SWITCHES = new Set(
  "switch migrate change convert move upgrade downgrade update bump port transfer".split(" "),
);

const TEAM =
  /\b(?:team|squad|department|group|division|crew|class|board|committee|chapter|guild|club|choir|band|plan|tier|subscription)\b/iu;

/** Words for places where people live, without a name. */
const REGION =
  /\b(?:city|town|village|country(?:side)?|coast|seaside|suburbs?|outskirts|hills|mountains|islands?|capital|centre|center|north|south|east|west|house|flat|apartment|cottage|farm)\b/iu;

const PLACE_WORD =
  /^(?:\d+\p{L}? \p{Lu}\p{Ll}|room|floor|the (?:\w+ )?(?:floor|hall|room|reception|kitchen|basement|office|shed)\b)/u;

/** Whether a text names a team. */
export function isTeam(text: string): boolean {
  return TEAM.test(text);
}

/** The former value, the new one, and the thing whose value has changed, in the words of a clause. */
interface Changed {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Null: the subject itself has changed. */
  readonly object: string | null;
}

function changedOf({ lemma, rest }: Clause): Changed {
  const fromTo = FROM_TO.exec(rest);
  const to = fromTo?.[2] ?? TO.exec(rest)?.[1] ??
    (/^(?:reschedule|postpone|defer)$/.test(lemma) ? /^for (.+)$/iu.exec(rest)?.[1] : undefined);
  return {
    from: fromTo === null ? undefined : cleanValue(fromTo[1]!),
    to,
    object: fromTo === null
      ? objectBefore(rest.replace(ALL, ""))
      : objectBefore(rest.slice(0, rest.search(/\bfrom /iu))),
  };
}

/** Whether a clause says that something has changed, or changes from now on. */
function isChange({ lemma, rest, form, isNew }: Clause): boolean {
  return (form === "past" || lemma === "move" || (isNew && !/^(?:go|turn|put)$/.test(lemma))) &&
    (lemma !== "go" || /^(?:up|down)\b/iu.test(rest));
}

const CHANGE_VERBS = [...new Set(`${MOVES} ${ADJUSTS} ${[...SWITCHES].join(" ")}`.split(" "))].join(" ");

/** Values that replaced others. */
export const CHANGES_OF_VALUES = rowsWith({ is: "settled" }, [
  {
    name: "turned an age",
    verbs: "turn",
    match: /^(\d+|\p{L}+)(?: years? old)?[.!]?$/iu,
    claims: (clause, [, age]) =>
      firstValue(age!) === undefined
        ? null
        : [say(clause, "is", `${age} years old`, { respect: "measure", change: "adjusted" })],
    says: [
      "Ana turned {30|thirty|thirty years old}. → Ana is (measure) {30|thirty|thirty} years old (adjusted)",
      "The baby has turned one year old. → baby is (measure) one years old (adjusted)",
    ],
    saysNot: ["The milk turned sour.", "Ana turned 30 pages."],
  },
  {
    name: "changed to another value",
    verbs: CHANGE_VERBS,
    when: isChange,
    claims: (clause) => {
      const { object, from } = changedOf(clause);
      return object === null ? ofSubject(clause) : ofObject(clause, object, from, BY.exec(clause.rest)?.[1]);
    },
    says: [
      "The rent has risen to {about|just|only} 900 euros. → rent is (measure) {about 900 euros (adjusted); rent has about|900 euros (adjusted); rent has|only 900 euros (adjusted); rent has only} 900 euros (adjusted)",
      "Ana moved to the {floor|room}. → Ana lives in $1 (replaced)",
      "I've moved from Rome to Oslo. → user lives in Oslo (replaced, from Rome); user uses Oslo (replaced, from Rome); user works at Oslo (replaced, from Rome); user is a member of Oslo (replaced, from Rome); user is Oslo (replaced, from Rome); user not lives in Rome (ended); user not has Rome (ended)",
      "I've changed from red to blue. → user is blue (replaced, from red); user uses blue (replaced, from red); user works at blue (replaced, from red); user is a member of blue (replaced, from red); user not lives in red (ended); user not has red (ended)",
      "I've transferred from the old team to the data team. → user is a member of data team (replaced, from old team); user uses data team (replaced, from old team); user works at data team (replaced, from old team); user is data team (replaced, from old team); user not lives in old team (ended); user not has old team (ended)",
      "I've moved to the {city|town|village|country|countryside|coast|seaside|suburbs|outskirts|hills|mountains|islands|capital|centre|center|north|south|east|west|house|flat|apartment|cottage|farm}. → user lives in $1 (replaced)",
      "I've moved to the next round. → user lives in next round (replaced)?",
      "Ana moved to {room 12|floor 3|12 King Street|the hall|the kitchen|the basement|the office|the shed|the reception}. → Ana lives in {room 12|floor 3|12 King Street|hall|kitchen|basement|office|shed|reception} (replaced)",
      "My {record|pace|split|finishing time|finish time|fastest lap|lap time} has dropped to 6:20. → user's $1 is (measure) 6:20 (adjusted)",
      "I've moved to the rowing {club|choir|band}. → user is a member of rowing $1 (replaced)",
      "I've moved to the Pro {plan|tier|subscription}. → user is a member of Pro $1 (replaced)",
      "The party was moved to {Room A12|Building C 4}. → party lives in $1 (replaced)",
      "We've {lowered|raised|increased|reduced|cut|dropped|set|changed|improved|boosted|shortened|lengthened|trimmed|slashed|hiked|doubled|halved} the timeout to 10 seconds. → timeout is (measure) 10 seconds (adjusted)",
      "We {moved|shifted|postponed|deferred|rescheduled|delayed|extended|prolonged|pushed|brought|put|bumped} {the|our} standup to 10:15. → standup happens 10:15 (rescheduled)",
      "I changed my last name from Becker to Sorensen. → user last name is Sorensen (replaced, from Becker)",
      "We {upgraded|downgraded|migrated|updated|bumped} Postgres {to 17|from 16 to 17}. → we uses Postgres 17 {(replaced|(replaced, from Postgres 16})",
      "Ben moved his notes from Notion to Obsidian. → Ben notes lives in Obsidian (replaced, from Notion); Ben notes uses Obsidian (replaced, from Notion); Ben uses Obsidian (replaced, from Notion)",
      "Ana has set {all|both|all of|most of} her alarms to 7:30. → Ana alarms happens 7:30 {(rescheduled|(rescheduled, added|(rescheduled|(rescheduled})",
      "The vendor cut its price to 12 euros. → vendor is (measure) 12 euros (adjusted)",
      "We moved the standup {back|forward|up|down|out} to 10:15. → standup happens 10:15 (rescheduled)",
      "I've {moved|relocated} to {Oslo|a bigger flat|the coast}. → user lives in {Oslo (replaced)|bigger flat (replaced)?|coast (replaced)}",
      "I've moved {back|over|out|away|up|down|on|again} to Oslo. → user lives in Oslo (replaced)",
      "We've moved to Oslo. → we lives in Oslo (replaced); user lives in Oslo (replaced)?",
      "We've {switched|migrated|changed|converted|upgraded|ported} to Vim. → we {uses|uses|is|uses|uses|uses} Vim (replaced)",
      "We've switched from Emacs to Vim. → we uses Vim (replaced, from Emacs); we works at Vim (replaced, from Emacs); we is a member of Vim (replaced, from Emacs); we is Vim (replaced, from Emacs); we not lives in Emacs (ended); we not has Emacs (ended)",
      "I've {transferred|moved} to the data {team|squad|department|group|division|crew|class|board|committee|chapter|guild}. → user is a member of data $2 (replaced)",
      "The fair was {moved|shifted|postponed|deferred|rescheduled|delayed|extended|brought forward|pushed back|put back} to May. → fair happens May (rescheduled)",
      "The fair was {postponed|rescheduled|deferred} for May. → fair happens May (rescheduled)",
      "The fair was postponed {until|till} May. → fair happens May (rescheduled)",
      "The rent has {risen|fallen|gone up|gone down|climbed|jumped|grown|shrunk|dropped|doubled} to 900 euros. → rent is (measure) 900 euros {(adjusted); rent has 900 euros |(adjusted); rent has 900 euros |(adjusted); rent has 900 euros |(adjusted); rent has 900 euros |(adjusted); rent has 900 euros ||(adjusted); rent has 900 euros |(adjusted); rent has 900 euros |(adjusted); rent has 900 euros |}(adjusted)",
      "The rent was {raised|increased|lowered|reduced|cut|slashed|hiked|trimmed} to 900 euros. → rent is (measure) 900 euros {|(adjusted); rent has 900 euros ||||||}(adjusted)",
      "The team has grown to eleven members. → team is (measure) eleven members (adjusted); team has eleven members (adjusted)",
      "I've cut down to one coffee a day. → user is (measure) one coffee a day (adjusted); user drink one coffee a day (adjusted); user smoke one coffee a day (adjusted); user eat one coffee a day (adjusted); user take one coffee a day (adjusted); user run one coffee a day (adjusted); user work one coffee a day (adjusted)",
      "My best mile has dropped to 6:20. → user's best mile is (measure) 6:20 (adjusted)",
      "The launch has slipped to May. → launch happens May (rescheduled)",
      "The light has turned to green. → light is (measure) green (adjusted)",
    ],
    saysNot: [
      "I moved the sofa to the bedroom.",
      "I changed a tyre.",
      "The firm moved into profit.",
      "I go to Oslo.",
      "I move house.",
    ],
  },
]);

/** The claims of a subject that has another value: "I've moved to Oslo", "the rent has risen to 900 euros". */
function ofSubject(clause: Clause): Claim[] | null {
  const { from, to } = changedOf(clause);
  // "moved into profit" names no place.
  if (to === undefined || (/^(?:\p{L}+ )?into /iu.test(clause.rest) && NOWHERE.test(to))) {
    return null;
  }
  const changed = valueAfter(clause, clause.subjectText, upTo(to), from ?? null);
  // A speaker who says "we moved" has moved, too, unless "we" is a company; so the second claim is less sure.
  if (clause.subject === "we" && changed.predicate === "lives in") {
    return [changed, { ...changed, subject: NAMELESS, subjectKey: NAMELESS, confidence: 0.6 }];
  }
  if (from === undefined) return withCount(clause, changed);
  if (!/^(?:uses|lives in|is|is a member of)$/.test(changed.predicate) || changed.respect === "measure") {
    return [changed];
  }
  const gone = { value: from, from: null, polarity: false, change: "ended" } as const;
  // "switched from A to B" does not say what A was, so each possible predicate gets a claim; only A can end by them.
  return [
    changed,
    ...WHAT_IT_WAS.filter(({ predicate }) => predicate !== changed.predicate).map((was) => ({ ...changed, ...was })),
    { ...changed, ...gone, respect: "residence", predicate: "lives in" },
    { ...changed, ...gone, respect: "possession", predicate: "has" },
  ];
}

const WHAT_IT_WAS = [
  { respect: "tool", predicate: "uses" },
  { respect: "employment", predicate: "works at" },
  { respect: "membership", predicate: "is a member of" },
  { respect: "attribute", predicate: "is" },
] as const;

/** "The team has grown to eleven members" says how many it has, "I cut down to one coffee a day" how many I drink. */
function withCount(clause: Clause, changed: Claim): Claim[] {
  const { respect, value } = changed;
  if (respect !== "measure" || !/^(?:\d|\p{L}+ )/u.test(value) || /[$€£¥%]/u.test(value)) return [changed];
  const often = / (?:a|per|each|every) (?:day|week|month|year)\b/iu.test(value);
  if (often && !isPerson(clause)) return [changed];
  if (often) {
    return [changed, ...TAKEN.map((predicate) => ({ ...changed, respect: "activity" as const, predicate }))];
  }
  return /^(?:grow|shrink|rise|fall|go|drop|climb|increase)$/.test(clause.lemma) && / \p{Ll}{3,}/u.test(value)
    ? [changed, { ...changed, respect: "possession", predicate: "has" }]
    : [changed];
}

/** Things that people take or do so many times a day. */
export const TAKEN = ["drink", "smoke", "eat", "take", "run", "work"];

/** Matches words for all of some things: a change of "all my papers" is one of "my papers". */
const ALL = /^(?:all|both|all of|most of) (?=(?:my|our|the|his|her|their) )/iu;

export function objectBefore(rest: string): string | null {
  if (
    /^(?:from|to|into|until|till|in|back|forward|up|down|out|over|away|on|for|again|with|by)\b/iu.test(rest) ||
    rest === ""
  ) {
    return null;
  }
  const end = rest.search(/ (?:back |up |down |forward |out )?(?:from|to) /iu);
  const object = end === -1 ? rest : rest.slice(0, end);
  return object.trim() === "" ? null : object.trim();
}

/** "We lowered the timeout to 10 seconds", "I changed my last name from Becker to Sorensen". */
function ofObject(
  clause: Clause,
  object: string,
  from: string | undefined,
  to: string | undefined,
): Claim[] | null {
  const version = to === undefined ? undefined : firstValue(to);
  if (version?.kind === "number" && SWITCHES.has(clause.lemma) && /^\p{Lu}[\p{L}.+#-]*$/u.test(object)) {
    const value = `${object} ${upTo(to!)}`;
    return [
      say(clause, "uses", value, { change: "replaced", from: from === undefined ? null : `${object} ${from}` }),
    ];
  }
  if (to === undefined || !/^(?:the|my|our|his|her|their|its) /iu.test(object)) return null;
  const mine = /^my (.+)$/iu.exec(object);
  const own = /^(?:his|her|their|its) (.+)$/iu.exec(object);
  const owner = mine !== null ? `${clause.speaker} ` : own !== null ? `${clause.subjectText} ` : "";
  const subject = owner + (mine?.[1] ?? own?.[1] ?? object);
  if (clause.lemma === "move" && firstValue(to) === undefined && from === undefined) return null;
  const named = SWITCHES.has(clause.lemma) && clause.lemma !== "move" ? { ...clause, lemma: "change" } : clause;
  const placed = valueAfter(named, subject, upTo(to), from ?? null);
  const claims = [placed];
  // "moved my notes from A to B": A was their place, or a tool that they or the person who moved them used.
  if (from !== undefined && placed.predicate === "lives in") {
    const tool = { ...placed, respect: "tool", predicate: "uses" } as const;
    claims.push(tool, { ...tool, subject: clause.subjectText, subjectKey: clause.subject });
  }
  if (owner !== "" || !/^the /iu.test(object) || clause.isPassive || /^(?:they|we)$/.test(clause.subject)) {
    return claims;
  }
  return [...claims, valueAfter(named, `${clause.subjectText} ${object}`, upTo(to), from ?? null)];
}

/** Whether a subject is a record: "my best mile". */
export function isBest(subject: string): boolean {
  return /\b(?:best|record|pace|split|fastest \p{L}+|\p{L}+ time)\b/iu.test(subject);
}

/** Makes the claim of a new value: a time, a measure, a team, a home or a tool, by what the value and the verb are. */
function valueAfter(clause: Clause, subject: string, to: string, from: string | null): Claim {
  const { frame, values: [first] } = maskValues(to);
  const typed = first !== undefined && frame.startsWith(maskOf(first.kind)) ? first : undefined;
  const { lemma } = clause;
  const adjusted = () => say(clause, "is", to, { subject, respect: "measure", change: "adjusted", from });
  const replaced = (predicate: string, value = to, confidence?: number) =>
    say(clause, predicate, value, { subject, change: "replaced", from, ...(confidence && { confidence }) });
  if (typed?.kind === "clock" && isBest(subject)) return adjusted();
  if (typed !== undefined && (typed.kind === "day" || typed.kind === "clock" || typed.kind === "rhythm")) {
    return say(clause, "happens", to, { subject, change: "rescheduled", from });
  }
  if (typed !== undefined && !PLACE_WORD.test(to)) return adjusted();
  if (isTeam(to)) return replaced("is a member of", cleanValue(to));
  if (lemma === "turn") return adjusted();
  if (lemma === "move" || lemma === "relocate") {
    // "moved to a bigger flat" does not say where; "moved to the next round" is no home.
    const isVague = /^an? /iu.test(to) || (isPerson(clause) && !PLACE_WORD.test(to) && !REGION.test(to));
    return replaced("lives in", to, isVague && !/\p{Lu}/u.test(to) ? 0.6 : undefined);
  }
  if (lemma === "transfer") return replaced("is a member of");
  return replaced(SWITCHES.has(lemma) && lemma !== "change" ? "uses" : "is");
}
