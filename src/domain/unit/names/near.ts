/**
 * Decides when two names may belong to one entity. Pure: no language model, no database. A person decides about the
 * results.
 *
 * Names are compared by rules, the surest first: the same name, another spelling (accents, punctuation, order of words,
 * few letters), initials, acronym, numeronym, a name within a longer one, a plural, the short form of a person's name.
 * Short and monotonous names are never near, because everything would be near to them. Different numbers and single
 * letters separate names (`iPhone 12`, `Team B`).
 */
import { nameKey } from "../../../language/names.ts";
import { ENTITY_TYPE_OTHER, isSameEntityType } from "../../../schema/entity_type.ts";

export type NearRule =
  | "same_name"
  | "spelling"
  | "initials"
  | "acronym"
  | "numeronym"
  | "contained"
  | "short_form"
  | "plural";

export interface Nearness {
  /** 0 to 1. */
  readonly similarity: number;
  readonly rule: NearRule;
}

/** Spellings below this similarity are different names. */
export const SPELLING_MIN = 0.82;
/** Sets of trigrams this alike (Jaccard index) are spellings of one name, even if words are missing. */
export const JACCARD_MIN = 0.75;
/** A name with fewer letters and digits, or fewer bits per letter, is too plain to be near another. */
const LETTERS_MIN = 4;
const ENTROPY_MIN = 1.5;

const TITLES: ReadonlySet<string> = new Set("mr mrs ms miss dr prof sir".split(" "));
/** Words that tell the kind of a thing, not which one it is. */
const GENERIC: ReadonlySet<string> = TITLES.union(
  new Set(
    ("corp corporation inc incorporated company co ltd limited llc llp plc gmbh ag kg se sa sas srl spa bv nv ab oy as kk " +
      "pty group holding holdings international").split(" "),
  ),
);
const STOP: ReadonlySet<string> = new Set(
  "the of and for at in on a an de la le du der die das van von del di y et und".split(" "),
);

/** A name in the parts that are compared. */
export interface NameShape {
  readonly key: string;
  /** As it was written, without punctuation around its letters. */
  readonly raw: string;
  /** Words without accents and punctuation, and without words of little meaning. */
  readonly words: readonly string[];
  /** Without generic words, if any other word is left. */
  readonly core: readonly string[];
  /** All letters and digits in one run. */
  readonly letters: string;
  readonly numbers: string;
  readonly grams: ReadonlySet<string>;
}

/** Reduces a name to the words by which it is compared with other names. */
export function shapeOf(name: string): NameShape {
  const key = nameKey(name);
  const plain = key.normalize("NFKD").replace(/\p{M}/gu, "").replace(/'|\.(?!\p{N})/gu, "");
  const all = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = all.filter((word) => !STOP.has(word));
  const kept = words.length > 0 ? words : all;
  const core = kept.filter((word) => !GENERIC.has(word));
  const letters = all.join("");
  return {
    key,
    raw: name.replace(/[^\p{L}\p{N}]/gu, ""),
    words: kept,
    core: core.length > 0 ? core : kept,
    letters,
    numbers: (plain.match(/\p{N}+/gu) ?? []).join(" "),
    grams: gramsOf(kept),
  };
}

function gramsOf(words: readonly string[]): ReadonlySet<string> {
  const grams = new Set<string>();
  for (const word of words) {
    const padded = `  ${word} `;
    for (let i = 0; i + 3 <= padded.length; i++) grams.add(padded.slice(i, i + 3));
  }
  return grams;
}

/** Whether letters are too plain to be near others: `Al`, `aaaa`. */
export function isPlain(letters: string): boolean {
  const characters = [...letters];
  if (characters.length < LETTERS_MIN) return true;
  const counts = new Map<string, number>();
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count / characters.length * Math.log2(count / characters.length);
  return bits < ENTROPY_MIN;
}

/** How near two names are; undefined: not near. If the types differ, only the same name is near. */
export function nearness(a: NameShape, b: NameShape, types: readonly [string, string]): Nearness | undefined {
  if (a.key === b.key) return { similarity: 1, rule: "same_name" };
  if (!isSameEntityType(...types)) return undefined;
  const rules: (Nearness | undefined)[] = [spelling(a, b), contained(a, b, types), numeronym(a, b), acronym(a, b)];
  if (types.every(isPerhapsPerson)) rules.push(initials(a, b));
  if (types.every(isPerhapsPerson) && types.includes("person")) rules.push(shortForm(a, b));
  if (!types.includes("person")) rules.push(plural(a, b));
  return rules.filter((near) => near !== undefined).sort((x, y) => y.similarity - x.similarity)[0];
}

function isPerhapsPerson(type: string): boolean {
  return type === "person" || type === ENTITY_TYPE_OTHER;
}

function rounded(similarity: number, rule: NearRule): Nearness {
  return { similarity: Math.round(similarity * 1_000) / 1_000, rule };
}

function spelling(a: NameShape, b: NameShape): Nearness | undefined {
  if (isPlain(a.letters) || isPlain(b.letters) || a.numbers !== b.numbers) return undefined;
  if (a.letters === b.letters) return rounded(0.98, "spelling");
  const [left, right] = [a.words, b.words].map((words) => words.toSorted());
  if (left!.join(" ") === right!.join(" ")) return rounded(0.95, "spelling");
  const isAligned = a.words.length === b.words.length &&
    a.words.every((word, i) => word === b.words[i] || isMistyped(word, b.words[i]!));
  if (isAligned || (a.words.length !== b.words.length && a.letters[0] === b.letters[0])) {
    const length = Math.max(a.letters.length, b.letters.length);
    const edits = editDistance(a.letters, b.letters, 2);
    const similarity = edits > 2 ? 0 : 1 - edits / length;
    const isWhole = a.words.length === b.words.length || hasSameShortWords(a, b);
    if (isWhole && similarity >= SPELLING_MIN) return rounded(similarity, "spelling");
  }
  const jaccard = a.grams.intersection(b.grams).size / a.grams.union(b.grams).size;
  return jaccard >= JACCARD_MIN && hasSameShortWords(a, b) ? rounded(jaccard, "spelling") : undefined;
}

/**
 * Words of one or two letters carry meaning, so they are never mistyped: `Team A` is not `Team B`.
 */
function isMistyped(a: string, b: string): boolean {
  return a.length > 2 && b.length > 2 && a[0] === b[0] && editDistance(a, b, 2) <= 2;
}

function hasSameShortWords(a: NameShape, b: NameShape): boolean {
  const short = ({ words }: NameShape) => words.filter((word) => word.length <= 2).sort().join(" ");
  return short(a) === short(b);
}

/** `Acme` and `Acme Corp`; of people, `Caroline` and `Caroline Smith`. */
function contained(a: NameShape, b: NameShape, types: readonly [string, string]): Nearness | undefined {
  const core = a.core.join("");
  if (a.numbers !== b.numbers || isPlain(core)) return undefined;
  const isTitled = [...a.words, ...b.words].some((word) => TITLES.has(word));
  // `Acme` and `Acme Corp` may name one company, but `Mr` and `Mrs` not one person.
  const isOther = a.words.length !== b.words.length || (!isTitled && a.words.join() !== b.words.join());
  if (core === b.core.join("") && isOther) return rounded(0.9, "contained");
  if (!types.includes("person") || !types.every(isPerhapsPerson)) return undefined;
  const [short, long] = a.words.length < b.words.length ? [a, b] : [b, a];
  if (short.words.length !== 1 || long.words.length < 2 || long.words.length > 3 || isPlain(short.letters)) {
    return undefined;
  }
  const isPart = short.letters === long.words[0] || short.letters === long.words.at(-1);
  return isPart ? rounded(0.7, "contained") : undefined;
}

/** `J. Smith` and `John Smith`. */
function initials(a: NameShape, b: NameShape): Nearness | undefined {
  const [short, long] = a.words[0]?.length === 1 ? [a, b] : [b, a];
  const last = short.words.at(-1);
  if (short.words.length < 2 || long.words.length < 2 || last!.length < 3 || last !== long.words.at(-1)) {
    return undefined;
  }
  if (short.words[0]!.length !== 1 || long.words[0]!.length < 2) return undefined;
  const between = short.words.slice(1, -1);
  const other = long.words.slice(1, -1);
  const agrees = between.every((word, i) => other[i] === undefined || other[i]![0] === word[0]);
  return short.words[0] === long.words[0]![0] && agrees ? rounded(0.85, "initials") : undefined;
}

/** Letters that a short form keeps of the name. */
const SHORT_FORM_MIN = 3;

/** `Cal` and `Calvin`: may well be one person. */
function shortForm(a: NameShape, b: NameShape): Nearness | undefined {
  const [short, long] = a.letters.length < b.letters.length ? [a, b] : [b, a];
  if (short.words.length !== 1 || long.words.length !== 1 || !/^\p{L}+$/u.test(long.letters)) return undefined;
  const isShort = short.letters.length >= SHORT_FORM_MIN && long.letters.length >= short.letters.length + 2 &&
    long.letters.startsWith(short.letters);
  return isShort ? rounded(0.6, "short_form") : undefined;
}

/** `RPG` and `RPGs`. */
function plural(a: NameShape, b: NameShape): Nearness | undefined {
  const [short, long] = a.letters.length < b.letters.length ? [a, b] : [b, a];
  const isPlural = short.letters.length >= 3 && long.letters === `${short.letters}s` && a.numbers === b.numbers;
  return isPlural ? rounded(0.85, "plural") : undefined;
}

/** `IBM` and `International Business Machines`. */
function acronym(a: NameShape, b: NameShape): Nearness | undefined {
  const [short, long] = a.words.length < b.words.length ? [a, b] : [b, a];
  if (!isAcronym(short) || long.words.length < 2) return undefined;
  return acronymsOf(long).includes(short.letters) ? rounded(0.8, "acronym") : undefined;
}

/** Three to six capitals. */
function isAcronym({ raw, letters }: NameShape): boolean {
  return /^\p{Lu}{3,6}$/u.test(raw) && new Set(letters).size > 1;
}

/** The first letters of its words: of all, of those with meaning, and of those that are not generic. */
function acronymsOf({ key, words, core }: NameShape): string[] {
  const all = key.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set([all, words, core].map((list) => list.map((word) => word[0]).join("")))]
    .filter((short) => short.length >= 3 && short.length <= 6);
}

const NUMERONYM = /^(\p{L})(\d{1,2})(\p{L})$/u;

/** `k8s` and `Kubernetes`. */
function numeronym(a: NameShape, b: NameShape): Nearness | undefined {
  const [short, long] = a.letters.length < b.letters.length ? [a, b] : [b, a];
  return short.words.length === 1 && numeronymOf(long) === short.letters ? rounded(0.9, "numeronym") : undefined;
}

function numeronymOf({ words, letters }: NameShape): string | undefined {
  if (words.length !== 1 || !/^\p{L}{4,}$/u.test(letters)) return undefined;
  const characters = [...letters];
  return `${characters[0]}${characters.length - 2}${characters.at(-1)}`;
}

/** The edits (insert, delete, replace, swap neighbours) between two texts; more than `max` gives `max + 1`. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      row.push(best);
    }
    if (Math.min(...row) > max) return max + 1;
    [before, last] = [last, row];
  }
  return Math.min(last[b.length]!, max + 1);
}

/** The parts that near names share; `blocks.ts` turns them into numbers. */
export interface SharedParts {
  /** The parts under which an entity is stored. */
  readonly kept: string[];
  /** The parts under which near entities are searched. */
  readonly asked: string[];
}

/** The parts by which the candidates of the rules are found: for each rule, both names have a part in common. */
export function sharedParts(shape: NameShape, entityType: string): SharedParts {
  const both: string[] = [];
  const { words, core, letters } = shape;
  if (words.length > 1) both.push(`words ${words.toSorted().join(" ")}`);
  if (!isPlain(core.join(""))) both.push(`core ${core.join("")}`);
  if (words.length > 1) { for (const short of acronymsOf(shape)) both.push(`acronym ${short}`); }
  if (words.length === 1 && isAcronym(shape)) both.push(`acronym ${letters}`);
  const short = numeronymOf(shape);
  if (short !== undefined) both.push(`numeronym ${short}`);
  if (NUMERONYM.test(letters)) both.push(`numeronym ${letters}`);
  if (letters.length >= 3 && entityType !== "person") both.push(`plural ${letters.replace(/s$/, "")}`);
  if (isPerhapsPerson(entityType) && words.length === 1 && letters.length >= SHORT_FORM_MIN) {
    both.push(`short ${letters.slice(0, SHORT_FORM_MIN)}`);
  }
  const kept = [...both];
  const asked = [...both];
  if (isPerhapsPerson(entityType) && words.length > 1) both.push(`initials ${words[0]![0]} ${words.at(-1)}`);
  if (isPerhapsPerson(entityType)) {
    const ends = words.length === 1 ? [letters] : words.length <= 3 ? [words[0]!, words.at(-1)!] : [];
    const [own, other] = words.length === 1 ? ["single", "end"] : ["end", "single"];
    for (const end of new Set(ends)) {
      kept.push(`${own} ${end}`);
      asked.push(`${other} ${end}`);
    }
    if (words.length > 1) {
      kept.push(both.at(-1)!);
      asked.push(both.at(-1)!);
    }
  }
  if (!isPlain(letters)) {
    kept.push(...segmentsKept(letters));
    asked.push(...segmentsAsked(letters));
  }
  return { kept, asked };
}

/** Spellings of fewer letters are never alike enough for an edit. */
const SEGMENTED_MIN = 6;
/** Two edits leave one of three segments whole. */
const EDITS = 2;

function cut(length: number): { readonly from: number; readonly to: number }[] {
  const size = Math.floor(length / (EDITS + 1));
  const longer = length % (EDITS + 1);
  let from = 0;
  return Array.from({ length: EDITS + 1 }, (_, i) => {
    const to = from + size + (i >= EDITS + 1 - longer ? 1 : 0);
    const segment = { from, to };
    from = to;
    return segment;
  });
}

function segmentsKept(letters: string): string[] {
  if (letters.length < SEGMENTED_MIN) return [];
  return cut(letters.length).map(({ from, to }, i) => `segment ${letters.length} ${i} ${letters.slice(from, to)}`);
}

/** The places in this name where a segment of a name within two edits can be (multi-match-aware, as in PassJoin). */
function segmentsAsked(letters: string): string[] {
  const parts = new Set<string>();
  for (let length = Math.max(SEGMENTED_MIN, letters.length - EDITS); length <= letters.length + EDITS; length++) {
    const grown = letters.length - length;
    for (const [i, { from, to }] of cut(length).entries()) {
      const least = Math.max(-i, grown - (EDITS - i));
      const most = Math.min(i, grown + (EDITS - i));
      for (let shift = least; shift <= most; shift++) {
        if (from + shift < 0 || to + shift > letters.length) continue;
        parts.add(`segment ${length} ${i} ${letters.slice(from + shift, to + shift)}`);
      }
    }
  }
  return [...parts];
}
