/** Other wordings of a clause that say the same, so that a guess needs to know only one of them. */
import type { Clause } from "./clause.ts";
import { keyOfSubject, showSubject } from "./subject.ts";
import { findVerb } from "./verbs.ts";

/** "had the landline disconnected" */
const CAUSED = /^(my|our|his|her|their|its|the) ((?:\p{L}[\p{L}'-]* ){1,3}?)(\p{L}+)\b ?(.*)$/iu;
const QUANTIFIED = /^(?:all|every|each|both|most|the whole|the entire)(?: of)? (?:the |our )?(.+)$/iu;
/** A statement about a few places of many says nothing about all of them. */
const GROUP = /^(?:all|both) (?:of )?(?:my|your|his|her|their) /iu;

const LOST = /^(?:steal|tow|destroy|smash|wreck|confiscat|confiscate|burn|eat|throw|kill|bin|recycle)$/;

/** Returns a clause with its other wordings. */
export function listWordings(clause: Clause): Clause[] {
  const { lemma, rest, form, subjectText, isDenied } = clause;
  // "Both sides have signed" and "went to another dentist" add nothing.
  const isInstead = /^[Bb]oth \p{Ll}/u.test(subjectText) ||
    (/^(?:go|switch|change|move)$/.test(lemma) && form === "past" && /^(?:over )?to another /iu.test(rest));
  const wordings = [clause.isAddition && isInstead ? { ...clause, isAddition: false } : clause];
  const [opening = "", ...more] = rest.split(" ");
  const first = opening.replace(/[.!,]+$/u, "");
  const verb = findVerb(first.toLowerCase());
  // "got stolen"
  if (
    lemma === "get" && form === "past" && verb?.form === "past" && !/^(?:divorced|married|engaged|left)$/iu.test(first)
  ) {
    wordings.push({ ...clause, lemma: verb.lemma, isPassive: true, isPast: true, isTold: true, rest: more.join(" ") });
  }
  // A stolen or destroyed thing is gone, although these verbs only report an act.
  if (!clause.isTold && !clause.isHistory && clause.isPassive && LOST.test(lemma)) {
    wordings.push({ ...clause, isTold: true });
  }
  if (!clause.isTold && !clause.isHistory && /^(?:shave|chop|saw|tear)$/.test(lemma) && /^off /iu.test(rest)) {
    wordings.push({ ...clause, isTold: true });
  }
  // "was relegated to": a participle of a verb that is not listed
  if (lemma === "be" && (clause.isPast || clause.isPerfect) && verb === undefined && /^\p{Ll}{4,}ed$/u.test(first)) {
    wordings.push({
      ...clause,
      lemma: stemOf(first),
      form: "past",
      isPassive: true,
      isTold: true,
      rest: more.join(" "),
    });
  }
  // "has dried out"
  const isDone = lemma === "have" && verb === undefined && !isDenied && /^\p{Ll}{3,}ed$/u.test(first);
  if (isDone && !/^\p{Ll}+s\b/u.test(more[0] ?? "")) {
    const lemmas = { lemma: stemOf(first), form: "past", isPerfect: true, isTold: true } as const;
    wordings.push({ ...clause, ...lemmas, rest: more.join(" ") });
  }
  const caused = /^(?:have|get)$/.test(lemma) && clause.isPast !== clause.isPerfect && !isDenied
    ? CAUSED.exec(rest)
    : null;
  const done = caused === null ? undefined : lemmaOfParticiple(caused[3]!.toLowerCase());
  if (caused !== null && done !== undefined) {
    const owner = /^(?:the|our)$/iu.test(caused[1]!) ? [subjectText, ""] : [subjectText];
    for (const whose of owner) {
      const subject = `${whose === "" ? "" : `${whose}'s `}${caused[2]!.trim()}`;
      wordings.push({
        ...named(clause, subject),
        ...{ lemma: done, form: "past", isPassive: true, isPast: true, isTold: true, rest: caused[4]! },
      });
    }
  }
  const [said] = wordings as [Clause];
  const whole = GROUP.test(subjectText) ? undefined : QUANTIFIED.exec(subjectText)?.[1];
  if (whole !== undefined && !/ and /u.test(whole)) wordings.push(named(said, whole));
  const none = /^no (.+)$/iu.exec(subjectText)?.[1];
  if (none !== undefined) return [{ ...named(clause, none), isDenied: true, hasEnded: true }];
  // "Rex, Fay's dog, died"
  const beside = /^\p{Lu}\p{L}*, (.+?),?$/u.exec(subjectText)?.[1];
  if (beside !== undefined) wordings.push(named(clause, beside));
  return wordings;
}

/** "dried": dry; "submitted": submit */
function stemOf(participle: string): string {
  const stem = participle.slice(0, -2);
  return stem.endsWith("i") ? `${stem.slice(0, -1)}y` : /([bdgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

function lemmaOfParticiple(word: string): string | undefined {
  const known = findVerb(word);
  if (known !== undefined) return known.form === "past" ? known.lemma : undefined;
  return /\p{L}{4,}ed$/u.test(word) ? stemOf(word) : undefined;
}

function named(clause: Clause, subject: string): Clause {
  return { ...clause, subjectText: showSubject(subject), subject: keyOfSubject(subject) };
}
