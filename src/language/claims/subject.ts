/** Finds the subject of a clause, and the key by which subjects are compared. */
import { stemsOf } from "./values.ts";

const PRONOUN: ReadonlySet<string> = new Set("i we he she they you it".split(" "));
const NOT_BEFORE: ReadonlySet<string> = new Set(
  ("i we he she they you when because cause since that which who what how where why while if though although though like as till " +
    "until not than then so remember feel feels hope know").split(" "),
);

/** The previous clause, to whose subject a pronoun may refer. */
interface Before {
  readonly subject: string;
  readonly subjectText: string;
  readonly rest: string;
}

const FIRST_PERSON = new Set(["i", "me", "myself"]);

export interface NamedSubject {
  readonly subject: string;
  readonly subjectText: string;
  readonly isNew: boolean;
}

/** The subject that a phrase names; null if the sentence does not say whom or what it means. */
export function nameSubject(phrase: string, speaker: string, before: Before | undefined): NamedSubject | null {
  const text = phrase.replace(/^[\s,]+|[\s,]+$/g, "").replace(/^(?:and|but|so|then|that) /iu, "")
    .replace(/^(?:yes|yeah|yep|no|nope|nah|ok|okay|lol|oh)(?:,? |$)/iu, "");
  const lower = text.toLowerCase();
  if (lower === "") {
    return before === undefined ? null : { subject: before.subject, subjectText: before.subjectText, isNew: false };
  }
  const words = lower.split(" ");
  if (words.length > 1 && PRONOUN.has(words.at(-1)!)) {
    // "Last weekend I": words before "I" are no part of the name, unless they are a clause or
    // another person.
    if (words.length > 5 || words.slice(0, -1).some((word) => NOT_BEFORE.has(word))) return null;
    if (words.at(-2) !== "and" && words.at(-2) !== "or") return nameSubject(words.at(-1)!, speaker, before);
  }
  if (words.some((word) => NOT_BEFORE.has(word) && word !== "and" && !PRONOUN.has(word))) return null;
  if (FIRST_PERSON.has(lower)) return { subject: keyOfSubject(speaker), subjectText: speaker, isNew: false };
  if (lower === "we" || lower === "you") return { subject: lower, subjectText: lower, isNew: false };
  if (/^(?:he|she|they|it)$/.test(lower)) {
    if (before === undefined) return lower === "they" ? { subject: lower, subjectText: lower, isNew: false } : null;
    const person = personOrThing(lower, speaker, before);
    return person === null ? null : { subject: keyOfSubject(person), subjectText: person, isNew: false };
  }
  if (
    /^(?:this|that|these|those|there|here|everything|nothing|something|someone|somebody|nobody|everybody|everyone|anyone|one|who|which)$/
      .test(lower)
  ) {
    return null;
  }
  const owned = /^(?:his|her|their|its) (.+)$/iu.exec(text);
  const mine = /^my (.+)$/iu.exec(text);
  const resolved = owned !== null && before !== undefined
    ? `${before.subjectText}'s ${owned[1]}`
    : mine !== null
    ? `${speaker}'s ${mine[1]}`
    : text;
  const bare = resolved.replace(
    /(^|'s )(?:the |our |a |an )?(?:brand[- ])?(new|current) (?!york|zealand|jersey|delhi|orleans|(?:cat|dog|puppy|kitten|rabbit|hamster|horse|pony|parrot|baby)\b)/iu,
    "$1",
  );
  const withoutFirst = bare.replace(/\b(?:and|or) i\b/iu, `and ${speaker}`);
  const subject = keyOfSubject(withoutFirst);
  if (subject === "") return null;
  return { subject, subjectText: showSubject(withoutFirst), isNew: /\bnew\b/iu.test(resolved) && bare !== resolved };
}

/** Whom or what a pronoun means. The speaker, who says "I", is never "she" or "it", and no person is "it". */
function personOrThing(pronoun: string, speaker: string, before: Before): string | null {
  const isSpeaker = before.subjectText === speaker;
  if (pronoun === "it" || pronoun === "they") return isSpeaker ? null : before.subjectText;
  return personOf(isSpeaker ? { ...before, subjectText: "" } : before);
}

/** The person whom "he" means: the subject of the previous clause, or else the last name in it. */
function personOf({ subjectText, rest }: Before): string | null {
  if (!subjectText.includes("'s ") && /^(?:\p{Lu}|user$|my )/u.test(subjectText)) return subjectText;
  return rest.match(/\p{Lu}\p{L}+/gu)?.at(-1) ?? null;
}

/** Small words that distinguish two subjects, so the key keeps them. */
const KEPT = new Set(["to", "from", "by", "without", "and"]);

/**
 * The key of a subject: its stems in alphabetical order, so that "the report's deadline" is "the deadline for the
 * report".
 */
export function keyOfSubject(text: string): string {
  const plain = text.toLowerCase().replace(/^the user\b/u, "user").replace(/'s\b|'(?=\s|$)/gu, " ");
  const stems = stemsOf(plain).filter((stem) => stem !== "" && (KEPT.has(stem) || stem.length > 0));
  return [...new Set(stems)].sort().join(" ");
}

/** Formats a subject for readers. */
export function showSubject(text: string): string {
  return text.replace(/^(?:the|our|a|an) /iu, "").replace(/\s+/g, " ").trim();
}
