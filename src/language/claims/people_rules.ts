/** Rules for what people are and do: home, work, roles, relations. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { cleanValue, firstValue } from "./values.ts";

const IN = /^(?:(?:back|over|down|up|out|away) )?(?:in|at|on|near|under|inside|to|into) (.+)$/iu;
const LIVES = new Set("live reside stay settle base locate".split(" "));

/** "Karim's apartment is in Rabat" says where Karim lives. */
function dweller({ subjectText }: Clause): string {
  const owner = /^(.+?)'s (?:\p{L}+ )?(?:home|house|apartment|flat|condo|place)$/iu.exec(subjectText)?.[1];
  return owner ?? subjectText;
}

/** Makes the claim that the subject of a clause lives in a place. */
export function home(clause: Clause, value: string, change: Claim["change"] = null, from: string | null = null): Claim {
  return draw(clause, {
    subject: dweller(clause),
    respect: "residence",
    predicate: "lives in",
    value: upTo(value),
    change,
    from,
  });
}

/** Makes the claim that the subject of a clause lives with somebody. */
function livesWith(clause: Clause, value: string, change: Claim["change"]): Claim {
  return draw(clause, { respect: "residence", predicate: "lives with", value: upTo(value), change });
}

function endedHome(clause: Clause, value: string): Claim {
  return draw(clause, {
    respect: "residence",
    predicate: "lives in",
    value: upTo(value),
    polarity: false,
    change: "ended",
  });
}

/** Matches a single word without an article that is neither a name nor a kind of home. */
export const NOWHERE = /^(?!town\b|lodgings?\b|digs\b|housing\b|accommodation\b)\p{Ll}+[.!]?$/u;

/** Reads where somebody lives or something is. */
export const readHome: Rule = (clause) => {
  const { lemma, rest } = clause;
  const place = IN.exec(rest)?.[1];
  const company = lemma === "live" && !clause.isPassive
    ? /^(?:(?:together )?with (.+)|(alone|(?:on|by) (?:my|his|her|their) own|by (?:myself|himself|herself)))[.!]?$/iu
      .exec(upTo(rest))
    : null;
  const lone = lemma === "live" && !clause.isPassive
    ? /^(?:alone|(?:on|by) (?:my|his|her|their) own|by (?:myself|himself|herself)) in (?!(?:the |a )?(?:week|summer|winter|holidays?|evenings?)\b)(.+)$/iu
      .exec(
        upTo(rest),
      )?.[1]
    : undefined;
  if (lone !== undefined) return [home(clause, lone), livesWith(clause, "nobody", null)];
  const town = / in (\p{Lu}.+)$/u.exec(company?.[1] ?? "")?.[1];
  if (company !== null) {
    return [...(town === undefined ? [] : [home(clause, town)]), livesWith(clause, company[1] ?? "nobody", null)];
  }
  if (LIVES.has(lemma) && place !== undefined) {
    if (firstValue(place)?.kind === "rhythm") return null;
    return [home(clause, place, lemma === "settle" ? "replaced" : null)];
  }
  if (
    clause.isPassive && /^(?:host|store|keep|house|hold|deploy|publish|serve)$/.test(lemma) &&
    /^(?:in|at|on|under|inside|by) /iu.test(rest)
  ) {
    const value = rest.replace(/^\S+ /u, "");
    const kind = firstValue(value)?.kind;
    if (kind === "day" || kind === "clock") {
      return [draw(clause, { respect: "time", predicate: "happens", value: upTo(value) })];
    }
    return [home(clause, value)];
  }
  if (lemma === "take" && /^place (?:in|at|on) /iu.test(rest)) {
    const value = rest.replace(/^place \S+ /iu, "");
    const kind = firstValue(value)?.kind;
    return kind === "day" || kind === "clock" || kind === "rhythm"
      ? [draw(clause, { respect: "time", predicate: "happens", value: upTo(value) })]
      : [home(clause, value)];
  }
  if ((lemma === "move" || lemma === "relocate") && clause.form === "past") {
    const out = /^(?:away|out) (?:from|of) (.+)$/iu.exec(rest) ?? /^from ((?:(?! to ).)+)$/iu.exec(rest);
    if (out !== null) {
      const ended = endedHome(clause, out[1]!);
      return [ended, { ...ended, respect: "tool", predicate: "uses" }];
    }
    const into = /^(?:back )?in with (.+)$/iu.exec(rest) ?? /^(?:back )?(?:in|into) (?!with)(.+)$/iu.exec(rest);
    // "moved into profit" names no place.
    if (into !== null && !NOWHERE.test(into[1]!)) {
      return [/ with /u.test(into[0]) ? livesWith(clause, into[1]!, "replaced") : home(clause, into[1]!, "replaced")];
    }
  }
  if (/^(?:emigrate|immigrate|resettle)$/.test(lemma) && clause.form === "past" && place !== undefined) {
    return [home(clause, place, "replaced")];
  }
  const traded = lemma === "trade" || lemma === "swap" ? /^(\p{Lu}[\p{L}-]*) for (\p{Lu}[\p{L}-]*)/u.exec(rest) : null;
  if (traded === null) return null;
  const next = home(clause, traded[2]!, "replaced", traded[1]!);
  return [next, { ...next, respect: "tool", predicate: "uses" }];
};

const OCCUPATION =
  /(?:er|or|ist|ian|ant|ent|yst|man|woman|nurse|lead|head|chief|chef|clerk|intern|judge|pilot|cook|guide|coach|host|nanny|monk|priest|vet|ceo|cto|cfo|coo|vp|director|captain|president|chair|legal|apprentice|fellow|dean|mayor|architect|scrum master|barista|medic|attorney|admin|trainee|administrator|secretary|solicitor|waitress|actress|referee|moderator|freelancer|representative|executive|officer|associate|assistant|contact)$/iu;
const NO_OCCUPATION =
  /^(?:god(?:father|mother|parent)|grand(?:father|mother)|mother|father|brother|sister|daughter|parent|member|player|owner|customer|user|lover|drinker|eater|smoker|runner|swimmer|reader|believer|speaker|listener|morning person|winner|teenager|foreigner|beginner|person|diver|supporter|patient|client|friend|neighbou?r|partner|roommate|resident|adult|student|parent)s?$/iu;

/** Makes the claim that the subject of a clause works as something. */
export function role(clause: Clause, value: string, change: Claim["change"] = null, from: string | null = null): Claim {
  return draw(clause, {
    respect: "role",
    predicate: "works as",
    value: upTo(value).replace(/^(?:an?|the) /iu, ""),
    change,
    from,
  });
}

const PEOPLE =
  /\b(?:wife|husband|mother|mom|mum|father|dad|brother|sister|son|daughter|uncle|aunt|cousin|nephew|niece|grandma|grandpa|grandmother|grandfather|boyfriend|girlfriend|fianc\u00e9e?|partner|roommate|flatmate|friend|neighbou?r|boss|colleague|intern)(?: \p{Lu}\p{L}*)?$/iu;

/** Short names of offices: "CTO". */
const OFFICE = /^(?:C[A-Z]O|CI|API|VP|PM|HR)$/u;

/** Whether a subject is a person, as far as its words say so. */
export function isPerson({ subject, subjectText }: Clause): boolean {
  return /^(?:user|we|they)$/.test(subject) || PEOPLE.test(subjectText) ||
    (/^\p{Lu}/u.test(subjectText) && !subjectText.includes("'s ") && !OFFICE.test(subjectText));
}

/** Whether a phrase names an occupation. */
export function isOccupation(phrase: string): boolean {
  const head = cleanValue(upTo(phrase)).replace(/ (?:at|for|of|in|on|with|to) .*$/iu, "");
  return OCCUPATION.test(head) && !NO_OCCUPATION.test(head.split(" ").at(-1)!);
}

/** Reads what somebody is by profession, and who has a role. */
export const readRole: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  const promoted = /^(?:promote|appoint|name|elect)$/.test(lemma);
  if ((isPassive || lemma === "get") && !isProgressive) {
    const got = lemma === "get" ? /^promoted (?:to|as) (.+)$/iu.exec(rest)?.[1] : undefined;
    // "is named Tiger"
    const isName = lemma === "name" && /^\p{Lu}\p{Ll}+[.!]?$/u.test(rest);
    const to = got ?? (promoted && !isName ? rest.replace(/^(?:to|as|from .+? to) /iu, "") : undefined);
    if (to !== undefined && isOccupation(to)) {
      return [role(clause, to, "replaced", /^from (.+?) to /iu.exec(rest)?.[1] ?? null)];
    }
  }
  if (
    lemma === "become" && clause.form === "past" && !isProgressive && /^(?:an?|the) /iu.test(rest) && isOccupation(rest)
  ) {
    return [role(clause, rest, "replaced")];
  }
  const bare = lemma === "become" && clause.form === "past" && !isProgressive
    ? /^(?:the |our )?(?:new )?((?:\p{Lu}{2,}|captain|chair|chairman|chairwoman|president|director|head|leader|coach|treasurer|mayor|editor)\b.*)$/u
      .exec(rest)
    : null;
  if (bare !== null) return [holder(clause, bare[1]!, "handed_over", null), role(clause, bare[1]!, "replaced")];
  const succeeded = isPassive && /^(?:replace|succeed)$/.test(lemma)
    ? /^by (\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?) as (.+)$/u.exec(rest)
    : null;
  if (succeeded !== null) {
    return [{ ...holder(clause, succeeded[2]!, "handed_over", clause.subjectText), value: succeeded[1]! }];
  }
  const tookOver = lemma === "take" ? /^over (?:from (.+?) )?as (.+)$/iu.exec(rest) : null;
  if (tookOver !== null) return [holder(clause, tookOver[2]!, "handed_over", tookOver[1] ?? null)];
  const team = lemma === "take" && !isPassive && clause.form === "past"
    ? /^over ((?:the|our) .+?)(?: from (.+))?$/iu.exec(upTo(rest))
    : null;
  if (team !== null && /^\p{Lu}/u.test(clause.subjectText)) {
    return ["lead", "manage", "run", "maintain", "coach"].map((predicate) =>
      draw(clause, {
        subject: cleanValue(team[1]!),
        respect: "activity",
        predicate,
        value: `by ${clause.subjectText}`,
        change: "handed_over",
      })
    );
  }
  const replaced = (lemma === "replace" || lemma === "succeed") && !isPassive ? /^(.+?) as (.+)$/iu.exec(rest) : null;
  if (replaced !== null) return [holder(clause, replaced[2]!, "handed_over", replaced[1]!)];
  const given = !isPassive && clause.form === "past" && !clause.isDenied
    ? /^(?:step|stand)$/.test(lemma)
      ? /^(?:down|aside|back) (?:as|from) (?:being )?(.+)$/iu.exec(rest)?.[1]
      : /^(?:resign|retire|quit)$/.test(lemma)
      ? /^(?:as|from being) (.+)$/iu.exec(rest)?.[1]
      : undefined
    : undefined;
  if (given !== undefined) {
    const ended = { polarity: false, change: "ended" } as const;
    return [
      { ...holder(clause, given, "ended", null), ...ended },
      { ...role(clause, given, "ended"), ...ended },
      draw(clause, { respect: "membership", predicate: "is a member of", value: upTo(given), ...ended }),
    ];
  }
  const acts = lemma === "act" ? /^as (.+)$/iu.exec(rest) : null;
  return acts === null ? null : [holder(clause, acts[1]!, null, null)];
};

/** Makes the claim that somebody has a role; the role is the subject of the claim. */
export function holder(clause: Clause, roleName: string, change: Claim["change"], from: string | null): Claim {
  const named = upTo(roleName);
  const thing = /^the name of (.+)$/iu.exec(named)?.[1];
  if (thing !== undefined) {
    return draw(clause, {
      subject: thing,
      respect: "name",
      predicate: "is called",
      value: clause.subjectText,
      change,
      from,
    });
  }
  const subject = named.replace(/^my /iu, `${clause.subject === "we" ? clause.subjectText : clause.speaker} `);
  return {
    ...draw(clause, { subject, respect: "role", predicate: "is", value: clause.subjectText, change, from }),
    scope: "",
  };
}

const PRONOUN = /^(?:i|me)$/iu;
const PARTNER = /^(?:to|with|from) (.+)$/iu;

/** Reads that two people are a couple, are married or have parted. */
export const readRelation: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  const say = (state: string, partner = "", change: Claim["change"] = null) =>
    subjectsOf(clause).map((subject, i, both) =>
      draw(clause, {
        subject: PRONOUN.test(subject) ? clause.speaker : subject,
        respect: "relation",
        predicate: "relationship",
        value: partner === "" && state === "split up" && both.length === 2
          ? `${state} with ${both[1 - i]}`
          : partner === ""
          ? state
          : `${state} ${state === "married" ? "to" : "with"} ${partner}`,
        change,
      })
    );
  if (lemma === "date" && isProgressive) return say("dating", upTo(rest));
  if (isProgressive || (clause.form !== "past" && !isPassive)) return null;
  if (lemma === "marry") {
    if (isPassive && !clause.isPast) return say("married", PARTNER.exec(rest)?.[1] ?? "");
    return say("married", upTo(rest), "replaced");
  }
  if (lemma === "divorce" && (!isPassive || clause.isPast)) return say("divorced", "", "replaced");
  if (lemma === "divorce") return say("divorced");
  if ((lemma === "break" || lemma === "split") && /^up\b/iu.test(rest)) return say("split up", "", "replaced");
  if (lemma === "get" && /^(?:divorced|married|engaged)\b/iu.test(rest)) {
    return say(/^\p{L}+/u.exec(rest)![0].toLowerCase(), "", "replaced");
  }
  if (lemma === "separate" && rest.length < 12) return say("divorced", "", "replaced");
  return null;
};

/** The persons that a subject joins by "and", such as "Claire and I". */
export function subjectsOf({ subjectText }: Clause): string[] {
  return subjectText.split(/ and /iu);
}
