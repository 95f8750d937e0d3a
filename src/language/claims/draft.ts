/** Makes claims from what the rules read in a clause. */
import type { Claim, ClaimChange, Respect } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { keyOfSubject, showSubject } from "./subject.ts";
import { cleanValue, firstValue, stemsOf } from "./values.ts";

/** The least confidence with which a claim may end an older one. */
export const SURE_MIN = 0.8;
const PLAIN = 0.9;
const PASSING = 0.4;
const FUTURE = 0.6;

export interface Draft {
  readonly respect: Respect;
  readonly predicate: string;
  readonly value: string;
  /** In the words of the statement; default: the subject of the clause. */
  readonly subject?: string;
  readonly polarity?: boolean;
  readonly change?: ClaimChange | null;
  readonly from?: string | null;
  readonly confidence?: number;
}

/** The respects of predicates; that of others is `activity`. */
const RESPECT_OF: Readonly<Record<string, Respect>> = {
  "lives in": "residence",
  "lives with": "residence",
  "works at": "employment",
  "works as": "role",
  uses: "tool",
  "runs on": "tool",
  "is written in": "tool",
  has: "possession",
  likes: "preference",
  prefers: "preference",
  wants: "preference",
  "is a member of": "membership",
  "plays for": "membership",
  "has the status": "membership",
  "is called": "name",
  "is allergic to": "diet",
  eats: "diet",
  diet: "diet",
  relationship: "relation",
  happens: "time",
  status: "status",
  is: "attribute",
  may: "permission",
  must: "permission",
  "has come to": "measure",
  "is ranked": "measure",
};

/** Makes a claim by its predicate, which also says its respect. */
export function say(clause: Clause, predicate: string, value: string, more: Partial<Draft> = {}): Claim {
  return draw(clause, { respect: RESPECT_OF[predicate] ?? "activity", predicate, value, ...more });
}

/** What is no longer so. */
export const ENDED = { polarity: false, change: "ended" } as const;

/** Makes the claim that a rule reads. The clause, too, decides how sure the claim is. */
export function draw(clause: Clause, said: Draft): Claim {
  const draft = normalise(said, said.subject ?? clause.subjectText);
  const { value, scope } = /^(?:lives in|works at)$/.test(draft.predicate)
    ? splitScope(draft.value.replace(REASON, ""))
    : draft.respect === "relation"
    ? { value: cleanValue(draft.value), scope: [] }
    : splitScope(draft.value);
  const isDated = clause.form === "past" && /^(?:works|lives|plays|has|uses|is a member)\b/.test(draft.predicate);
  const change = clause.isStill ? null : draft.change ?? (clause.hasEnded ? "ended" : clause.isNew ? "began" : null);
  const from = draft.from ?? clause.from;
  return {
    subject: draft.subject === undefined ? clause.subjectText : showSubject(draft.subject),
    subjectKey: draft.subject === undefined ? clause.subject : keyOfSubject(draft.subject),
    respect: draft.respect,
    predicate: draft.predicate,
    value: isDated ? value.replace(ON_DAY, "") : value,
    polarity: draft.polarity ?? !clause.isDenied,
    change,
    from: from === null ? null : cleanValue(from),
    scope: [...new Set([...stemsOf(clause.lead), ...scope, ...limitOf(clause, change)])].sort().join(" "),
    isAddition: clause.isAddition,
    confidence: Math.min(draft.confidence ?? PLAIN, confidenceOf(clause, draft)),
  };
}

/** The stems of what limits a plain denial: "never drinks coffee after 4 pm" leaves the morning's. */
function limitOf({ isDenied, rest }: Clause, change: ClaimChange | null): readonly string[] {
  const limit = isDenied && change === null ? /\s(?:after|when|while) (.+)$/iu.exec(rest)?.[1] : undefined;
  return limit === undefined ? [] : stemsOf(limit);
}

/** Matches the day of an event, which is no part of its value: "resigned from Stripe on Friday, 20 November 2026". */
const ON_DAY =
  / on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november|december)\b.*)$/iu;

/** Matches the reason why somebody lives or works somewhere. It does not limit the claim. */
const REASON =
  / for (?:work|love|family reasons|(?:an?|the|my|his|her|their) (?:new )?(?:job|studies|family|girlfriend|boyfriend|wife|husband|partner|kids|children))[.!]?$/iu;

const ROLE_OF = /^(.+)'s (?:current )?(?:job title|title|position|job)$/iu;
const EMPLOYER_OF = /^(.+)'s employer$/iu;
const TIME_OF =
  /^(?:(?:due |start |end )?(?:deadline|date|time)s? (?:of|for) (?:the )?(.+)|(.+?)(?:'s)? (?:deadline|due date|start date))$/iu;

/** "The price of a ticket is 12 euros" says what "A ticket costs 12 euros" says. */
const PRICE_OF = /^(?:(?:price|cost)s? (?:of|for) (?:the |an? )?(.+)|(.+?)(?:'s)? (?:price|cost)s?)$/iu;
const NAME_OF = /^(?!.*\b(?:first|last|maiden)\b)(.+?)(?:'s)? name$/iu;

/** "Priya's title is engineer" says what "Priya works as an engineer" says, and "its deadline is May" what "it is due in May" says. */
function normalise(draft: Draft, subject: string): Draft {
  if (draft.predicate === "happens") {
    const thing = TIME_OF.exec(subject);
    return thing === null ? draft : { ...draft, subject: (thing[1] ?? thing[2])! };
  }
  if (draft.predicate === "is" && draft.respect === "measure") {
    const thing = PRICE_OF.exec(subject);
    return thing === null ? draft : { ...draft, subject: (thing[1] ?? thing[2])! };
  }
  if (draft.predicate !== "is" || draft.respect !== "attribute") return draft;
  const named = NAME_OF.exec(subject);
  if (named !== null && draft.change !== null && draft.change !== undefined) {
    return { ...draft, subject: named[1]!, respect: "name", predicate: "is called" };
  }
  const worker = ROLE_OF.exec(subject);
  if (worker !== null) return { ...draft, subject: worker[1]!, respect: "role", predicate: "works as" };
  const dweller = /^(.+)'s (?:home )?address$/iu.exec(subject);
  if (dweller !== null) return { ...draft, subject: dweller[1]!, respect: "residence", predicate: "lives in" };
  const employee = EMPLOYER_OF.exec(subject);
  return employee === null ? draft : { ...draft, subject: employee[1]!, respect: "employment", predicate: "works at" };
}

function confidenceOf(clause: Clause, { predicate, respect }: Draft): number {
  // A bound in time makes the claim less sure, but the value of "happens" is itself a time.
  if (clause.isPassing || (clause.isBounded && predicate !== "happens")) return PASSING;
  if (clause.isBare === true && respect === "activity") return FUTURE;
  return clause.modal === "will" && !clause.isNew && clause.from === null ? FUTURE : 1;
}

/** Splits off the scope that limits a value, such as a purpose: "for billing questions". */
function splitScope(text: string): { readonly value: string; readonly scope: readonly string[] } {
  const value = cleanValue(text);
  const match =
    /^(.+?) (?:for|when|whenever|while|because|to(?! (?:the|an?|my|our|his|her|their)\b)) (?!days?\b|\d)(.+)$/iu.exec(
      value,
    );
  // In "for ninety seconds" and "to thirty" the amount is the value and no scope.
  if (match !== null && isQuantity(match[2]!, / to (?=\S+$)/u.test(value))) return { value, scope: [] };
  if (match === null) return { value, scope: [] };
  return { value: cleanValue(match[1]!), scope: stemsOf(match[2]!) };
}

function isQuantity(text: string, mayBeAlone: boolean): boolean {
  if (!mayBeAlone && !/\S (?!times\b)\S/u.test(text)) return false;
  if (/^(?:half )?an? (?:second|minute|hour|day|night|week|month|year)\b/iu.test(text)) return true;
  const first = /^(?:about |around |over |nearly |up to )?(\S+)/iu.exec(text)?.[1] ?? "";
  return firstValue(first)?.kind === "number" && !/^one\b/iu.test(first);
}

/** The text up to the next clause, reason or purpose. */
export function upTo(text: string): string {
  return text.split(
    /,\s(?!\p{Lu}\p{Ll}+[.!]*$)|[;!](?:\s|$)|(?<!\b(?:St|Dr|Mr|Mrs|Ms|Prof))\.(?:\s|$)|\s(?:because|since|so that|who|which|where|to be|and|but|with my|with his|with her|after|when|while)\s/u,
  )[0]!.trim();
}
