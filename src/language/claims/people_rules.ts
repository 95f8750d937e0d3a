/** Rules for people: homes, roles, relations. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { ENDED, say, upTo } from "./draft.ts";
import { type Row, rowsWith } from "./row.ts";
import { cleanValue, firstValue } from "./values.ts";

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

const OCCUPATION =
  /(?:er|or|ist|ian|ant|ent|yst|man|nurse|lead|head|chief|chef|clerk|intern|judge|pilot|cook|guide|coach|host|nanny|monk|priest|vet|ceo|cto|cfo|coo|vp|captain|chair|apprentice|fellow|dean|architect|barista|medic|attorney|admin|trainee|secretary|waitress|actress|referee|representative|executive|associate|paralegal|contact)$/iu;
const NO_OCCUPATION =
  /^(?:god(?:father|mother|parent)|grand(?:father|mother)|mother|father|brother|sister|daughter|member|player|owner|customer|lover|drinker|eater|smoker|runner|swimmer|reader|believer|listener|winner|teenager|foreigner|beginner|diver|supporter|patient|client|partner|resident|student|parent)s?$/iu;

/** Makes the claim that the subject of a clause works as something. */
export function role(clause: Clause, value: string, change: Claim["change"] = null, from: string | null = null): Claim {
  return say(clause, "works as", upTo(value).replace(/^(?:an?|the) /iu, ""), { change, from });
}

const PEOPLE =
  /\b(?:wife|husband|mother|mom|mum|father|dad|brother|sister|son|daughter|uncle|aunt|cousin|nephew|niece|grandma|grandpa|grandmother|grandfather|boyfriend|girlfriend|fianc\u00e9e?|partner|roommate|flatmate|friend|neighbou?r|boss|colleague|intern)(?: \p{Lu}\p{L}*)?$/iu;

/** Short names of offices: "CTO". */
const OFFICE = /^(?:C[A-Z]O|API)$/u;

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

/** Makes the claim that somebody has a role; the role is the subject of the claim. */
export function holder(clause: Clause, roleName: string, change: Claim["change"], from: string | null): Claim {
  const named = upTo(roleName);
  const thing = /^the name of (.+)$/iu.exec(named)?.[1];
  if (thing !== undefined) {
    return say(clause, "is called", clause.subjectText, { subject: thing, change, from });
  }
  const subject = named.replace(/^my /iu, `${clause.subject === "we" ? clause.subjectText : clause.speaker} `);
  return { ...say(clause, "is", clause.subjectText, { subject, respect: "role", change, from }), scope: "" };
}

function gaveUp(clause: Clause, post: string): Claim[] {
  return [
    { ...holder(clause, post, "ended", null), ...ENDED },
    { ...role(clause, post, "ended"), ...ENDED },
    say(clause, "is a member of", upTo(post), ENDED),
  ];
}

function promotedTo(clause: Clause, post: string): Claim[] | null {
  return isOccupation(post)
    ? [role(clause, post, "replaced", /^from (.+?) to /iu.exec(clause.rest)?.[1] ?? null)]
    : null;
}

/** What somebody is by profession, and who has a role. */
export const ROLES: readonly Row[] = [
  {
    name: "was promoted",
    verbs: "promote appoint name elect",
    is: "passive settled",
    // "is named Tiger"
    when: ({ lemma, rest }) => lemma !== "name" || !/^\p{Lu}\p{Ll}+[.!]?$/u.test(rest),
    claims: (clause) => promotedTo(clause, clause.rest.replace(/^from .+? to /iu, "")),
    says: [
      "Ben was {promoted to|appointed|appointed as|named|elected} team leader. → Ben works as team leader (replaced)",
      "Ben was promoted from clerk to manager. → Ben works as manager (replaced, from clerk)",
    ],
    saysNot: ["The cat was named Tiger.", "Ben was promoted on Friday."],
  },
  {
    name: "became something by profession",
    verbs: "become",
    is: "past settled",
    match: /^(?:an?|the) /iu,
    claims: (clause) => isOccupation(clause.rest) ? [role(clause, clause.rest, "replaced")] : null,
    says: ["Ben has become {a nurse|an architect|the manager}. → Ben works as {nurse|architect|manager} (replaced)"],
    saysNot: ["Ben has become a father.", "Ben has become a problem."],
  },
  {
    name: "became the holder of an office",
    verbs: "become",
    is: "past settled",
    match:
      /^(?:the |our )?(?:new )?((?:\p{Lu}{2,}|captain|chair|chairman|chairwoman|president|director|head|leader|coach|treasurer|mayor|editor)\b.*)$/u,
    claims: (clause, [, post]) => [holder(clause, post!, "handed_over", null), role(clause, post!, "replaced")],
    says: [
      "Ana has become {CTO|captain|chair|chairman|chairwoman|president|director|head|leader|coach|treasurer|mayor|editor} of the club. → $1 of the club is (role) Ana (handed_over); Ana works as $1 of the club (replaced)",
      "Ana has become {our new|new} coach. → coach is (role) Ana (handed_over); Ana works as coach (replaced)",
      "Ana has become the MP for Leeds. → MP for Leeds is (role) Ana (handed_over); Ana works as MP (replaced) [leed]",
    ],
    saysNot: ["Ana has become tired."],
  },
  {
    name: "was succeeded in a role",
    verbs: "replace succeed",
    is: "passive",
    match: /^by (\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?) as (.+)$/u,
    claims: (clause, [, next, post]) => [
      { ...holder(clause, post!, "handed_over", clause.subjectText), value: next! },
    ],
    says: [
      "Ben was {replaced|succeeded} by {Ana|Ana Ruiz} as head of sales. → head of sales is (role) $2 (handed_over, from Ben)",
    ],
    saysNot: ["The pump was replaced by a plumber."],
  },
  {
    name: "took over a role",
    verbs: "take",
    match: /^over (?:from (.+?) )?as (.+)$/iu,
    claims: (clause, [, before, post]) => [holder(clause, post!, "handed_over", before ?? null)],
    says: [
      "Ana has taken {over|over from Ben} as head of sales. → head of sales is (role) Ana {(handed_over|(handed_over, from Ben})",
    ],
    saysNot: ["Ana has taken over the shop."],
  },
  {
    name: "took over a group",
    verbs: "take",
    is: "active past",
    when: ({ subjectText }) => /^\p{Lu}/u.test(subjectText),
    head: /^over ((?:the|our) .+?)(?: from (?:.+))?$/iu,
    claims: (clause, [, group]) =>
      ["lead", "manage", "run", "maintain", "coach"].map((predicate) =>
        say(clause, predicate, `by ${clause.subjectText}`, { subject: cleanValue(group!), change: "handed_over" })
      ),
    says: [
      "Ana has taken over {the|our} choir. → choir lead by Ana (handed_over); choir manage by Ana (handed_over); choir run by Ana (handed_over); choir maintain by Ana (handed_over); choir coach by Ana (handed_over)",
      "Ana has taken over the choir from Ben. → choir lead by Ana (handed_over); choir manage by Ana (handed_over); choir run by Ana (handed_over); choir maintain by Ana (handed_over); choir coach by Ana (handed_over)",
    ],
    saysNot: ["I've taken over the choir."],
  },
  {
    name: "replaced somebody in a role",
    verbs: "replace succeed",
    is: "active",
    match: /^(.+?) as (.+)$/iu,
    claims: (clause, [, before, post]) => [holder(clause, post!, "handed_over", before!)],
    says: [
      "Ana has {replaced|succeeded} Ben as head of sales. → head of sales is (role) Ana (handed_over, from Ben)",
      "Vellum has replaced Opus as the name of the band. → band is called Vellum (handed_over, from Opus)",
    ],
    saysNot: ["Ana has replaced the pump."],
  },
  {
    name: "stepped down from a role",
    verbs: "step stand",
    is: "active past affirmed",
    match: /^(?:down|aside|back) (?:as|from) (?:being )?(.+)$/iu,
    claims: (clause, [, post]) => gaveUp(clause, post!),
    says: [
      "Ana has {stepped|stood} {down|aside|back} {as|from being} treasurer. → treasurer not is (role) Ana (ended); Ana not works as treasurer (ended); Ana not is a member of treasurer (ended)",
    ],
    saysNot: ["Ana stepped back."],
  },
  {
    name: "resigned from a role",
    verbs: "resign retire quit",
    is: "active past affirmed",
    match: /^(?:as|from being) (.+)$/iu,
    claims: (clause, [, post]) => gaveUp(clause, post!),
    says: [
      "Ana has {resigned|retired|quit} {as|from being} treasurer. → treasurer not is (role) Ana (ended); Ana not works as treasurer (ended); Ana not is a member of treasurer (ended)",
    ],
    saysNot: ["Ana has resigned from Shell."],
  },
  {
    name: "acts in a role",
    verbs: "act",
    match: /^as (.+)$/iu,
    claims: (clause, [, post]) => [holder(clause, post!, null, null)],
    says: [
      "Ana acts as treasurer. → treasurer is (role) Ana",
      "We act as {my|the} sponsor. → {we sponsor|sponsor} is (role) we",
    ],
    saysNot: ["Ana acts in films."],
  },
];

const PARTNER = /^(?:to|with|from) (.+)$/iu;

/** The persons that a subject joins by "and", such as "Claire and I". */
export function subjectsOf({ subjectText }: Clause): string[] {
  return subjectText.split(/ and /iu);
}

/** Makes the claims that each person of the subject is in a relationship. */
export function related(clause: Clause, state: string, partner = "", change: Claim["change"] = null): Claim[] {
  return subjectsOf(clause).map((subject, i, both) => {
    const other = partner === "" && state === "split up" && both.length === 2 ? both[1 - i]! : partner;
    return say(
      clause,
      "relationship",
      other === "" ? state : `${state} ${state === "married" ? "to" : "with"} ${other}`,
      {
        subject,
        change,
      },
    );
  });
}

/** That two people are a couple, are married or have parted. */
export const RELATIONS: readonly Row[] = [
  {
    name: "is dating",
    verbs: "date",
    is: "ongoing",
    claims: (clause) => related(clause, "dating", upTo(clause.rest)),
    says: ["I'm dating Ana. → user relationship dating with Ana"],
    saysNot: ["The wall dates from 1200."],
  },
  ...rowsWith({ is: "settled", when: ({ form, isPassive }) => form === "past" || isPassive }, [
    {
      name: "is married",
      verbs: "marry",
      is: "passive",
      when: ({ isPast }) => !isPast,
      claims: (clause) => related(clause, "married", PARTNER.exec(clause.rest)?.[1] ?? ""),
      says: ["Ana is married. → Ana relationship married", "Ana is married to Ben. → Ana relationship married to Ben"],
      saysNot: ["Ana marries Ben."],
    },
    {
      name: "married",
      verbs: "marry",
      claims: (clause) => related(clause, "married", PARTNER.exec(clause.rest)?.[1] ?? upTo(clause.rest), "replaced"),
      says: [
        "Ana has married Ben. → Ana relationship married to Ben (replaced)",
        "Ana got married to Ben. → Ana relationship married to Ben (replaced)",
        "Ana and I married. → Ana relationship married (replaced); user relationship married (replaced)",
      ],
      saysNot: ["Ana is married. → Ana relationship married"],
    },
    {
      name: "is divorced",
      verbs: "divorce",
      claims: (clause) =>
        clause.isPassive && !clause.isPast ? related(clause, "divorced") : related(clause, "divorced", "", "replaced"),
      says: [
        "Ana is divorced. → Ana relationship divorced",
        "Ana {was divorced|divorced} in May. → Ana relationship divorced (replaced)",
        "Ana has divorced Ben. → Ana relationship divorced (replaced)",
      ],
      saysNot: ["Ana divorces Ben."],
    },
    {
      name: "broke up",
      verbs: "break split",
      match: /^up\b/iu,
      claims: (clause) => related(clause, "split up", "", "replaced"),
      says: [
        "Ana and Ben have {broken|split} up. → Ana relationship split up with Ben (replaced); Ben relationship split up with Ana (replaced)",
        "Ana has split up with Ben. → Ana relationship split up (replaced)",
      ],
      saysNot: ["Ana split the bill."],
    },
    {
      name: "got engaged",
      verbs: "get",
      match: /^engaged\b/iu,
      claims: (clause) => related(clause, "engaged", "", "replaced"),
      says: [
        "Ana and Ben got engaged in May. → Ana relationship engaged (replaced); Ben relationship engaged (replaced)",
      ],
      saysNot: ["Ana got tired."],
    },
    {
      name: "separated",
      verbs: "separate",
      match: /^(?!(?:the|an?|my|our|his|her|their) ).{0,11}$/iu,
      claims: (clause) => related(clause, "divorced", "", "replaced"),
      says: [
        "Ana and Ben have separated. → Ana relationship divorced (replaced); Ben relationship divorced (replaced)",
      ],
      saysNot: ["Ana has separated the eggs."],
    },
  ]),
];
