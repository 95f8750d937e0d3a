/** Rules for claims as rows: what a row matches, what it claims, and sentences that show both. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";

/** A rule: it reads a clause whose verb, form and text fit, and says what the clause claims. */
export interface Row {
  /** What the row reads, in a few words. The names of all rows differ. */
  readonly name: string;
  /** The verbs after which the row applies, between blanks; absent: any verb. */
  readonly verbs?: string;
  /** The forms that the clause must have, between blanks: names of `FORMS`. */
  readonly is?: string;
  readonly when?: (clause: Clause) => boolean;
  /** `match` must match the text after the verb; `head` the same text, cut off at the next clause, reason or purpose. */
  readonly match?: RegExp;
  readonly head?: RegExp;
  /** The row errs more often than once in ten times on what people write, so its claims are unsure unless their words are certain. */
  readonly isLoose?: boolean;
  /** The claims, of which an empty list says that the clause claims nothing; null: the row does not apply. */
  readonly claims: (clause: Clause, found: RegExpExecArray) => readonly Claim[] | null;
  /**
   * Sentences that the row reads, each with its claims: "I live in Oslo. → user lives in Oslo". Words in braces, such as
   * "{live|stay}", stand for a sentence each; "$1" in the claims is the word of the first pair of braces.
   */
  readonly says: readonly string[];
  /** Sentences that the row leaves alone; braces stand for a sentence each. */
  readonly saysNot?: readonly string[];
}

const FORMS: Readonly<Record<string, (clause: Clause) => boolean>> = {
  past: ({ form }) => form === "past",
  present: ({ form }) => form !== "past",
  active: ({ isPassive }) => !isPassive,
  passive: ({ isPassive }) => isPassive,
  ongoing: ({ isProgressive }) => isProgressive,
  settled: ({ isProgressive }) => !isProgressive,
  affirmed: ({ isDenied }) => !isDenied,
  denied: ({ isDenied }) => isDenied,
  plain: ({ modal }) => modal === null,
  perfect: ({ isPerfect }) => isPerfect,
};

/** Rows that share conditions. */
export function rowsWith(common: Pick<Row, "is" | "when">, rows: readonly Row[]): Row[] {
  return rows.map((row) => ({
    ...row,
    is: [common.is, row.is].filter(Boolean).join(" "),
    when: (clause) => common.when?.(clause) !== false && row.when?.(clause) !== false,
  }));
}

/** What a row read in a clause. */
export interface ClauseReading {
  readonly row: Row;
  readonly claims: readonly Claim[];
}

interface Prepared {
  readonly row: Row;
  readonly forms: readonly ((clause: Clause) => boolean)[];
}

/** A reader of clauses: the first of its rows that applies decides. */
export type ClauseReader = (clause: Clause) => ClauseReading | null;

/**
 * Makes a reader of rows.
 * @throws RangeError if a row names a form that there is not
 */
export function readerOf(rows: readonly Row[]): ClauseReader {
  const byVerb = new Map<string, Prepared[]>();
  const ofAny: Prepared[] = [];
  const verbs = new Set(rows.flatMap((row) => row.verbs?.split(" ") ?? []));
  for (const verb of verbs) byVerb.set(verb, []);
  for (const row of rows) {
    const prepared = { row, forms: row.is?.split(" ").filter(Boolean).map(formOf) ?? [] };
    for (const verb of row.verbs?.split(" ") ?? verbs) byVerb.get(verb)!.push(prepared);
    if (row.verbs === undefined) ofAny.push(prepared);
  }
  return (clause) => {
    for (const { row, forms } of byVerb.get(clause.lemma) ?? ofAny) {
      const claims = forms.every((form) => form(clause)) ? readRow(row, clause) : null;
      if (claims !== null) return { row, claims };
    }
    return null;
  };
}

function formOf(name: string): (clause: Clause) => boolean {
  const form = FORMS[name];
  if (form === undefined) throw new RangeError(`No form of a clause is called ${name}`);
  return form;
}

const WHOLE = /^/u.exec("")!;

function readRow(row: Row, clause: Clause): readonly Claim[] | null {
  if (row.when?.(clause) === false) return null;
  const found = row.match?.exec(clause.rest) ?? row.head?.exec(upTo(clause.rest)) ??
    (row.match === undefined && row.head === undefined ? WHOLE : null);
  return found === null ? null : row.claims(clause, found);
}
