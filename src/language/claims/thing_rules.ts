/** Rules for what is used, owned, liked, eaten and allowed. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { findState } from "./states.ts";
import { keyOfSubject } from "./subject.ts";
import { cleanValue, maskValues } from "./values.ts";

const TOOL_VERBS = new Set("use employ adopt".split(" "));

function uses(clause: Clause, value: string, more: Partial<Claim> = {}): Claim {
  return draw(clause, {
    respect: "tool",
    predicate: "uses",
    value: upTo(value),
    ...("polarity" in more && { polarity: more.polarity }),
    ...("change" in more && { change: more.change }),
    ...("from" in more && { from: more.from }),
  });
}

/** Tools in use. */
export const readTool: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  if (isProgressive && lemma !== "use") return null;
  if (TOOL_VERBS.has(lemma) && !isPassive && clause.modal === null) {
    return /^(?:to|the same)\b/iu.test(rest)
      ? null
      : [uses(clause, rest, lemma === "adopt" ? { change: "began" } : {})];
  }
  const worksIn = lemma === "work" && clause.form !== "past"
    ? /^(?:in|with) (\p{Lu}\p{L}+)[.!]?$/u.exec(rest)?.[1]
    : undefined;
  if (worksIn !== undefined && /\bteams?$|\bwe$|designers$|developers$/iu.test(clause.subjectText)) {
    return [uses(clause, worksIn)];
  }
  if (/^(?:talk|communicate|speak)$/.test(lemma) && /\b(?:over|via) \p{Lu}/u.test(rest)) {
    return [uses(clause, rest.slice(rest.search(/\b(?:over|via) /u)).replace(/^\S+ /u, ""))];
  }
  const plan = /^(?:pay|have|use)$/.test(lemma)
    ? /^(?:for )?((?:the|a) (?:\S+ ){1,2}(?:plan|tier))\b/iu.exec(rest)?.[1]
    : undefined;
  if (plan !== undefined) return [draw(clause, { respect: "membership", predicate: "is a member of", value: plan })];
  const kept = /^(?:host|store|keep|save)$/.test(lemma) && !isPassive && clause.form !== "past"
    ? /^((?:our|my|the|all) .+?) (?:in|on|at|under) (?!for )(.+)$/iu.exec(upTo(rest))
    : null;
  if (kept !== null) {
    const subject = keyOfSubject(kept[1]!.replace(/^my /iu, `${clause.subjectText} `));
    return [draw(clause, { subject, respect: "residence", predicate: "lives in", value: kept[2]! })];
  }
  if (lemma === "rely" && /^on /iu.test(rest)) return [uses(clause, rest.slice(3))];
  if ((lemma === "write" || lemma === "rewrite" || lemma === "build") && isPassive && /^(?:in|with) /iu.test(rest)) {
    const written = uses(clause, rest.replace(/^\S+ /u, ""), lemma === "rewrite" ? { change: "replaced" } : {});
    return [{ ...written, predicate: "is written in" }];
  }
  if (lemma === "run" && !isPassive && !/^(?:every|each|away|out|for|at|from|until|late|by|\d)/iu.test(rest)) {
    const on = /^(?:on|under) (.+)$/iu.exec(rest)?.[1];
    if (on !== undefined) return [{ ...uses(clause, on), predicate: "runs on" }];
    if (/^\p{Lu}[\p{L}]*(?: \d|\b)/u.test(rest)) return [uses(clause, rest)];
    return null;
  }
  if (lemma === "deploy" && /^with /iu.test(rest)) return [{ ...uses(clause, rest.slice(5)), scope: "deploy" }];
  if (lemma === "replace" && !isPassive) {
    const match = /^(?:our |the )?(.+?) (?:with|by) (.+)$/iu.exec(rest);
    if (match !== null) return [uses(clause, match[2]!, { change: "replaced", from: match[1]! })];
  }
  if (lemma === "replace" && isPassive && /^(?:with|by) /iu.test(rest)) return null;
  const favour = lemma === "drop" || lemma === "abandon" ? /^(.+?) (?:in favou?r of|for) (.+)$/iu.exec(rest) : null;
  return favour === null ? null : [uses(clause, favour[2]!, { change: "replaced", from: favour[1]! })];
};

/** What somebody may do with what they give up. */
const HABITS = ["drink", "eats", "learn", "play", "study", "practise"];

/** "stopped using X", "quit smoking", "gave up her keto diet". */
export const readStopped: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.isProgressive || clause.form !== "past") return null;
  const doing = /^(?:stop|quit|cease)$/.test(lemma)
    ? /^(\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : lemma === "give"
    ? /^up (\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : null;
  if (doing !== null) {
    const verb = lemmaOfIng(doing[1]!);
    const clauseOf = {
      ...clause,
      lemma: verb,
      rest: doing[2]!,
      form: "base" as const,
      isPast: false,
      isDenied: true,
      hasEnded: true,
    };
    return [
      ...(verb === "use" ? [uses(clauseOf, doing[2]!, { polarity: false, change: "ended" })] : []),
      ...ended(clauseOf),
    ];
  }
  const starts = lemma === "start" ? /^(\p{L}+ing)\b ?(.*)$/iu.exec(rest) : null;
  if (starts !== null && /\bagain\b|./u.test(starts[2]!)) {
    const verb = lemmaOfIng(starts[1]!);
    const eats = verb === "eat" ? eaten(clause, starts[2]!, true) : null;
    return eats ?? [activity({ ...clause, lemma: verb, rest: starts[2]!, isNew: true }, starts[2]!)];
  }
  const habit = (lemma === "give" ? /^up (.+)$/iu : lemma === "quit" && !/\p{Lu}/u.test(rest) ? /^(.+)$/u : /^$/u).exec(
    rest,
  )?.[1];
  if (
    habit !== undefined && !/\bdiet$|\b(?:job|club|team)\b|^(?:my|his|her|their|the|our|on|hope) /iu.test(upTo(habit))
  ) {
    const value = upTo(habit);
    return HABITS.map((predicate) =>
      draw(clause, { respect: "activity", predicate, value, polarity: false, change: "ended" })
    );
  }
  const dropped = lemma === "give" ? /^up (.+)$/iu.exec(rest)?.[1] : undefined;
  if (dropped !== undefined && /\bdiet$/iu.test(upTo(dropped))) {
    const value = upTo(dropped).replace(/^(?:my|his|her|their|the|a) /iu, "");
    return [draw(clause, { respect: "diet", predicate: "diet", value, polarity: false, change: "ended" })];
  }
  return null;
};

function ended(clause: Clause): Claim[] {
  return [activity(clause, clause.rest)];
}

/** The base form of a word in -ing. */
function lemmaOfIng(word: string): string {
  const stem = word.toLowerCase().slice(0, -3);
  if (/([bdgklmnprt])\1$/.test(stem) && !/(?:ll|ss)$/.test(stem)) return stem.slice(0, -1);
  return /(?:us|smok|driv|liv|mov|mak|tak|danc|manag|writ|ris|com|giv|leav|vot|stor|hik|bik|shar)$/.test(stem)
    ? `${stem}e`
    : stem;
}

/** What somebody does, in general: the verb, its object, and where, how or with whom. */
export function activity(clause: Clause, rest: string): Claim {
  const none = /^no (.+)$/iu.exec(rest);
  const polarity = none === null ? {} : { polarity: clause.isDenied };
  return draw(clause, { respect: "activity", predicate: clause.lemma, value: upTo(none?.[1] ?? rest), ...polarity });
}

/** What somebody likes. */
export const readLiking: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.isProgressive || clause.isPassive || (clause.form === "past" && !/^go$/.test(lemma))) return null;
  const likes = (value: string, polarity: boolean, change: Claim["change"] = null) => [
    draw(clause, {
      respect: "preference",
      predicate: "likes",
      value: upTo(value).replace(/^(?:to|the|an?) /iu, ""),
      polarity,
      change,
    }),
  ];
  if (lemma === "go" && /^off /iu.test(rest)) return likes(rest.slice(4), false, "ended");
  if (/^(?:like|love|enjoy)$/.test(lemma)) return likes(rest, !clause.isDenied);
  if (/^(?:hate|dislike)$/.test(lemma)) return likes(rest, clause.isDenied);
  if (lemma === "be") {
    const fan = /^(?:an? )?(?:big |huge |great |real )?fan of (.+)$/iu.exec(rest) ??
      /^(?:fond of|into|keen on|crazy about) (.+)$/iu.exec(rest);
    return fan === null ? null : likes(fan[1]!, !clause.isDenied);
  }
  if (lemma === "prefer" || (lemma === "want" && !/^to /iu.test(rest))) {
    const over = /^(.+?) (?:over|to) (.+)$/iu.exec(upTo(rest));
    const isVerb = /^to /iu.test(rest);
    const value = over === null || isVerb ? upTo(rest) : over[1]!;
    return [
      draw(clause, {
        respect: "preference",
        predicate: lemma === "want" ? "wants" : "prefers",
        value: over === null || isVerb ? value : `${value} over ${over[2]}`,
      }),
    ];
  }
  return null;
};

function eaten(clause: Clause, rest: string, isNew: boolean): Claim[] | null {
  const food = upTo(rest).replace(/^(?:the|any|only) /iu, "").replace(/ (?:again|since .*)$/iu, "");
  const change = isNew || clause.isNew ? "began" : null;
  const free = /^(\p{L}+)[- ]free$/iu.exec(food);
  if (free !== null) {
    return [draw(clause, { respect: "diet", predicate: "eats", value: free[1]!, polarity: clause.isDenied, change })];
  }
  return food === "" ? null : [draw(clause, { respect: "diet", predicate: "eats", value: food, change })];
}

/** What something costs or weighs. */
export const readMeasure: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.isPassive || clause.form === "past" || (lemma !== "cost" && lemma !== "weigh")) return null;
  if (maskValues(rest).values.length === 0) return null;
  const subject = lemma === "weigh" ? keyOfSubject(`${clause.subjectText} weight`) : clause.subject;
  return [draw(clause, { subject, respect: "measure", predicate: "is", value: upTo(rest) })];
};

/** What somebody eats. */
export const readEating: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (lemma === "become" && clause.form === "past") {
    const diet = /^(?:an? )?(vegetarian|vegan|pescatarian)\b/iu.exec(rest)?.[1];
    return diet === undefined
      ? null
      : [draw(clause, { respect: "diet", predicate: "diet", value: diet.toLowerCase(), change: "replaced" })];
  }
  if (lemma !== "eat" || clause.form === "past" || maskValues(rest).values.length > 0) return null;
  return eaten(clause, rest, false);
};

const EVENT_STATES: Readonly<Record<string, string>> = {
  reopen: "reopened",
  approve: "approved",
  reject: "rejected",
  decline: "declined",
  sign: "signed",
  pay: "paid",
  fill: "filled",
  discharge: "discharged",
  deprecate: "deprecated",
  close: "closed",
  fix: "fixed",
  repair: "repaired",
  resolve: "resolved",
  publish: "published",
  enable: "enabled",
  disable: "disabled",
  suspend: "suspended",
  pause: "paused",
  archive: "archived",
  activate: "activated",
  deactivate: "deactivated",
  merge: "merged",
  complete: "completed",
  finish: "finished",
  resume: "resumed",
  break: "broken",
  shelve: "shelved",
  scrap: "scrapped",
};

/** States that an event brings about: "was approved", "has been signed", "works again". */
export const readEvent: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  if (isProgressive) return null;
  const state = EVENT_STATES[lemma];
  const bare = cleanValue(rest).replace(/^in full$/iu, "");
  if (
    state !== undefined && (isPassive || /^(?:reopen|resume|close)$/.test(lemma)) &&
    (bare === "" || /^(?:by|from|and) /iu.test(rest))
  ) {
    if (clause.isDenied) {
      return [draw(clause, { respect: "status", predicate: "status", value: state, polarity: false })];
    }
    const happened = isPassive && (clause.isPast || clause.isPerfect) || clause.form === "past" && !isPassive;
    return [draw(clause, { respect: "status", predicate: "status", value: state, change: happened ? "began" : null })];
  }
  if (state !== undefined && isPassive && !clause.isDenied && /^(?:to|on|in|for|at) /iu.test(rest)) {
    const change = clause.isPast || clause.isPerfect ? "began" : null;
    return [draw(clause, { respect: "status", predicate: "status", value: `${state}: ${cleanValue(rest)}`, change })];
  }
  if (isPassive && lemma === "put" && findState(rest) !== null) {
    return [draw(clause, { respect: "status", predicate: "status", value: findState(rest)!.state, change: "began" })];
  }
  if (lemma === "work" && /^(?:properly|fine|well|)[.!]?$/iu.test(rest) && !isPassive) {
    const value = clause.isDenied ? "broken" : "working";
    return [draw({ ...clause, isDenied: false }, { respect: "status", predicate: "status", value })];
  }
  if (/^(?:turn|switch)$/.test(lemma) && isPassive && /^(?:on|off)\b/iu.test(rest)) {
    const value = /^on/iu.test(rest) ? "enabled" : "disabled";
    return [draw(clause, { respect: "status", predicate: "status", value, change: "began" })];
  }
  if (lemma === "graduate" && clause.form === "past") {
    return [
      draw(clause, { respect: "activity", predicate: "study", value: "", polarity: false, change: "ended" }),
      draw(clause, { respect: "status", predicate: "status", value: "graduated", change: "began" }),
    ];
  }
  if (lemma === "find" && /^a job\b/iu.test(rest)) {
    return [draw(clause, { respect: "status", predicate: "status", value: "employed", change: "began" })];
  }
  if (lemma === "give" && /^birth\b/iu.test(rest)) {
    return [draw(clause, { respect: "status", predicate: "status", value: "gave birth", change: "began" })];
  }
  return null;
};
