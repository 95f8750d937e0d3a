/**
 * What is proved of the source itself: no pattern that a long text can hold up, no SQL that is put together from texts, no
 * state that two services in one process share.
 */
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
    // What runs in a browser has its reader alone to hold up.
    if (isDirectory && name !== "gen" && name !== "console") yield* walk(url);
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

/** Read once for all tests of this file. */
let read: Promise<Found> | undefined;
const source = () => read ??= readSource();

/**
 * Where the text of a pattern is short by the time it gets there, or never a caller's. All others must take no longer
 * than in proportion to their text, which is proved of each.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  "environment.ts": "the environment, read once",
  "schema/environment_values.ts": "the environment, read once",
  "schema/federation_variables.ts": "the environment, read once",
  "providers/openai_client.ts": "the environment, read once",
  "db/driver_fault.ts": "stacks of a TypeError of the driver",
  "db/url.ts": "the environment, read once",
  "language/claims/sound.ts": "a statement: CHARS_MAX",
  "language/foreign_talk.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/informal.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/own_work.ts": "a sentence, or the first 1,000 units of a turn",
  "language/anaphora.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/self_contained.ts": "a sentence, or the first 1,000 units of a text",
  "language/entailment.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/reported_speech.ts": "a sentence, or a stretch of a turn: STRETCH_CHARS_MAX",
  "language/claims/act_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/change_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/clause.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/draft.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/event_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/having_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/name_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/loss_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/home_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/other_values.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/progress_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/possession.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/marks.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/phrases.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/reality.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/relate.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/relation_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/right_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/role_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/state_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/subject.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/taste_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/thing_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/values.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/work_rules.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/extraction.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/count_rules.ts": "a statement: CHARS_MAX",
  "language/claims/counts.ts": "a statement: CHARS_MAX",
  "language/claims/predicate.ts": "a statement: CHARS_MAX",
  "language/claims/speaker.ts": "a statement: CHARS_MAX",
  "language/claims/read.ts": "a statement: CHARS_MAX",
  "language/claims/rephrase.ts": "a statement: CHARS_MAX",
  "language/claims/instructions.ts": "a statement: CHARS_MAX",
  "language/statement_context.ts": "a sentence, or a stretch of a turn: STRETCH_CHARS_MAX",
  "language/self_correction.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/said_values.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/decisions.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/ellipsis.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/judgement.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/discourse_markers.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/referents.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/pronouns.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/claims/framing.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/sentence_reader.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/session_changes.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/noteworthy.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/extraction_patterns.ts": "a sentence: SENTENCE_CHARS_MAX",
  "language/triples.ts": "a sentence: SENTENCE_CHARS_MAX",
  "retrieval/query/cues.ts": "a query: 4,096 bytes",
  "telemetry/redact.ts": "a field of the log: REDACT_CHARS_MAX",
  "crypto/signed_note.ts": "a checkpoint of ours",
};
/** What the prover gives up on, by how the pattern begins, and why it takes no longer than in proportion all the same. */
const BY_HAND: Readonly<Record<string, string>> = {
  "/```[\\s\\S]*?(?:```|$)|`[^`\\n]*`|":
    "a fence always ends, a backtick alone fails once a line, the rest is at most 64 long",
  "/^(?=\\p{L})(?![vV]\\d)(?=[^\\d]*\\d)": "a word of at most 40 characters",
  "/(?<![.,;:!?])[.,;:!?]+$/": "begins once in a run",
  "/(?:^|[.!?:;,\"“”'‘’«»>*()[\\]–—-]\\s*|":
    "begins at a mark, and reads once over the spaces behind it; behind its verb it looks at no more than 60 characters",
  "/\\b(?:i|i['’]\\p{L}+|my|": "a sentence: SENTENCE_CHARS_MAX",
  // The prover shows it of these two, in more time than a busy machine has.
  "/^(?:[^\\S\\n\\r\\u2028\\u2029]|[>*#\"'“])*(?:[[(<](?:system|":
    "begins at a line; reads once over the marks before its word, the spaces behind it and the rest of the line",
  "/^[\"“'«\\s]*(?:please |bitte |": "a sentence: SENTENCE_CHARS_MAX",
  "/(?:^|\\n)(From: *": "begins at a line; reads no more than 121 characters and four lines of 200",
  "/[.,]+$/": "a name, at most 180 characters",
  "/\\p{RGI_Emoji}|": "each emoji is of a few characters",
  "/(?<![\\s.!\\u2026\\u3002\\uff01": "begins once in a run",
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
    await import("../src/language/dates.ts");
    await import("../src/crypto/api_key.ts");
    await import("../src/language/commands.ts");
    await import("../src/language/letters.ts");
  } finally {
    globalThis.RegExp = Native;
  }
  return built;
}

Deno.test("T49 no pattern that meets a long text of a caller takes longer than in proportion to it", async () => {
  const { patterns } = await source();
  assert.ok(patterns.size > 100, `${patterns.size} patterns`);
  for (const [text, pattern] of await readBuilt()) patterns.set(text, pattern);
  const unproved: string[] = [];
  for (const [text, { source, flags, at }] of patterns) {
    if (BOUNDED[at] !== undefined || Object.keys(BY_HAND).some((beginning) => text.startsWith(beginning))) continue;
    const { status } = checkSync(source, flags, { timeout: 60_000, checker: "automaton" });
    if (status !== "safe") unproved.push(`${at}: ${text}: ${status}`);
  }
  assert.deepEqual(unproved, []);
});

Deno.test("T49 patterns are put together in these places alone, none of texts of a caller", async () => {
  const { built } = await source();
  assert.deepEqual([...built.keys()].sort(), [
    "crypto/api_key.ts",
    "domain/federation/peers/invite.ts",
    "domain/recall/search/newer/ended.ts",
    "domain/recall/search/newer/features.ts",
    "language/claims/count_rules.ts",
    "language/claims/counts.ts",
    "language/claims/predicate.ts",
    "language/claims/progress_rules.ts",
    "language/claims/reality.ts",
    "language/claims/states.ts",
    "language/claims/values.ts",
    "language/commands.ts",
    "language/dates.ts",
    "language/discourse_markers.ts",
    "language/ellipsis.ts",
    "language/extraction_patterns.ts",
    "language/foreign_talk.ts",
    "language/letters.ts",
    "language/name_types.ts",
    "language/own_work.ts",
    "language/pasted_letters.ts",
    "language/spoken_times.ts",
    "language/triples.ts",
    "schema/federation_peer.ts",
  ]);
});

Deno.test("T50 SQL is put together from texts in these places alone, none of which a caller reaches", async () => {
  const { unsafe } = await source();
  assert.deepEqual([...unsafe.keys()].sort(), [
    // Openings of transactions, names of savepoints, roles and the tables and columns of the schema; expressions over them; a
    // vector's dimension.
    "db/attempt.ts",
    "db/guarded_handle.ts",
    "db/held_transaction.ts",
    "db/migrations.ts",
    "db/move_tables.ts",
    "db/nearest_index.ts",
    "db/queries/hot.ts",
    "db/queries/imports.ts",
    "db/queries/nearest_texts.ts",
    "db/queries/newer_links.ts",
    "db/queries/reasoning_search.ts",
    "db/queries/recall.ts",
    "db/queries/recall_filters.ts",
    "db/queries/recall_results.ts",
    "db/queries/recall_times.ts",
    "db/queries/retention.ts",
    "db/queries/stats.ts",
    "db/queries/table_rows.ts",
    "db/queries/tags.ts",
    "db/queries/unit_columns.ts",
    "db/sessions.ts",
  ]);
});

/** Methods that change the collection that they are called on. */
const CHANGES = /^(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/;
/** Classes of which a value is a constant as long as nobody changes it. */
const CONSTANT = /^(?:RegExp|TextEncoder|TextDecoder|Map|Set|Uint8Array|Uint32Array)$/;

type AnyNode = { readonly type: string } & Record<string, unknown>;

/**
 * The variables of a module, and static members of its classes, that can change while the process runs: those that are
 * assigned again, hold an object with members of its own, or are changed by the module itself.
 */
function findModuleState(path: string, text: string): string[] {
  const constants = new Set<string>();
  const state = new Set<string>();
  const changed = new Set<string>();
  const nameOf = (node: unknown) => (node as { name?: string } | null)?.name ?? "";
  const noteChange = (target: AnyNode) => {
    while (target.type === "MemberExpression") target = target["object"] as AnyNode;
    changed.add(nameOf(target));
  };
  const rules: Record<string, (node: AnyNode) => void> = {
    VariableDeclaration({ kind, parent, declarations }) {
      if (!/^(?:Program|ExportNamedDeclaration)$/.test((parent as AnyNode).type)) return;
      for (const { id, init } of declarations as { id: AnyNode; init: AnyNode | null }[]) {
        const isObject = init?.type === "NewExpression" && !CONSTANT.test(nameOf(init["callee"]));
        (kind !== "const" || isObject ? state : constants).add(nameOf(id));
      }
    },
    PropertyDefinition: (node) => void (node["static"] && !node["readonly"] && state.add(nameOf(node["key"]))),
    CallExpression(node) {
      const callee = node["callee"] as AnyNode;
      if (callee.type === "MemberExpression" && CHANGES.test(nameOf(callee["property"]))) noteChange(callee);
    },
    AssignmentExpression: (node) => noteChange(node["left"] as AnyNode),
    UpdateExpression: (node) => noteChange(node["argument"] as AnyNode),
    UnaryExpression: (node) => void (node["operator"] === "delete" && noteChange(node["argument"] as AnyNode)),
  };
  Deno.lint.runPlugin({ name: "state", rules: { module: { create: () => rules as never } } }, "module.ts", text);
  return [...state, ...constants.intersection(changed)].map((name) => `${path}: ${name}`);
}

/**
 * What modules keep in variables of their own, and why that is the same for every service in the process. All other state
 * stands in `Deps` or is made by `perService`.
 */
const MODULE_STATE: Readonly<Record<string, string>> = {
  "crypto/argon2id_worker.ts: argon2": "the compiled module of a worker thread",
  "crypto/ids.ts: counter": "no two ids of a process are the same, whichever service asks",
  "crypto/ids.ts: lastMs": "as the counter",
  "db/hosts.ts: ended": "the options of a driver are one driver's, whichever service it serves",
  "db/queries/embeddings.ts: texts": "a pure function's results, as long as the vector is there",
  "domain/kinds/facts/duplicates.ts: gists": "a pure function's results, as long as the text's analysis is there",
  "domain/unit/rules.ts: rulesByType": "filled when the modules of the kinds are loaded",
  "http/app.ts: document": "made of the endpoints, which every service has",
  "http/console_ui.ts: made": "the files of the program",
  "http/reference_ui.ts: script": "made of a file of the program",
  "http/routes/docs.ts: made": "made of the program alone",
  "providers/sentence_encoder/files.ts: ENCODER_FOLDER": "where the program's files are",
  "providers/sentence_encoder/sentence_encoder.ts: tables": "made of files of the program, which never change",
  "providers/sentence_encoder/sentence_encoder.ts: transformers": "made of files of the program, which never change",
  "retrieval/index/vectors.ts: end": "the one WebAssembly memory of the process; each page has one owner",
  "retrieval/index/vectors.ts: free": "as the end: pages that nobody owns",
  "retrieval/index/vectors.ts: unused": "gives pages back once their owner is gone",
  "retrieval/scoring/prescore.ts: kernel": "loaded anew by each call, which is synchronous",
  "language/claims/places.ts: containers": "read from the table of places",
  "language/claims/places.ts: countries": "made of the names that the runtime has for countries",
  "language/claims/relate.ts: keys": "a pure function's results, as long as the claim is there",
  "language/claims/states.ts: STATES": "filled when the module is loaded",
  "language/referents.ts: WORD": "its place in the text is set before each use, which is synchronous",
  "language/opposites.ts: groupsOf": "filled when the module is loaded",
  "language/predicates.ts: lookedUp": "a pure function's results, a bounded number",
  "pause.ts: queue": "all services in a process share its event loop, and take turns on it",
  "language/tokenise.ts: stemCache": "a pure function's results, a bounded number",
  "language/foreign_stems.ts: cache": "a pure function's results, a bounded number",
  "retrieval/ranking/relevance.ts: vectors": "a pure function's results, one for each model",
  "rpc/count_values.ts: shapes": "made of the messages' descriptions",
  "rpc/media_type.ts: PARAMETER": "its place in the text is set before each use, which is synchronous",
  "schema/json_schema.ts: validators": "made of the dialects' names",
};

Deno.test("no module keeps state that two services in one process would share", async () => {
  const found: string[] = [];
  for await (const url of walk(SRC)) {
    found.push(...findModuleState(url.pathname.slice(SRC.pathname.length), await Deno.readTextFile(url)));
  }
  assert.deepEqual(found.sort(), Object.keys(MODULE_STATE).sort());
});

Deno.test("state of a module is found in each of its forms", () => {
  const forms: Record<string, string> = {
    "let a = 1;": "a",
    "export let a: number | undefined;": "a",
    "const a = new Map<string, number>();\nexport function f() { a.set('', 1); }": "a",
    "export const a = new Set([1]);\nexport const f = () => a.delete(1);": "a",
    "const a = new WeakMap<object, number>();": "a",
    "const a = new Cache();": "a",
    "const a: string[] = [];\nfunction f() { a.push(''); }": "a",
    "const a: Record<string, number> = {};\nfunction f() { a.b = 1; }": "a",
    "const a = { n: 0 };\nfunction f() { a.n++; }": "a",
    "const a: Record<string, number> = {};\nfunction f() { delete a.b; }": "a",
    "class C { static #a = 0; }": "a",
  };
  for (const [text, name] of Object.entries(forms)) {
    assert.deepEqual(findModuleState("m.ts", text), [`m.ts: ${name}`], text);
  }
  const constants = [
    "const a = new Map([[1, 2]]);\nexport const f = () => a.get(1);",
    "const a = [1];\nexport const f = () => a.map(String);",
    "const stateOf = perService(() => new Map());\nexport const f = (deps: Deps) => stateOf(deps).set(1, 2);",
    "function f() { let a = 1; a++; const b = new Map(); b.set(1, 2); }",
    "class C { static readonly A = 0; #b = new Map(); }",
  ];
  for (const text of constants) assert.deepEqual(findModuleState("m.ts", text), [], text);
});
