/**
 * Which names a query names. A name is named where all of its words stand in the query, one after another: in whatever
 * form (stems), and in a word of four letters or more with one mistake, unless the word is known as it is written. Pure.
 */
import { stemForeign } from "../language/foreign_stems.ts";
import { readTongues, scriptOf, type Tongue } from "../language/tongues.ts";
import { isStopWord, normaliseText, splitWords, stemWord } from "../language/words.ts";
import { isForeignStopWord } from "./foreign_terms.ts";
import { differsByOne } from "./near_terms.ts";

/** Longer names are not looked for: nobody names them in full. */
export const NAME_WORDS_MAX = 12;
/** Words of a query that are looked at. */
const QUERY_WORDS_MAX = 400;
/**
 * Words of a query in which a mistake, or another form of a word of another language, is looked for; and in how many words
 * before them a name may begin.
 */
const DOUBTFUL_MAX = 8;
const WORDS_BEFORE_MAX = 3;
const MISTAKEN_LETTERS_MIN = 4;
const IS_LETTERS = /^[\p{L}\p{M}]+$/u;

/** A name as it is compared with queries. */
export interface NameForm {
  /** The stems of its words, with a space between them. */
  readonly key: string;
  /** The words themselves, folded. */
  readonly words: string;
}

interface NameWord {
  readonly raw: string;
  readonly folded: string;
  readonly stem: string;
  readonly isStop: boolean;
  /** The languages other than English that it may be in, as far as the text shows them. */
  readonly tongues: readonly Tongue[];
}

function listNameWords(text: string): NameWord[] {
  const plain = normaliseText(text);
  const words = splitWords(plain).filter(({ folded }) => folded !== "");
  const reading = readTongues(plain, words);
  return words.map((word) => {
    const { raw, folded } = word;
    const script = scriptOf(folded);
    const isForeignStop = isForeignStopWord(word, reading);
    const tongues = isForeignStop || script === "other" ? [] : script === "latin" ? reading.whole : [script];
    return { raw, folded, stem: stemWord(folded, "search"), isStop: isStopWord(folded, "search"), tongues };
  });
}

/** The form of a name; undefined for one that has no words, or too many. Articles and the like at its ends do not count. */
export function nameForm(name: string): NameForm | undefined {
  const all = listNameWords(name);
  const first = all.findIndex((word) => !word.isStop);
  const words = first === -1 ? all : all.slice(first, all.findLastIndex((word) => !word.isStop) + 1);
  if (words.length === 0 || words.length > NAME_WORDS_MAX) return undefined;
  return { key: words.map(({ stem }) => stem).join(" "), words: words.map(({ folded }) => folded).join(" ") };
}

/** Names in order: those with keys from `from` up to but without `to`. */
export interface NameSlice {
  readonly from: string;
  readonly to: string;
}

/** Places of doubtful words of a query, each with whether it may be mistyped; others are only in another form. */
export type Doubtful = ReadonlyMap<number, boolean>;

/** The names that a query may name, and where they stand in it. */
export class QueryNames {
  readonly #words: readonly NameWord[];
  /** Where the words of a name stand, by the name's key. */
  readonly #places = new Map<string, Set<number>>();

  constructor(query: string) {
    this.#words = listNameWords(query).slice(0, QUERY_WORDS_MAX);
    for (let from = 0; from < this.#words.length; from++) {
      for (let to = from + 1; to <= Math.min(this.#words.length, from + NAME_WORDS_MAX); to++) {
        const run = this.#words.slice(from, to);
        if (canBeName(run, from)) this.#place(run.map(({ stem }) => stem).join(" "), from, to);
      }
    }
  }

  /** The keys of all names that the query may name as it is written. */
  get keys(): string[] {
    return [...this.#places.keys()];
  }

  /** The stems of the words that may be mistyped; those that some text holds are none, see `doubtful`. */
  get stems(): string[] {
    return [...new Set(this.#words.filter(mayBeMistaken).map(({ stem }) => stem))];
  }

  /**
   * The places of words that may be mistyped, because no text holds them, or that may be another form of a word of another
   * language; and that are not in a name which the query names. With each, whether it may be mistyped.
   * @param known stems that texts hold
   * @param named keys of names that the query names as it is written
   */
  doubtful(known: ReadonlySet<string>, named: Iterable<string>): Doubtful {
    const sure = new Set([...named].flatMap((key) => [...this.#places.get(key) ?? []]));
    const places = [...this.#words.entries()].flatMap(([place, word]): [number, boolean][] => {
      const isUnknown = mayBeMistaken(word) && !known.has(word.stem);
      const isDoubtful = isUnknown || (word.tongues.length > 0 && !word.isStop);
      return isDoubtful && !sure.has(place) ? [[place, isUnknown]] : [];
    });
    return new Map(places.slice(0, DOUBTFUL_MAX));
  }

  /** Where names stand that a doubtful word may belong to: those that begin like it, and those that begin with a word before. */
  slices(doubtful: Doubtful): NameSlice[] {
    const slices = new Map<string, NameSlice>();
    for (const place of doubtful.keys()) {
      const letter = String.fromCodePoint(this.#words[place]!.folded.codePointAt(0)!);
      slices.set(letter, { from: letter, to: String.fromCodePoint(letter.codePointAt(0)! + 1) });
      for (let before = Math.max(0, place - WORDS_BEFORE_MAX); before < place; before++) {
        const { stem, isStop } = this.#words[before]!;
        // What follows the space in the order of the keys.
        if (!isStop) slices.set(`${stem} `, { from: `${stem} `, to: `${stem}!` });
      }
    }
    return [...slices.values()];
  }

  /** Those of some names that the query names by other forms, or with mistakes, of doubtful words; from then on `share` knows their places. */
  findMistaken(names: Iterable<NameForm>, doubtful: Doubtful): string[] {
    const found = new Set<string>();
    for (const { key, words } of names) {
      const form = { stems: key.split(" "), words: words.split(" ") };
      for (const place of doubtful.keys()) {
        for (let at = 0; at < form.stems.length; at++) {
          const from = place - at;
          if (!this.#isMistaken(form, from, doubtful)) continue;
          this.#place(key, from, from + form.stems.length);
          found.add(key);
        }
      }
    }
    return [...found];
  }

  #isMistaken(
    { stems, words }: { readonly stems: readonly string[]; readonly words: readonly string[] },
    from: number,
    doubtful: Doubtful,
  ): boolean {
    if (from < 0 || from + stems.length > this.#words.length) return false;
    return stems.every((stem, i) => {
      const word = this.#words[from + i]!;
      if (word.stem === stem) return true;
      const isUnknown = doubtful.get(from + i);
      if (isUnknown === undefined || isOtherForm(words[i]!, word)) return isUnknown !== undefined;
      if (!isUnknown) return false;
      // The form may be another one beside the mistake: "clustr" for "clusters".
      return isOneMistake(words[i]!, word.folded) || isOneMistake(stem, word.stem);
    });
  }

  #place(key: string, from: number, to: number): void {
    const places = this.#places.get(key) ?? new Set();
    this.#places.set(key, places);
    for (let place = from; place < to; place++) places.add(place);
  }

  /** How much of what the query says is the names with some keys, from 0 to 1. */
  share(keys: Iterable<string>): number {
    const content = (places: Iterable<number>) => [...places].filter((place) => !this.#words[place]!.isStop).length;
    const all = content(this.#words.keys());
    return all === 0 ? 1 : content(new Set([...keys].flatMap((key) => [...this.#places.get(key) ?? []]))) / all;
  }

  /** A name as the query writes it. */
  written(key: string): string {
    const places = [...this.#places.get(key) ?? []].slice(0, key.split(" ").length);
    return places.map((place) => this.#words[place]!.raw).join(" ");
  }
}

/** "it" is no name, and "IT" or "The Who" may be one. */
function canBeName(run: readonly NameWord[], from: number): boolean {
  if (!run[0]!.isStop && !run.at(-1)!.isStop) return true;
  const isUpper = (text: string) => text !== text.toLowerCase() && text === text.toUpperCase();
  if (!run.every(({ raw, isStop }) => isStop && isUpper([...raw][0]!))) return false;
  return (run.length > 1 && from > 0) || run.every(({ raw }) => raw.length > 1 && isUpper(raw));
}

function mayBeMistaken({ folded, isStop }: NameWord): boolean {
  return !isStop && isLongWord(folded);
}

function isLongWord(word: string): boolean {
  return word.length >= MISTAKEN_LETTERS_MIN && [...word].length >= MISTAKEN_LETTERS_MIN && IS_LETTERS.test(word);
}

/** Whether two words have a stem in common, in a language that the query shows. */
function isOtherForm(word: string, { folded, tongues }: NameWord): boolean {
  return tongues.some((tongue) => {
    const { stems } = stemForeign(folded, tongue);
    return stems.includes(word) || stemForeign(word, tongue).stems.some((stem) => stems.includes(stem));
  });
}

/** Whether a word is written for another one with one mistake, which is not in its first letter. */
function isOneMistake(word: string, written: string): boolean {
  return word[0] === written[0] && isLongWord(word) && isLongWord(written) && differsByOne(word, written);
}
