/**
 * Fails on every import in `src` that the layers do not allow, and on circles of value imports.
 *
 * A layer is a folder of `src`, or a file that stands in `src` itself. Type-only imports follow the same table, except
 * where it says that types are allowed; they make no circles, because nothing of them is left at run time.
 */
import { fileURLToPath as fromFileUrl, pathToFileURL } from "node:url";
import { join, relative } from "node:path";

const BASE = ["errors", "schema", "gen", "language"];
const GROUND = [...BASE, "crypto", "config", "circuit_breaker"];
const PORTS = ["db", "kv", "providers"];
const INNER = [...GROUND, "telemetry", ...PORTS, "retrieval", "context"];
const DOORS = ["context", "schema", "errors", "telemetry", "gen", "domain", "federation", "operations"];

interface Layer {
  /** Layers whose values and types it may import, besides its own. */
  readonly values: readonly string[];
  /** Layers of which it may import types only. */
  readonly types?: readonly string[];
}

/** The table of AGENTS.md. A layer that is not in it is an error, so that a new folder is thought about. */
const LAYERS: Readonly<Record<string, Layer>> = {
  errors: { values: [] },
  schema: { values: ["errors", "language"] },
  gen: { values: [] },
  language: { values: ["errors", "gen"] },
  circuit_breaker: { values: [] },
  crypto: { values: ["errors", "schema", "gen"] },
  config: { values: ["errors", "schema"] },
  telemetry: { values: ["errors", "schema", "config"] },
  retrieval: { values: [...BASE, "config"] },
  db: { values: [...GROUND, "telemetry"] },
  kv: { values: [...GROUND, "telemetry"] },
  providers: { values: [...GROUND, "telemetry"] },
  // Types of domain: what a capability keeps in the process, such as the hot tier, is one of the parts it describes.
  context: { values: ["errors", "schema"], types: [...INNER, "domain"] },
  domain: { values: INNER },
  federation: { values: [...INNER, "domain"] },
  // What can be asked for, without a face.
  operations: { values: ["context", "schema", "errors", "domain", "federation"] },
  // What http and rpc share: neither may import the other.
  edge: { values: DOORS, types: ["config"] },
  http: { values: [...DOORS, "edge"], types: ["config"] },
  rpc: { values: [...DOORS, "edge"], types: ["config"] },
  workers: { values: DOORS, types: ["config"] },
  app: { values: ["*"] },
  service: { values: ["*"] },
  main: { values: ["*"] },
  cli: { values: ["*"] },
};

/** Packages that only some layers may import, with the reason in the message. */
const PACKAGES: readonly { readonly name: RegExp; readonly layers: readonly string[]; readonly why: string }[] = [
  { name: /^npm:\/?(postgres|@electric-sql\/[^@]+)@/, layers: ["db"], why: "SQL goes through src/db" },
  {
    name: /^npm:\/?(hono|@hono\/[^@]+)@/,
    layers: ["http", "rpc", "app", "service", "main"],
    why: "HTTP stays in src/http",
  },
  { name: /^npm:\/?@upstash\/redis@/, layers: ["kv"], why: "Redis goes through src/kv" },
];

export interface Edge {
  /** Path below `src`, such as `domain/kinds/facts/mod.ts`; `to` may also be a package or a path that starts with `..`. */
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** The layer of a path below `src`: its folder, or the file's own name. */
function layerOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : path.replace(/\.ts$/, "");
}

/** Tests and their helpers (`_name.ts`) may import anything; nothing else may import them. */
function isTest(path: string): boolean {
  return /(^|\/)(_[^/]*|[^/]*_test)\.ts$/.test(path);
}

/** Says what is wrong with an import, or nothing. */
export function judgeEdge({ from, to, typeOnly }: Edge): string | undefined {
  if (isTest(from)) return undefined;
  const layer = layerOf(from);
  const rule = LAYERS[layer];
  if (!rule) return `${from}: layer ${layer} is not in the table of scripts/gate/check_layers.ts`;
  if (to.startsWith("npm:")) {
    const bound = PACKAGES.find(({ name, layers }) => name.test(to) && !layers.includes(layer));
    return bound && !typeOnly ? `${from} → ${to}: ${bound.why}` : undefined;
  }
  if (/^(node|data|blob):/.test(to)) return undefined;
  if (to === "../deno.json") return undefined; // The version.
  if (to.startsWith("..")) {
    return layer === "db" && /^\.\.\/migrations\/[^/]+\.sql$/.test(to)
      ? undefined
      : `${from} → ${to}: from outside, src imports only deno.json and, in src/db, the migrations`;
  }
  if (isTest(to)) return `${from} → ${to}: a test's file is imported by the product`;
  const target = layerOf(to);
  if (target === layer || rule.values[0] === "*" || rule.values.includes(target)) return undefined;
  if (typeOnly && rule.types?.includes(target)) return undefined;
  return `${from} → ${to}: layer ${layer} may not import ${typeOnly ? "types" : "values"} of ${target}`;
}

/** Finds the circles of value imports: each as the list of files that reach each other. */
export function findCircles(edges: readonly Edge[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to, typeOnly } of edges) {
    if (!typeOnly) next.set(from, [...next.get(from) ?? [], to]);
  }
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

/** All imports of all modules in `src`, as Deno resolves them. */
async function readEdges(root: string): Promise<{ edges: Edge[]; faults: string[] }> {
  const src = join(root, "src");
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const files = await listModules(src);
    await Deno.writeTextFile(
      entry,
      files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(""),
    );
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", join(root, "deno.json"), entry],
    }).output();
    if (!success) throw new Error(`Cannot read the imports: ${new TextDecoder().decode(stderr)}`);
    const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as Info;
    const name = (url: string) => url.startsWith("file:") ? relative(src, fromFileUrl(url)) : url;
    const edges: Edge[] = [];
    const faults: string[] = [];
    for (const module of modules) {
      const from = name(module.specifier);
      if (!module.specifier.startsWith("file:") || from.startsWith("..")) continue;
      if (module.error) faults.push(`Cannot read ${from}: ${module.error}`);
      for (const { specifier, code, type } of module.dependencies ?? []) {
        const found = code ?? type;
        if (found?.specifier) edges.push({ from, to: name(found.specifier), typeOnly: code === undefined });
        else faults.push(`Cannot resolve ${specifier} in ${from}: ${found?.error}`);
      }
    }
    return { edges, faults };
  } finally {
    await Deno.remove(entry);
  }
}

async function listModules(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) found.push(...await listModules(path));
    else if (name.endsWith(".ts")) found.push(path);
  }
  return found.sort();
}

async function main(): Promise<void> {
  const { edges, faults } = await readEdges(join(import.meta.dirname!, "../.."));
  faults.push(...edges.map(judgeEdge).filter((fault) => fault !== undefined));
  for (const circle of findCircles(edges)) faults.push(`circle of value imports: ${circle.join(", ")}`);
  for (const fault of faults) console.error(fault);
  console.log(`layers: ${edges.length} imports, ${faults.length} faults`);
  if (faults.length > 0) Deno.exit(1);
}

if (import.meta.main) await main();
