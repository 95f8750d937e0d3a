/**
 * From WordNet's relations to a table of term expansions: for each stem the stems that may stand in an answer in its place,
 * with what a match of them is worth against 1 for the stem itself.
 */

import type { WordNet } from "./wordnet.ts";

/** For each stem, sorted, the stems that may stand in its place with their weights, best first. */
export type ExpansionTable = ReadonlyMap<string, readonly (readonly [string, number])[]>;

/** How much each relation is worth, and what is left out. */
export const SETTINGS = {
  synonym: 1.2,
  derived: 1.2,
  similar: 0.72,
  hyponym: 0.8,
  hyponymDecay: 0.9,
  hyponymDepth: 5,
  gloss: 1.4,
  /** Senses with less of a word's use than this do not lend it their definition. */
  glossSense: 0.25,
  /** Least share that is assumed of the other word's use. */
  otherSense: 0.2,
  /** Expansions that are worth no more than this are left out. */
  weightMin: 0.1,
  weightMax: 0.9,
  /** Stems rarer than this in tagged text, definitions and examples are left out, on either side. */
  frequencyMin: 3,
  /** Most expansions of a stem. */
  perStem: 128,
};

const LEXICAL = new Map<string, "derived" | "similar">([
  ["+", "derived"],
  ["\\", "derived"],
  ["$", "derived"],
  ["*", "derived"],
  [">", "derived"],
  ["=", "derived"],
  ["&", "similar"],
]);

/** Words of definitions that say nothing of what is defined. */
const GLOSS_STOP = new Set(
  `act action especi usual us often typic etc state qualiti characterist character relat pertain involv consist contain
   caus make made becom form part kind type sort group set number larg small great someth someon somebodi person peopl
   thing place time way manner degre condit mean give given take get put have certain particular various other anoth
   singl two three one main provid serv resembl similar like instanc exampl found produc process result order member
   genu famili class includ high low good new old long short without within mark bring come go move show`.split(/\s+/),
);

type Row = Map<string, number>;

function offer(row: Row, stem: string, weight: number): void {
  if (weight > (row.get(stem) ?? 0)) row.set(stem, weight);
}

/** Derives the table. The same dictionary gives the same table. */
export function deriveTable(net: WordNet, settings = SETTINGS): ExpansionTable {
  const wanted = (stem: string) => (net.frequency.get(stem) ?? 0) >= settings.frequencyMin;
  const stems = [...net.senses.keys()].filter(wanted).sort();
  const rows = new Map<string, Row>(stems.map((stem) => [stem, new Map()]));
  for (const stem of stems) relate(net, settings, stem, rows.get(stem)!);
  if (settings.gloss > 0) { for (const stem of stems) readGlosses(net, settings, stem, rows); }
  const out = new Map<string, [string, number][]>();
  for (const [stem, row] of rows) {
    const kept = [...row].filter(([other, weight]) => other !== stem && weight > settings.weightMin && wanted(other))
      .map(([other, weight]): [string, number] => [other, Math.min(settings.weightMax, weight)])
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, settings.perStem);
    if (kept.length > 0) out.set(stem, kept);
  }
  return out;
}

/** Synonyms, derivations and what lies below the stem's senses. */
function relate(net: WordNet, settings: typeof SETTINGS, stem: string, row: Row): void {
  const share = (other: string, synset: string) => net.senses.get(other)?.get(synset) ?? 0;
  for (const [id, p] of net.senses.get(stem)!) {
    const synset = net.synsets.get(id)!;
    const add = (other: string | undefined, at: string, worth: number) => {
      if (other !== undefined) offer(row, other, worth * p * Math.max(settings.otherSense, share(other, at)));
    };
    for (const word of synset.words) add(word, id, settings.synonym);
    for (const { symbol, target, from, to } of synset.pointers) {
      const relation = LEXICAL.get(symbol);
      if (relation === undefined || from !== 0 && synset.words[from - 1] !== stem) continue;
      const words = net.synsets.get(target)!.words;
      for (const word of to === 0 ? words : [words[to - 1]]) add(word, target, settings[relation]);
    }
    walk(net, settings, id, settings.hyponym * p, row);
  }
}

/** Kinds and instances of a sense, to a depth. */
function walk(
  net: WordNet,
  settings: typeof SETTINGS,
  start: string,
  worth: number,
  row: Row,
): void {
  let level = [start];
  const seen = new Set(level);
  for (let d = 1, w = worth; d <= settings.hyponymDepth && level.length > 0 && w > settings.weightMin; d++) {
    const next: string[] = [];
    for (const id of level) {
      for (const pointer of net.synsets.get(id)!.pointers) {
        if (pointer.symbol[0] !== "~" || seen.has(pointer.target)) continue;
        seen.add(pointer.target);
        next.push(pointer.target);
        for (const word of net.synsets.get(pointer.target)!.words) {
          const p = word === undefined ? 0 : net.senses.get(word)?.get(pointer.target) ?? 0;
          if (p > 0) offer(row, word!, w * p);
        }
      }
    }
    level = next;
    w *= settings.hyponymDecay;
  }
}

/** A stem is worth something for the words of its definitions, and these for it. */
function readGlosses(net: WordNet, settings: typeof SETTINGS, stem: string, rows: Map<string, Row>): void {
  for (const [id, p] of net.senses.get(stem)!) {
    if (p < settings.glossSense) continue;
    const words = new Set(net.synsets.get(id)!.gloss.filter((w) => !GLOSS_STOP.has(w) && w !== stem));
    const weight = settings.gloss * p / Math.sqrt(Math.max(1, words.size));
    for (const word of words) {
      offer(rows.get(stem)!, word, weight);
      const back = rows.get(word);
      if (back !== undefined) offer(back, stem, weight);
    }
  }
}
