/** Guesses about counts and records of the same thing in different words. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { readCount } from "./counts.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { headOf, OBJECT_SPAN } from "./phrases.ts";
import { maskValues, stemsOf } from "./values.ts";

const RECORD = /\b(?:personal (?:best|record)|best time|record time|record|best|PB|PR)\b/iu;
const RECORDS = ["personal best", "personal record", "best", "record", "PB", "best time"];

/** "My record in the deadlift is 135 kilos now" after "my personal best in the deadlift is 120 kilos". */
function guessRecord(clause: Clause): Guessed[] {
  const { lemma, rest, subjectText } = clause;
  const said = RECORD.exec(subjectText);
  const value = maskValues(rest).values[0];
  if (said === null || lemma !== "be" || !clause.isNew || value === undefined) return [];
  return [...RECORDS, "fastest", "longest"].filter((name) => name !== said[0].toLowerCase()).flatMap((name) =>
    mark(clause, {
      subject: subjectText.replace(said[0], name),
      predicates: ["is", ...(name.endsWith("est") && name !== "personal best" && name !== "best" ? ["happens"] : [])],
      value: rest,
      outdates: (older) => {
        const old = maskValues(older.value).values[0];
        return older.polarity && old !== undefined && old.kind === value.kind && old.key !== value.key;
      },
    })
  );
}

/** The verb for having finished something of a kind: read for books, watched for films. */
const FINISHED: readonly (readonly [RegExp, string])[] = [
  [/^(?:book|novel|memoir)/u, "has read"],
  [/^(?:film|movi|episod|seri|show)/u, "has watched"],
];
/** "of the year" and "in 2026" limit a count to the same time. */
const OF_YEAR = /\b(?:of the year|this year|in (?:19|20)\d\d|for (?:19|20)\d\d)\b/giu;

/** "I finished my 22nd book of the year" after "I've read 14 books this year". */
function guessFinished(clause: Clause): Guessed[] {
  const { lemma, rest, form } = clause;
  if (form !== "past" || !/^(?:finish|complete|read|watch|see)$/.test(lemma)) return [];
  const isOfYear = rest.search(OF_YEAR) !== -1;
  const count = readCount(upTo(rest.replace(OF_YEAR, " ")).split(",")[0]!);
  const reads = FINISHED.find(([thing]) => thing.test(count?.things[0] ?? ""))?.[1];
  if (count === null || reads === undefined) return [];
  return mark(clause, {
    predicates: [reads, "has finished"],
    value: rest,
    outdates: (older: Claim) => {
      const old = readCount(older.value.replace(OF_YEAR, " "));
      return older.polarity && old !== null && old.number < count.number &&
        (older.value.search(OF_YEAR) !== -1) === isOfYear &&
        old.things.join(" ") === count.things.join(" ");
    },
  });
}

/** "We adopted a second cat" after "we have one cat". */
export function guessSecond(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, modal } = clause;
  if (isDenied || modal !== null || form !== "past" || !/^(?:get|buy|adopt)$/.test(lemma)) return [];
  const thing =
    /^(?:an?other|a second|in a second) (\p{L}+)(?=[.,;!]|$| (?:last|this|yesterday|today|now|in|on|from|and|named|called|so|because|at)\b)/iu
      .exec(rest)?.[1];
  if (thing === undefined) return [];
  return mark(clause, {
    predicates: ["has"],
    value: `two ${thing}`,
    outdates: ({ value, polarity }) =>
      polarity && /^(?:only |just )?(?:one|1|a single) /iu.test(value) &&
      headOf(value.split(",")[0]!) === headOf(thing),
  });
}

/** "I practise guitar for an hour a day now" after "for 20 minutes a day". */
function guessSpanOf(clause: Clause): Guessed[] {
  const { lemma, rest, form, isPassive, isNew } = clause;
  if (!isNew || isPassive || form === "past" || lemma === "be") return [];
  const said = OBJECT_SPAN.exec(upTo(rest));
  if (said === null) return [];
  return mark(clause, {
    predicates: [lemma],
    value: rest,
    outdates: ({ value, polarity }) => {
      const old = OBJECT_SPAN.exec(value);
      return polarity && old !== null && stemsOf(old[1]!).join(" ") === stemsOf(said[1]!).join(" ") &&
        old[3]!.toLowerCase() === said[3]!.toLowerCase() &&
        stemsOf(old[4]!).join(" ") === stemsOf(said[4]!).join(" ") &&
        stemsOf(old[2]!).join(" ") !== stemsOf(said[2]!).join(" ");
    },
  });
}

/** Guesses which counts, records and durations a newer statement replaces. */
export function guessRecords(clause: Clause): Guessed[] {
  if (clause.isDenied || clause.isProgressive || clause.modal !== null) return [];
  return [...guessRecord(clause), ...guessFinished(clause), ...guessSpanOf(clause)];
}
