/** Guesses for older statements that say that somebody had not done something: "has never been to Japan", "was in Japan". */
import type { Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { HEAD_END } from "./phrases.ts";
import { contentStems } from "./values.ts";
import { pastOf } from "./verbs.ts";

/** Reads a deed that an older statement says somebody had not done. */
export function guessFirst(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, isPast, modal } = clause;
  if (isDenied || isPassive || modal !== null) return [];
  const place = /^(?:in|to|at|back from|back in) (\p{Lu}.*)$/u.exec(rest)?.[1];
  const event = /^(?:go|come)$/.test(lemma) && form === "past"
    ? /^to ((?:my (?:very )?first|an?) .*)$/u.exec(rest)?.[1]
    : undefined;
  if (event !== undefined) {
    const first = thingOf(upTo(event));
    return mark(clause, {
      predicates: ["has been to"],
      value: event,
      // "a concert by Adele" is not any concert.
      outdates: ({ value, polarity }) =>
        !polarity && first !== "" && thingOf(value) === first && !/ (?:by|of|with|from) /iu.test(value),
    });
  }
  const isVisit = place !== undefined && ((lemma === "be" && (isPast || clause.isPerfect || /^back/u.test(rest))) ||
    (/^(?:go|travel|fly|come)$/.test(lemma) && form === "past"));
  if (!isVisit && form !== "past") return [];
  const said = upTo(isVisit ? place : rest);
  const stems = thingOf(said);
  return mark(clause, {
    predicates: [`has ${isVisit || lemma === "visit" ? "been to" : pastOf(lemma)}`],
    value: said,
    outdates: ({ value, polarity, scope }) => {
      if (polarity || stems === "" || thingOf(value) !== stems) return false;
      const tail = [...tailOf(value), ...scope.split(" ").filter(Boolean)].sort().join(" ");
      return tail === "" || tail === [...tailOf(said)].sort().join(" ");
    },
  });
}

/** The stems of the words after the thing in a phrase, which say which one it is, or where. */
function tailOf(phrase: string): string[] {
  const end = phrase.search(HEAD_END);
  return end > 0 ? contentStems(phrase.slice(end)) : [];
}

/** The thing that a phrase names: "my first marathon in Valencia" names a marathon, and "a half marathon" another thing. */
function thingOf(phrase: string): string {
  const end = phrase.search(HEAD_END);
  return contentStems(end > 0 ? phrase.slice(0, end) : phrase).filter((stem) =>
    !/^(?:1|first|new|final|live|real|proper|singl)/u.test(stem)
  )
    .join(" ");
}
