/** Rules for what is owned, and for rights. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { isPerson } from "./people_rules.ts";
import { activity } from "./thing_rules.ts";
import { maskOf, maskValues, stemsOf } from "./values.ts";

const LOSES = new Set("sell give lose donate trade return scrap".split(" "));
const GETS = new Set("buy get adopt own possess".split(" "));

function has(
  clause: Clause,
  value: string,
  more: { readonly polarity?: boolean; readonly change?: Claim["change"] } = {},
): Claim {
  const said = upTo(value).replace(/^(?:my|our|his|her|their|its|the|an?) /iu, "").replace(
    / (?:named|called) .*$/iu,
    "",
  )
    .replace(/ (?:to|for) (?:my|his|her|their|our|a) .*$/iu, "")
    // "got a spare key made"
    .replace(/(?<=\S ?\p{Ll}{3,}) (?:made|cut|printed|delivered|installed|fitted|repaired)(?= |$).*$/u, "");
  // "18 of them" does not say what it counts.
  const isOpen = /^(?:about |around |over )?\S+(?: of them)?[.!]?$/iu.test(said) && /^0/u.test(maskValues(said).frame);
  return draw(clause, {
    respect: "possession",
    predicate: "has",
    value: said,
    ...more,
    ...(isOpen && { confidence: 0.4 }),
  });
}

/** "lost access to the vault", "deleted my account", "let my membership lapse". */
const readEndedAccount: Rule = (clause) => {
  const { lemma, rest } = clause;
  const lost = lemma === "lose" && clause.form === "past"
    ? ACCESS.exec(rest.replace(/^(?:my|his|her|their|our|all) /iu, ""))?.[1]
    : undefined;
  const licence = lemma === "lose" && clause.form === "past"
    ? /^(?:my|his|her|their) (.*licen[cs]e)\b/iu.exec(rest)?.[1]
    : undefined;
  if (lost !== undefined || licence !== undefined) return [right(clause, upTo((lost ?? licence)!), false, "ended")];
  const account = clause.form === "past" && /^(?:cancel|delete|terminate|close|end)$/.test(lemma)
    ? /^(?:my|his|her|their|our|its|the) (.*\b(?:account|subscription|membership|profile|contract|plan|policy))(?: (?:to|with|at|for) (?:the )?(\p{Lu}.+))?[.!]?$/u
      .exec(rest)
    : lemma === "let"
    ? /^(?:my|his|her|their|our|its) (.+) (?:lapse|expire)[.!]?$/iu.exec(rest)
    : null;
  if (account !== null) {
    const [, thing, from] = account;
    const gone = { polarity: false, change: "cancelled" } as const;
    if (from === undefined) return [has(clause, thing!, gone)];
    return [
      has(clause, `${from.replace(/[.!]$/, "")} ${thing}`, gone),
      draw(clause, { respect: "activity", predicate: "subscribe", value: upTo(from), ...gone }),
    ];
  }
  return null;
};

/** Reads what somebody has. */
export const readPossession: Rule = (clause) => {
  const { lemma, rest, isProgressive, isPassive } = clause;
  if (isProgressive) return null;
  if (isPassive) return null;
  const filled = /^(?:have|get|hire|find|appoint)$/.test(lemma)
    ? /^a new (\p{Ll}+(?: \p{Ll}+)?)(?:,|:| called| named) (\p{Lu}.+)$/u.exec(rest)
    : null;
  if (filled !== null) {
    const subject = clause.subject === "we" ? `our ${filled[1]}` : `${clause.subjectText}'s ${filled[1]}`;
    return [draw(clause, { subject, respect: "role", predicate: "is", value: upTo(filled[2]!), change: "replaced" })];
  }
  const isGot = lemma === "get" && clause.isPerfect && !clause.isDenied;
  if (lemma === "have" || (isGot && / of (?:about |around |over )?[$€£]?\d/u.test(rest))) return readHave(clause);
  const weight = lemma === "be" && isPerson(clause)
    ? /^(?:down|up|back) (?:to|at) (\S+ (?:kilos?|kg|kilograms?|stone|lbs?|pounds))[.!]?$/iu.exec(upTo(rest))?.[1]
    : undefined;
  if (weight !== undefined) {
    return [
      draw(clause, {
        subject: `${clause.subjectText} weight`,
        respect: "measure",
        predicate: "is",
        value: weight,
        change: "adjusted",
      }),
    ];
  }
  if (lemma === "be" && /^down to (?:\d|\p{L}+ )/iu.test(rest)) {
    const many = has(clause, rest.slice(8), { change: "adjusted" });
    const often = / (?:a|per|each|every) (?:day|week|month|year)\b/iu.test(rest);
    if (!often) return [many];
    return ["drink", "smoke", "eat", "take", "run", "work"].map((predicate) => ({
      ...many,
      respect: "activity",
      predicate,
    }));
  }
  if (lemma === "grow" && /^to /iu.test(rest) && maskValues(rest).values.length > 0) {
    return [has(clause, rest.slice(3), { change: "adjusted" })];
  }
  const ended = readEndedAccount(clause);
  if (ended !== null) return ended;
  if (clause.form === "past" && lemma === "cancel" && /^(?:my|his|her|their|our|its) /iu.test(rest)) {
    return [has(clause, rest, { polarity: false, change: "cancelled" })];
  }
  if (
    LOSES.has(lemma) && clause.form === "past" && /^(?:away |up |in )?(?:my|his|her|their|our|its|the) /iu.test(rest)
  ) {
    const next = /^in (.+?) for (.+)$/iu.exec(rest);
    const lost = (next?.[1] ?? rest).replace(/^(?:away|up|in) /iu, "");
    if (/\bold \p{L}+|weight|keys?\b/iu.test(lost)) return [];
    const gone = has(clause, lost, { polarity: false, change: "ended" });
    return next === null ? [gone] : [gone, has(clause, next[2]!, { change: "began" })];
  }
  if (lemma === "sell" && clause.form === "past" && /^\p{Lu}[\p{L}\d.+-]*[.!]?$/u.test(rest)) {
    const gone = has(clause, rest, { polarity: false, change: "ended" });
    return [gone, { ...gone, respect: "tool", predicate: "uses" }];
  }
  if (lemma === "expire" && clause.form === "past" && /'s /.test(clause.subjectText)) {
    const [owner, thing] = splitOwner(clause.subjectText);
    return [
      draw(clause, {
        subject: owner,
        respect: "possession",
        predicate: "has",
        value: thing,
        polarity: false,
        change: "ended",
      }),
      draw(clause, { respect: "status", predicate: "status", value: "expired", change: "began" }),
    ];
  }
  if (lemma === "expire" && clause.form === "past") {
    return [draw(clause, { respect: "status", predicate: "status", value: "expired", change: "began" })];
  }
  if (
    (lemma === "die" || (lemma === "pass" && /^away\b/iu.test(rest))) && clause.form === "past" &&
    /'s /.test(clause.subjectText)
  ) {
    const [owner, thing] = splitOwner(clause.subjectText);
    return [
      draw(clause, {
        subject: owner,
        respect: "possession",
        predicate: "has",
        value: thing.replace(/ \p{Lu}.*$/u, "").replace(/ named .*$/iu, ""),
        polarity: false,
        change: "ended",
      }),
    ];
  }
  // A buyer does not own what they buy for somebody else.
  if (GETS.has(lemma) && clause.form === "past" && FOR_ANOTHER.test(rest)) return [];
  if (
    GETS.has(lemma) &&
    /^(?:an?|some|another|\p{Lu}|\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|about|around) )/u
      .test(rest)
  ) {
    return [has(clause, rest, clause.form === "past" && lemma !== "own" ? { change: "began" } : {})];
  }
  if (lemma === "own" || lemma === "possess") return [has(clause, rest)];
  if (lemma === "drive" && clause.form !== "past" && /^an? /iu.test(rest)) {
    return [has(clause, rest), activity(clause, rest)];
  }
  if (lemma === "rent" && /^(?:an?|the) /iu.test(rest)) return [has(clause, rest)];
  return null;
};

export const FOR_ANOTHER =
  / for (?:my|our|his|her|their|the user's) (?:\p{Ll}+ )?(?:son|daughter|kids?|child|children|wife|husband|partner|mother|mum|mom|father|dad|parents|sister|brother|friend|girlfriend|boyfriend|niece|nephew|grand\p{L}+|boss|colleague|neighbou?r)\b(?!'s )/u;

function splitOwner(text: string): [string, string] {
  const at = text.lastIndexOf("'s ");
  return [text.slice(0, at), text.slice(at + 3)];
}

const ACCESS =
  /^(?:no |only )?((?:\S+ ){0,2}(?:access|rights|permissions?|a licen[cs]e|licen[cs]e)(?: (?:to|on|for) .+)?)/iu;

function readHave(clause: Clause) {
  const { rest } = clause;
  if (/^(?:to|not)\b/iu.test(rest)) return null;
  const dated = /^(?:an? |my |our )?(.+?) (?:on|at|every|each) (.+)$/iu.exec(upTo(rest));
  const { frame, values: [time] } = maskValues(dated?.[2] ?? "");
  if (
    dated !== null && time !== undefined && frame.startsWith(maskOf(time.kind)) && /^(?:day|clock)$/.test(time.kind)
  ) {
    return [dated[1]!, `${clause.subjectText} ${dated[1]}`].map((thing) =>
      draw(clause, { subject: thing, respect: "time", predicate: "happens", value: dated[2]! })
    );
  }
  if (
    /^(?:an? )?(?:interview|idea|question|appointment|meeting|party|fight|look|dinner|lunch|breakfast|coffee)\b/iu.test(
      rest,
    )
  ) {
    return [activity(clause, rest)];
  }
  const none = /^(?:no|not any) (.+)$/iu.exec(rest);
  const job = /^an? (?:new )?(?:job|position) (?:at|with) (.+)$/iu.exec(rest);
  if (job !== null) {
    const change = /^an? new /iu.test(rest) ? "replaced" : null;
    return [
      draw(clause, { respect: "employment", predicate: "works at", value: upTo(job[1]!), change }),
      draw(clause, { respect: "status", predicate: "status", value: "employed" }),
    ];
  }
  // "has eggs for breakfast": a meal is one thing at a time.
  const meal = /^(.+?) for (breakfast|lunch|dinner|supper)(?: (?:every|each|most|on) .+)?[.!]?$/iu.exec(upTo(rest));
  if (meal !== null && !clause.isDenied && maskValues(meal[1]!).values.length === 0 && !NO_FOOD.test(meal[1]!)) {
    return [
      has(clause, rest),
      draw(clause, {
        subject: `${clause.subjectText}'s usual ${meal[2]}`,
        respect: "diet",
        predicate: "is",
        value: meal[1]!,
        confidence: 0.7,
      }),
    ];
  }
  // "has a student loan of 12,000 euros"
  const amount = /^(?:an? |got an? )?([\p{L} -]+?) of ((?:about |around |over )?[$€£]?\d.*)$/iu.exec(upTo(rest));
  if (amount !== null && !clause.isDenied) {
    const subject = clause.subject === "we" ? `our ${amount[1]}` : `${clause.subjectText}'s ${amount[1]}`;
    // The words after the amount say which loan, for example, is meant.
    const [, value, which = ""] = /^(.+?)((?: with| at| from| on| in| by| for| to) .+)?$/iu.exec(
      amount[2]! + (/ (?:with) (?:my|his|her) [^,.;]+/iu.exec(rest)?.[0] ?? ""),
    )!;
    const measure = draw(clause, { subject, respect: "measure", predicate: "is", value: value! });
    const scope = [...new Set([...measure.scope.split(" ").filter(Boolean), ...stemsOf(which)])].sort().join(" ");
    return [has(clause, rest), { ...measure, scope }];
  }
  const access = ACCESS.exec(rest);
  const polarity = none !== null ? false : !clause.isDenied;
  if (access !== null) return [right(clause, upTo(access[1]!), polarity, null)];
  return [has(clause, none?.[1] ?? rest, { polarity })];
}

/** Words that name no food although people "have" them "for lunch": guests, time, a table. */
const NO_FOOD =
  /^(?:no|nobody|nothing|\p{Lu}\p{L}+$)|\b(?:times?|minutes?|hours?|guests?|visitors?|clients?|customers?|friends?|people|family|parents|relatives|in-laws|company|colleagues?|partners?|neighbou?rs?|teams?|boss|investors?|candidates?|plans?|meetings?|calls?|dates?|reservations?|tables?|bookings?|money|vouchers?|budget|appetite|breaks?|rooms?|places?|spots?|recipes?|ideas?|kids|children|boys|girls|wife|husband|mother|father|mum|mom|dad|brother|sister|son|daughter|everyone|everybody|someone|somebody)\b/u;

function right(
  clause: Clause,
  value: string,
  polarity: boolean,
  change: Claim["change"],
  subject = clause.subjectText,
): Claim {
  return draw(clause, {
    subject,
    respect: "permission",
    predicate: "may",
    value: value.replace(/^(?:an?|the) /iu, ""),
    polarity,
    change,
  });
}

/** Matches words that limit a right. */
const LIMIT = / (?:after|before|during|without|unless|except) .+$/iu;

/** The confidence of a duty. It is low, so that a duty of a single day ends no older statement. */
const DUTY = 0.45;

/** The duty in a clause, if there is one. "I have to admit" and "we have to go" name no duty. */
function dutyOf({ lemma, rest, modal, isPast }: Clause): string | undefined {
  return lemma === "have" && modal === null && !isPast
    ? /^to (?!(?:do|say|go|admit|agree|laugh|think|wonder|ask)\b)(\p{Ll}{2,}.*)$/u.exec(rest)?.[1]
    : undefined;
}

/** Reads rights that somebody gives or takes away. */
export const readPermission: Rule = (clause) => {
  const { lemma, rest, isPassive, modal } = clause;
  if (
    isPassive && (/^(?:revoke|remove|withdraw)$/.test(lemma) || (lemma === "take" && /^away\b/iu.test(rest))) &&
    ACCESS.test(splitOwner(clause.subjectText)[1]) &&
    /'s /.test(clause.subjectText)
  ) {
    const [owner, thing] = splitOwner(clause.subjectText);
    return [right(clause, thing, false, "ended", owner)];
  }
  const taken = isPassive && /^(?:revoke|remove|withdraw)$/.test(lemma) && !clause.isDenied
    ? /^(.+?)'s (?:right|permission|authori[sz]ation) to (.+)$/iu.exec(clause.subjectText)
    : null;
  if (taken !== null) return [right(clause, taken[2]!, false, "ended", taken[1]!)];
  if (/^(?:revoke|withdraw)$/.test(lemma) && !isPassive && /'s /.test(rest)) {
    const [owner, thing] = splitOwner(upTo(rest));
    return [right(clause, thing, false, "ended", owner)];
  }
  if (isPassive && /^(?:grant|give)$/.test(lemma)) {
    const access = ACCESS.exec(rest);
    return access === null ? null : [right(clause, upTo(access[1]!), true, "began")];
  }
  if (isPassive && /^(?:allow|permit|ban|forbid|prohibit)$/.test(lemma)) {
    const isBan = !/^(?:allow|permit)$/.test(lemma);
    const polarity = isBan === clause.isDenied;
    return [
      right(
        clause,
        rest.replace(/^(?:from|to) /iu, ""),
        polarity,
        isBan && (clause.isNew || clause.isPerfect || clause.isPast) ? "ended" : null,
      ),
    ];
  }
  const needless = /^(?:have|need)$/.test(lemma) && clause.isDenied ? /^to (.+)$/iu.exec(rest)?.[1] : undefined;
  if (needless !== undefined) {
    return [draw(clause, { respect: "permission", predicate: "must", value: upTo(needless), polarity: false })];
  }
  const duty = dutyOf(clause);
  if (duty !== undefined) {
    return [draw(clause, { respect: "permission", predicate: "must", value: upTo(duty), confidence: DUTY })];
  }
  if (modal === "can" && lemma === "stand") return null;
  if (modal === "may" || modal === "can" || modal === "must") {
    const polarity = modal === "must" && !clause.isDenied ? true : !clause.isDenied;
    return [draw(clause, {
      respect: "permission",
      predicate: modal === "must" && !clause.isDenied ? "must" : "may",
      value: `${clause.isPassive ? "be " : ""}${clause.lemma} ${upTo(rest)}${LIMIT.exec(rest)?.[0] ?? ""}`.trim(),
      polarity,
    })];
  }
  return null;
};
