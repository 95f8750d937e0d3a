/** Rules for homes: where somebody lives or something is. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { say, upTo } from "./draft.ts";
import type { Row } from "./row.ts";
import { firstValue } from "./values.ts";

const IN = /^(?:(?:back|over|down|up|out|away) )?(?:in|at|on|near|under|inside|to|into) (.+)$/iu;
/** Makes the claim that somebody lives in a place; "Karim's apartment is in Rabat" says where Karim lives. */
export function home(clause: Clause, value: string, change: Claim["change"] = null, from: string | null = null): Claim {
  const owner = /^(.+?)'s (?:\p{L}+ )?(?:home|house|apartment|flat|condo|place)$/iu.exec(clause.subjectText)?.[1];
  return say(clause, "lives in", upTo(value), { subject: owner ?? clause.subjectText, change, from });
}

/** Makes the claim that something is in a place, or takes place at a time. */
function placedOrTimed(clause: Clause, value: string): Claim[] {
  return /^(?:day|clock)$/.test(firstValue(value)?.kind ?? "")
    ? [say(clause, "happens", upTo(value))]
    : [home(clause, value)];
}

/** Matches a single word without an article that is neither a name nor a kind of home. */
export const NOWHERE = /^(?!town\b|lodgings?\b|digs\b|housing\b|accommodation\b)\p{Ll}+[.!]?$/u;

/** Where somebody lives or something is. */
export const HOMES: readonly Row[] = [
  {
    name: "lives alone in a place",
    verbs: "live",
    is: "active",
    head:
      /^(?:alone|(?:on|by) (?:my|his|her|their) own|by (?:myself|himself|herself)) in (?!(?:the |a )?(?:week|summer|winter|holidays?|evenings?)\b)(.+)$/iu,
    claims: (clause, [, place]) => [home(clause, place!), say(clause, "lives with", "nobody")],
    says: [
      "I live {alone|on my own|by myself} in a small flat. → user lives in small flat; user lives with nobody",
      "Ben lives {on his own|by himself} in Leeds. → Ben lives in Leeds; Ben lives with nobody",
      "Ana lives {by her own|by herself} in Leeds. → Ana lives in Leeds; Ana lives with nobody",
      "They live on their own in Leeds. → they lives in Leeds",
    ],
    saysNot: ["I live alone in {the week|the summer|winter|the holidays|the evenings}."],
  },
  {
    name: "lives with somebody",
    verbs: "live",
    is: "active",
    head:
      /^(?:(?:together )?with (.+)|(?:alone|(?:on|by) (?:my|his|her|their) own|by (?:myself|himself|herself)))[.!]?$/iu,
    claims: (clause, [, company]) => {
      const town = / in (\p{Lu}.+)$/u.exec(company ?? "")?.[1];
      return [...(town === undefined ? [] : [home(clause, town)]), say(clause, "lives with", company ?? "nobody")];
    },
    says: [
      "I live {with|together with} two cats. → user lives with two cats",
      "I live with Ana in Leeds. → user lives in Leeds; user lives with Ana in Leeds",
      "I live {alone|on my own|by myself}. → user lives with nobody",
      "Ben lives {on his own|by himself}. → Ben lives with nobody",
      "Ana lives {by her own|by herself}. → Ana lives with nobody",
      "They live on their own. → nothing",
    ],
    saysNot: ["I live alone in the city."],
  },
  {
    name: "lives in a place",
    verbs: "live reside stay settle base locate",
    match: IN,
    claims: (clause, [, place]) =>
      firstValue(place!)?.kind === "rhythm"
        ? null
        : [home(clause, place!, clause.lemma === "settle" ? "replaced" : null)],
    says: [
      "I {live|reside|am staying|am based} in Oslo. → user lives in Oslo",
      "The office is {based|located} {in|at|on|near|under|inside} the old harbour. → office lives in old harbour",
      "Ben has settled {in|into} Leeds. → Ben lives in Leeds (replaced)",
      "Ben lives {back|over|down|up|out|away} in Leeds. → Ben lives in Leeds",
      "Karim's {home|house|apartment|flat|condo|place|summer house} is located in Rabat. → Karim lives in Rabat",
    ],
    saysNot: ["I live for music.", "I stay in once a week."],
  },
  {
    name: "is kept in a place",
    verbs: "host store keep hold deploy serve",
    is: "passive",
    match: /^(?:in|at|on|under|inside|by) (.+)$/iu,
    claims: (clause, [, place]) => placedOrTimed(clause, place!),
    says: [
      "The archive is {hosted|stored|kept|held|deployed|served} {in|at|on|under|inside|by} the vault. → archive lives in vault",
      "The fair is held {on Sunday|at 9:30}. → fair happens {Sunday|9:30}",
    ],
    saysNot: ["The archive is kept for years."],
  },
  {
    name: "takes place",
    verbs: "take",
    match: /^place (?:in|at|on) (.+)$/iu,
    claims: (clause, [, place]) => placedOrTimed(clause, place!),
    says: [
      "The fair takes place {in|at|on} the old harbour. → fair lives in old harbour",
      "The fair takes place {on Sunday|at 9:30|on every Sunday}. → fair happens {Sunday|9:30|every Sunday}",
    ],
    saysNot: ["The fair takes two days."],
  },
  {
    name: "moved out of a place",
    verbs: "move relocate",
    is: "past",
    match: /^(?:(?:away|out) (?:from|of) (.+)|from ((?:(?! to ).)+))$/iu,
    claims: (clause, [, left, start]) => {
      const ended = { ...home(clause, (left ?? start)!, "ended"), polarity: false };
      return [ended, { ...ended, respect: "tool", predicate: "uses" }];
    },
    says: [
      "I've moved {away from|out of} Leeds. → user not lives in Leeds (ended); user not uses Leeds (ended)",
      "Ben has relocated from Leeds. → Ben not lives in Leeds (ended); Ben not uses Leeds (ended)",
    ],
    saysNot: ["I've moved from Leeds to York."],
  },
  {
    name: "moved in with somebody",
    verbs: "move",
    is: "past",
    match: /^(?:back )?in with (.+)$/iu,
    claims: (clause, [, company]) =>
      NOWHERE.test(company!) ? null : [say(clause, "lives with", upTo(company!), { change: "replaced" })],
    says: ["I've moved {in|back in} with my sister. → user lives with my sister (replaced)"],
    saysNot: ["I've moved in with friends."],
  },
  {
    name: "moved into a place",
    verbs: "move",
    is: "past",
    match: /^(?:back )?(?:in|into) (?!with)(.+)$/iu,
    // "moved into profit" names no place.
    claims: (clause, [, place]) => NOWHERE.test(place!) ? null : [home(clause, place!, "replaced")],
    says: [
      "I've moved {in|into|back into} a bigger flat. → user lives in bigger flat (replaced)",
      "I've moved into {town|lodgings|digs|housing|accommodation}. → user lives in $1 (replaced)",
    ],
    saysNot: ["The firm has moved into profit."],
  },
  {
    name: "resettled",
    verbs: "emigrate immigrate resettle",
    is: "past",
    match: IN,
    claims: (clause, [, place]) => [home(clause, place!, "replaced")],
    says: [
      "Ben has {emigrated|immigrated} to Peru. → Ben lives in Peru (replaced)",
      "Ben has resettled in Peru. → Ben lives in Peru (replaced)",
    ],
    saysNot: ["Ben has emigrated."],
  },
  {
    name: "traded one name for another",
    verbs: "trade swap",
    match: /^(\p{Lu}[\p{L}-]*) for (\p{Lu}[\p{L}-]*)/u,
    claims: (clause, [, old, place]) => {
      const next = home(clause, place!, "replaced", old!);
      return [next, { ...next, respect: "tool", predicate: "uses" }];
    },
    says: [
      "Ben has {traded|swapped} Leeds for York. → Ben lives in York (replaced, from Leeds); Ben uses York (replaced, from Leeds)",
    ],
    saysNot: ["Ben has traded his car for a bike."],
  },
];
