/**
 * Knocks out rules for claims: a row, a verb of a row, or one alternative of a pattern. A rule that no example of a row
 * needs is held by nothing.
 */
import { type Example, expand, tell } from "../../src/language/claims/_examples.ts";
import { READINGS } from "../../src/language/claims/_readings.ts";
import { TABLES } from "../../src/language/claims/_tables.ts";
import { DURATIONS } from "../../src/language/claims/count_rules.ts";
import { listReadings, readClaims, type Readers, readersOf, ROWS } from "../../src/language/claims/read.ts";
import type { Row } from "../../src/language/claims/row.ts";

export interface Rule {
  readonly name: string;
  /** Of an alternative: its text, its pattern, and the source of the pattern without it. */
  readonly alternative?: string;
  readonly pattern?: RegExp;
  readonly source?: string;
  /** Reads the examples without the rule; the name of the row whose example fails, with the sentence; null: none fails. */
  readonly knockOut: () => string | null;
}

const ALL: readonly Row[] = [...ROWS, ...DURATIONS];
const FOLDER = new URL("../../src/language/claims/", import.meta.url);

/** An example of a row, or of what stands before the rows. */
interface Case {
  readonly name: string;
  /** What else than a row reads the sentence. */
  readonly read?: (text: string) => string;
  readonly row: Row | null;
  readonly example: Example;
  readonly isRead: boolean;
}

const CASES: Case[] = ALL.flatMap((row) => [
  ...row.says.flatMap(expand).map((example) => ({ name: row.name, row, example, isRead: true })),
  ...(row.saysNot ?? []).flatMap(expand).map((example) => ({ name: row.name, row, example, isRead: false })),
]);
for (const [name, examples] of Object.entries(READINGS)) {
  for (const example of examples.flatMap(expand)) CASES.push({ name, row: null, example, isRead: true });
}

for (const { name, read, says } of TABLES) {
  for (const example of says.flatMap(expand)) CASES.push({ name, read, row: null, example, isRead: true });
}

/** Whether a case still holds with some readers. */
function holds({ row, read, example, isRead }: Case, readers?: Readers): boolean {
  try {
    if (read !== undefined) return read(example.sentence) === example.told;
    if (row === null) return tell(readClaims(example.sentence)) === example.told;
    const reading = [...listReadings(example.sentence, undefined, readers)].find((one) => one.row.name === row.name);
    return isRead ? reading !== undefined && tell(reading.claims) === example.told : reading === undefined;
  } catch {
    return false;
  }
}

function failing(cases: Iterable<Case>, readers?: Readers): string | null {
  for (const one of cases) {
    if (!holds(one, readers)) return `"${one.name}" fails: ${one.example.sentence}`;
  }
  return null;
}

/** Lists the rows and their verbs. */
export function listRows(): Rule[] {
  return ALL.flatMap((row) => {
    const own = CASES.filter((one) => one.row === row);
    const without = (changed: Row | null) => () =>
      failing(own, readersOf((rows) => rows.flatMap((one) => one.name !== row.name ? [one] : changed ?? [])));
    const verbs = row.verbs?.split(" ") ?? [];
    return [
      { name: `the row "${row.name}"`, knockOut: without(null) },
      ...(verbs.length < 2 ? [] : verbs.map((verb) => ({
        name: `"${verb}" of the row "${row.name}"`,
        knockOut: without({ ...row, verbs: verbs.filter((one) => one !== verb).join(" ") }),
      }))),
    ];
  });
}

interface Seen {
  readonly pattern: RegExp;
  /** The cases in which the pattern was asked about a text. */
  readonly texts: Map<string, Set<Case>>;
}

const exec = RegExp.prototype.exec;
/** The pattern that takes the place of another one, by the key of that one. */
let changed: { readonly key: string; readonly source: string } | null = null;

function keyOf({ source, flags }: RegExp): string {
  return `${source}/${flags.replace("y", "")}`;
}

/** Lists the alternatives of all patterns that stand in the files of the rules. */
export async function listAlternatives(): Promise<Rule[]> {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) => !/^_|_test\.ts$/.test(name));
  const texts = await Promise.all(files.map((name) => Deno.readTextFile(new URL(name, FOLDER))));
  const seen = watch();
  return [...seen].flatMap(([key, { pattern, texts: asked }]) => {
    const file = files.find((_, i) => texts[i]!.includes(`/${pattern.source}/`));
    if (file === undefined) return [];
    return withoutEach(pattern.source).map(({ source, alternative }) => ({
      name: `${file}: "${alternative}" of /${pattern.source.slice(0, 60)}/`,
      alternative,
      pattern,
      source,
      knockOut: () => {
        const other = new RegExp(source, pattern.flags.replace("y", ""));
        const whole = new RegExp(pattern.source, pattern.flags.replace("y", ""));
        const touched = new Set<Case>();
        for (const [text, cases] of asked) {
          if (!isSame(whole, other, text)) { for (const one of cases) touched.add(one); }
        }
        return withPattern({ key, source }, () => failing(touched));
      },
    }));
  });
}

function isSame(one: RegExp, other: RegExp, text: string): boolean {
  one.lastIndex = other.lastIndex = 0;
  const [a, b] = [exec.call(one, text), exec.call(other, text)];
  return a === null || b === null
    ? a === b
    : a.index === b.index && a.length === b.length && a.every((part, i) => part === b[i]);
}

/** Reads all examples, and notes which patterns are asked about which texts. */
function watch(): Map<string, Seen> {
  const seen = new Map<string, Seen>();
  let current: Case | null = null;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const key = keyOf(this);
    const known = seen.get(key) ?? { pattern: this, texts: new Map<string, Set<Case>>() };
    seen.set(key, known);
    const cases = known.texts.get(text) ?? new Set();
    known.texts.set(text, cases.add(current!));
    return exec.call(this, text);
  };
  try {
    for (current of CASES) holds(current);
  } finally {
    RegExp.prototype.exec = exec;
  }
  return seen;
}

function withPattern<T>(other: { readonly key: string; readonly source: string }, run: () => T): T {
  changed = other;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    if (changed === null || keyOf(this) !== changed.key) return exec.call(this, text);
    const pattern = new RegExp(changed.source, this.flags);
    pattern.lastIndex = this.lastIndex;
    const found = exec.call(pattern, text);
    this.lastIndex = pattern.lastIndex;
    return found;
  };
  try {
    return run();
  } finally {
    changed = null;
    RegExp.prototype.exec = exec;
  }
}

/**
 * Words of which a language has few, and that stand for each other: they are knocked out together, since a list of
 * them that lacks one would be a mistake, and an example for each would say the same again.
 */
export const CLASSES: readonly RegExp[] = [
  // Determiners, pronouns and forms of "be", "have" and "do".
  /^(?:my|our|your|his|her|their|its|the|an\??|a|the user's|all|any|this|that|these|those) ?$/,
  /^(?:i|me|we|you|he|she|they|it|him|them|us)$/,
  /^(?:my|him|her|them|our)sel(?:f|ves)$/,
  /^(?:am|is|are|was|were|been|be|has|have|had|does|do|did)$/,
  // Prepositions, conjunctions, and words before a number that is not exact.
  /^ ?(?:in|on|at|to|for|from|with|by|of|over|under|via|through|inside|outside|near|into|until|till|as|using) ?$/,
  /^(?:,|;)? ?(?:and|but|so|or|then|because|since|although|though|so that|which|who|where|when|while|after|before|yet) ?$/,
  /^(?:about|around|over|nearly|almost|roughly|only|just|already|exactly|up to|more than|at least) ?$/,
  /^(?:now|still|again|only|just|also|both|already|back|forward|up|down|out|off|away|over|early|late)(?: |\\b)?$/,
  // Times.
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/,
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)(?:day)?$/,
  /^(?:spring|summer|autumn|winter|fall)$/,
  /^(?:morning|afternoon|evening|night|noon|midnight|yesterday|today|tonight)s?\??$/,
  /^(?:second|minute|hour|day|night|week|weekend|month|quarter|year|decade|term|season|semester)s?\??$/,
  /^(?:this|next|last|the|each|every|most|latest|recent|new) ?$/,
  /^(?:from|since|as of|starting|beginning|effective)$/,
  // Numbers.
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d\+?|19|20)$/,
  /^(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|st|nd|rd|th|\\d\+\(\?:st\|nd\|rd\|th\)|\\p\{L\}\+\(\?:st\|nd\|rd\|th\))$/,
  /^(?:hundred|thousand|million|billion|k|m)$/,
  // The ends of words, sentences and numbers.
  /^(?:e|s|es|ed|d|ing|y|ies|ied|ying|es\?)$/,
  /^(?:\$|\^|\\s|\\b|\\s\+|\[[^\]]+\]\??\$?|\[[^\]]+\]\(\?:\\s\|\$\)|\\\.\(\?:\\s\|\$\)|:|,\\s)$/,
];

/** The source of a pattern without each of the alternatives of its groups in turn. */
function withoutEach(source: string): { readonly source: string; readonly alternative: string }[] {
  return groupsOf(source).flatMap((spans) => {
    const words = spans.map(([start, end]) => source.slice(start, end));
    const classes = words.map((word) => CLASSES.findIndex((one) => one.test(word.toLowerCase())));
    return words.flatMap((word, i) => {
      if (classes[i] !== -1 && classes.indexOf(classes[i]!) !== i) return [];
      const gone = words.map((_, j) => j === i || (classes[i] !== -1 && classes[j] === classes[i]));
      const kept = words.filter((_, j) => !gone[j]);
      // A group of one class alone matches nothing without it.
      const rest = kept.length === 0 ? "(?!)" : kept.join("|");
      const changed = source.slice(0, spans[0]![0]) + rest + source.slice(spans.at(-1)![1]);
      return [{ source: changed, alternative: words.filter((_, j) => gone[j]).join("|") || word }];
    });
  });
}

/** The places of the alternatives of each group that has several. */
function groupsOf(source: string): [number, number][][] {
  const groups: [number, number][][] = [];
  // Each open group has the places at which its alternatives begin.
  const open: number[][] = [[0]];
  const close = (end: number) => {
    const starts = open.pop()!;
    if (starts.length > 1) {
      groups.push(starts.map((start, i) => [start, i + 1 < starts.length ? starts[i + 1]! - 1 : end]));
    }
  };
  for (let at = 0, isClass = false; at < source.length; at++) {
    const sign = source[at]!;
    if (sign === "\\") at++;
    else if (isClass) isClass = sign !== "]";
    else if (sign === "[") isClass = true;
    else if (sign === "(") open.push([at + /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(source.slice(at))![0].length]);
    else if (sign === "|") open.at(-1)!.push(at + 1);
    else if (sign === ")") close(at);
  }
  close(source.length);
  return groups;
}
