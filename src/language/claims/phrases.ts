/** Compares the values of two claims as phrases. Pure. */
import { areOpposed } from "../opposites.ts";
import { excludesState } from "./states.ts";
import { contentStems, maskValues, stemsOf } from "./values.ts";

export const HEAD_END =
  / (?:in|on|at|with|from|of|to|by|for|without|since|near|behind|under|beside|next to|close to|around|named|called) /iu;

const OWN_WITH_STATE =
  /^(?:my|our|his|her|their) (?!(?:new|old|own|first|last|big|little|small|best|favou?rite) )(\p{Ll}+) (?:black|white|rare|medium|well done|raw|hot|cold|iced|warm|open|closed|clean|short|long|loose|tight|strong|weak|sweet|dry|spicy|mild|crisp|crispy|soft|firm|hard|dark|light|quiet|loud|plain|salty|brief|simple|fresh|frozen|toasted|thin|thick|\p{Ll}{3,}ed)\b/iu;

/** The stem of the noun that a phrase is about: "a red Honda Civic with a roof rack" → "civic". */
export function headOf(value: string): string {
  // "my steak rare" is about steak.
  const own = OWN_WITH_STATE.exec(value)?.[1];
  if (own !== undefined) return contentStems(own)[0] ?? "";
  // "team meetings twice a week" is about meetings.
  const often = OFTEN_AT_END.exec(value);
  if (often !== null && often.index > 0) return headOf(value.slice(0, often.index));
  // "one cat, Mimi"
  const apposed = APPOSED.exec(value)?.[1];
  if (apposed !== undefined) return headOf(apposed);
  const end = value.search(HEAD_END);
  return contentStems(end > 0 ? value.slice(0, end) : value).findLast((stem) => !/^\d/.test(stem)) ?? "";
}

const APPOSED = /^((?:an?|one|two|three|the|\d+) (?:\p{Ll}+ ){0,2}\p{Ll}+), \p{Lu}[\p{L} -]*$/u;
const OFTEN_AT_END =
  / (?:(?:once|twice|\S+ times) (?:a|per|every) \p{L}+|(?:every|each) (?:\S+ )?(?:day|morning|evening|night|week|month|year|\p{L}+day)s?|daily|weekly|monthly)\b.*$/iu;

/** Kinds of food and drink that people avoid, each with its members. */
const KINDS: readonly (readonly [RegExp, RegExp])[] = [
  [/^alcohol\b/iu, /\b(?:wine|beer|cider|whisk(?:e)?y|gin|vodka|rum|cocktails?|champagne)\b/iu],
  [/^(?:red )?meat\b/iu, /\b(?:beef|pork|chicken|steak|bacon|ham|lamb|sausages?|burgers?)\b/iu],
  [/^lactose\b/iu, /\b(?:milk|cheese|yogh?urt|butter|cream|dairy)\b/iu],
  [/^dairy\b/iu, /\b(?:milk|cheese|yogh?urt|butter|cream)\b/iu],
  [/^(?:fish|seafood)\b/iu, /\b(?:salmon|tuna|cod|sushi|shrimps?|prawns?|mussels)\b/iu],
  [/^(?:gluten|carbs|carbohydrates)\b/iu, /\b(?:bread|pasta|wheat|noodles)\b/iu],
  [/^caffeine\b/iu, /\b(?:coffee|espresso|black tea)\b/iu],
];

/** Whether a value names food or drink of a kind: "salmon" of "fish". */
export function isKindOf(value: string, kind: string): boolean {
  return KINDS.some(([name, members]) => name.test(kind) && members.test(value));
}

/**
 * Whether two phrases differ only in their object: they have the same prepositions and the same words before the first
 * of them, such as "French" and "Spanish".
 */
export function isOtherObject(a: string, b: string): boolean {
  // If both objects have an amount or a rhythm, they differ in how much or how often, and not in what.
  if (maskValues(a).values.length > 0 && maskValues(b).values.length > 0) return false;
  const form = (value: string) => value.toLowerCase().match(PREPOSITION)?.join(" ") ?? "";
  const [one, other] = [a, b].map((value) => value.replace(/^(?:at|by|to|with|from|for|in|on|of|about) /iu, ""));
  if (OWN.test(one!) !== OWN.test(other!) || COMPANY.test(one!) || COMPANY.test(other!)) return false;
  const [first, second] = [a, b].map((value) =>
    stemsOf(value.slice(0, Math.max(0, value.search(PREPOSITION)))).join(" ")
  );
  return a !== "" && b !== "" && form(a) === form(b) && first === second &&
    Math.max(a.split(" ").length, b.split(" ").length) <= 5;
}

/** Verbs that hold of several objects at a time. */
export const SEVERAL = new Set(
  "buy speak support play learn collect manage know own teach sell offer like love visit help attend take maintain accept"
    .split(" "),
);

const PREPOSITION = /\b(?:in|on|at|with|without|from|of|to|by|for|about|over|under|into|through|during|since)\b/gu;

/**
 * Whether two phrases differ in how often the same takes place: "team meetings every day at work", "team meetings twice
 * a week".
 */
export function isOtherRhythm(a: string, b: string): boolean {
  const [one, other] = [a, b].map((value) => {
    const rhythm = maskValues(value).values.find(({ kind }) => kind === "rhythm");
    return rhythm === undefined ? null : { ...rhythm, before: value.slice(0, value.indexOf(rhythm.text)) };
  });
  return one != null && other != null && one.key !== other.key && one.before.trim() !== "" &&
    stemsOf(one.before).join(" ") === stemsOf(other.before).join(" ");
}

/** Matches words for how often or how many. */
const OFTEN = /^(?:once|twice|thrice|\S+ times|every\b.*|daily|weekly|monthly|yearly)\b/iu;

/** Whether two complements of one verb answer the same question, such as where, by what means, or how often. */
export function isOtherWay(a: string, b: string): boolean {
  if (isOtherComplement(a, b) || isOtherDayTime(a, b) || (OFTEN.test(a) && OFTEN.test(b))) return true;
  const [one, other] = [MEANS.exec(a), MEANS.exec(b)];
  const isOwn = one !== null && other !== null &&
    (OWN.test(one[2]!) !== OWN.test(other[2]!) || COMPANY.test(one[2]!) || COMPANY.test(other[2]!));
  if (one !== null && other !== null && !isOwn && stemsOf(one[1]!).join(" ") === stemsOf(other[1]!).join(" ")) {
    return true;
  }
  const [x, y] = [maskValues(a), maskValues(b)];
  return x.values.length === 1 && y.values.length === 1 && x.values[0]!.kind === y.values[0]!.kind &&
    x.values[0]!.key !== y.values[0]!.key &&
    contentStems(x.frame).some((stem) =>
      !/^(?:0|dai|day|week|month|year|hour|night|minut|cup|glass|bottl|slice|piec|pint|mug|bowl|litr|gram|page)/.test(
        stem,
      ) && contentStems(y.frame).includes(stem)
    );
}

/** Matches times of the day. */
const DAY_TIME =
  / ?\b(?:in the (?:early |late )?(?:morning|afternoon|evening|night)s?|at (?:night|noon|lunch(?:time)?|midday|breakfast|dinner|bedtime)|(?:before|after|with) (?:bed|breakfast|lunch|dinner|work|school)|on (?:\p{L}+day) (?:morning|afternoon|evening|night)s|first thing(?: in the morning)?)\b.*$/iu;

function isOtherDayTime(a: string, b: string): boolean {
  const [one, other] = [DAY_TIME.exec(a), DAY_TIME.exec(b)];
  if (one === null || other === null || one[0].toLowerCase() === other[0].toLowerCase()) return false;
  return a.slice(0, one.index) !== "" &&
    stemsOf(a.slice(0, one.index)).join(" ") === stemsOf(b.slice(0, other.index)).join(" ");
}

const MEANS = /^(.*?)\b(?:with|without|by|via|through|using|over|in|on) (.+)$/iu;

/** Matches passing states that the list of states does not contain; `FINAL` matches states that follow them. */
const PENDING =
  /^(?:being \p{L}+|under (?!the)\p{L}+|in (?:\p{L}+ )?(?:mode|negotiations?|talks|progress|preparation|planning|testing|transit|plaster|surgery|development|production|treatment|labou?r|debate|dispute)|out of \p{L}+|waiting|awaiting|pending|unfinished|incomplete|unresolved|for sale|for rent|on (?:strike|ice|sale|trial|loan|hold|the market)|up for \p{L}+|\p{L}+ing\b|not yet|broken|ongoing|open|unsigned|unpaid|empty|(?:an? |in )?draft\b|blocked|delayed|planned|scheduled|overdue|outstanding|expected|undecided|in (?:the )?\p{L}+ (?:phase|stage))/iu;
const FINAL =
  /^(?:back(?: up| online| to normal)?|finished|done|completed?|over|settled|signed|sold|closed|resolved|approved|rejected|published|recovered|working|fixed|repaired|ready|fully \p{L}+|cancelled|restored|cleared|generally available|in service|available|full|charged|awake|up|online|live|running|thawed|released|out(?! of)|submitted|handed in|filed|launched|delivered|accepted|granted|in (?:production|use|operation|service))\b/iu;

/** Whether two statuses cannot hold at the same time. A status may be limited to a scope: "closed: on Mondays". */
export function excludesStatus(a: string, b: string): boolean {
  const [[stateA, scopeA = ""], [stateB, scopeB = ""]] = [a.split(": "), b.split(": ")] as [string[], string[]];
  if (scopeA !== scopeB && scopeA !== "") return false;
  if (excludesState(stateA!, stateB!)) return true;
  const [wordsA, wordsB] = [contentStems(stateA!), contentStems(stateB!)];
  if (wordsA.some((one) => wordsB.some((other) => isNegated(one, other) || isNegated(other, one)))) return true;
  return (FINAL.test(stateA!) && PENDING.test(stateB!) && !FINAL.test(stateB!)) ||
    wordsA.some((one) => wordsB.some((other) => areOpposed(one, other)));
}

/** "unstable" and "stable" */
function isNegated(word: string, other: string): boolean {
  return other.length > 2 && /^(?:un|in|im|ir|dis|non|non-|de)$/.test(word.slice(0, -other.length)) &&
    word.endsWith(other);
}

/** Whether a value looks like a name or a number. */
export function isProper(value: string): boolean {
  return /[\p{Lu}\p{N}@#_]/u.test(value);
}

/** Matches words about how a number was reached. The comparison of numbers ignores them. */
const AT_ONCE =
  / (?:in a row|at a time|at once|in one go|without (?:stopping|a break|resting)|in total|altogether|on average)\b/iu;

/** Whether two phrases say the same with other numbers or times. */
export function differsInNumbers(a: string, b: string): boolean {
  const [one, other] = [maskValues(a.replace(AT_ONCE, "")), maskValues(b.replace(AT_ONCE, ""))];
  return one.values.length > 0 && one.frame === other.frame && one.values.length === other.values.length &&
    one.values.some(({ kind, key }, i) => kind === other.values[i]!.kind && key !== other.values[i]!.key);
}

const COMPLEMENT = /^(.*?)\b(at|by|to|with|from|for|in|on|over|via|through|as) (.+)$/iu;

/** "cooks with gas", "cooks with friends" */
const COMPANY = /^(?:friends?|family|colleagues?|kids?|children|others?|people|ease|joy|care|pleasure)\b/iu;
/** "with Photoshop", "with her left hand" */
const OWN = /^(?:my|his|her|their|our) /iu;

/** Whether two phrases differ only in what follows the same preposition: "trains at Gold's" and "trains at Fit24". */
export function isOtherComplement(a: string, b: string): boolean {
  const [one, other] = [COMPLEMENT.exec(a), COMPLEMENT.exec(b)];
  if (one === null || other === null) return false;
  if (OWN.test(one[3]!) !== OWN.test(other[3]!) || [one, other].some((found) => COMPANY.test(found[3]!))) return false;
  return one[2]!.toLowerCase() === other[2]!.toLowerCase() &&
    stemsOf(one[1]!).join(" ") === stemsOf(other[1]!).join(" ");
}
