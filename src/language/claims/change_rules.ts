/** Rules for verbs that say that one value replaced another. */
import { type Claim, NAMELESS } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { isPerson, NOWHERE } from "./people_rules.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { cleanValue, firstValue, maskOf, maskValues } from "./values.ts";

const FROM_TO = /^(?:.*?\b)?from (.+?) (?:in)?to (.+)$/iu;
const TO = /^(?:(?:back|forward|up|down|out|over|away|on|again) )*(?:(?:in)?to|until|till) (.+)$/iu;
const BY = /\bto (.+)$/iu;

const MOVES = new Set(
  "move shift postpone defer reschedule delay extend prolong push bring put relocate slip bump".split(" "),
);
const ADJUSTS = new Set(
  "raise increase lower reduce cut drop rise fall climb jump grow shrink go turn change double halve shorten lengthen prolong trim slash hike set improve boost"
    .split(" "),
);
const SWITCHES = new Set(
  "switch migrate change convert move upgrade downgrade update bump port rewrite transfer".split(" "),
);
const TEAM =
  /\b(?:team|squad|department|group|division|crew|class|board|committee|chapter|guild|tribe|club|choir|band|plan|tier|subscription)\b/iu;
/** Words for places where people live, without a name. */
const REGION =
  /\b(?:city|town|village|country(?:side)?|coast|seaside|suburbs?|outskirts|hills|mountains|islands?|capital|centre|center|north|south|east|west|house|flat|apartment|cottage|farm|home|abroad|overseas)\b/iu;
const PLACE_WORD =
  /^(?:\d+\p{L}? \p{Lu}\p{Ll}|room|floor|the (?:\w+ )?(?:floor|hall|room|reception|kitchen|basement|office|shed)\b)/u;

/** Whether a text names a team. */
export function isTeam(text: string): boolean {
  return TEAM.test(text);
}

/** Reads a value that replaced another one: a time, a number, a place, a team, a tool. */
export const readChangedValue: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.isProgressive) return null;
  const age = lemma === "turn" ? /^(\d+|\p{L}+)(?: years? old)?[.!]?$/iu.exec(rest)?.[1] : undefined;
  if (age !== undefined && firstValue(age) !== undefined) {
    return [draw(clause, { respect: "measure", predicate: "is", value: `${age} years old`, change: "adjusted" })];
  }
  const isChange = MOVES.has(lemma) || ADJUSTS.has(lemma) || SWITCHES.has(lemma);
  if (!isChange || (clause.form !== "past" && (!clause.isNew || /^(?:go|turn|put)$/.test(lemma)) && lemma !== "move")) {
    return null;
  }
  if (lemma === "go" && !/^(?:up|down)\b/iu.test(rest)) return null;
  const fromTo = FROM_TO.exec(rest);
  const to = fromTo?.[2] ?? TO.exec(rest)?.[1] ??
    (/^(?:reschedule|postpone|defer)$/.test(lemma) ? /^for (.+)$/iu.exec(rest)?.[1] : undefined);
  const from = fromTo === null ? undefined : cleanValue(fromTo[1]!);
  const object = fromTo === null
    ? objectBefore(rest.replace(ALL, ""))
    : objectBefore(rest.slice(0, rest.search(/\bfrom /iu)));
  // "moved the sofa to the bedroom", "changed my last name from Becker to Sorensen"
  if (object !== null) return readObjectChange(clause, object, from, BY.exec(rest)?.[1]);
  // "moved into profit" names no place.
  if (to === undefined || (/^(?:\p{L}+ )?into /iu.test(rest) && NOWHERE.test(to))) return null;
  const changed = placeValue(clause, clause.subjectText, upTo(to), from ?? null);
  // A speaker who says "we moved" has moved, too, unless "we" is a company; so the second claim is less sure.
  if (clause.subject === "we" && changed.predicate === "lives in") {
    return [changed, { ...changed, subject: NAMELESS, subjectKey: NAMELESS, confidence: 0.6 }];
  }
  if (from === undefined) return withCount(clause, changed);
  if (!/^(?:uses|lives in|is|is a member of)$/.test(changed.predicate) || changed.respect === "measure") {
    return [changed];
  }
  // "switched from A to B" does not say what A was, so each possible predicate gets a claim; only A can end by them.
  return [
    changed,
    ...WHAT_IT_WAS.filter(({ predicate }) => predicate !== changed.predicate).map((was) => ({ ...changed, ...was })),
    {
      ...changed,
      respect: "residence",
      predicate: "lives in",
      value: from,
      from: null,
      polarity: false,
      change: "ended",
    },
    { ...changed, respect: "possession", predicate: "has", value: from, from: null, polarity: false, change: "ended" },
  ];
};

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

/** Things that people count by the day. */
const TAKEN = ["drink", "smoke", "eat", "take", "run", "work"];

/** Matches words for all of some things: a change of "all my papers" is one of "my papers". */
const ALL = /^(?:all|both|all of|most of) (?=(?:my|our|the|his|her|their) )/iu;

function objectBefore(rest: string): string | null {
  if (/^(?:from|to|into|until|till|in|back|forward|up|down|out|over|away|on|for|again)\b/iu.test(rest) || rest === "") {
    return null;
  }
  const end = rest.search(/ (?:back |up |down |forward |out )?(?:from|to) /iu);
  const object = (end === -1 ? rest : rest.slice(0, end)).replace(/ (?:back|forward|up|down)$/iu, "");
  return object.trim() === "" ? null : object.trim();
}

/** "We lowered the timeout to 10 seconds", "I changed my last name from Becker to Sorensen". */
function readObjectChange(
  clause: Clause,
  object: string,
  from: string | undefined,
  to: string | undefined,
): readonly Claim[] | null {
  const version = to === undefined ? undefined : firstValue(to);
  if (version?.kind === "number" && SWITCHES.has(clause.lemma) && /^\p{Lu}[\p{L}.+#-]*$/u.test(object)) {
    const value = `${object} ${upTo(to!)}`;
    return [
      draw(clause, {
        respect: "tool",
        predicate: "uses",
        value,
        change: "replaced",
        from: from === undefined ? null : `${object} ${from}`,
      }),
    ];
  }
  if (to === undefined || !/^(?:the|my|our|his|her|their|its) /iu.test(object)) return null;
  const mine = /^my (.+)$/iu.exec(object);
  const own = /^(?:his|her|their|its) (.+)$/iu.exec(object);
  const owner = mine !== null ? `${clause.speaker} ` : own !== null ? `${clause.subjectText} ` : "";
  const subject = owner + (mine?.[1] ?? own?.[1] ?? object);
  if (clause.lemma === "move" && firstValue(to) === undefined && from === undefined) return null;
  const named = SWITCHES.has(clause.lemma) && clause.lemma !== "move" ? { ...clause, lemma: "change" } : clause;
  const placed = placeValue(named, subject, upTo(to), from ?? null);
  const claims = [placed];
  // "moved my notes from A to B": A was their place, or a tool that they or the person who moved them used.
  if (from !== undefined && placed.predicate === "lives in") {
    const tool = { ...placed, respect: "tool", predicate: "uses" } as const;
    claims.push(tool, { ...tool, subject: clause.subjectText, subjectKey: clause.subject });
  }
  if (owner !== "" || !/^the /iu.test(object) || clause.isPassive || /^(?:they|we)$/.test(clause.subject)) {
    return claims;
  }
  return [...claims, placeValue(named, `${clause.subjectText} ${object}`, upTo(to), from ?? null)];
}

/** Whether a subject is a record: "my best mile". */
export function isBest(subject: string): boolean {
  return /\b(?:best|record|pace|split|finish(?:ing)? time|fastest \p{L}+|\p{L}+ time)\b/iu.test(subject);
}

function placeValue(clause: Clause, subject: string, to: string, from: string | null): Claim {
  const { frame, values: [first] } = maskValues(to.replace(/^(?:just|about|only) /iu, ""));
  const typed = first !== undefined && frame.startsWith(maskOf(first.kind)) ? first : undefined;
  if (typed?.kind === "clock" && isBest(subject)) {
    return draw(clause, { subject, respect: "measure", predicate: "is", value: to, change: "adjusted", from });
  }
  if (typed !== undefined && (typed.kind === "day" || typed.kind === "clock" || typed.kind === "rhythm")) {
    return draw(clause, { subject, respect: "time", predicate: "happens", value: to, change: "rescheduled", from });
  }
  if (typed !== undefined && !PLACE_WORD.test(to) && !/[\p{L}]-?\d|\p{Lu}\p{L}+ \d/u.test(to)) {
    return draw(clause, { subject, respect: "measure", predicate: "is", value: to, change: "adjusted", from });
  }
  const { lemma } = clause;
  if (isTeam(to)) {
    const value = cleanValue(to);
    return draw(clause, {
      subject,
      respect: "membership",
      predicate: "is a member of",
      value,
      change: "replaced",
      from,
    });
  }
  if (lemma === "turn") {
    return draw(clause, { subject, respect: "measure", predicate: "is", value: to, change: "adjusted", from });
  }
  if (lemma === "move" || lemma === "relocate") {
    // "moved to a bigger flat" does not say where; "moved to the next round" is no home.
    const isVague = /^an? /iu.test(to) || (isPerson(clause) && !PLACE_WORD.test(to) && !REGION.test(to));
    const confidence = isVague && !/\p{Lu}/u.test(to) ? 0.6 : undefined;
    return draw(clause, {
      subject,
      respect: "residence",
      predicate: "lives in",
      value: to,
      change: "replaced",
      from,
      ...(confidence && { confidence }),
    });
  }
  if (lemma === "transfer") {
    return draw(clause, {
      subject,
      respect: "membership",
      predicate: "is a member of",
      value: to,
      change: "replaced",
      from,
    });
  }
  if (SWITCHES.has(lemma) && lemma !== "change") {
    return draw(clause, { subject, respect: "tool", predicate: "uses", value: to, change: "replaced", from });
  }
  return draw(clause, { subject, respect: "attribute", predicate: "is", value: to, change: "replaced", from });
}

const CALL_OFF = /^(?:off)\b/iu;

/** "was cancelled", "has been called off", "will not happen". */
export const readCancelled: Rule = (clause) => {
  const { lemma, rest, isPassive } = clause;
  const isCancelled = isPassive &&
    (lemma === "cancel" || lemma === "scrap" || lemma === "shelve" || (lemma === "call" && CALL_OFF.test(rest)));
  const fails = (lemma === "happen" || (lemma === "take" && /^place\b/.test(rest))) && clause.isDenied;
  if (lemma === "be" && /^off[.!]?$/iu.test(rest) && !clause.isDenied) {
    return [
      draw(clause, {
        respect: "time",
        predicate: "happens",
        value: "",
        polarity: false,
        change: "cancelled",
        confidence: 0.7,
      }),
      draw(clause, { respect: "status", predicate: "status", value: "off" }),
    ];
  }
  if (!isCancelled && !fails) return null;
  if (isCancelled && clause.isDenied) return [];
  const confidence = 0.9;
  const called = { ...clause, modal: null };
  return [
    draw(called, {
      respect: "time",
      predicate: "happens",
      value: "",
      polarity: false,
      change: "cancelled",
      confidence,
    }),
    draw(called, {
      respect: "status",
      predicate: "status",
      value: "cancelled",
      polarity: true,
      change: "cancelled",
      confidence,
    }),
  ];
};

/** Names: "is called", "was renamed to", "goes by". */
export const readName: Rule = (clause) => {
  const { lemma, rest, isPassive } = clause;
  const named = (change: "renamed" | null, value: string, from?: string) => [
    draw(clause, { respect: "name", predicate: "is called", value, change, from: from ?? null }),
  ];
  if (
    isPassive && (lemma === "call" || lemma === "name") &&
    !/^(?:off|for|in|on|as|to|up|by|captain|head|the)\b/iu.test(rest)
  ) {
    return named(null, upTo(rest));
  }
  if (lemma === "go" && /^by /iu.test(rest)) return named(null, upTo(rest.slice(3)));
  if (lemma === "know" && isPassive && /^as /iu.test(rest)) return named(null, upTo(rest.slice(3)));
  if (/^(?:rename|rebrand|rechristen|retitle)$/.test(lemma)) return readRenamed(clause, named);
  // "We call the cat Biscuit now"
  const called = lemma === "call" && !isPassive ? /^((?:the|our|my) \p{Ll}+) (\p{Lu}[\p{L}\d]*)/u.exec(rest) : null;
  if (called === null) return null;
  const subject = called[1]!.replace(/^my /iu, `${clause.subjectText} `);
  return [draw(clause, { subject, respect: "name", predicate: "is called", value: called[2]! })];
};

function readRenamed(
  clause: Clause,
  named: (change: "renamed", value: string, from?: string) => Claim[],
): readonly Claim[] | null {
  const rest = clause.rest.replace(/(^| )as (?=\S)/iu, "$1to ");
  const fromTo = FROM_TO.exec(rest);
  const to = fromTo?.[2] ?? TO.exec(rest)?.[1] ?? (clause.isPassive ? rest : undefined);
  if (clause.isPassive) return to === undefined || to === "" ? null : named("renamed", upTo(to), fromTo?.[1]);
  const object = objectBefore(rest);
  const by = BY.exec(rest)?.[1];
  if (by === undefined) return null;
  if (object === null || /^(?:itself|themselves|himself|herself)$/iu.test(object)) {
    return clause.form === "past" ? named("renamed", upTo(by), fromTo?.[1]) : null;
  }
  const subject = object.replace(/^my /iu, `${clause.speaker} `);
  return [
    draw(clause, {
      subject,
      respect: "name",
      predicate: "is called",
      value: upTo(by),
      change: "renamed",
      from: fromTo?.[1] ?? null,
    }),
  ];
}
