/** Files at a path for an import: a plain or compressed file, those of a ZIP archive or a folder, or a database. */
import { basename, dirname, join } from "node:path";
import { ServiceError } from "../../errors.ts";
import type { ForeignFormat } from "../../domain/transfer/formats/registry.ts";
import { type ArchiveEntry, unpack } from "./unpack.ts";
import { openZip } from "./zip.ts";
import { readOpenMemoryDatabase } from "./openmemory_database.ts";

export interface Source extends AsyncDisposable {
  readonly entries: readonly ArchiveEntry[];
  /** The number of other files beside them, which hold no memories. */
  readonly others: number;
}

/** The files of a folder or archive that a format reads. */
const WANTED: Readonly<Record<ForeignFormat, RegExp>> = {
  mem0: /\.jsonl?$/,
  graphiti: /\.jsonl?$/,
  mcp: /\.jsonl?$/,
  zep: /\.jsonl?$/,
  letta: /\.(af|json)$/,
  openmemory: /(^|\/)memories\.(jsonl\.gz|jsonl|json)$/,
  chatgpt: /(^|\/)conversations(-\d+)?\.json$/,
  claude: /(^|\/)((conversations|memories|projects)(-\d+)?|(projects|memories)\/[^/]+)\.json$/,
  "claude-code": /\.jsonl$/,
  markdown: /(\.(md|mdx|mdc|markdown)|(^|\/)\.(cursorrules|windsurfrules|clinerules))$/i,
  hindsight: /(^|\/)(manifest|observations|mental_models|directives|knowledge_pages|documents\/[^/]+)\.json$/,
};
/** Folders that hold no memories of their own. */
const NOT_ENTERED = new Set([".git", "node_modules", ".obsidian", ".trash"]);
const ENTRIES_MAX = 100_000;
/** @throws ServiceError when the format reads nothing there, naming what is there instead */
export async function openSource(path: string, format: ForeignFormat): Promise<Source> {
  const info = await Deno.stat(path).catch(() => {
    throw new ServiceError("not_found", `Cannot import: there is no file or folder ${path}`);
  });
  if (info.isDirectory) return chooseEntries(await listFolder(path), format, path);
  const head = await readHead(path);
  const starts = (...bytes: number[]) => bytes.every((byte, i) => head[i] === byte);
  if (starts(0x50, 0x4b, 0x03, 0x04)) {
    const archive = await openZip(path);
    return {
      ...chooseEntries(archive.entries, format, path),
      [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
    };
  }
  const isDatabase = new TextDecoder().decode(head).startsWith("SQLite format 3\0");
  if (isDatabase && format !== "openmemory") {
    throw new ServiceError(
      "invalid_request",
      `Cannot import: ${path} is an SQLite database, which only openmemory has`,
    );
  }
  const name = format === "markdown"
    ? join(basename(dirname(await Deno.realPath(path))), basename(path))
    : basename(path);
  const modifiedAt = info.mtime;
  if (isDatabase) return single({ name, modifiedAt, open: () => readOpenMemoryDatabase(path) });
  return single({ name, modifiedAt, open: () => readFile(path) });
}

function single(entry: ArchiveEntry): Source {
  return { entries: [entry], others: 0, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function chooseEntries(all: readonly ArchiveEntry[], format: ForeignFormat, path: string): Source {
  const wanted = all.filter(({ name }) => WANTED[format].test(name));
  // The backup of OpenMemory holds the same memories twice; the lines name their apps and categories.
  const lines = format === "openmemory" ? wanted.filter(({ name }) => /jsonl(\.gz)?$/.test(name)) : [];
  const entries = lines.length > 0 ? lines.slice(0, 1) : wanted;
  if (entries.length === 0) {
    const some = all.slice(0, 5).map(({ name }) => name).join(", ");
    throw new ServiceError(
      "invalid_request",
      `Cannot import: ${path} has no file that the format ${format} reads${some === "" ? "" : `; it has ${some}`}`,
    );
  }
  return { entries, others: all.length - wanted.length, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** All files below a folder, in the order of their names. Symbolic links are not followed. */
async function listFolder(root: string): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const name = basename(await Deno.realPath(root));
  const walk = async (folder: string, prefix: string) => {
    const items = await Array.fromAsync(Deno.readDir(folder));
    for (const item of items.sort((a, b) => a.name < b.name ? -1 : 1)) {
      const path = join(folder, item.name);
      if (item.isDirectory && !NOT_ENTERED.has(item.name)) await walk(path, `${prefix}${item.name}/`);
      if (!item.isFile) continue;
      if (entries.length >= ENTRIES_MAX) {
        throw new ServiceError("payload_too_large", `Cannot import: ${root} has more than ${ENTRIES_MAX} files`);
      }
      const { mtime } = await Deno.stat(path);
      entries.push({ name: `${prefix}${item.name}`, modifiedAt: mtime, open: () => readFile(path) });
    }
  };
  await walk(root, `${name}/`);
  return entries;
}

async function readHead(path: string): Promise<Uint8Array> {
  using file = await Deno.open(path);
  const head = new Uint8Array(16);
  return head.subarray(0, await file.read(head) ?? 0);
}

/** The bytes of a file, decompressed if it is gzip. */
async function* readFile(path: string): AsyncGenerator<Uint8Array, void> {
  const [head, { size }] = await Promise.all([readHead(path), Deno.stat(path)]);
  const { readable } = await Deno.open(path);
  if (head[0] === 0x1f && head[1] === 0x8b) yield* unpack(readable, path, size);
  else yield* readable;
}
