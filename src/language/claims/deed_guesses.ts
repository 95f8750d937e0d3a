/** Guesses by what somebody did to somebody or something: left them, threw them out, fetched or removed it. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { endsOf, mark } from "./guess_draft.ts";
import { isPerson } from "./people_rules.ts";
import { contentStems, isSameValue, stemsOf } from "./values.ts";

const PARTNERS = ["boyfriend", "girlfriend", "partner", "husband", "wife", "fiancé", "fiancée"];

/**
 * "Dana dumped Carl", "Rita and Sam are divorced": they are no partners now. "Mo is my husband now": Mo is no fiancé.
 */
function guessPartner(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isNew, subjectText, speaker } = clause;
  if (isDenied) return [];
  const is = (name: string) => ({ value, polarity }: Claim) => polarity && isSameValue(value, name);
  const held = lemma === "be" && isNew
    ? /^(my|\p{Lu}\p{L}+'s) (boyfriend|girlfriend|partner|husband|wife|fiancée?)[.!]?$/u.exec(rest)
    : null;
  if (held !== null) {
    const owner = held[1] === "my" ? `${speaker}'s` : held[1]!;
    return PARTNERS.filter((role) => role !== held[2]).flatMap((role) =>
      mark(clause, { subject: `${owner} ${role}`, predicates: ["is"], value: rest, outdates: is(subjectText) })
    );
  }
  const both = subjectText.split(" and ");
  const areApart = both.length === 2 &&
    /^(?:be (?:divorced|separated|split up|broken up)|break up|split(?: up)?|separate|divorce|get divorced|part)[.!]?$/iu
      .test(`${lemma} ${rest}`.trim());
  const isLeft = form === "past" && !clause.isPassive && isPerson(clause) &&
    /^(?:dump|leave|divorce|ditch|split|break|separate)$/.test(lemma);
  const whom = areApart
    ? both[1]
    : isLeft
    ? /^(?:up )?(?:with |from )?(\p{Lu}[\p{L}-]*)[.!]?$/u.exec(upTo(rest))?.[1]
    : undefined;
  if (whom === undefined) return [];
  const who = areApart ? both[0]! : subjectText;
  return ([[who, whom], [whom, who]] as const).flatMap(([one, other]) => [
    ...PARTNERS.flatMap((role) =>
      mark(clause, { subject: `${one}'s ${role}`, predicates: ["is"], value: `not ${other}`, outdates: is(other) })
    ),
    ...mark(clause, {
      subject: one,
      predicates: ["relationship"],
      value: "separated",
      outdates: ({ value, polarity }) =>
        polarity &&
        (/^(?:an? )?couple$|^together$/iu.test(value) || stemsOf(value).some((stem) => stemsOf(other).includes(stem))),
    }),
  ]);
}

/** "I changed dentists", "we've moved offices": which one it was before does not matter. */
function guessChanged(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, subjectText } = clause;
  const isDone = form === "past" && !isDenied && !isPassive;
  const another = isDone && /^(?:change|switch|move|go|turn)$/.test(lemma)
    ? /^(?:over )?to (?:another|a new|a different) (\p{Ll}+(?: \p{Ll}+)?)/u.exec(rest)?.[1]
    : undefined;
  const changed = isDone && /^(?:change|switch|move|swap)$/.test(lemma)
    ? /^(\p{Ll}+?)(?:es|s)?[.!]?$/u.exec(upTo(rest))?.[1]
    : undefined;
  const thing = another ?? changed;
  if (
    thing === undefined ||
    /^(?:out|in|away|on|back|house|home|mind|clothe|seat|side|it|place|topic|subject)$/u.test(thing)
  ) return [];
  const subjects = clause.subject === "we" ? [thing] : [`${subjectText}'s ${thing}`];
  return subjects.flatMap((subject) =>
    mark(clause, {
      subject,
      predicates: ["is", "lives in"],
      value: "another one",
      outdates: ({ polarity }) => polarity,
    })
  );
}

/** "The band threw Ulla out": she is no longer in it. "My doctor took me off insulin": I no longer take it. */
function guessExpelled(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, subjectText, speaker } = clause;
  if (isDenied || form !== "past" || isPassive) return [];
  const off = lemma === "take" ? /^(me|\p{Lu}\p{L}+) off (.+)$/u.exec(upTo(rest)) : null;
  if (off !== null) return endsOf(clause, off[1] === "me" ? speaker : off[1]!, off[2]!);
  const whom =
    /^(?:throw|kick|vote|boot|chuck|drop|fire|expel|sack|dismiss|exclude|suspend|cut|axe|release|lay)$/.test(lemma)
      ? /^(?:off )?(me|\p{Lu}\p{L}+)(?: (?:out|off|loose))?(?: from .+)?[.!]?$/u.exec(upTo(rest))?.[1]
      : undefined;
  return whom === undefined ? [] : endsOf(clause, whom === "me" ? speaker : whom, subjectText);
}

/** "I got my laptop back from repair", "I brought my bike up from the cellar": it is not there any more. */
function guessFetched(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, subjectText, speaker } = clause;
  if (isDenied || isPassive || form !== "past" || !/^(?:get|bring|take|fetch|pick|collect|carry|move)$/.test(lemma)) {
    return [];
  }
  const said =
    /^(?:up |back )?(my|the|our|his|her|their) (.+?) (?:back |up |home |down |in |out )?(?:from|out of) (?:the |my |our )?(.+)$/iu
      .exec(upTo(rest));
  if (said === null) return [];
  const [, whose, what, where] = said;
  const subject = /^my$/iu.test(whose!)
    ? `${speaker}'s ${what}`
    : /^(?:the|our)$/iu.test(whose!)
    ? what!
    : `${subjectText}'s ${what}`;
  return mark(clause, {
    subject,
    predicates: ["lives in", "status", "park", "stand", "store", "keep"],
    value: `not in ${where}`,
    outdates: ({ value, polarity }) => polarity && stemsOf(where!).some((stem) => stemsOf(value).includes(stem)),
  });
}

/** "They took the table out of the office": the office no longer has it. */
function guessRemoved(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, subjectText } = clause;
  if (isDenied || form !== "past" || !/^(?:take|remove|carry|clear|tear|rip|throw|strip|cut)$/.test(lemma)) return [];
  const said = isPassive
    ? [subjectText, /^(?:out of|from|off) (?:the |our )?(.+)$/iu.exec(upTo(rest))?.[1]]
    : (/^(?:the |our )?(.+?) (?:out of|from|off) (?:the |our )?(.+)$/iu.exec(upTo(rest))?.slice(1) ?? []);
  const [thing, place] = said;
  if (thing === undefined || place === undefined) return [];
  const stems = contentStems(thing);
  return stems.length === 0 ? [] : mark(clause, {
    subject: place,
    predicates: ["has"],
    value: thing,
    outdates: ({ value, polarity }) => polarity && stems.every((stem) => stemsOf(value).includes(stem)),
  });
}

/** "Coach Bell was sacked": Bell no longer has the post, whatever it was. */
function guessSacked(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive } = clause;
  const isGone = isPassive && /^(?:sack|fire|dismiss|lay|axe|oust)$/.test(lemma) && /^(?:off)?[.!]?$/iu.test(rest);
  if (isDenied || !isGone || !(clause.isPast || clause.isPerfect) || !isPerson(clause)) return [];
  return mark(clause, {
    predicates: ["train", "coach", "manage", "lead", "run", "teach", "direct", "head", "chair", "works at", "works as"],
    value: "sacked",
    outdates: ({ polarity }) => polarity,
  });
}

/** Guesses which older claims a clause likely replaces because of what somebody did. */
export function guessDeeds(clause: Clause): Guessed[] {
  return [
    ...guessPartner(clause),
    ...guessChanged(clause),
    ...guessRemoved(clause),
    ...guessExpelled(clause),
    ...guessFetched(clause),
    ...guessSacked(clause),
  ];
}
