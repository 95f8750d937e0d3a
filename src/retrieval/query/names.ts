/**
 * Finds the names that a query mentions. A query mentions a name if it holds all of its words in a
 * row. A word may have another form (the stem counts), and a word of four letters or more may have
 * one mistake, unless some text holds it as the query writes it. Pure.
 */
import { stemForeign } from "../../language/foreign_stems.ts";
import { foldLetters, foldToPairs } from "../../language/letters.ts";
import { detectLanguages, type Language, scriptOf } from "../../language/detect_language.ts";
import { isStopWord, normaliseText, splitWords, stemWord } from "../../language/tokenise.ts";
import { differsByOne } from "../terms/near.ts";
import { isForeignStopWord } from "../terms/stems.ts";

/** Longer names are not searched for: nobody writes them in full. */
const NAME_WORDS_MAX = 12;
/** Words of a query that are read; the rest is ignored. */
const QUERY_WORDS_MAX = 400;
/**
 * The number of words of a query that are checked for mistakes or other forms in another language;
 * and the number of words before each of them at which a name may begin.
 */
const DOUBTFUL_MAX = 8;
const WORDS_BEFORE_MAX = 3;
const MISTAKEN_LETTERS_MIN = 4;
const IS_LETTERS = /^[\p{L}\p{M}]+$/u;

/** A name in the form in which it is compared with queries. */
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
  /** Languages other than English that the word may be in, as far as the text shows them. */
  readonly languages: readonly Language[];
}

function listNameWords(text: string): NameWord[] {
  const plain = normaliseText(text);
  const words = splitWords(plain).filter(({ folded }) => folded !== "");
  const reading = detectLanguages(plain, words);
  return words.map((word) => {
    const { raw, folded } = word;
    const script = scriptOf(folded);
    const isForeignStop = isForeignStopWord(word, reading);
    const languages = isForeignStop || script === "other" ? [] : script === "latin" ? reading.whole : [script];
    return { raw, folded, stem: stemWord(folded, "search"), isStop: isStopWord(folded, "search"), languages };
  });
}

/** The spellings of words: as written, with plain letters, with pairs of letters. */
const SPELLINGS = [(word: string) => word, foldLetters, foldToPairs];

/** A run of words in each of its spellings. */
function listForms(words: readonly NameWord[]): NameForm[] {
  const forms = SPELLINGS.map((spell, i) => {
    const spelled = words.map(({ folded }) => spell(folded));
    const stems = words.map(({ stem }, at) => i === 0 ? stem : stemWord(spelled[at]!, "search"));
    return { key: stems.join(" "), words: spelled.join(" ") };
  });
  return [...new Map(forms.map((form) => [form.key, form])).values()];
}

/**
 * The forms of a name without stop words at its ends, one for each spelling: "Zoë" is also "zoe". None if it has no words
 * or more than `NAME_WORDS_MAX`.
 */
export function nameForms(name: string): NameForm[] {
  const all = listNameWords(name);
  const first = all.findIndex((word) => !word.isStop);
  const words = first === -1 ? all : all.slice(first, all.findLastIndex((word) => !word.isStop) + 1);
  return words.length === 0 || words.length > NAME_WORDS_MAX ? [] : listForms(words);
}

/** A range of names in the order of their keys: from `from` up to, but not including, `to`. */
export interface NameSlice {
  readonly from: string;
  readonly to: string;
}

/**
 * The places of doubtful words in a query. True: the word may be mistyped; false: it may only be
 * another form of a word.
 */
type Doubtful = ReadonlyMap<number, boolean>;

/** The names that a query may mention, and where they stand in it. */
export class QueryNames {
  readonly #words: readonly NameWord[];
  /** The places of the words of each name, by the name's key. */
  readonly #places = new Map<string, Set<number>>();

  constructor(query: string) {
    this.#words = listNameWords(query).slice(0, QUERY_WORDS_MAX);
    for (let from = 0; from < this.#words.length; from++) {
      for (let to = from + 1; to <= Math.min(this.#words.length, from + NAME_WORDS_MAX); to++) {
        const run = this.#words.slice(from, to);
        if (canBeName(run, from)) { for (const { key } of listForms(run)) this.#place(key, from, to); }
      }
    }
  }

  /** The keys of all names that the query may mention as it is written. */
  get keys(): string[] {
    return [...this.#places.keys()];
  }

  /**
   * The stems of the words that may be mistyped. `doubtful` excludes those that some text holds.
   */
  get stems(): string[] {
    return [...new Set(this.#words.filter(mayBeMistaken).map(({ stem }) => stem))];
  }

  /**
   * The places of words that may be mistyped, because no text holds them, or that may be another
   * form of a word of another language. Words of names that the query surely mentions are left out.
   * @returns the places, each with whether the word may be mistyped
   * @param known stems that texts hold
   * @param named keys of names that the query mentions as it is written
   */
  doubtful(known: ReadonlySet<string>, named: Iterable<string>): Doubtful {
    const sure = new Set([...named].flatMap((key) => [...this.#places.get(key) ?? []]));
    const places = [...this.#words.entries()].flatMap(([place, word]): [number, boolean][] => {
      const isUnknown = mayBeMistaken(word) && !known.has(word.stem);
      const isDoubtful = isUnknown || (word.languages.length > 0 && !word.isStop);
      return isDoubtful && !sure.has(place) ? [[place, isUnknown]] : [];
    });
    return new Map(places.slice(0, DOUBTFUL_MAX));
  }

  /**
   * The ranges to search for names that may hold a doubtful word: names that begin with its first
   * letter, and names that begin with one of the words before it.
   */
  slices(doubtful: Doubtful): NameSlice[] {
    const slices = new Map<string, NameSlice>();
    for (const place of doubtful.keys()) {
      const letter = String.fromCodePoint(this.#words[place]!.folded.codePointAt(0)!);
      slices.set(letter, { from: letter, to: String.fromCodePoint(letter.codePointAt(0)! + 1) });
      for (let before = Math.max(0, place - WORDS_BEFORE_MAX); before < place; before++) {
        const { stem, isStop } = this.#words[before]!;
        // "!" follows the space in the order of the keys.
        if (!isStop) slices.set(`${stem} `, { from: `${stem} `, to: `${stem}!` });
      }
    }
    return [...slices.values()];
  }

  /**
   * Those of `names` that the query mentions with other forms of, or mistakes in, doubtful words.
   * It also records their places, so that `share` counts them.
   */
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
      // The mistake may be in another form of the word: "clustr" for "clusters".
      return isOneMistake(words[i]!, word.folded) || isOneMistake(stem, word.stem);
    });
  }

  #place(key: string, from: number, to: number): void {
    const places = this.#places.get(key) ?? new Set();
    this.#places.set(key, places);
    for (let place = from; place < to; place++) places.add(place);
  }

  /**
   * The share of the query's content words that belong to the given names, from 0 to 1; 1 if it has
   * no content words.
   */
  share(keys: Iterable<string>): number {
    const content = (places: Iterable<number>) => [...places].filter((place) => !this.#words[place]!.isStop).length;
    const all = content(this.#words.keys());
    return all === 0 ? 1 : content(new Set([...keys].flatMap((key) => [...this.#places.get(key) ?? []]))) / all;
  }

  /** The name in the spelling of the query. */
  written(key: string): string {
    const places = [...this.#places.get(key) ?? []].slice(0, key.split(" ").length);
    return places.map((place) => this.#words[place]!.raw).join(" ");
  }
}

/** A run of stop words is a name only if its capitals show it: "it" is none, "IT" and "The Who" may be. */
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

/** Whether two words share a stem in one of the languages that the query shows. */
function isOtherForm(word: string, { folded, languages }: NameWord): boolean {
  return languages.some((language) => {
    const { stems } = stemForeign(folded, language);
    return stems.includes(word) || stemForeign(word, language).stems.some((stem) => stems.includes(stem));
  });
}

/** Whether two words differ by one mistake after the first letter. */
function isOneMistake(word: string, written: string): boolean {
  return word[0] === written[0] && isLongWord(word) && isLongWord(written) && differsByOne(word, written);
}
