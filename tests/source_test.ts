/** What is proved of the source itself: no pattern that a long text can hold up, no SQL that is put together from texts. */
import assert from "node:assert/strict";
import { checkSync } from "recheck";

const SRC = new URL("../src/", import.meta.url);

interface Pattern {
  readonly source: string;
  readonly flags: string;
  readonly at: string;
}

interface Found {
  readonly patterns: Map<string, Pattern>;
  /** How many patterns are put together of texts, by path. */
  readonly built: Map<string, number>;
  /** Uses of `unsafe`, by path. */
  readonly unsafe: Map<string, number>;
}

async function* walk(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory && name !== "gen") yield* walk(url);
    else if (/(?<!_test)\.ts$/.test(name) && !name.startsWith("_")) yield url;
  }
}

async function readSource(): Promise<Found> {
  const found: Found = { patterns: new Map(), built: new Map(), unsafe: new Map() };
  for await (const url of walk(SRC)) {
    const path = url.pathname.slice(SRC.pathname.length);
    const count = (counts: Map<string, number>) => void counts.set(path, (counts.get(path) ?? 0) + 1);
    const plugin: Deno.lint.Plugin = {
      name: "input",
      rules: {
        patterns: {
          create: () => ({
            Literal(node) {
              if (!("regex" in node) || node.regex === undefined) return;
              const { pattern: source, flags } = node.regex;
              found.patterns.set(`/${source}/${flags}`, { source, flags, at: path });
            },
            NewExpression(node) {
              if (node.callee.type === "Identifier" && node.callee.name === "RegExp") count(found.built);
            },
            CallExpression(node) {
              if (node.callee.type === "Identifier" && node.callee.name === "RegExp") count(found.built);
            },
            MemberExpression(node) {
              if (node.property.type === "Identifier" && node.property.name === "unsafe") count(found.unsafe);
            },
          }),
        },
      },
    };
    Deno.lint.runPlugin(plugin, path.split("/").at(-1)!, await Deno.readTextFile(url));
  }
  return found;
}

/**
 * Where the text of a pattern is short by the time it gets there, or never a caller's. All others must take no longer
 * than in proportion to their text, which is proved of each.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  "config.ts": "the environment, read once",
  "providers/openai_client.ts": "the environment, read once",
  "db/driver_fault.ts": "stacks of a TypeError of the driver",
  "language/attribution.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/extraction.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/extraction_patterns.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/triples.ts": "a sentence: SENTENCE_CHARS_MAX",
  "retrieval/query.ts": "a query: 4,096 bytes",
  "telemetry/redact.ts": "a field of the log: REDACT_CHARS_MAX",
  "crypto/signed_note.ts": "a checkpoint of ours",
};
/** What the prover gives up on, by how the pattern begins, and why it takes no longer than in proportion all the same. */
const BY_HAND: Readonly<Record<string, string>> = {
  "/```[\\s\\S]*?(?:```|$)|`[^`\\n]*`|":
    "a fence always ends, a backtick alone fails once a line, the rest is at most 64 long",
  "/^(?=\\p{L})(?![vV]\\d)(?=[^\\d]*\\d)": "a word of at most 40 characters",
  "/(?<![.,;:!?])[.,;:!?]+$/": "begins once in a run",
  "/(?<![\\s.!?…])[\\s.!?…]+$/": "begins once in a run",
  "/\\b(?:yesterday|today|tonight|": "begins at one of few words; each part after it is read once",
  "/\\b(?:Jan(?:uary)?|Feb(?:ruary)?|": "begins at a month; looks once over the spaces behind it",
  "/\\b(?:in|during|since|by|until|last|": "begins at one of few words; reads once over the spaces behind it",
};

/** Patterns that are put together when their modules are loaded. */
async function readBuilt(): Promise<Map<string, Pattern>> {
  const built = new Map<string, Pattern>();
  const { RegExp: Native } = globalThis;
  globalThis.RegExp = new Proxy(Native, {
    construct(target, [source, flags], newTarget) {
      built.set(`/${source}/${flags ?? ""}`, { source: String(source), flags: flags ?? "", at: "built" });
      return Reflect.construct(target, [source, flags], newTarget);
    },
  });
  try {
    await import("../src/retrieval/dates.ts");
    await import("../src/crypto/api_key.ts");
  } finally {
    globalThis.RegExp = Native;
  }
  return built;
}

Deno.test("T49 no pattern that meets a long text of a caller takes longer than in proportion to it", async () => {
  const { patterns } = await readSource();
  assert.ok(patterns.size > 100, `${patterns.size} patterns`);
  for (const [text, pattern] of await readBuilt()) patterns.set(text, pattern);
  const unproved: string[] = [];
  for (const [text, { source, flags, at }] of patterns) {
    if (BOUNDED[at] !== undefined || Object.keys(BY_HAND).some((beginning) => text.startsWith(beginning))) continue;
    const { status } = checkSync(source, flags, { timeout: 10_000, checker: "automaton" });
    if (status !== "safe") unproved.push(`${at}: ${text}: ${status}`);
  }
  assert.deepEqual(unproved, []);
});

Deno.test("T49 patterns are put together in these places alone, none of texts of a caller", async () => {
  const { built } = await readSource();
  assert.deepEqual([...built.keys()].sort(), [
    "crypto/api_key.ts",
    "language/attribution.ts",
    "language/extraction.ts",
    "language/extraction_patterns.ts",
    "language/triples.ts",
    "retrieval/dates.ts",
  ]);
});

Deno.test("T50 SQL is put together from texts in these places alone, none of which a caller reaches", async () => {
  const { unsafe } = await readSource();
  assert.deepEqual([...unsafe.keys()].sort(), [
    // Openings of transactions, names of savepoints, roles and the tables and columns of the schema; expressions over them; a vector's dimension.
    "db/held_transaction.ts",
    "db/migrations.ts",
    "db/queries/embeddings.ts",
    "db/queries/imports.ts",
    "db/queries/reasoning_search.ts",
    "db/queries/recall.ts",
    "db/queries/recall_filters.ts",
    "db/queries/retention.ts",
    "db/queries/stats.ts",
    "db/queries/table_rows.ts",
    "db/scope.ts",
    "db/sessions.ts",
  ]);
});
