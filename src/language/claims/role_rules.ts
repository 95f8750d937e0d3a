/** Rules for what somebody is by profession, and who has a role. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { ENDED, say, upTo } from "./draft.ts";
import type { Row } from "./row.ts";
import { cleanValue } from "./values.ts";

const OCCUPATION =
  /(?:er|or|ist|ian|ant|ent|yst|man|nurse|lead|head|chief|chef|clerk|intern|judge|pilot|cook|guide|coach|host|nanny|monk|priest|vet|ceo|cto|cfo|coo|vp|captain|chair|apprentice|fellow|dean|architect|barista|medic|attorney|admin|trainee|secretary|waitress|actress|referee|representative|executive|associate|paralegal|contact)$/iu;
const NO_OCCUPATION =
  /^(?:god(?:father|mother|parent)|grand(?:father|mother)|mother|father|brother|sister|daughter|member|player|owner|customer|lover|drinker|eater|smoker|runner|swimmer|reader|believer|listener|winner|teenager|foreigner|beginner|diver|supporter|patient|client|partner|resident|student|parent|sucker|loser|\p{L}+ment|eager|clever|bitter|proper|super|higher|lower)s?$/iu;

/** Makes the claim that the subject of a clause works as something. */
export function role(clause: Clause, value: string, change: Claim["change"] = null, from: string | null = null): Claim {
  return say(clause, "works as", upTo(value).replace(/^(?:an?|the) /iu, ""), { change, from });
}

const PEOPLE =
  /\b(?:wife|husband|mother|mom|mum|father|dad|brother|sister|son|daughter|uncle|aunt|cousin|nephew|niece|grandma|grandpa|grandmother|grandfather|boyfriend|girlfriend|fianc\u00e9e?|partner|roommate|flatmate|friend|neighbou?r|boss|colleague|intern)(?: \p{Lu}\p{L}*)?$/iu;

/** Short names of offices: "CTO". */
const OFFICE = /^(?:C[A-Z]O|API)$/u;

/** Whether a subject is a person, as far as its words say so. */
export function isPerson({ subject, subjectText }: Pick<Clause, "subject" | "subjectText">): boolean {
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
