/** Guesses about where people live. */
import { isTeam } from "./change_rules.ts";
import type { Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { make, mark, subjectsFor } from "./guess_draft.ts";
import { NOWHERE } from "./people_rules.ts";
import { firstValue, isSameValue } from "./values.ts";

const HOMES =
  /\b(?:home|house|flat|apartment|place|studio|condo|room|dorms?|hostel|cottage|farm|villa|retirement home|care home|nursing home)\b/iu;
const NEW_HOME =
  /^(?:have|find|get|rent|take|move into|lease) (?:(?:an?|my|our|his|her|their|its) )?(?:own |new |bigger |smaller |nice |little |shared |two-bed |\p{L}+ )?(?:home|house|flat|apartment|place|studio|condo|room|cottage)\b(?: (?:of (?:my|our|his|her|their|its) own|in|on|at|near) ?)?(.*)$/iu;

const DWELLING = /\b(?:flat|house|apartment|room|place|home)\b/iu;
/** Matches words that say with whom, how or how long somebody lives, and not where. */
const SAME_WAY = /^(?:with|alone|together|well|for|on (?:my|his|her|their) own|off|by|from)\b/iu;

/** "calls Basel home now", "has moved house to Bangalore", "is now at home in Ghent", "has his own place". */
export function guessHome(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied } = clause;
  if (isDenied) return [];
  const said = `${lemma} ${rest}`;
  const event = form === "past";
  const where = /^call (.+?) home\b/iu.exec(said)?.[1] ??
    (event ? /^move (?:house|home|flats?|out|away|on|back)(?: (?:to|into|from|of) (.+))?/iu.exec(said) : null)?.slice(1)
      .map((place) => place ?? "")[0] ??
    /^be (?:back |now )?at home in (.+)/iu.exec(said)?.[1] ??
    /^be back (?:home )?in (\p{Lu}.+)/u.exec(said)?.[1] ??
    (event ? /^make the move (?:to|into) (.+)/iu.exec(said)?.[1] : undefined) ??
    (event
      ? /^(?:come|go|return|get) (?:back|home) (?:to|in) (\p{Lu}[\p{L}' -]+?)(?: (?:to live|for good).*)?[.!]?$/u
        .exec(said)?.[1]
      : undefined) ??
    (event
      ? /^(?:move|settle|relocate|resettle|retire|emigrate|return|head|transfer) (?:down |back |over |up |out )?(?:in|into|to|at) (.+)/iu
        .exec(said)?.[1]
      : undefined) ??
    (clause.isNew || event ? NEW_HOME.exec(said)?.[1] : undefined) ??
    (clause.isNew
      ? /^(?:live|stay|reside|dwell|be (?:based|living|settled)) (?:\p{L}+ )?(?:in|at|on|with) (.+)/iu.exec(said)?.[1]
      : undefined);
  if (where === undefined && clause.isNew && /^live (?:alone|by|on|with)\b/iu.test(said)) {
    return mark(clause, {
      predicates: ["share"],
      value: rest,
      outdates: ({ value, polarity }) => polarity && DWELLING.test(value) && !isSameValue(value, rest),
    });
  }
  const left = event &&
    /^(?:leave|move out of|fly) (?:home|the nest)\b|^move (?:upstairs|downstairs|next door|abroad|overseas)\b/iu.test(
      said,
    );
  if (where === undefined && left) {
    return mark(clause, {
      predicates: ["lives in", "live", "lives with"],
      value: said,
      outdates: ({ value, polarity }) =>
        polarity &&
        /^(?:(?:at )?home|upstairs|downstairs|next door|abroad|overseas|(?:my|our|his|her|their) (?:parents|mother|father|mum|mom|dad))\b/iu
          .test(value) &&
        !(lemma === "move" && said.includes(value)),
    });
  }
  const isOwnHome = /^(?:.+'s )?(?:new )?home\b/iu.test(clause.subjectText) && lemma === "be";
  if (where === undefined && !isOwnHome) return [];
  const value = upTo(where ?? rest);
  if (/\binto\b/iu.test(said) && NOWHERE.test(value)) return [];
  if (isTeam(value) || firstValue(value)?.kind === "day") return [];
  const isNamed = /\p{Lu}/u.test(value) || HOMES.test(said) || value === "";
  const subjects = isOwnHome ? [clause.subjectText.replace(/(?:'s)? (?:new )?home\b.*$/iu, "")] : subjectsFor(clause);
  return subjects.flatMap((subject) => [
    make(clause, { respect: "residence", predicate: "lives in", value, subject }),
    make(clause, { respect: "residence", predicate: "lives in", value, subject: `${subject} home` }),
    ...mark(clause, {
      subject,
      predicates: ["live", "reside", "share", "stay"],
      value: value === "" ? "elsewhere" : value,
      outdates: ({ value: old, polarity, predicate }) =>
        polarity &&
        (predicate === "share"
          ? DWELLING.test(old)
          : predicate === "stay"
          ? /^(?:with|at) /iu.test(old)
          : !SAME_WAY.test(old)),
    }),
    ...mark(clause, {
      subject,
      predicates: ["status"],
      value: "has a home",
      outdates: ({ value: old, polarity }) =>
        polarity && /^(?:homeless|looking for an? (?:flat|room|place|house|apartment))\b/iu.test(old),
    }),
    ...(isNamed && HOMES.test(said)
      ? [make(clause, { respect: "residence", predicate: "lives with", value: "elsewhere", subject })]
      : []),
    ...(HOMES.test(said) ? [make(clause, { respect: "possession", predicate: "rent", value: "home", subject })] : []),
  ]);
}
