/** Guesses about what somebody eats and drinks: diets that begin or end, food that is given up, avoided or allowed again. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { endedThing } from "./endings.ts";
import { mark } from "./guess_draft.ts";
import { isPerson } from "./people_rules.ts";
import { isKindOf } from "./phrases.ts";
import { contentStems, stemsOf } from "./values.ts";

const MEAT = /\b(?:meat|beef|pork|chicken|turkey|lamb|ham|bacon|steaks?|burgers?|sausages?|schnitzel|kebabs?)\b/iu;
const FISH = /\b(?:fish|seafood|salmon|tuna|cod|sushi|shrimps?|prawns?|mussels|oysters)\b/iu;
const FROM_ANIMALS = /\b(?:dairy|milk|cheese|yogh?urt|butter|cream|eggs?|omelettes?|honey)\b/iu;
const BAKED = /\b(?:bread|pasta|noodles|spaghetti|pizza|cake)\b/iu;
const STARCH = /\b(?:rice|potato(?:es)?|sweets|sugar)\b/iu;

/** Foods that a person on each diet does not eat. */
const FORBIDDEN_BY: Readonly<Record<string, readonly RegExp[]>> = {
  vegan: [MEAT, FISH, FROM_ANIMALS],
  vegetarian: [MEAT, FISH],
  pescatarian: [MEAT],
  "low-carb": [BAKED, STARCH],
  "gluten-free": [BAKED],
};
/** Words that turn the name of a food into that of another one: "oat milk". */
const NO_SUCH =
  /\b(?:vegan|veggie|vegetarian|plant|oat|soy|soya|almond|coconut|peanut|rice (?:milk|drink)|nut|cocoa|tofu|seitan|gluten-free|low-carb)\b/iu;
const ANYTHING = /^(?:anything|everything|all sorts|whatever)\b|^(?:an? )?omnivore$/iu;

const BEGUN =
  /^(?:decide to (?:be|become|go|turn) |on )?(?:an? )?(?:strict |fully |full )?(vegan|vegetarian|pescatarian|low[- ]carb|keto|gluten[- ]free)(?: diet)?$/iu;

/** Returns the diet that a clause says has begun; undefined: it says no such thing. */
function begunDiet({ lemma, rest, form, isDenied, isNew }: Clause): string | undefined {
  const isTold = /^(?:go|turn|become|decide)$/.test(lemma) ? form === "past" : lemma === "be" && isNew;
  if (!isTold || isDenied) return undefined;
  const said = upTo(rest).replace(/[.!]+$/u, "");
  const diet = BEGUN.exec(lemma === "decide" ? `decide ${said}` : said)?.[1]?.toLowerCase().replace(" ", "-");
  return diet === "keto" ? "low-carb" : diet;
}

/** "I've gone vegan" after "I eat a lot of cheese", "I'm a vegetarian now" after "I eat everything". */
function guessBegunDiet(clause: Clause): Guessed[] {
  const diet = begunDiet(clause);
  if (diet === undefined) return [];
  const isForbidden = ({ value, polarity }: Claim) =>
    polarity && (ANYTHING.test(value) || FORBIDDEN_BY[diet]!.some((food) => food.test(value)) && !NO_SUCH.test(value));
  return [
    ...mark(clause, { predicates: ["eats", "eat", "drink"], value: diet, outdates: isForbidden }),
    ...mark(clause, {
      predicates: ["status"],
      value: diet,
      outdates: ({ value, polarity }) => polarity && ANYTHING.test(value),
    }),
    ...mark(clause, {
      predicates: ["may"],
      value: "eat anything",
      outdates: ({ value, polarity }) => polarity && /^eat (?:anything|everything)\b/iu.test(value),
    }),
  ];
}

/** "I've cut out dairy" after "I eat cheese", "I don't drink alcohol any more" after "I drink beer on Fridays". */
function guessGivenUpKind(clause: Clause): Guessed[] {
  const isDone = clause.isDenied && clause.hasEnded && /^(?:eat|drink|have)$/.test(clause.lemma);
  const ended = clause.isDenied ? [] : endedThing(clause);
  const kinds = isDone ? [upTo(clause.rest).replace(/[.!]+$/u, "")] : ended;
  return kinds.filter((kind) => /^\p{L}+(?: \p{L}+)?$/u.test(kind)).flatMap((kind) =>
    mark(clause, {
      predicates: ["eats", "eat", "drink"],
      value: `no ${kind}`,
      outdates: ({ value, polarity }) => polarity && isKindOf(value, kind) && !NO_SUCH.test(value),
    })
  );
}

const ALCOHOL =
  /^(?:(?:an?|some|the odd|the occasional|my|his|her) )?(?:(?:\p{Ll}+ )?(?:glass|pint|bottle|can) of )?(?:(?:red|white|cold) )?(?:alcohol|wine|beers?|cider|whisk(?:e)?y|gin|vodka|rum|cocktails?|champagne)(?: (?:with|at|on) .+)?$/iu;

/** "Tess has a glass of wine now" and "I've started drinking again" after "Tess doesn't drink". */
function guessDrinks(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied } = clause;
  const begun = /^(?:start|begin|resume)$/.test(lemma) && clause.form === "past"
    ? /^drinking ?(.*)$/iu.exec(rest)
    : null;
  const isHabit = clause.isNew && clause.form !== "past" && /^(?:drink|have|enjoy)$/.test(lemma);
  const what = begun?.[1] ?? (isHabit ? rest : undefined);
  if (
    what === undefined || isDenied || !isPerson(clause) || / (?:in (?:the|my|our|his|her|their)|left)\b/iu.test(what)
  ) {
    return [];
  }
  const bare = upTo(what).replace(/[.!]+$/u, "").trim();
  if (!ALCOHOL.test(bare) && !(bare === "" && (begun !== null || lemma === "drink"))) return [];
  return mark(clause, {
    predicates: ["drink"],
    value: "alcohol",
    outdates: ({ value, polarity }) =>
      !polarity && (value === "" || /^(?:alcohol|anything|any alcohol)\b/iu.test(value)),
  });
}

const EATS_ALL = /^(?:(normally)|everything|anything|whatever)(?: (?:i|he|she|they|we) (?:likes?|wants?))?$/iu;
/** Matches the reason or the time of a meal, which may have nothing to do with a diet. */
const ON_OCCASION = /\b(?:since|after|because|for|at|on|in|when|if|with)\b/iu;

/** "I can eat everything again": no diet is kept and nothing is avoided any more. */
function guessEatsAll(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  if (isDenied || !isNew || form === "past" || !/^(?:eat|drink|have)$/.test(lemma) || !isPerson(clause)) return [];
  const said = ON_OCCASION.test(rest) ? null : EATS_ALL.exec(rest.replace(/[.!]+$/u, ""));
  if (said === null) return [];
  const ofDiets = mark(clause, {
    predicates: ["diet", "do", "status"],
    value: "everything",
    outdates: ({ value, polarity, predicate }) => polarity && (predicate === "diet" || DIETS.test(value)),
  });
  // A person who eats normally again may still have an allergy.
  if (said[1] !== undefined) return ofDiets;
  return [
    ...ofDiets,
    ...mark(clause, {
      predicates: ["avoid", "skip", "is allergic to"],
      value: "everything",
      outdates: ({ polarity }) => polarity,
    }),
    ...mark(clause, { predicates: ["eats"], value: "everything", outdates: ({ polarity }) => !polarity }),
    ...mark(clause, {
      predicates: ["may"],
      value: "eat everything",
      outdates: ({ value, polarity }) => !polarity && /^(?:eat|have|drink) /iu.test(value),
    }),
  ];
}

/** Ways of eating that people say they "do". */
export const DIETS =
  /^(?:an? |the )?(?:(?:strict|low-carb|intermittent) )?(?:keto|paleo|atkins|whole30|fasting|low[- ]carb|[\p{L}-]+ diet|dry january|dieting|on a diet)\b/iu;

/** "I've started eating sugar again", "I'm back to eating gluten" after "I avoid sugar". */
function guessEatsAgain(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied } = clause;
  const said = `${lemma} ${upTo(rest)}`;
  const food = isDenied || (clause.form !== "past" && lemma !== "be")
    ? undefined
    : /^(?:start|begin|resume|(?:be|go) back to|return to) (?:eating|drinking|having) (.+)$/iu.exec(said)?.[1];
  if (food === undefined || !(clause.isAgain || /\bback\b|^re/iu.test(said))) return [];
  const stems = contentStems(food);
  return mark(clause, {
    predicates: ["avoid", "skip", "is allergic to"],
    value: food,
    outdates: ({ value, polarity }) =>
      polarity && (stems.some((stem) => stemsOf(value).includes(stem)) || isKindOf(food, value)),
  });
}

/** "My nut allergy has gone away" after "I can't eat nuts". */
function guessOutgrown(clause: Clause): Guessed[] {
  const owned = /^(.+)'s (\p{L}+) (?:allergy|intolerance)$/u.exec(clause.subjectText);
  const isGone = /^(?:go(?: away)?|be (?:gone|cured|over)|disappear|vanish|heal)[.!]?$/iu
    .test(`${clause.lemma} ${upTo(clause.rest)}`.trim());
  if (owned === null || clause.isDenied || !isGone) return [];
  const food = stemsOf(owned[2]!).join(" ");
  // "can't eat anything with nuts in it" is outdated; "can't eat pine nuts" may still be true.
  const isOf = (value: string) =>
    stemsOf(value.replace(/^(?:eat|have|drink) |\b(?:any|anything with|food with)\b|\bin (?:it|them)\b/giu, " "))
      .join(" ") === food;
  const subject = owned[1]!;
  return [
    ...mark(clause, {
      subject,
      predicates: ["may", "eats", "drink"],
      value: `eat ${owned[2]}`,
      outdates: ({ value, polarity }) => !polarity && isOf(value),
    }),
    ...mark(clause, {
      subject,
      predicates: ["is allergic to", "avoid"],
      value: owned[2]!,
      outdates: ({ value, polarity }) => polarity && isOf(value),
    }),
  ];
}

/** "I've become allergic to eggs", "my mother has to avoid salt now": what was eaten before is not eaten any more. */
function guessAvoided(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied } = clause;
  const said = `${lemma} ${upTo(rest)}`;
  const isNow = lemma === "become" ? clause.form === "past" : clause.isNew;
  const food = isDenied || !isNow || !isPerson(clause)
    ? undefined
    : /^(?:be|become) (?:allergic|intolerant) to (.+)$/iu.exec(said)?.[1] ??
      /^(?:be|become) (\p{L}+)[- ]intolerant\b/iu.exec(said)?.[1] ??
      /^(?:have to (?:avoid|stay off|cut out)|avoid) (?:all )?(\p{L}+)$/iu.exec(said.replace(/[.!]+$/u, ""))?.[1];
  if (food === undefined) return [];
  const stems = contentStems(food);
  const isOf = (value: string) =>
    stems.length > 0 && stems.every((stem) => stemsOf(value).includes(stem)) ||
    isKindOf(value, food) && !NO_SUCH.test(value);
  return [
    ...mark(clause, {
      predicates: ["eats", "eat", "drink"],
      value: `no ${food}`,
      outdates: ({ value, polarity }) =>
        polarity && (isOf(value) || ANYTHING.test(value)) && !/^(?:no|only)\b/iu.test(value),
    }),
    ...mark(clause, {
      predicates: ["may"],
      value: "eat anything",
      outdates: ({ value, polarity }) =>
        polarity && /^eat /iu.test(value) && (isOf(value) || /^eat (?:any|every)thing/iu.test(value)),
    }),
  ];
}

/** Guesses which older claims about diets, food and drinks a clause likely replaces. */
export function guessDiets(clause: Clause): Guessed[] {
  return [
    ...guessBegunDiet(clause),
    ...guessGivenUpKind(clause),
    ...guessDrinks(clause),
    ...guessEatsAll(clause),
    ...guessEatsAgain(clause),
    ...guessOutgrown(clause),
    ...guessAvoided(clause),
  ];
}
