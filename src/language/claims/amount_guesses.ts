/** Guesses about amounts: one statement gives the amount for a thing, the other one for the owner of the thing. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { headOf } from "./phrases.ts";
import { firstValue, maskValues, stemsOf, type TypedValue } from "./values.ts";
import { lemmaOfIng } from "./verbs.ts";

/** Verbs for what somebody does with a thing that has an amount. */
const OF_OWNER =
  "has owe pay spend earn make charge get use run save weigh manage drink eat own collect play do go practise practice take attend train see visit call water wash write read sell raise need walk study work publish send post host meet"
    .split(" ");
/** Verbs that give an amount for the thing itself. */
const OF_THING = ["is", "has", "get", "cost", "happens", "sell", "last"];
const OWNED =
  /\b(?:my|our) ((?:[\p{L}-]+ ){0,3}?[\p{L}-]+?)(?= (?:in|on|at|to|from|by|for|with|of|every|each|once|twice|down|up|is|are|has|have|\d|[$€£])|[.,!;]|$)/gu;

/** A value with its unit: what a number counts; for a rhythm, a sum of money or a share only the kind of value. */
interface Amount {
  readonly key: string;
  readonly unit: string;
}

function amountIn(text: string): Amount | null {
  const often = /\b(?:every|each) (?:other |second )?(?:\p{L}+day)\b/iu.exec(text)?.[0];
  if (often !== undefined) return { key: often.toLowerCase(), unit: "rhythm" };
  const value = firstValue(text);
  if (value === undefined || value.kind === "day" || value.kind === "clock") return null;
  return { key: value.key, unit: unitOf(value, text) };
}

function unitOf({ kind, text: said }: TypedValue, text: string): string {
  if (kind !== "number") return kind;
  return stemsOf(text.slice(text.indexOf(said) + said.length)).find((stem) => !/^\d/u.test(stem)) ?? "";
}

/** "My student loan is down to 7,000 euros" after "I owe 9,000 euros on my student loan". */
export function guessAmount(clause: Clause): Guessed[] {
  const { subjectText, rest, isDenied, isPassive, isPerfect } = clause;
  const isChanged = clause.isNew || /\b(?:down|up|back) (?:on .+ )?to\b/iu.test(rest) ||
    (clause.form === "past" && CHANGES.test(clause.lemma)) || /\braise to\b/iu.test(rest);
  if (isDenied || !isChanged || (isPassive && !isPerfect && !CHANGES.test(clause.lemma))) return [];
  const said = upTo(rest);
  const amount = amountIn(said);
  // "went up to 950 euros for the parking space" is about a part.
  if (amount === null || / for (?:the|my|our|his|her|their|an?) (?!(?:month|week|year)\b)/iu.test(said)) return [];
  const isOther = (value: string) => {
    const before = amountIn(value);
    return before !== null && before.unit === amount.unit && before.key !== amount.key;
  };
  const owned = /^(.+?)'s (.+)$/u.exec(subjectText);
  // "My boss gave me a raise to 19 dollars an hour"
  const raise = /^(me )?an? (?:pay )?(?:raise|rise) to /iu.exec(said);
  // Each job has its own pay.
  if (/\b(?:side|other|second|weekend|evening|part-time|new)\b/iu.test(subjectText)) return [];
  if (raise !== null && clause.form === "past") {
    return mark(clause, {
      subject: raise[1] === undefined ? subjectText : clause.speaker,
      predicates: ["earn", "make", "get"],
      value: said,
      outdates: ({ value, polarity }) => polarity && isOther(value),
    });
  }
  // "My collection of pens has grown to 26"
  const collection = /^(.+?)'s collection of (.+)$/u.exec(subjectText);
  if (collection !== null) {
    return mark(clause, {
      subject: collection[1]!,
      predicates: ["has"],
      value: `${amount.key} ${collection[2]}`,
      outdates: ({ value, polarity }) => {
        const before = amountIn(value);
        return polarity && before !== null && before.key !== amount.key;
      },
    });
  }
  const things = [
    ...(owned === null ? [] : [{ owner: owned[1]!, thing: owned[2]! }]),
    ...[...said.matchAll(OWNED)].map((match) => ({ owner: subjectText, thing: match[1]! })),
  ];
  return things.flatMap(({ owner, thing }) => {
    const stems = stemsFor(thing);
    if (stems.length === 0) return [];
    const ofOwner = ({ value, polarity, isAddition }: Claim) =>
      polarity && !isAddition && isOther(value) && stems.every((stem) => stemsOf(value).includes(stem));
    const verb = /^(?:.* )?(\p{L}+ing)$/u.exec(thing)?.[1];
    return [
      ...mark(clause, {
        subject: owner,
        predicates: new Set([...OF_OWNER, ...(verb === undefined ? [] : [lemmaOfIng(verb)])]),
        value: said,
        outdates: ofOwner,
      }),
      ...(owned === null
        ? mark(clause, {
          subject: `${owner}'s ${thing}`,
          predicates: OF_THING,
          value: said,
          outdates: ({ value, polarity }) => polarity && isOther(value),
        })
        : []),
    ];
  });
}

const CHANGES =
  /^(?:raise|increase|lower|reduce|cut|drop|rise|fall|climb|grow|shrink|go|double|halve|improve|boost|reach|pass|hit|bring|get)$/;

/** The words of a thing that an older statement must have: "lunch spending" is what somebody spends on lunch. */
function stemsFor(thing: string): string[] {
  const bare = thing.replace(
    /\b(?:new|total|whole|entire|current|own|spending|savings?|usage|consumption|intake)\b/giu,
    " ",
  );
  const stems = stemsOf(maskValues(bare).frame).filter((stem) => !/^0/u.test(stem));
  return stems.length > 0 && headOf(thing) !== "" ? [...stems] : [];
}
