/**
 * The built-in embeddings: hashed features, no weights, no network.
 *
 * A text becomes the sum of the stems and character trigrams of its words, each hashed with a sign into one of 384
 * places. Its vector is near those of texts that share words, forms of words or misspellings; it knows no synonyms.
 * That adds little to BM25, hence the small fusion weight.
 *
 * The same text has the same vector on every platform and in every release under one model name, because only integer
 * hashing, addition in a fixed order and square roots, which IEEE 754 rounds correctly, are used.
 */
import type { EmbeddingProvider, EmbedOptions } from "./embeddings.ts";
import { EmbeddingError } from "./provider_error.ts";
import { isStopWord, listWords, stemWord } from "../language/words.ts";
import { Slices } from "../pause.ts";

const DIMENSION = 384;
const STEM_WEIGHT = 1;
/** The length of the vector of all trigrams of a word. */
const TRIGRAMS_WEIGHT = 0.5;
const STOP_WORD_WEIGHT = 0.1;
/** Each stem has as many places as there are seeds, so that two words seldom collide in all. */
const STEM_SEEDS = [0x5bd1e995, 0x1b873593];
const PART_SEED = 0x2545f491;
const WHOLE_SEED = 0x9e3779b9;
/** Only the beginning of a very long word, such as a base64 blob, is cut into trigrams. */
const TRIGRAM_CHARS_MAX = 40;
const UNSPACED_CHARS_MAX = 4_000;
const CACHED_WORDS_MAX = 32_768;

/** Scripts without spaces between words: their runs are read as single characters and pairs. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;

/** The contribution of one word: places (sign in the lowest bit) and their common weight. */
interface WordFeatures {
  readonly key: string;
  readonly weight: number;
  readonly places: readonly number[];
  readonly trigrams: readonly number[];
  readonly trigramWeight: number;
}

export class HashedEmbeddings implements EmbeddingProvider {
  readonly model = "svc-hashed-384-v1";
  readonly dimension = DIMENSION;
  readonly fusionWeight = 0.15;
  readonly inProcess = true;
  readonly #words = new Map<string, WordFeatures>();

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    const slices = new Slices();
    for (const text of texts) {
      await slices.yieldIfDue();
      if (options.signal?.aborted) throw new EmbeddingError("aborted", "Cannot embed the texts: the call was aborted");
      vectors.push(this.#embedText(text));
    }
    return vectors;
  }

  #embedText(text: string): Float32Array {
    const counts = new Map<string, { features: WordFeatures; count: number }>();
    for (const word of listWords(text, "prose")) {
      const features = this.#featuresOf(word);
      const seen = counts.get(features.key);
      if (seen) seen.count += 1;
      else counts.set(features.key, { features, count: 1 });
    }
    const sums = new Float64Array(DIMENSION);
    for (const { features, count } of counts.values()) {
      // A repeated word counts less each time: the square root of its count.
      const damped = Math.sqrt(count);
      addPlaces(sums, features.places, features.weight * damped);
      addPlaces(sums, features.trigrams, features.trigramWeight * damped);
    }
    return normalise(sums) ?? normalise(hashWhole(text))!;
  }

  #featuresOf(word: string): WordFeatures {
    const cached = this.#words.get(word);
    if (cached) return cached;
    const features = computeFeatures(word);
    if (this.#words.size >= CACHED_WORDS_MAX) this.#words.clear();
    if (word.length <= TRIGRAM_CHARS_MAX) this.#words.set(word, features);
    return features;
  }
}

function computeFeatures(word: string): WordFeatures {
  if (UNSPACED.test(word)) return computeUnspaced(word);
  const stop = isStopWord(word, "prose");
  const key = stop ? word : stemWord(word, "prose");
  const places = STEM_SEEDS.map((seed) => placeOf(hash(seed, key, 0, key.length)));
  // Longer words are rarer, which stands in for the document frequencies that a single text does not have.
  const rarity = Math.sqrt(Math.min(key.length, 9) / 5);
  const weight = rarity * (stop ? STOP_WORD_WEIGHT : STEM_WEIGHT) / Math.sqrt(places.length);
  const trigrams = stop ? [] : hashParts(`<${word.slice(0, TRIGRAM_CHARS_MAX)}>`, 3);
  return { key, weight, places, trigrams, trigramWeight: rarity * TRIGRAMS_WEIGHT / Math.sqrt(trigrams.length || 1) };
}

/** A run without spaces contains many words, so each character and each pair counts like one. */
function computeUnspaced(run: string): WordFeatures {
  const chars = run.slice(0, UNSPACED_CHARS_MAX);
  const trigrams = [...hashParts(chars, 1), ...hashParts(chars, 2)];
  return { key: run, weight: 0, places: [], trigrams, trigramWeight: TRIGRAMS_WEIGHT };
}

/** The places of all pieces of `length` UTF-16 units. */
function hashParts(text: string, length: number): number[] {
  const places: number[] = [];
  for (let i = 0; i + length <= text.length; i++) places.push(placeOf(hash(PART_SEED, text, i, i + length)));
  return places;
}

/** FNV-1a over UTF-16 units with the final mixing of MurmurHash3, 32 bits. */
function hash(seed: number, text: string, from: number, to: number): number {
  let h = 0x811c9dc5 ^ seed;
  for (let i = from; i < to; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The place in the vector times two, plus the sign in the lowest bit. */
function placeOf(h: number): number {
  return ((h >>> 1) % DIMENSION) * 2 + (h & 1);
}

function addPlaces(sums: Float64Array, places: readonly number[], weight: number): void {
  for (const place of places) sums[place >> 1]! += place & 1 ? -weight : weight;
}

/** A text without words, such as "!!!" or an empty one, gets a place of its own. */
function hashWhole(text: string): Float64Array {
  const sums = new Float64Array(DIMENSION);
  const trimmed = text.trim();
  addPlaces(sums, [placeOf(hash(WHOLE_SEED, trimmed, 0, Math.min(trimmed.length, 1_000)))], 1);
  return sums;
}

/** A vector of length 1, or null if all numbers are zero. */
function normalise(sums: Float64Array): Float32Array | null {
  let squares = 0;
  for (let i = 0; i < sums.length; i++) squares += sums[i]! * sums[i]!;
  if (squares < 1e-18) return null;
  const norm = Math.sqrt(squares);
  const vector = new Float32Array(sums.length);
  for (let i = 0; i < sums.length; i++) vector[i] = sums[i]! / norm;
  return vector;
}
