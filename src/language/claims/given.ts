/** Turns a triple that a caller gave into a claim, so that it can be compared with the claims of statements. */
import { cardinalityOf, predicateKey, type PredicateSettings } from "../predicates.ts";
import type { Claim, Respect } from "./claim.ts";
import { keyOfSubject } from "./subject.ts";
import { stemsOf } from "./values.ts";

/** Predicates as callers write them, each with the name that the rules use and its respect. */
const NAMES: readonly (readonly [RegExp, string, Respect])[] = [
  [
    /^(?:lives?|living|resid(?:es?|ing)|based|located|stationed|situated|headquartered|stored|kept|hosted) (?:in|at|on)$|^(?:residence|location|home|city|lives|home city|moved to|relocated to)$/,
    "lives in",
    "residence",
  ],
  [/^(?:works?|working|employed) (?:at|for|by)$|^(?:employer|company)$/, "works at", "employment"],
  [
    /^(?:works?|working|employed) as$|^(?:job|job title|role|position|occupation|profession|title)$/,
    "works as",
    "role",
  ],
  [/^(?:called|named|name)$/, "is called", "name"],
  [/^(?:status|state)$/, "status", "status"],
  [/^(?:uses?|using)$/, "uses", "tool"],
  [
    /^(?:scheduled (?:for|on|at)|takes place on|happens on|planned for|due|due on|starts at|starts on)$/,
    "happens",
    "time",
  ],
  [/^(?:diet)$/, "diet", "diet"],
  [/^(?:allergic to)$/, "is allergic to", "diet"],
  [/^(?:member of|part of|belongs to)$/, "is a member of", "membership"],
  [/^(?:marital status|relationship status)$/, "relationship", "relation"],
  [/^(?:likes?|loves?|enjoys?)$/, "likes", "preference"],
  [/^(?:prefers?)$/, "prefers", "preference"],
];

/** The longest beginning of a value that is compared, in characters. */
const VALUE_CHARS_MAX = 500;

/**
 * The claim that a triple makes. If `NAMES` does not list its predicate, the claim is about subject and predicate
 * together, such as "Atlas price".
 * @param exclusive whether the predicate has one value at a time, as the author or the workspace says
 */
export function toGivenClaim(subject: string, predicate: string, object: string, exclusive?: boolean): Claim {
  const value = object.slice(0, VALUE_CHARS_MAX);
  const key = predicateKey(predicate);
  const named = NAMES.find(([pattern]) => pattern.test(key));
  // If a predicate has one value at a time, a caller who gives a value replaces the other one.
  const change = exclusive ?? cardinalityOf(predicate) === "one" ? "replaced" as const : null;
  const own = exclusive === undefined ? {} : { exclusive };
  const common = { value, polarity: true, change, from: null, scope: "", isAddition: false, confidence: 1, ...own };
  if (named !== undefined) {
    return { ...common, subject, subjectKey: keyOfSubject(subject), respect: named[2], predicate: named[1] };
  }
  const attribute = `${subject} ${key}`;
  return { ...common, subject, subjectKey: keyOfSubject(attribute), respect: "attribute", predicate: "is" };
}

/** Words that end a predicate, but begin the value when the rules read the claim: "reports to", "Kim". */
const LINKS: ReadonlySet<string> = new Set("to at in on for from with by via over through as of".split(" "));

/** Whether a workspace's name for a predicate means the predicate of a claim. */
function isNamed(name: string, claim: Claim): boolean {
  const key = predicateKey(name);
  const named = NAMES.find(([pattern]) => pattern.test(key));
  if (named !== undefined) return named[1] === claim.predicate;
  if (key === predicateKey(claim.predicate)) return true;
  const stems = stemsOf(key);
  if (stems.length === 0) return false;
  if (claim.respect === "activity") {
    return stems[0] === claim.predicate && key.split(" ").slice(1).every((word) => LINKS.has(word));
  }
  // "Ana's favourite colour is red": the subject names the predicate. A number is left out, because only its unit says
  // which predicate it belongs to.
  return claim.predicate === "is" && claim.respect !== "measure" &&
    new Set(stems).isSubsetOf(new Set(claim.subjectKey.split(" ")));
}

/**
 * Whether the workspace's settings say that the claim's subject has one such value at a time; undefined when they do
 * not say.
 */
export function exclusiveOfClaim(claim: Claim, settings: PredicateSettings): boolean | undefined {
  return Object.entries(settings).find(([name]) => isNamed(name, claim))?.[1].exclusive;
}
