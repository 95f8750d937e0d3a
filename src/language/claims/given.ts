/** A triple that somebody gave, as a claim, so that it can be held against what statements claim. */
import { cardinalityOf, predicateKey } from "../predicates.ts";
import type { Claim, Respect } from "./claim.ts";
import { keyOfSubject } from "./subject.ts";

/** Predicates as callers write them, and what the rules call them. */
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

/** What is compared of a value. */
const VALUE_CHARS_MAX = 500;

/** The claim that a triple makes; of a predicate without a name here it speaks of the subject's predicate, such as "price". */
export function toGivenClaim(subject: string, predicate: string, object: string): Claim {
  const value = object.slice(0, VALUE_CHARS_MAX);
  const key = predicateKey(predicate);
  const named = NAMES.find(([pattern]) => pattern.test(key));
  // Who gives a value of a predicate that has one at a time says that it holds instead of another.
  const change = cardinalityOf(predicate) === "one" ? "replaced" as const : null;
  const common = { value, polarity: true, change, from: null, scope: "", isAddition: false, confidence: 1 };
  if (named !== undefined) {
    return { ...common, subject, subjectKey: keyOfSubject(subject), respect: named[2], predicate: named[1] };
  }
  const attribute = `${subject} ${key}`;
  return { ...common, subject, subjectKey: keyOfSubject(attribute), respect: "attribute", predicate: "is" };
}
