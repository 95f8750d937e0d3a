/**
 * Builds the single binary: `deno task compile [--target <triple>] [--output <file>]`, `dist/svc` by default.
 *
 * Everything is in it: migrations, interface pages and worker code are text imports; the embedded database's WebAssembly
 * comes with its npm packages; the sentence encoder's files are included by name, without its library, which does not load
 * from inside a binary. What matters is looked up in the finished file, byte for byte.
 *
 * Deno downloads its runtime (`denort`) from dl.deno.land once; without that host, `DENORT_BIN` names an unpacked one.
 * Deno itself says nothing of the download and waits for ever, so this asks for the file first.
 */
import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { V8_FLAGS } from "../src/cli/v8_flags.ts";
import importMap from "../imports.json" with { type: "json" };
import { exists } from "./exists.ts";
import { LOCKED } from "./locked.ts";

const ROOT = join(import.meta.dirname!, "..");

/** Read at run time from inside the packages, so nothing in the source names them. */
const PACKAGE_ASSETS = [
  { name: "@electric-sql/pglite", files: ["dist/pglite.wasm", "dist/pglite.data", "dist/initdb.wasm"] },
  { name: "@electric-sql/pglite-pgvector", files: ["dist/vector.tar.gz"] },
];

/**
 * Folders of packages that are left out. `bintrees` (below prom-client) ships test data without a file name extension;
 * `deno compile` takes it for a program and overflows its stack over an expression of 100,000 terms.
 */
const LEFT_OUT = [
  { name: "bintrees", folder: "test" },
];

/** How long the server of the runtime may take to answer. */
const ANSWER_MS = 20_000;

async function main(args: readonly string[]): Promise<void> {
  const options = parseArguments(args);
  const output = options.output ?? join(ROOT, "dist", "svc");
  const fault = await findFaultOfRuntime(options.target ?? Deno.build.target);
  if (fault !== undefined) {
    console.error(
      `Cannot build the binary: ${fault}. DENORT_BIN may name a denort that was downloaded and unpacked elsewhere.`,
    );
    Deno.exit(1);
  }
  const packages = await findPackages();
  await Deno.mkdir(dirname(output), { recursive: true });
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["compile", ...LOCKED, "--allow-all", "--exclude-unused-npm", `--v8-flags=${V8_FLAGS}`, "--output", output],
      ...["--include", join("src", "gen", "sentence_encoder")],
      ...(options.target === undefined ? [] : ["--target", options.target]),
      ...LEFT_OUT.flatMap(({ name, folder }) => packages.versionsOf(name).map((path) => join(path, folder)))
        .flatMap((path) => ["--exclude", path]),
      join("src", "cli", "binary.ts"),
    ],
    cwd: ROOT,
    stdin: "null",
  }).spawn().status;
  if (!success) {
    console.error("Cannot build the binary: deno compile says above why.");
    Deno.exit(1);
  }
  const written = output + (await exists(output) ? "" : ".exe");
  const missing = await findMissing(written, packages);
  if (missing.length > 0) {
    console.error(`Cannot use ${written}: it lacks ${missing.join(", ")}`);
    Deno.exit(1);
  }
  const { size } = await Deno.stat(written);
  console.log(`${written}: ${(size / 1e6).toFixed(0)} MB, nothing is missing`);
}

function parseArguments(args: readonly string[]): { target?: string; output?: string } {
  const options: { target?: string; output?: string } = {};
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i].replace(/^--/, "");
    if ((name !== "target" && name !== "output") || args[i + 1] === undefined) {
      throw new Error(`Cannot build the binary: unknown or incomplete argument ${args[i]}`);
    }
    options[name] = args[i + 1];
  }
  return options;
}

/** Says which download comes, and why it cannot be had; undefined if it can, or if none is needed. */
async function findFaultOfRuntime(target: string): Promise<string | undefined> {
  if (Deno.env.get("DENORT_BIN")) return undefined;
  const path = `release/v${Deno.version.deno}/denort-${target}.zip`;
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: ROOT }).output();
  if (await exists(join(JSON.parse(new TextDecoder().decode(stdout)).denoDir, "dl", path))) return undefined;
  const url = `https://dl.deno.land/${path}`;
  console.log(`Downloading Deno's runtime, once: ${url}`);
  try {
    const { ok, status } = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(ANSWER_MS) });
    return ok ? undefined : `${url} answers with ${status}`;
  } catch {
    return `${url} cannot be reached`;
  }
}

interface Packages {
  /** Folders of all versions of a package in the cache. */
  versionsOf(name: string): string[];
}

async function findPackages(): Promise<Packages> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: ROOT }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout)) as { npmCache: string };
  const registries = [...Deno.readDirSync(npmCache)].filter((entry) => entry.isDirectory).map(({ name }) => name);
  return {
    versionsOf: (name) =>
      registries.flatMap((registry) => {
        const folder = join(npmCache, registry, name);
        try {
          return [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory).map((v) => join(folder, v.name));
        } catch {
          return [];
        }
      }),
  };
}

/** Names every asset whose bytes are not in the binary. */
async function findMissing(binary: string, packages: Packages): Promise<string[]> {
  const imports: Readonly<Record<string, string>> = importMap.imports;
  const assets: string[] = [];
  for (const { name, files } of PACKAGE_ASSETS) {
    const version = imports[name].slice(imports[name].lastIndexOf("@") + 1);
    const folder = packages.versionsOf(name).find((path) => path.endsWith(version));
    if (folder === undefined) throw new Error(`Cannot find ${name}@${version} in the package cache`);
    assets.push(...files.map((file) => join(folder, file)));
  }
  for (const folder of ["migrations", "src/gen"]) {
    for await (const { name } of Deno.readDir(join(ROOT, folder))) {
      if (/\.(sql|txt)$/.test(name)) assets.push(join(ROOT, folder, name));
    }
  }
  for await (const { name } of Deno.readDir(join(ROOT, "src/gen/sentence_encoder"))) {
    assets.push(join(ROOT, "src/gen/sentence_encoder", name));
  }
  const content = await readBytes(binary);
  const missing: string[] = [];
  for (const asset of assets) {
    if (!content.includes(await readBytes(asset))) missing.push(asset);
  }
  return missing;
}

/** The bytes of a file, one a character: a string is searched twenty times as fast as a buffer. */
async function readBytes(path: string): Promise<string> {
  return Buffer.from(await Deno.readFile(path)).toString("latin1");
}

await main(Deno.args);
