/** Rules for what is used, owned, liked, eaten and allowed. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { cleanValue, maskValues } from "./values.ts";
import { lemmaOfIng } from "./verbs.ts";

const TOOL_VERBS = new Set("use employ adopt".split(" "));

function uses(clause: Clause, said: string, more: Partial<Claim> = {}): Claim {
  const as = /^(.+?) as (?:my|our|the|an?|his|her|their|its) (.+)$/iu.exec(upTo(said));
  const value = as?.[1] ?? said;
  return draw(as === null ? clause : { ...clause, lead: `${clause.lead} ${as[2]}` }, {
    respect: "tool",
    predicate: "uses",
    value: upTo(value),
    ...("polarity" in more && { polarity: more.polarity }),
    ...("change" in more && { change: more.change }),
    ...("from" in more && { from: more.from }),
  });
}

/** "Vite replaced Webpack" does not say whose tool Webpack was; likely it was the tool of the speakers. */
export function noLongerOurs(clause: Clause, tool: string): Claim[] {
  return ["we", clause.speaker].map((subject) =>
    draw(clause, {
      subject,
      respect: "tool",
      predicate: "uses",
      value: cleanValue(tool),
      polarity: false,
      change: "ended",
      confidence: 0.6,
    })
  );
}

/** Reads which tool somebody uses. */
export const readTool: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  const isKeeping = clause.isPerfect && /^(?:keep|store|hide|leave)$/.test(lemma);
  if (isProgressive && lemma !== "use" && !isKeeping) return null;
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
  const plan = /^(?:pay|have|use)$/.test(lemma) && clause.form !== "past"
    ? /^(?:for )?((?:the|a) (?:\S+ ){1,2}(?:plan|tier))\b/iu.exec(rest)?.[1]
    : undefined;
  if (plan !== undefined) return [draw(clause, { respect: "membership", predicate: "is a member of", value: plan })];
  const kept = /^(?:host|store|keep|save|hide|stash|leave|lock)$/.test(lemma) && !isPassive && clause.form !== "past"
    ? /^((?:our|my|the|all) .+?) (?:in|on|at|under|inside|behind|outside|beside|near|next to|in front of) (?!for )(.+)$/iu
      .exec(upTo(rest).replace(/^all (?:of )?(?=(?:my|our|the) )/iu, ""))
    : null;
  if (kept !== null) {
    const subject = kept[1]!.replace(/^my /iu, `${clause.subjectText} `);
    return [draw(clause, { subject, respect: "residence", predicate: "lives in", value: kept[2]! })];
  }
  if (lemma === "rely" && /^on /iu.test(rest)) return [uses(clause, rest.slice(3))];
  if ((lemma === "write" || lemma === "rewrite" || lemma === "build") && isPassive && /^(?:in|with) /iu.test(rest)) {
    const written = uses(clause, rest.replace(/^\S+ /u, ""), lemma === "rewrite" ? { change: "replaced" } : {});
    return [{ ...written, predicate: "is written in" }];
  }
  if (
    lemma === "run" && !isPassive &&
    !/^(?:every|each|away|out|for|at|from|until|late|by|\d|on (?:\S+ )?(?:\S+ )?(?:mornings?|evenings?|afternoons?|days?|\p{L}+days?)\b)/iu
      .test(rest)
  ) {
    const on = /^(?:on|under) (.+)$/iu.exec(rest)?.[1];
    if (on !== undefined) return [{ ...uses(clause, on), predicate: "runs on" }];
    if (/^\p{Lu}[\p{L}]*(?: \d|\b)/u.test(rest)) return [uses(clause, rest)];
    return null;
  }
  if (lemma === "deploy" && /^with /iu.test(rest)) return [{ ...uses(clause, rest.slice(5)), scope: "deploy" }];
  if (lemma === "replace" && !isPassive) {
    const match = /^(?:our |the )?(.+?) (?:with|by) (.+)$/iu.exec(rest);
    const own = match === null ? null : /^(?:my|his|her|their) (.+)$/iu.exec(match[1]!);
    if (own !== null) {
      const has = { respect: "possession", predicate: "has" } as const;
      return [
        draw(clause, { ...has, value: own[1]!, polarity: false, change: "ended" }),
        draw(clause, { ...has, value: upTo(match![2]!).replace(/^(?:an?|the) /iu, ""), change: "began" }),
        uses(clause, match![2]!, { change: "replaced", from: own[1]! }),
      ];
    }
    if (match === null && clause.form === "past" && NAME_ALONE.test(rest)) return noLongerOurs(clause, rest);
    if (match !== null) return [uses(clause, match[2]!, { change: "replaced", from: match[1]! })];
  }
  if (
    isPassive && clause.form === "past" && (clause.isPast || clause.isPerfect) && !clause.isDenied &&
    /^(?:replace|phase|drop|decommission|remove|abandon|retire)$/.test(lemma) && NAME_ALONE.test(clause.subjectText) &&
    /^(?:$|[.!]|out\b|with |by )/iu.test(rest)
  ) return noLongerOurs(clause, clause.subjectText);
  const favour = /^(?:drop|abandon|ditch)$/.test(lemma) ? /^(.+?) (?:in favou?r of|for) (.+)$/iu.exec(rest) : null;
  return favour === null ? null : [uses(clause, favour[2]!, { change: "replaced", from: favour[1]! })];
};

/** Verbs for what somebody did with a thing before they gave it up. */
const HABITS = ["drink", "learn", "play", "study", "practise"];

/** Rewords "stopped using X" as "does not use X any more"; null: the clause says no such thing. */
export function readStopping(clause: Clause): Clause | null {
  const { lemma, rest } = clause;
  if (clause.isProgressive || clause.form !== "past" || clause.isPassive || clause.isDenied) return null;
  const doing = /^(?:stop|quit|cease)$/.test(lemma)
    ? /^(\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : lemma === "give"
    ? /^up (\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : null;
  if (doing === null) return null;
  const verb = lemmaOfIng(doing[1]!);
  return { ...clause, lemma: verb, rest: doing[2]!, form: "base", isPast: false, isDenied: true, hasEnded: true };
}

/** Matches an object that is only a name: "Redux", "Google Fonts". */
const NAME_ALONE = /^(?:our |the )?(\p{Lu}[^\s,;.!]*(?: (?:\p{Lu}|\d)[^\s,;.!]*){0,2})[.!]?$/u;

/** "unsubscribed from X", "dropped X", "gave up her keto diet". */
export const readStopped: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.isProgressive || clause.form !== "past") return null;
  const tool = clause.isPassive ? undefined : NAME_ALONE.exec(
    /^(?:drop|abandon|ditch|uninstall|decommission|retire|dump|remove)$/.test(lemma)
      ? rest
      : lemma === "phase"
      ? rest.replace(/^out /iu, "")
      : /^(?:move|migrate|switch)$/.test(lemma) && /^(?:away from|off of|off) /iu.test(rest)
      ? rest.replace(/^(?:away from|off of|off) /iu, "")
      : "",
  )?.[1];
  if (tool !== undefined && lemma !== "dump" && !(lemma === "move" && /^away/iu.test(rest))) {
    return [uses(clause, tool, { polarity: false, change: "ended" })];
  }
  if (lemma === "unsubscribe" && /^from /iu.test(rest)) {
    const value = upTo(rest.slice(5));
    return [draw(clause, { respect: "activity", predicate: "subscribe", value, polarity: false, change: "ended" })];
  }
  const starts = /^(?:start|begin|resume)$/.test(lemma)
    ? /^(\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : /^(?:go|return|come|revert)$/.test(lemma)
    ? /^(?:back )?to (\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : null;
  if (starts !== null && /\bagain\b|./u.test(starts[2]!)) {
    const verb = lemmaOfIng(starts[1]!);
    const eats = verb === "eat" ? eaten(clause, starts[2]!, true) : null;
    if (verb !== "eat" && / ?\b(?:at \S|every |(?:once|twice|\S+ times) a )/iu.test(starts[2]!)) {
      return [{ ...activity({ ...clause, lemma: verb, isNew: true }, starts[2]!), confidence: 0.6 }];
    }
    // A new activity adds to the others; it contradicts only a statement that somebody does not do it.
    return eats ?? [activity({ ...clause, lemma: verb, rest: starts[2]!, isNew: true, isAddition: true }, starts[2]!)];
  }
  // "has cut back to watering it once a week"
  const often = /^(?:cut|go|be|get|scale)$/.test(lemma)
    ? /^(?:back |down |up )(?:to |on )?(\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : null;
  if (often !== null && maskValues(often[2]!).values.some(({ kind }) => kind === "rhythm")) {
    return [activity({ ...clause, lemma: lemmaOfIng(often[1]!), rest: often[2]!, isNew: true }, often[2]!)];
  }
  const habit = (lemma === "give" ? /^up (.+)$/iu : lemma === "quit" && !/\p{Lu}/u.test(rest) ? /^(.+)$/u : /^$/u).exec(
    rest,
  )?.[1];
  if (
    habit !== undefined && !/\bdiet$|\b(?:job|club|team)\b|^(?:my|his|her|their|the|our|on|hope) /iu.test(upTo(habit))
  ) {
    const value = upTo(habit);
    const gone = { value, polarity: false, change: "ended" } as const;
    return [
      uses(clause, value, gone),
      draw(clause, { respect: "diet", predicate: "eats", ...gone }),
      ...HABITS.map((predicate) => draw(clause, { respect: "activity", predicate, ...gone })),
    ];
  }
  const dropped = lemma === "give" ? /^up (.+)$/iu.exec(rest)?.[1] : undefined;
  if (dropped !== undefined && /\bdiet$/iu.test(upTo(dropped))) {
    const value = upTo(dropped).replace(/^(?:my|his|her|their|the|a) /iu, "");
    return [draw(clause, { respect: "diet", predicate: "diet", value, polarity: false, change: "ended" })];
  }
  return null;
};

/** Makes the claim that somebody does something in general: the verb, its object, and where, how or with whom. */
export function activity(clause: Clause, rest: string): Claim {
  const none = /^no (.+)$/iu.exec(rest);
  const polarity = none === null ? {} : { polarity: clause.isDenied };
  return draw(clause, { respect: "activity", predicate: clause.lemma, value: upTo(none?.[1] ?? rest), ...polarity });
}

const DOING = new Set("lead manage maintain coach chair head oversee supervise teach direct run handle".split(" "));

/** Reads "Tim leads the team" as "the team is led by Tim". */
export function readDoer(clause: Clause): Claim[] {
  const object = DOING.has(clause.lemma) && !clause.isPassive && clause.form !== "past"
    ? /^(?:(?:the|our) .+|\p{Lu}\S*(?: \p{Lu}\S*)*[.!]?)$/u.exec(upTo(clause.rest))?.[0]
    : undefined;
  if (object === undefined || maskValues(object).values.length > 0 || !/^\p{Lu}/u.test(clause.subjectText)) return [];
  return [
    draw(clause, {
      subject: cleanValue(object),
      respect: "activity",
      predicate: clause.lemma,
      value: `by ${clause.subjectText}`,
    }),
  ];
}

/** Reads what somebody likes. */
export const readLiking: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.isProgressive || clause.isPassive || (clause.form === "past" && !/^(?:go|come|get)$/.test(lemma))) {
    return null;
  }
  const likes = (value: string, polarity: boolean, change: Claim["change"] = null) => [
    draw(clause, {
      respect: "preference",
      predicate: "likes",
      value: upTo(value).replace(/^(?:to|the|an?) /iu, "").replace(/ (?:better|best|more|most)$/iu, ""),
      polarity,
      change,
    }),
  ];
  if (lemma === "stand" && clause.modal === "can") return likes(rest, !clause.isDenied);
  if (lemma === "mind" && clause.isDenied) return likes(rest, true, clause.hasEnded ? "began" : null);
  if (lemma === "go" && /^off /iu.test(rest)) return likes(rest.slice(4), false, "ended");
  const changed = lemma === "come" ? /^to (?:like|love|enjoy) (.+)$/iu.exec(rest)?.[1] : undefined;
  if (changed !== undefined) return likes(changed, !clause.isDenied, "began");
  const tired = lemma === "get" ? /^(?:tired|sick|bored) of (.+)$/iu.exec(rest)?.[1] : undefined;
  if (tired !== undefined) return likes(tired, false, "ended");
  if (clause.form === "past") return null;
  const better = /^(?:like|love|enjoy)$/.test(lemma) && !clause.isDenied
    ? /^(.+?) (?:better|more) than (.+)$/iu.exec(upTo(rest))
    : null;
  if (better !== null) {
    return [draw(clause, { respect: "preference", predicate: "prefers", value: `${better[1]} over ${better[2]}` })];
  }
  if (lemma === "care" && clause.isDenied && /^for /iu.test(rest)) return likes(rest.slice(4), false);
  if (/^(?:like|love|enjoy)$/.test(lemma)) return likes(rest, !clause.isDenied);
  if (/^(?:hate|dislike)$/.test(lemma)) return likes(rest, clause.isDenied);
  if (lemma === "be") {
    const fan = /^(?:an? )?(?:big |huge |great |real )?fan of (.+)$/iu.exec(rest) ??
      /^(?:fond of|into|keen on|crazy about|obsessed with|hooked on|addicted to|passionate about) (.+)$/iu.exec(rest);
    return fan === null ? null : likes(fan[1]!, !clause.isDenied);
  }
  if (/^(?:prefer|favou?r)$/.test(lemma) || (lemma === "want" && !/^to /iu.test(rest))) {
    const over = /^(.+?) (?:over|to|than) (.+)$/iu.exec(upTo(rest));
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
  const none = /^no (.+)$/iu.exec(food)?.[1];
  if (none !== undefined) {
    return [draw(clause, { respect: "diet", predicate: "eats", value: none, polarity: clause.isDenied, change })];
  }
  const free = /^(\p{L}+)[- ]free$/iu.exec(food);
  if (free !== null) {
    return [draw(clause, { respect: "diet", predicate: "eats", value: free[1]!, polarity: clause.isDenied, change })];
  }
  return food === "" ? null : [draw(clause, { respect: "diet", predicate: "eats", value: food, change })];
}

/** Reads what something costs or weighs, or how long it lasts. */
export const readMeasure: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.isPassive || clause.form === "past" || !/^(?:cost|weigh|last)$/.test(lemma)) return null;
  if (maskValues(rest).values.length === 0) return null;
  if (lemma === "last" && !/^(?:for )?(?:\d|\p{L}+ (?:second|minute|hour|day|week|month|year)s?\b)/u.test(rest)) {
    return null;
  }
  const subject = lemma === "weigh" ? (`${clause.subjectText} weight`) : clause.subjectText;
  return [draw(clause, { subject, respect: "measure", predicate: "is", value: upTo(rest) })];
};

/** Reads what somebody eats. */
export const readEating: Rule = (clause) => {
  const { lemma, rest } = clause;
  if (clause.form === "past" && /^(?:outgrow|lose)$/.test(lemma)) {
    const food = /^(?:my|his|her|their|the) (.+?) (?:allergy|intolerance)\b/iu.exec(rest)?.[1];
    if (food === undefined) return null;
    return [
      draw(clause, { respect: "diet", predicate: "is allergic to", value: food, polarity: false, change: "ended" }),
      draw(clause, { respect: "permission", predicate: "may", value: `have ${food}`, change: "began" }),
    ];
  }
  const allergy = lemma === "have"
    ? /^(?:an? |no )?(?:(?:severe|bad|mild|strong) )?(?:(\S+) (?:allergy|intolerance)|(?:allergy|intolerance) to (.+))$/iu
      .exec(
        cleanValue(upTo(rest)),
      )
    : null;
  if (allergy !== null) {
    const polarity = !clause.isDenied && !/^no /iu.test(rest);
    return [
      draw(clause, { respect: "diet", predicate: "is allergic to", value: (allergy[1] ?? allergy[2])!, polarity }),
    ];
  }
  if (/^(?:become|go|turn)$/.test(lemma) && clause.form === "past") {
    const diet = /^(?:an? )?(vegetarian|vegan|pescatarian)(?=[.!,;]|$| (?:in|for|at|after|since|and|when)\b)/iu.exec(
      rest,
    )?.[1];
    return diet === undefined
      ? null
      : [draw(clause, { respect: "diet", predicate: "diet", value: diet.toLowerCase(), change: "replaced" })];
  }
  if (lemma !== "eat" || clause.form === "past" || maskValues(rest).values.length > 0) return null;
  return eaten(clause, rest, false);
};
