/** How the values of two claims differ, as phrases. Pure. */
import { areOpposed } from "../opposites.ts";
import { excludesState } from "./states.ts";
import { contentStems, maskValues, stemsOf } from "./values.ts";

export const HEAD_END = / (?:in|on|at|with|from|of|to|by|for|without|since|named|called) /iu;

const OWN_WITH_STATE =
  /^(?:my|our|his|her|their) (?!(?:new|old|own|first|last|big|little|small|best|favou?rite) )(\p{Ll}+) (?:black|white|rare|medium|well done|raw|hot|cold|iced|warm|open|closed|clean|short|long|loose|tight|strong|weak|sweet|dry|spicy|mild|crisp|crispy|soft|firm|hard|dark|light|quiet|loud|plain|salty|brief|simple|fresh|frozen|toasted|thin|thick)\b/iu;

/** The stem of the noun that a phrase is about: "a red Honda Civic with a roof rack" → "civic". */
export function headOf(value: string): string {
  // "my steak rare" is about steak.
  const own = OWN_WITH_STATE.exec(value)?.[1];
  if (own !== undefined) return contentStems(own)[0] ?? "";
  const end = value.search(HEAD_END);
  return contentStems(end > 0 ? value.slice(0, end) : value).findLast((stem) => !/^\d/.test(stem)) ?? "";
}

/** Kinds of food and drink that people avoid, with what belongs to each. */
const KINDS: readonly (readonly [RegExp, RegExp])[] = [
  [/^alcohol\b/iu, /\b(?:wine|beer|cider|whisk(?:e)?y|gin|vodka|rum|cocktails?|champagne)\b/iu],
  [/^(?:red )?meat\b/iu, /\b(?:beef|pork|chicken|steak|bacon|ham|lamb|sausages?|burgers?)\b/iu],
  [/^dairy\b/iu, /\b(?:milk|cheese|yogh?urt|butter|cream)\b/iu],
  [/^(?:fish|seafood)\b/iu, /\b(?:salmon|tuna|cod|sushi|shrimps?|prawns?|mussels)\b/iu],
  [/^(?:gluten|carbs|carbohydrates)\b/iu, /\b(?:bread|pasta|wheat|noodles)\b/iu],
  [/^caffeine\b/iu, /\b(?:coffee|espresso|black tea)\b/iu],
];

export function isKindOf(value: string, kind: string): boolean {
  return KINDS.some(([name, members]) => name.test(kind) && members.test(value));
}

/**
 * Whether two phrases differ only in their object: they have the same prepositions and the same words before the first
 * of them, such as "French" and "Spanish".
 */
export function isOtherObject(a: string, b: string): boolean {
  const form = (value: string) => value.toLowerCase().match(PREPOSITION)?.join(" ") ?? "";
  const [first, second] = [a, b].map((value) =>
    stemsOf(value.slice(0, Math.max(0, value.search(PREPOSITION)))).join(" ")
  );
  return a !== "" && b !== "" && form(a) === form(b) && first === second &&
    Math.max(a.split(" ").length, b.split(" ").length) <= 5;
}

/** Verbs that hold of several objects at a time. */
export const SEVERAL = new Set(
  "speak support play learn collect manage know own teach sell offer like love visit help attend take maintain accept"
    .split(" "),
);

const PREPOSITION = /\b(?:in|on|at|with|without|from|of|to|by|for|about|over|under|into|through|during|since)\b/gu;

/** How often, or how many. */
const OFTEN = /^(?:once|twice|thrice|\S+ times|every\b.*|daily|weekly|monthly|yearly)\b/iu;

/** Whether two complements of one verb answer the same question, such as where, by what means, or how often. */
export function isOtherWay(a: string, b: string): boolean {
  if (isOtherComplement(a, b) || (OFTEN.test(a) && OFTEN.test(b))) return true;
  const [one, other] = [MEANS.exec(a), MEANS.exec(b)];
  if (one !== null && other !== null && stemsOf(one[1]!).join(" ") === stemsOf(other[1]!).join(" ")) return true;
  const [x, y] = [maskValues(a), maskValues(b)];
  return x.values.length === 1 && y.values.length === 1 && x.values[0]!.kind === y.values[0]!.kind &&
    x.values[0]!.key !== y.values[0]!.key &&
    contentStems(x.frame).some((stem) =>
      !/^(?:0|dai|day|week|month|year|hour|night)/.test(stem) && contentStems(y.frame).includes(stem)
    );
}

const MEANS = /^(.*?)\b(?:with|without|by|via|through|using|over|in|on) (.+)$/iu;

/** States that pass, and states that follow them, in words that the list of states does not have. */
const PENDING =
  /^(?:being \p{L}+|under (?!the)\p{L}+|in (?:\p{L}+ )?(?:mode|negotiations?|talks|progress|preparation|planning|testing|transit|plaster|surgery|development|production|treatment|labou?r|debate|dispute)|out of \p{L}+|waiting|awaiting|pending|unfinished|incomplete|unresolved|for sale|for rent|on (?:strike|ice|sale|trial|loan|hold|the market)|up for \p{L}+|\p{L}+ing\b|not yet|broken|ongoing|open|unsigned|unpaid|empty)/iu;
const FINAL =
  /^(?:back(?: up| online| to normal)?|finished|done|completed?|over|settled|signed|sold|closed|resolved|approved|rejected|published|recovered|working|fixed|repaired|ready|fully \p{L}+|cancelled|restored|cleared|generally available|in service|available|full|awake)\b/iu;

export function excludesStatus(a: string, b: string): boolean {
  const [[stateA, scopeA = ""], [stateB, scopeB = ""]] = [a.split(": "), b.split(": ")] as [string[], string[]];
  if (scopeA !== scopeB && scopeA !== "") return false;
  if (excludesState(stateA!, stateB!)) return true;
  const [wordsA, wordsB] = [contentStems(stateA!), contentStems(stateB!)];
  return (FINAL.test(stateA!) && PENDING.test(stateB!) && !FINAL.test(stateB!)) ||
    wordsA.some((one) => wordsB.some((other) => areOpposed(one, other)));
}

export function isProper(value: string): boolean {
  return /[\p{Lu}\p{N}@#_]/u.test(value);
}

/** Whether two phrases say the same with other numbers or times. */
export function differsInNumbers(a: string, b: string): boolean {
  const [one, other] = [maskValues(a), maskValues(b)];
  return one.values.length > 0 && one.frame === other.frame && one.values.length === other.values.length &&
    one.values.some(({ kind, key }, i) => kind === other.values[i]!.kind && key !== other.values[i]!.key);
}

const COMPLEMENT = /^(.*?)\b(at|by|to|with|from|for|in|on|over|via|through|as) (.+)$/iu;

export function isOtherComplement(a: string, b: string): boolean {
  const [one, other] = [COMPLEMENT.exec(a), COMPLEMENT.exec(b)];
  if (one === null || other === null) return false;
  return one[2]!.toLowerCase() === other[2]!.toLowerCase() &&
    stemsOf(one[1]!).join(" ") === stemsOf(other[1]!).join(" ");
}
