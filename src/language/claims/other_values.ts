/** Whether a newer claim gives another time, another number or another preference than an older one. */
import type { Claim } from "./claim.ts";
import { isOtherSpan } from "./counts.ts";
import { headOf, isProper } from "./phrases.ts";
import { contentStems, isSameValue, maskOf, maskValues, withoutDottedTimes } from "./values.ts";

export function isOtherTime(newer: Claim, older: Claim): boolean {
  const [a, b] = [maskValues(newer.value).values, maskValues(older.value).values];
  if (newer.change === "rescheduled") {
    return a.length > 0 && b.length > 0 || bareClock(newer, older);
  }
  const shared = a.filter((one) => b.some((other) => other.kind === one.kind));
  return shared.length > 0 || bareClock(newer, older);
}

function bareClock(newer: Claim, older: Claim): boolean {
  return [newer, older].every(({ value }) => /^\d{1,2}(?:[:.]\d\d)?(?: ?(?:am|pm))?$/iu.test(value));
}

type Said = ReturnType<typeof maskValues> & { readonly said: string };

/**
 * Whether the newer value is another value of the same kind; numbers must have the same unit.
 */
export function isOtherValue(newer: Claim, older: Claim): boolean {
  const [a, b] = [newer.value, older.value].map((said) => ({ said, ...withoutDottedTimes(maskValues(said)) })) as [
    Said,
    Said,
  ];
  const isNumber = (masked: typeof a) =>
    masked.values.length > 0 && masked.frame.startsWith("0") && !/^\d+\p{L}? \p{Lu}\p{Ll}/u.test(masked.said);
  if (isOtherSpan(a.said, b.said)) return true;
  if (a.said.toLowerCase() === b.said.toLowerCase()) return false;
  if (isNumber(a) !== isNumber(b)) return false;
  if (!isNumber(a)) {
    return isProper(newer.value) === isProper(older.value) || newer.respect === "preference" ||
      (newer.change !== null && [newer, older].some(({ value }) => /[\p{N}@#_]/u.test(value)));
  }
  if (/\b(?:best|record)\b/u.test(newer.subjectKey)) {
    return a.values[0]!.key !== b.values[0]!.key && unitsOf(a.frame).isSubsetOf(unitsOf(b.frame));
  }
  const isBare = [a, b].some(({ frame, values }) => frame === maskOf(values[0]!.kind));
  return a.values[0]!.kind === b.values[0]!.kind && (a.frame === b.frame || (newer.change !== null && isBare));
}

/** The unit of a record ("pull-ups" of "12 pull-ups"), so that two records compare only in one unit; a time has none. */
function unitsOf(frame: string): Set<string> {
  return new Set(contentStems(frame).filter((stem) => !/^(?:0|second|minut|hour|hr|min|sec|now)/u.test(stem)));
}

export function isOtherPreference(a: string, b: string): boolean {
  const [betterA, worseA] = a.split(/ over /u), [betterB, worseB] = b.split(/ over /u);
  if (worseA !== undefined && worseB !== undefined) {
    return isSameValue(betterA!, worseB) && isSameValue(worseA, betterB!);
  }
  if (worseA !== undefined) return isSameValue(worseA, b);
  if (worseB !== undefined) return isSameValue(worseB, a);
  return headOf(a) === headOf(b) && !isSameValue(a, b);
}
