/**
 * Fails on every import in `src` that the layers do not allow, on violations of the folder rules in `rooms.ts`, and on
 * import cycles.
 *
 * A layer is a folder of `src`, a file directly in `src`, or the client in `clients/typescript`. The table applies to type-only imports too, except where it
 * allows types; cycles of type-only imports count as cycles too.
 */
import { join } from "node:path";
import { type Edge, findCircles, isTest, layerOf, readEdges } from "./edges.ts";
import { findFolderCircles, judgeEntrance, judgeFloors, judgePlaces } from "./rooms.ts";

const BASE = ["errors", "schema", "gen", "language"];
const GROUND = [...BASE, "crypto", "environment", "configured_peers", "config", "circuit_breaker", "pause"];
const PORTS = ["db", "kv", "providers", "outbound"];
const INNER = [...GROUND, "telemetry", ...PORTS, "retrieval", "context"];
const DOORS = ["context", "schema", "errors", "telemetry", "gen", "domain", "pause"];

interface Layer {
  /** Layers whose values and types it may import, besides its own. */
  readonly values: readonly string[];
  /** Layers of which it may import types only. */
  readonly types?: readonly string[];
  /** The rooms of `domain` that it may import; default: all. It reaches everything else through `operations`. */
  readonly rooms?: readonly string[];
}

/**
 * The table of AGENTS.md. A layer that is not in it is an error, so that whoever adds a folder decides about its
 * imports.
 */
const LAYERS: Readonly<Record<string, Layer>> = {
  errors: { values: [] },
  schema: { values: ["errors", "language"] },
  // What the codes mean, for people.
  error_help: { values: ["errors"] },
  gen: { values: [] },
  language: { values: ["errors", "gen"] },
  circuit_breaker: { values: [] },
  pause: { values: [] },
  crypto: { values: ["errors", "schema", "gen"] },
  environment: { values: ["schema"] },
  // Keys in the configuration are checked when it is read.
  configured_peers: { values: ["errors", "schema", "crypto"] },
  config: { values: ["errors", "schema", "environment", "configured_peers"] },
  telemetry: { values: ["errors", "schema", "config"], types: ["environment"] },
  retrieval: { values: BASE },
  db: { values: [...GROUND, "telemetry"] },
  kv: { values: [...GROUND, "telemetry"] },
  providers: { values: [...GROUND, "telemetry"] },
  // Calls to addresses that people name.
  outbound: { values: [...GROUND, "telemetry"] },
  context: { values: ["errors", "schema"], types: INNER },
  domain: { values: INNER },
  // What callers can request, without a face.
  operations: { values: ["context", "schema", "errors", "domain"] },
  // Shared by http and rpc, which may not import each other.
  edge: { values: [...DOORS, "operations"], types: ["config"], rooms: ["access", "audit", "federation"] },
  http: {
    values: [...DOORS, "operations", "edge", "error_help"],
    types: ["config"],
    // Turns, the trail of a stream, the feed, probes.
    rooms: ["access", "audit", "feed", "upkeep"],
  },
  // The same rooms, and `domain`'s bulk input of streams; the messages of a stream between instances.
  rpc: {
    values: [...DOORS, "operations", "edge"],
    types: ["config"],
    rooms: ["access", "audit", "federation", "feed", "sessions"],
  },
  // The same rooms for MCP; one place defines how many tokens a text has.
  mcp: {
    values: [...DOORS, "operations", "edge"],
    types: ["config"],
    rooms: ["access", "audit", "common"],
  },
  workers: { values: DOORS, types: ["config"] },
  // A package of its own, which callers use without the service.
  client: { values: [] },
  // The pages that a browser runs; they reach the service as every other client does.
  console: { values: ["client"] },
  // Parts of the composition that need no other part of it.
  instance_keys: { values: ["errors", "schema", "crypto", "telemetry"], types: ["config"] },
  migrate: { values: ["errors", "db"], types: ["config"] },
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

/** Returns the fault of an import, if it has one. */
export function judgeEdge({ from, to, typeOnly }: Edge): string | undefined {
  if (isTest(from)) return undefined;
  const layer = layerOf(from);
  const rule = LAYERS[layer];
  if (!rule) return `${from}: layer ${layer} is not in the table of scripts/gate/check_layers.ts`;
  if (layer === "client" && !typeOnly && !to.startsWith("client/")) {
    return `${from} → ${to}: the client has no dependency`;
  }
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
  const room = to.split("/")[1]!;
  if (target === "domain" && rule.rooms?.includes(room) === false) {
    return `${from} → ${to}: ${layer} reaches ${room} by an operation`;
  }
  if (target === layer || rule.values[0] === "*" || rule.values.includes(target)) return undefined;
  if (typeOnly && rule.types?.includes(target)) return undefined;
  return `${from} → ${to}: layer ${layer} may not import ${typeOnly ? "types" : "values"} of ${target}`;
}

/** Lists all faults of the imports and of the places of files. */
export function judge(edges: readonly Edge[], files: ReadonlySet<string>): string[] {
  const product = edges.filter(({ from }) => !isTest(from));
  return [
    ...edges.flatMap((edge) => judgeEdge(edge) ?? []),
    ...edges.flatMap((edge) => judgeFloors(edge) ?? []),
    ...edges.flatMap((edge) => judgeEntrance(edge, files) ?? []),
    ...judgePlaces(files),
    ...findCircles(product).map((circle) => `circle of imports: ${circle.join(", ")}`),
    ...findFolderCircles(edges).map((circle) => `circle of folders: ${circle.join(", ")}`),
  ];
}

async function main(): Promise<void> {
  const { files, edges, faults } = await readEdges(join(import.meta.dirname!, "../.."));
  faults.push(...judge(edges, files));
  for (const fault of faults) console.error(fault);
  console.log(`layers: ${edges.length} imports, ${faults.length} faults`);
  if (faults.length > 0) Deno.exit(1);
}

if (import.meta.main) await main();
