/** Guesses about tastes and wishes that two statements express in different words. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { make, mark } from "./guess_draft.ts";
import { headOf, isOtherComplement, isOtherWay, isProper } from "./phrases.ts";
import { isSameValue, stemsOf } from "./values.ts";
import { pastOf } from "./verbs.ts";

/** Kinds of things of which a person has a favourite. */
const FAVOURITES =
  "subject food dish colour color drink film movie book band singer sport animal game restaurant season song show series city team author"
    .split(" ");

/** "Emil likes art more than maths now" after "Emil's favourite subject is maths". */
function guessUnseated(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form, subjectText } = clause;
  if (isDenied || !isNew || form === "past" || !/^(?:like|love|enjoy|prefer)$/.test(lemma)) return [];
  const [better, than] = upTo(rest).split(lemma === "prefer" ? / (?:to|over) /u : " than ");
  if (better === undefined || than === undefined || (lemma !== "prefer" && !/ (?:more|better)$/u.test(better))) {
    return [];
  }
  return FAVOURITES.flatMap((kind) =>
    mark(clause, {
      subject: `${subjectText}'s favourite ${kind}`,
      predicates: ["is"],
      value: better,
      outdates: ({ value, polarity }) => polarity && isSameValue(value, than),
    })
  );
}

/** Types of people; a person is of one type at a time. */
const SORTS: readonly RegExp[] = [
  /^(?:cat|dog|horse) person$/iu,
  /^(?:(?:morning|evening|night) person|night owl|early (?:bird|riser)|late riser|lark)$/iu,
  /^(?:tea|coffee|beer|wine) drinker$/iu,
  /^(?:city|country|beach|mountain|summer|winter) person$/iu,
];

/** "I'm more of a dog person now" after "I'm a cat person". */
function guessSortOfPerson(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  const isTold = lemma === "become" ? form === "past" : lemma === "be" && isNew;
  const sort = isTold && !isDenied
    ? /^(?:more of )?an? (\p{L}+ \p{L}+|lark)$/iu.exec(upTo(rest).replace(/[.!]+$/u, ""))?.[1]
    : undefined;
  const of = sort === undefined ? undefined : SORTS.find((one) => one.test(sort));
  if (of === undefined) return [];
  return mark(clause, {
    predicates: ["status", "is"],
    value: sort!,
    outdates: ({ value, polarity }) => polarity && of.test(value) && !isSameValue(value, sort!),
  });
}

/** "We've decided against a dog" after "we want a dog", "we've decided to have kids" after "we don't want kids". */
function guessDecided(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive, form } = clause;
  if (isDenied || isPassive || form !== "past" || lemma !== "decide") return [];
  const said = upTo(rest).replace(/ after all[.!]?$/iu, "");
  const against = /^(?:against (?:having |getting |buying )?|not to (?:have|get|buy) )(?:an? )?(.+)$/iu.exec(said)?.[1];
  const chosen = against ?? /^to (?:have|get|buy|go for) (?:an? )?(.+)$/iu.exec(said)?.[1];
  if (chosen === undefined) return [];
  return mark(clause, {
    predicates: ["wants", "want", "likes", "prefers"],
    value: chosen,
    outdates: ({ value, polarity }) => polarity === (against !== undefined) && isSameValue(value, chosen),
  });
}

/** Matches a noun and the word before it. */
const SORTED = /^(?:an? |the |my |getting an? |having an? )?(\p{Ll}+) (\p{Ll}+)$/u;

/** "I prefer short meetings now" after "I like long meetings": another sort of the same thing. */
function guessOtherSort(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  if (lemma !== "prefer" || isDenied || !isNew || form === "past") return [];
  const said = SORTED.exec(upTo(rest).replace(/[.!]+$/u, ""));
  if (said === null) return [];
  return mark(clause, {
    predicates: ["likes", "wants"],
    value: said[0],
    outdates: ({ value, polarity }) => {
      const old = SORTED.exec(value);
      return polarity && old !== null && headOf(old[2]!) === headOf(said[2]!) && !isSameValue(old[1]!, said[1]!);
    },
  });
}

/** "I've come to prefer tea" after "I prefer coffee". */
function guessCameToPrefer(clause: Clause): Guessed[] {
  const value = !clause.isDenied && clause.form === "past" && /^(?:start|begin|come|grow|learn)$/.test(clause.lemma)
    ? /^(?:to prefer|preferring) (.+)$/iu.exec(upTo(clause.rest))?.[1]
    : undefined;
  return value === undefined
    ? []
    : [make(clause, { respect: "preference", predicate: "prefers", value, change: "began" })];
}

/**
 * "Call me in the afternoon from now on" after "I prefer to be called in the morning", "answer me in English from now
 * on" after "I want answers in French", as `instructions.ts` words it: "now you call me …".
 */
function guessTreated(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, speaker } = clause;
  const way = isNew && !isDenied && clause.subject === "you" ? /^me (.+)$/iu.exec(upTo(rest))?.[1] : undefined;
  if (way === undefined) return [];
  const verb = stemsOf(lemma)[0];
  const isOther = ({ value, polarity }: Claim) => {
    if (!polarity) return false;
    // "I want the report as a PDF", "send me the report as a spreadsheet from now on"
    if (/^(?:send|give|show|write|make|get)$/.test(lemma)) return isOtherComplement(value, way);
    const old = /^(?:to )?(?:be |get )?(\p{L}+) (.+)$/iu.exec(value);
    return old !== null && stemsOf(old[1]!)[0] === verb && !isSameValue(old[2]!, way) &&
      isProper(old[2]!) === isProper(way) && isOtherWay(`x ${old[2]}`, `x ${way}`);
  };
  return [
    ...mark(clause, { subject: speaker, predicates: ["prefers", "wants"], value: way, outdates: isOther }),
    // "I like to be reminded by text"
    ...mark(clause, { subject: speaker, predicates: ["likes"], value: `${pastOf(lemma)} ${way}`, outdates: isOther }),
  ];
}

/** Guesses which older claims about tastes and wishes a clause likely replaces. */
export function guessTastes(clause: Clause): Guessed[] {
  return [
    ...guessUnseated(clause),
    ...guessSortOfPerson(clause),
    ...guessDecided(clause),
    ...guessOtherSort(clause),
    ...guessCameToPrefer(clause),
    ...guessTreated(clause),
  ];
}
