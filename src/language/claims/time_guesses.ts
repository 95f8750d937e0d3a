/** Guesses about a new time of something, whichever verb the older statement has. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { mark } from "./guess_draft.ts";
import { isPerson } from "./people_rules.ts";
import { contentStems, maskValues, type TypedValue } from "./values.ts";

/** Verbs that say when something begins, when it ends, and when it is done at all. */
const BEGINS = "start begin open leave depart launch commence kick".split(" ");
const ENDS = "end close finish stop expire last run conclude stay extend prolong".split(" ");
const DONE =
  "collect empty pick deliver clean meet gather practise train publish release send post ship run air broadcast back arrive land return come take perform rehearse play sit feed water mow open close serve pay bill charge"
    .split(
      " ",
    );

/** Nouns for events, each with the verbs for what is done then: "rubbish collection is on Thursdays". */
const DEEDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/ (?:collections?|pick-?ups?)$/iu, ["collect", "pick", "empty"]],
  [/ (?:deliver(?:y|ies)|shipments?)$/iu, ["deliver", "arrive", "ship", "come"]],
  [/ cleaning$/iu, ["clean"]],
  [/ (?:backups?)$/iu, ["back", "run"]],
];
/** Matches a meeting; its time is when the group meets: "We moved our meeting to Wednesdays". */
const MEETINGS = /^(?:(?:the|our|my|his|her|their) )?(?:\p{L}+ )?(?:meetings?|meet-?ups?|get-?togethers?)\b/iu;
const TIMES = /^(?:day|clock|rhythm)$/;

export function timesOf(text: string): readonly TypedValue[] {
  return maskValues(text).values.filter(({ kind }) => TIMES.test(kind));
}

/** Makes a test: does an older claim name another time of the same kind? */
export function tellsOtherTime(times: readonly TypedValue[]): (older: Claim) => boolean {
  return ({ value, polarity, scope }) =>
    polarity && scope === "" &&
    timesOf(value).some((old) => times.some(({ kind, key }) => kind === old.kind && key !== old.key)) &&
    !timesOf(value).some((old) => times.every(({ kind, key }) => kind === old.kind && key === old.key));
}

const PARTICLE = /^(?:out|up|off|down|in|over|away)\b(?= |$)/iu;

/** Whether two phrases are about the same apart from their times: the other words of one are all in the other. */
function isOfSame(a: string, b: string): boolean {
  // "works out", "works from home"
  if (PARTICLE.exec(a)?.[0] !== PARTICLE.exec(b)?.[0]) return false;
  const [one, other] = [a, b].map((text) =>
    new Set(contentStems(maskValues(text).frame).filter((stem) => !/^0/u.test(stem)))
  );
  return one!.isSubsetOf(other!) || other!.isSubsetOf(one!);
}

/** "The store stays open until 10 pm now", "the bins are emptied on Wednesdays now", "the trial was extended to April". */
export function guessTimes(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, isPerfect, isPast, subjectText } = clause;
  const times = timesOf(rest);
  if (isDenied || times.length === 0 || clause.lead !== "") return [];
  const later = /\b(?:earlier|later|longer|instead)\b/iu.test(rest);
  const isNews = clause.isNew || later || isPerfect || (isPassive && isPast) ||
    (form === "past" && !isPerson(clause)) ||
    /^(?:we|they)$/.test(clause.subject) && form === "past";
  if (!isNews) return [];
  const outdates = tellsOtherTime(times);
  const said = { value: rest, outdates };
  if (MEETINGS.test(rest)) {
    return mark(clause, { ...said, predicates: ["meet", "gather"] });
  }
  // A person does several things, each at its own time.
  if (/^(?:user|they)$/.test(clause.subject)) {
    return mark(clause, {
      predicates: [lemma],
      value: rest,
      outdates: (older) => outdates(older) && isOfSame(rest, older.value),
    });
  }
  const isEnd = ENDS.includes(lemma) && lemma !== "run" || /\b(?:until|till)\b/iu.test(rest);
  const isBegin = BEGINS.includes(lemma);
  const predicates = isEnd
    ? [...ENDS, ...(/^(?:extend|prolong|delay)$/.test(lemma) ? ["happens"] : [])]
    : isBegin
    ? [...BEGINS, "happens"]
    : lemma === "be" || /^(?:move|shift|push|bring|reschedule|postpone|put|delay|bump|slip|take|happen)$/.test(lemma)
    ? [...BEGINS, ...DONE, "happens", "last"]
    : DONE.includes(lemma)
    ? /^(?:open|close|serve|pay|charge|bill)$/.test(lemma)
      ? [lemma]
      : [...DONE.filter((verb) => !/^(?:open|close)$/.test(verb)), "happens"]
    : [lemma];
  const deed = DEEDS.find(([noun]) => noun.test(subjectText));
  return [
    ...mark(clause, { ...said, predicates: new Set(predicates) }),
    ...(deed === undefined
      ? []
      : mark(clause, { ...said, subject: subjectText.replace(deed[0], ""), predicates: deed[1] })),
  ];
}
