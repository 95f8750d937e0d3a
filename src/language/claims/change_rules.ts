/** Rules for verbs that say that one value took the place of another. */
import { type Claim, NAMELESS } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { keyOfSubject } from "./subject.ts";
import { cleanValue, firstValue, maskOf, maskValues } from "./values.ts";

const FROM_TO = /^(?:.*?\b)?from (.+?) (?:in)?to (.+)$/iu;
const TO = /^(?:(?:back|forward|up|down|out|over|away|on|again) )*(?:in)?to (.+)$/iu;
const BY = /\bto (.+)$/iu;

const MOVES = new Set("move shift postpone reschedule delay extend push bring put relocate".split(" "));
const ADJUSTS = new Set(
  "raise increase lower reduce cut drop rise fall climb jump grow shrink go turn change double halve".split(" "),
);
const SWITCHES = new Set(
  "switch migrate change convert move upgrade downgrade update bump port rewrite transfer".split(" "),
);
const TEAM =
  /\b(?:team|squad|department|group|division|crew|class|board|committee|chapter|guild|tribe|club|choir|band|plan|tier|subscription)\b/iu;
const PLACE_WORD = /^(?:room|floor|the (?:\w+ )?(?:floor|hall|room|reception|kitchen|basement|office|shed))\b/iu;

export function isTeam(text: string): boolean {
  return TEAM.test(text);
}

/** A value that took the place of another one: a time, a number, a place, a team, a tool. */
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
  const to = fromTo?.[2] ?? TO.exec(rest)?.[1];
  const from = fromTo === null ? undefined : cleanValue(fromTo[1]!);
  const object = fromTo === null ? objectBefore(rest) : objectBefore(rest.slice(0, rest.search(/\bfrom /iu)));
  // "moved the sofa to the bedroom", "changed my last name from Becker to Sorensen"
  if (object !== null) return readObjectChange(clause, object, from, BY.exec(rest)?.[1]);
  if (to === undefined) return null;
  const changed = placeValue(clause, clause.subject, upTo(to), from ?? null);
  // Whoever says "we moved" moved, too, unless a company speaks.
  if (clause.subject === "we" && changed.predicate === "lives in") {
    return [changed, { ...changed, subject: NAMELESS, confidence: 0.6 }];
  }
  if (changed.predicate !== "uses" || from === undefined) return [changed];
  // "switched from A to B" does not say what A was: only what it names can end.
  return [
    changed,
    { ...changed, respect: "employment", predicate: "works at" },
    { ...changed, respect: "membership", predicate: "is a member of" },
    { ...changed, respect: "attribute", predicate: "is" },
  ];
};

function objectBefore(rest: string): string | null {
  if (/^(?:from|to|into|in|back|forward|up|down|out|over|away|on|for|again)\b/iu.test(rest) || rest === "") return null;
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
  const owner = mine !== null || own !== null ? `${clause.subjectText} ` : "";
  const subject = keyOfSubject(owner + (mine?.[1] ?? own?.[1] ?? object));
  if (clause.lemma === "move" && firstValue(to) === undefined && from === undefined) return null;
  const named = SWITCHES.has(clause.lemma) && clause.lemma !== "move" ? { ...clause, lemma: "change" } : clause;
  const claims = [placeValue(named, subject, upTo(to), from ?? null)];
  if (owner !== "" || !/^the /iu.test(object) || clause.isPassive || /^(?:they|we)$/.test(clause.subject)) {
    return claims;
  }
  return [...claims, placeValue(named, keyOfSubject(`${clause.subjectText} ${object}`), upTo(to), from ?? null)];
}

function placeValue(clause: Clause, subject: string, to: string, from: string | null): Claim {
  const { frame, values: [first] } = maskValues(to.replace(/^(?:just|about|only) /iu, ""));
  const typed = first !== undefined && frame.startsWith(maskOf(first.kind)) ? first : undefined;
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
    const confidence = /^an? /iu.test(to) && !/\p{Lu}/u.test(to) ? 0.6 : undefined;
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
  if (lemma === "rename") {
    const fromTo = FROM_TO.exec(rest);
    const to = fromTo?.[2] ?? TO.exec(rest)?.[1] ?? (isPassive ? rest : undefined);
    if (isPassive) return to === undefined || to === "" ? null : named("renamed", upTo(to), fromTo?.[1]);
    const object = objectBefore(rest);
    const by = BY.exec(rest)?.[1];
    if (object === null || by === undefined) return null;
    const subject = keyOfSubject(object.replace(/^my /iu, `${clause.subjectText} `));
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
  // "We call the cat Biscuit now"
  const called = lemma === "call" && !isPassive ? /^((?:the|our|my) \p{Ll}+) (\p{Lu}[\p{L}\d]*)/u.exec(rest) : null;
  if (called === null) return null;
  const subject = keyOfSubject(called[1]!.replace(/^my /iu, `${clause.subjectText} `));
  return [draw(clause, { subject, respect: "name", predicate: "is called", value: called[2]! })];
};
