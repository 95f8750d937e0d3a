/** Relates newer claims to older ones. Pure. An unsure claim ends no other one. A sure one ends an unsure one only if it names it. */
import type { Claim, ClaimRelation } from "./claim.ts";
import { isOtherSpan, relateCounts, relateStatus, relateSteps } from "./counts.ts";
import { SURE_MIN } from "./draft.ts";
import {
  differsInNumbers,
  excludesStatus,
  HEAD_END,
  headOf,
  isKindOf,
  isOtherComplement,
  isOtherObject,
  isOtherRhythm,
  isOtherWay,
  isProper,
  SEVERAL,
} from "./phrases.ts";
import { areNested, isPartOf } from "./places.ts";
import { excludesState, isListedState } from "./states.ts";
import { isSameValue, maskValues, stemsOf } from "./values.ts";
import { isOtherPreference, isOtherTime, isOtherValue } from "./other_values.ts";

/** The key that two claims must share to be compared: subject and predicate, without the value. */
export function keyOfClaim(claim: Claim): string {
  const known = keys.get(claim);
  if (known !== undefined) return known;
  const key = JSON.stringify([claim.subjectKey, topicOf(claim.respect, claim.predicate, claim.value)]);
  keys.set(claim, key);
  return key;
}

/** Predicates that count the same deeds, each with the one that stands for it. */
const SAME_COUNT: Readonly<Record<string, string>> = {
  "has completed": "has finished",
  "has done": "has finished",
  "has taken": "has had",
  "has attended": "has had",
  "has visited": "has been to",
  "has seen": "has watched",
};

const keys = new WeakMap<Claim, string>();

function topicOf(respect: Claim["respect"], predicate: string, value: string): string {
  if (predicate === "has" || predicate === "likes") return `${predicate} ${headOf(value)}`;
  if (predicate === "may" || predicate === "must") {
    return `may ${stemsOf(value).find((stem) => !/^(?:be|full|write|read|admin|\d.*)$/.test(stem)) ?? ""}`;
  }
  if (predicate === "runs on" || predicate === "is written in") return "uses";
  if (COUNTED.test(predicate)) return SAME_COUNT[predicate] ?? predicate;
  if (respect === "diet") return predicate.startsWith("is allergic") ? "allergy" : "diet";
  return predicate;
}

/** Relates the claims of a newer statement to those of an older one; returns the strongest relation of any two. */
export function relateAll(newer: readonly Claim[], older: readonly Claim[]): ClaimRelation {
  let strongest: ClaimRelation = "none";
  for (const one of newer) {
    for (const other of older) {
      const relation = relateClaims(one, other);
      if (relation === "ends") return "ends";
      if (relation === "outdates") strongest = "outdates";
    }
  }
  return strongest;
}

/** Relates a newer claim to an older one. */
export function relateClaims(newer: Claim, older: Claim): ClaimRelation {
  if (newer.confidence < 0.5 || keyOfClaim(newer) !== keyOfClaim(older)) return "none";
  const special = RELATED_BY[newer.predicate] ?? (COUNTED.test(newer.predicate) ? relateCounts : undefined);
  if (special !== undefined && newer.respect === older.respect) return special(newer, older);
  const relation = judge(newer, older);
  if (relation !== "ends") return relation;
  // The claims differ in the purpose that they name, so the newer one may be about another purpose.
  if (newer.polarity && newer.scope !== older.scope && newer.from === null) return "outdates";
  // Words that name what has ended, or the former value, leave less doubt about what is meant.
  const isNamed = !newer.polarity || !older.polarity || newer.from !== null;
  return newer.confidence >= SURE_MIN && older.confidence >= (isNamed ? 0.5 : SURE_MIN) ? "ends" : "outdates";
}

/** Predicates with a count as value: "has been to", "has finished". */
const COUNTED = /^has \p{L}+(?: (?:to|at|in|on|with|through|across|from|away|aside|up|down|out|off|together))?$/u;

/** Predicates with a comparison of their own. */
const RELATED_BY: Readonly<Record<string, (newer: Claim, older: Claim) => ClaimRelation>> = {
  "has come to": relateSteps,
  "has the status": relateStatus,
  "is ranked": relateSteps,
  "has booked": relateOccasions,
  "travels to": relateOccasions,
};

/** With a mark of change, a claim outdates one that names another destination, or thing of a kind, for one occasion. */
function relateOccasions(newer: Claim, older: Claim): ClaimRelation {
  const isOther = newer.polarity && older.polarity && newer.change !== null && !newer.isAddition &&
    (newer.predicate === "travels to" || headOf(newer.value) === headOf(older.value)) && newer.scope === older.scope &&
    newer.scope !== "" && !isSameValue(newer.value, older.value);
  return isOther ? "outdates" : "none";
}

function judge(newer: Claim, older: Claim): ClaimRelation {
  const byChange: ClaimRelation = newer.change === null ? "outdates" : "ends";
  if (newer.from !== null && older.polarity && newer.polarity && isSaidOf(newer.from, older.value)) return byChange;
  const isOfAll = newer.scope === "" && newer.change !== null && (!newer.polarity || !newer.isAddition);
  if (newer.scope !== older.scope && !isOfAll) return isPersonal(newer, older) ? "outdates" : "none";
  if (!newer.polarity && !older.polarity) return "none";
  if (!newer.polarity) {
    const isMeant = newer.value === "" || /^(?:there|here|it|that|so|one|them)$/iu.test(newer.value) ||
      isSaidOf(newer.value, older.value) ||
      (newer.predicate === "lives in" && isSameValue(newer.value, older.value));
    return isMeant ? byChange : "none";
  }
  if (!older.polarity) {
    // A printer at work is not the speaker's own.
    if (
      newer.predicate === "has" &&
      / (?:at|from) (?:work|(?:the )?(?:office|school|uni|university))\b/iu.test(newer.value)
    ) return "none";
    const denied = older.value.replace(/ (?:yet|so far)$/iu, "");
    if (denied !== "" && isSaidOf(denied, newer.value)) return byChange;
    return newer.change !== null && isKindOf(newer.value, older.value) ? "outdates" : "none";
  }
  if (newer.isAddition) return "none";
  if (newer.respect === "diet" && newer.predicate !== older.predicate) {
    return clashesInDiet(newer, older) ? byChange : "none";
  }
  const isSame = newer.change !== null && isName(newer)
    ? newer.value.toLowerCase() === older.value.toLowerCase()
    : isSameValue(newer.value, older.value) && !isOtherSpan(newer.value, older.value);
  // "charging" and "charged" have one stem.
  const isOtherState = newer.predicate === "status" && excludesState(newer.value, older.value);
  if (isSame && !isOtherState && newer.respect !== "preference") return isExtended(newer, older) ? "outdates" : "none";
  // The newer claim names a former value, and it is not the older one.
  if (newer.from !== null && !/^(?:lives in|is|is called|happens)$/.test(newer.predicate)) return "none";
  if (newer.exclusive === false) return "none";
  const isNested = canBeInBoth(newer, older);
  // Who is a doctor can be a cardiologist, and who is a consultant is no senior one yet.
  const isOtherCalling = newer.predicate === "works as" && newer.change === null &&
    headOf(newer.value) !== headOf(older.value);
  if ((isNested || isOtherCalling) && newer.exclusive !== true) return "none";
  if (newer.exclusive === true || excludes(newer, older)) return newer.from === null ? byChange : "outdates";
  return isLikelyInstead(newer, older) ? "outdates" : "none";
}

/**
 * When somebody lives or works elsewhere now, a reason does not limit the claim: "moved to Cologne to be closer to his
 * parents".
 */
function isPersonal(newer: Claim, older: Claim): boolean {
  return /^(?:lives in|works at)$/.test(newer.predicate) && newer.change !== null && newer.polarity && older.polarity &&
    !newer.isAddition && older.scope === "" && /^\p{Lu}/u.test(newer.value) && !isSameValue(newer.value, older.value);
}

/**
 * Whether the newer claim says what the older one does and more: "lives in Faro", "lives in Faro city centre now". The
 * change is then in the addition.
 */
function isExtended(newer: Claim, older: Claim): boolean {
  return newer.change === "began" && newer.polarity && older.polarity && newer.predicate !== "status" &&
    maskValues(newer.value).values.length === 0 &&
    new Set(stemsOf(older.value)).isSubsetOf(new Set(stemsOf(newer.value))) &&
    stemsOf(newer.value).length > stemsOf(older.value).length;
}

/**
 * "Lives in Berlin", "lives in Germany": only a word of change says that the one is instead of the other, and not where
 * somebody moves within the place that is known.
 */
function canBeInBoth(newer: Claim, older: Claim): boolean {
  const [to, at] = [newer, older].map(({ predicate, value }) =>
    predicate === "lives in" ? value : IN_PLACE.exec(value)?.[1]
  );
  if (to === undefined || at === undefined) return false;
  return newer.change === null ? areNested(to, at) : isPartOf(to, at);
}

const IN_PLACE = /^(?:in|at|from) (.+)$/iu;

/** Whether the claim is about a name. When a name changes, a part of it may stay: "Novak", "Novak-Reyes". */
function isName({ predicate, subjectKey }: Claim): boolean {
  return predicate === "is called" || (predicate === "is" && /\b(?:name|surnam)\b/u.test(subjectKey));
}

/** Whether all words of a phrase occur in a value, so that the phrase may be a less exact form of it. */
function isSaidOf(phrase: string, value: string): boolean {
  const stems = new Set(stemsOf(phrase));
  return stems.size > 0 && stems.isSubsetOf(new Set(stemsOf(value)));
}

const MEAT = /\b(?:meat|beef|pork|chicken|fish|steak|bacon|ham)\b/iu;

function clashesInDiet(newer: Claim, older: Claim): boolean {
  const [diet, eats] = newer.predicate === "diet" ? [newer, older] : [older, newer];
  return diet.predicate === "diet" && eats.predicate === "eats" && /vegetarian|vegan|pescatarian/.test(diet.value) &&
    MEAT.test(eats.value);
}

/** Whether a change that does not name the value before likely replaced an older value. */
function isLikelyInstead(newer: Claim, older: Claim): boolean {
  if (newer.from !== null) return false;
  if (newer.change === null) return isSettledOtherwise(newer, older);
  if (newer.predicate === "uses") {
    return newer.scope === "" && older.scope === "" && partOf(newer.value) === partOf(older.value);
  }
  if (newer.predicate === "likes") {
    return newer.change === "began" && !isSameValue(newer.value, older.value);
  }
  if (newer.predicate === "status") {
    return newer.change === "began" && !newer.value.includes(": ") &&
      ![newer, older].every(({ value }) => isListedState(value.split(": ")[0]!));
  }
  if (newer.predicate === "prefers") {
    const [verb, was] = [newer, older].map(({ value }) => stemsOf(value)[0]);
    return ([newer, older].every(({ value }) => isShort(value)) && isProper(newer.value) === isProper(older.value)) ||
      (verb === was && !isSameValue(newer.value, older.value));
  }
  if (newer.predicate === "has") {
    return isOtherRhythm(newer.value, older.value) || relateCounts(newer, { ...older, change: null }) !== "none";
  }
  if (newer.predicate === "wants") return newer.change === "began" && headOf(newer.value) === headOf(older.value);
  // "does my banking with an app now" after "at the branch"
  if (newer.predicate === "do" && newer.change === "began") {
    const [thing, was] = [newer, older].map(({ value }) =>
      /^(.+?) (?:in|on|at|with|by|from|via|over) .+$/iu.exec(value)?.[1]
    );
    if (thing !== undefined && was !== undefined && isSameValue(thing, was)) return true;
  }
  return newer.respect === "activity" &&
    (isOtherWay(newer.value, older.value) ||
      (newer.change === "began" && isOtherObject(newer.value, older.value) &&
        (!SEVERAL.has(newer.predicate) || headOf(newer.value) === headOf(older.value))));
}

/**
 * Whether the claims differ on something that is settled one way at a time. That is a change even if no word says so.
 */
function isSettledOtherwise(newer: Claim, older: Claim): boolean {
  if (newer.predicate === "uses") return newer.scope !== "" && [newer, older].every(({ value }) => isProper(value));
  if (newer.respect !== "activity" || /^by /u.test(newer.value)) return false;
  return (SETTLED_VERBS.has(newer.predicate) && isOtherComplement(newer.value, older.value)) ||
    (DIRECT_VERBS.has(newer.predicate) && isProper(newer.value) && isProper(older.value));
}

function isShort(value: string): boolean {
  return !value.includes(" ");
}

/** The part to which a value is limited: "in the tests" of "SQLite in the tests". */
function partOf(value: string): string {
  return stemsOf(/ (?:in|on|at|during|within) .+$/iu.exec(value)?.[0] ?? "").join(" ");
}

/** Predicates with one value at a time, whatever the value. */
const UNIQUE: ReadonlySet<string> = new Set([
  "lives in",
  "works at",
  "works as",
  "is called",
  "is",
  "happens",
  "relationship",
  "diet",
  "lives with",
  "plays for",
]);

/** Verbs that have one complement at a time if a word marks a change. */
const SETTLED_VERBS = new Set(
  "meet sit sleep park hang work shop report teach bank commute play order support take deploy stand serve own store track write listen host keep communicate save log record shop answer reply address"
    .split(" "),
);

/** Verbs that have one object at a time if a word marks a change. */
const DIRECT_VERBS = new Set("attend assign".split(" "));

/** Whether two values that are both affirmed hardly hold at the same time. */
function excludes(newer: Claim, older: Claim): boolean {
  const { predicate } = newer;
  if (predicate === "status") return excludesStatus(newer.value, older.value);
  if (predicate === "relationship") return excludesRelationship(newer, older);
  if (predicate === "happens") return isOtherTime(newer, older);
  if (predicate === "is") return isOtherValue(newer, older);
  if (UNIQUE.has(predicate)) return true;
  if (predicate === "wants") {
    const [a, b] = [newer.value, older.value];
    return headOf(a) === headOf(b) && HEAD_END.test(a) === HEAD_END.test(b);
  }
  if (predicate === "is a member of") {
    const [a, b] = [groupOf(newer.value), groupOf(older.value)];
    // "moved to payments" names no kind of group.
    return b !== undefined &&
      (a === b || (a === undefined && newer.change === "replaced" && newer.confidence < SURE_MIN));
  }
  if (differsInNumbers(newer.value, older.value) || isOtherSpan(newer.value, older.value)) return true;
  if (predicate === "prefers") {
    return (newer.change !== null && newer.scope !== "") || isOtherPreference(newer.value, older.value);
  }
  if (predicate === "uses") return newer.change !== null && newer.scope !== "";
  if (predicate === "runs on" || predicate === "is written in") return newer.change !== null;
  if (newer.respect === "activity") {
    const [by, wasBy] = [/^by (.+)$/u.exec(newer.value)?.[1], /^by (.+)$/u.exec(older.value)?.[1]];
    if (newer.predicate === "report") return isProper(newer.value) && isProper(older.value);
    if (newer.change === null) return false;
    if (by !== undefined && wasBy !== undefined) return isProper(by) && isProper(wasBy);
    return DIRECT_VERBS.has(predicate) || (SETTLED_VERBS.has(predicate) && isOtherComplement(newer.value, older.value));
  }
  return false;
}

/** The kind of group that a value names, of which a person is in one at a time; undefined when it names none. */
function groupOf(value: string): string | undefined {
  return /\b(?:team|squad|department|division|tier|plan|grade|crew|tribe|class|form|house|group|league|category|level|ward)\b/iu
    .exec(value)?.[0]
    .toLowerCase();
}

/** "married to Claire" is the state "married". */
function stateOf(value: string): string {
  return value.replace(/(?<!in a relationship) (?:to|with|from) .*$/iu, "").replace(/^(in a relationship) .*$/iu, "$1");
}

function excludesRelationship(newer: Claim, older: Claim): boolean {
  const [a, b] = [stateOf(newer.value), stateOf(older.value)];
  if (/^(?:split up|divorced)$/.test(a)) {
    if (b === "single") return false;
    const [partner, other] = [newer, older].map(({ value }) => / (?:to|with|from) (.+)$/iu.exec(value)?.[1]);
    if (partner !== undefined && other !== undefined && !isSameValue(partner, other)) return false;
  }
  if (a !== b) return excludesState(a, b);
  return newer.change !== null && a !== newer.value && b !== older.value;
}
