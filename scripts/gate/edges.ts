/** Lists the imports between the modules of `src` and of the client, as Deno resolves them. */
import { fileURLToPath as fromFileUrl, pathToFileURL } from "node:url";
import { join, relative } from "node:path";
import { LOCKED } from "../locked.ts";

/** One import. Paths are relative to `src`, such as `domain/kinds/facts/read.ts`; those of the client begin with `client/`. */
export interface Edge {
  readonly from: string;
  /** Also a package, or a path that starts with `..`. */
  readonly to: string;
  readonly typeOnly: boolean;
  /** Whether the module also re-exports something from it (`export … from`). */
  readonly reexports?: boolean;
}

/** The layer of a path below `src`: its folder, or the file's own name. */
export function layerOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : path.replace(/\.tsx?$/, "");
}

/** Tests and their helpers (`_name.ts`) may import anything; nothing else may import them. */
export function isTest(path: string): boolean {
  return /(^|\/)(_[^/]*|[^/]*_test)\.tsx?$/.test(path);
}

/** Finds import cycles, of values and types; each is the list of files that can reach each other. */
export function findCircles(edges: readonly Edge[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...next.get(from) ?? [], to]);
  // Tarjan's strongly connected components.
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    low.set(file, order.get(file)!);
    stack.push(file);
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file)!, low.get(to)!));
    }
    if (low.get(file) !== order.get(file)) return;
    const members = stack.splice(stack.indexOf(file));
    if (members.length > 1 || next.get(file)?.includes(file)) circles.push(members.sort());
  };
  for (const file of next.keys()) if (!order.has(file)) visit(file);
  return circles;
}

interface Reference {
  readonly specifier?: string;
  readonly error?: string;
}

interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: Reference;
      readonly type?: Reference;
    }[];
  }[];
}

/** Reads all modules of the product and their imports; `faults` lists what cannot be read or resolved. */
export async function readEdges(
  root: string,
): Promise<{ readonly files: ReadonlySet<string>; readonly edges: readonly Edge[]; readonly faults: string[] }> {
  const src = join(root, "src");
  const client = join(root, "clients/typescript");
  const paths = [...await listModules(src), ...await listModules(client)];
  const modules = await readImports(root, paths);
  const place = (path: string) => path.startsWith(`${client}/`) ? path.replace(client, "client") : relative(src, path);
  const name = (url: string) => url.startsWith("file:") ? place(fromFileUrl(url)) : url;
  const edges: Edge[] = [];
  const faults: string[] = [];
  for (const module of modules) {
    const from = name(module.specifier);
    if (!module.specifier.startsWith("file:") || from.startsWith("..")) continue;
    if (module.error) faults.push(`Cannot read ${from}: ${module.error}`);
    const again = /\.tsx?$/.test(from)
      ? listReexported(await Deno.readTextFile(fromFileUrl(module.specifier)))
      : new Set<string>();
    for (const { specifier, code, type } of module.dependencies ?? []) {
      const found = code ?? type;
      if (!found?.specifier) faults.push(`Cannot resolve ${specifier} in ${from}: ${found?.error}`);
      else {edges.push({
          from,
          to: name(found.specifier),
          typeOnly: code === undefined,
          reexports: again.has(specifier),
        });}
    }
  }
  return { files: new Set(paths.map(place)), edges, faults };
}

async function readImports(root: string, paths: readonly string[]): Promise<Info["modules"]> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const lines = paths.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)};\n`);
    await Deno.writeTextFile(entry, lines.join(""));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", ...LOCKED, "--json", "--config", join(root, "deno.json"), entry],
    }).output();
    if (!success) throw new Error(`Cannot read the imports: ${new TextDecoder().decode(stderr)}`);
    return (JSON.parse(new TextDecoder().decode(stdout)) as Info).modules;
  } finally {
    await Deno.remove(entry);
  }
}

/**
 * Lists the specifiers from which a module re-exports something, by `export … from`, or by an import and an `export { … }`
 * of the same name.
 */
export function listReexported(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, specifier] of text.matchAll(/^export\s+(?:type\s+)?(?:\*|\{)[^;"]*?from\s+"([^"]+)"/gm)) {
    found.add(specifier!);
  }
  const exported = new Set(
    [...text.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}\s*;/gm)].flatMap(([, names]) => readNames(names!)),
  );
  for (const [, names, specifier] of text.matchAll(/^import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"([^"]+)"/gm)) {
    if (readNames(names!).some((name) => exported.has(name))) found.add(specifier!);
  }
  return found;
}

/** The local names in a list of imports or exports. */
function readNames(list: string): string[] {
  return list.split(",").map((one) => one.trim().replace(/^type\s+/, "")).filter((one) => one !== "")
    .map((one) => one.split(/\s+as\s+/)[0]!);
}

async function listModules(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) found.push(...await listModules(path));
    else if (/\.tsx?$/.test(name)) found.push(path);
  }
  return found.sort();
}
