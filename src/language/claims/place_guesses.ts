/** Guesses about places: where something is now, or where somebody has gone, whichever verb the older statement has. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { isPerson, NOWHERE } from "./people_rules.ts";
import { isProper } from "./phrases.ts";
import { firstValue, isSameValue } from "./values.ts";

const STANDS =
  "stand hang sit lie park keep store stay live reside lean rest camp anchor dock house display show hide lock leave"
    .split(" ");
const PLACE =
  /^(?:\p{L}+ )?(?:in|on|at|by|under|near|behind|beside|inside|outside|above|below|over|next to|against) (.+)$/iu;
const GOES_TO =
  /^(?:back |out |over |up |down |away |off |on |inside |outside |indoors )?(?:to|into|onto|in|on|at|by|under|behind|beside|inside|outside|near|next to|above|below|against|in front of) (.+)$/iu;
const MOVES = new Set(
  "be move relocate take carry bring transfer shift put place store hang stand sit lie end park lock pack keep stash ship send mount house transplant drive roll push wheel"
    .split(" "),
);

/** Makes a test: does an older claim name another place? */
function isElsewhere(place: string): (older: Claim) => boolean {
  return ({ predicate, value, polarity, scope }) => {
    if (!polarity || scope !== "") return false;
    const where = predicate === "lives in" ? value : PLACE.exec(value)?.[1];
    return where !== undefined && firstValue(where)?.kind !== "day" && firstValue(where)?.kind !== "clock" &&
      firstValue(where)?.kind !== "rhythm" && !isSameValue(where, place);
  };
}

const HOLDER = /^with ((?:my|our|his|her|their|the|an?|\p{Lu}\p{L}+'s) \p{Ll}+(?: \p{Ll}+)?|\p{Lu}\p{L}+)$/u;

function placeOf(rest: string): string | undefined {
  if (/^into /iu.test(rest) && NOWHERE.test(rest.slice(5))) return undefined;
  const place = GOES_TO.exec(upTo(rest).replace(/^up (?=in )/iu, "").replace(/ (?:after|since|because) .*$/iu, ""))
    ?.[1];
  return place === undefined || /^(?:day|clock|rhythm|money|percent)$/.test(firstValue(place)?.kind ?? "") ||
      /^(?:\p{L}+ing|use|order|progress|question|time|sale|fire|hold|strike|doubt|danger|place|automatic|manual)\b/iu
        .test(place) ||
      /^an? (?:\p{L}+ )?(?:design|version|plan|format|model|system|state|mode|schedule)\b/iu.test(place)
    ? undefined
    : place;
}

/** "The statue was relocated to the museum", "the extinguisher hangs in the corridor now", "I parked the car in the garage". */
export function guessPlaced(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, speaker } = clause;
  if (isDenied || clause.isProgressive) return [];
  if (!MOVES.has(lemma) && !(lemma === "find" && isPassive && clause.modal === "can")) return guessSeat(clause);
  const happened = form === "past" && (isPassive || !isPerson(clause)) || clause.isNew;
  const own = !isPassive && form === "past"
    ? /^(my|our|the) ((?:\p{L}[\p{L}'-]* ){1,4}?)(?=(?:back |out |over |up |down |away )?(?:to|into|onto|in|on|at|by|under|behind|beside|inside|outside|near) )/iu
      .exec(rest)
    : null;
  if (own !== null) {
    const place = placeOf(rest.slice(own[0].length));
    if (place === undefined) return [];
    const bare = own[2]!.trim();
    // For "the bonsai", an older statement may say "my bonsai".
    const subjects = /^my$/iu.test(own[1]!)
      ? [`${speaker}'s ${bare}`]
      : isPerson(clause)
      ? [bare, `${clause.subjectText}'s ${bare}`]
      : [bare];
    return subjects.flatMap((subject) =>
      mark(clause, { subject, predicates: [...STANDS, "lives in"], value: place, outdates: isElsewhere(place) })
    );
  }
  if (!happened || isPerson(clause)) return guessSeat(clause);
  const place = placeOf(rest) ?? (lemma === "be" ? HOLDER.exec(upTo(rest))?.[1] : undefined);
  if (place === undefined) return [];
  const said = { predicates: [...STANDS, "lives in"], value: place, outdates: isElsewhere(place) };
  // For "the winter tyres", an older statement may say "my winter tyres".
  const isBare = lemma === "be" && clause.isNew && /^\p{Ll}[\p{Ll} -]*$/u.test(clause.subjectText);
  return [
    ...mark(clause, said),
    ...(isBare ? mark(clause, { ...said, subject: `${speaker}'s ${clause.subjectText}` }) : []),
  ];
}

/** "I sit in the front row now", "Emma works in the kitchen now": another place for the same activity. */
function guessSeat(clause: Clause): Guessed[] {
  const { lemma, rest, isNew, form, isPassive } = clause;
  if (
    !isNew || form === "past" || isPassive ||
    !/^(?:sit|sleep|park|work|stand|eat|shop|train|study|meet|read|swim|write)$/.test(lemma)
  ) {
    return [];
  }
  const place = PLACE.exec(upTo(rest))?.[0] === upTo(rest) ? placeOf(rest) : undefined;
  if (place === undefined || !/^(?:in|on|at|by|under|near|behind|beside|inside|outside) /iu.test(rest)) return [];
  const isElse = isElsewhere(place);
  return [
    ...mark(clause, {
      predicates: [lemma],
      value: rest,
      outdates: (older) =>
        /^(?:in|on|at|by|under|near|behind|beside|inside|outside) /iu.test(older.value) && isElse(older),
    }),
    ...(lemma === "work"
      ? mark(clause, {
        predicates: ["works at"],
        value: rest,
        outdates: ({ value, polarity }) => polarity && !isProper(value) && !isSameValue(value, place),
      })
      : []),
  ];
}

/** Matches places where somebody is only for a time: "is living abroad", "is in a coma". */
const AWAY =
  /^(?:abroad|overseas|away|in (?:a |an )?(?:coma|prison|jail|custody|hospital|intensive care|rehab|quarantine|detention|exile|isolation|hiding)|elsewhere|hotel|hostel|prison|jail|coma|intensive care|custody|rehab|exile|dorm\p{L}*|motel)\b/iu;
const RETURNS =
  /^(?:(?:come|go|get|return|move|fly|be) (?:back|home)|return|wake(?: up)?|be (?:released|freed|awake|conscious|back|home)|release|free|discharge|rent (?:an? |the )?(?:\p{L}+ )?(?:flat|apartment|house|room|place|studio)|get out)\b/iu;
const FLIES =
  /^(?:fly|travel|drive|go|head|sail|move|set off|push) (?:(?:on|over|off|out|back|down|up) )?(?:to|for) (\p{Lu}[\p{L} -]*)[.!]?$/u;

/** "Rob was released", "Mia woke up", "Ben has flown on to Athens". */
export function guessWhereabouts(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied } = clause;
  if (isDenied || clause.isProgressive || form !== "past" && lemma !== "be") return [];
  const said = `${lemma} ${rest}`.trim();
  const to = clause.isPerfect ? FLIES.exec(said)?.[1] : undefined;
  if (to !== undefined) {
    return mark(clause, {
      predicates: ["stay", "travel", "visit", ...(/^on\b/iu.test(rest) ? ["lives in"] : [])],
      value: to,
      outdates: isElsewhere(to),
    });
  }
  const isGone = !isPerson(clause) && clause.isPerfect &&
    /^(?:leave|depart|set (?:sail|off)|take off|drive off|sail)[.!]?$/iu.test(said);
  if (isGone) {
    return mark(clause, {
      predicates: ["lives in", "stand", "wait", "park"],
      value: said,
      outdates: ({ polarity }) => polarity,
    });
  }
  if (!RETURNS.test(said)) return [];
  return mark(clause, {
    predicates: ["lives in", "live", "stay", "status", "has"],
    value: said,
    outdates: ({ value, polarity }) => polarity && AWAY.test(value),
  });
}
