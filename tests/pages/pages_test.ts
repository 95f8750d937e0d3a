/**
 * Everything that README.md and docs/*.md show is run, in the form in which a reader copies it, page by page on a service
 * that `deno task start` has started: commands, requests, programs and configurations. A block that no runner knows
 * fails, and so does one that cannot be run here unless its fence says why: ```` ```sh not-run: needs a cluster ````.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findServerPrograms } from "../../scripts/gate/native_postgres.ts";
import { Problem } from "../../src/http/problem.ts";
import { HAPROXY, PROMTOOL } from "../_programs.ts";
import { HAS_PYTHON, makeEnvironment } from "../python/_python.ts";
import { type Block, parseBlocks, placeOf, readPages, reasonNotRun, ROOT } from "./_blocks.ts";
import { surround } from "./_surroundings.ts";
import { World } from "./_world.ts";

/** Blocks whose fence says that they are not run here. Fewer is better; more asks for a reason. */
const NOT_RUN_MAX = 20;

/** Settings of clients, and a program for a paid model: these tests run them. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  "json claude-code": "tests/mcp/readme_test.ts",
  "json cursor": "tests/mcp/readme_test.ts",
  "toml codex": "tests/mcp/readme_test.ts",
  "json vscode": "tests/mcp/readme_test.ts",
  "ts ai-sdk": "tests/sdk/readme_test.ts",
};

/** What the output of a block must hold, besides that nothing fails: the block is the one that holds `text`. */
const EXPECTED: readonly { readonly page: string; readonly text: string; readonly output: RegExp }[] = [
  { page: "README.md", text: '"messageId": "m1"', output: /"messageId":"m3"/ },
  { page: "README.md", text: "Where did Ada move the backup?", output: /^[^}]*"results":\[\{[^}]*"messageId":"m1"/ },
  { page: "README.md", text: '"types": ["fact"]', output: /I prefer to be told by mail[^]*"messageId":"m3"/ },
  {
    page: "README.md",
    text: "How does Ada want to be told?",
    output: /(?:"results":\[\{[^]*|^)(?:Ada prefers mail|.*I prefer to be told by mail)/m,
  },
  { page: "docs/start/tutorial.md", text: "Which nuts", output: /"results":\[\{[^]*allergic to peanuts/ },
  { page: "docs/start/tutorial.md", text: "lives in Ghent", output: /"results":\[\{[^]*Nora lives in Ghent/ },
  { page: "docs/start/tutorial.md", text: "asOf", output: /"results":\[\{[^]*Nora lives in Porto/ },
  { page: "docs/start/tutorial.md", text: "forget", output: /"code":"erased"/ },
  { page: "docs/reference/wire.md", text: "deploy freeze", output: /"results":\[\{[^]*deploy freeze ends on Friday/ },
  { page: "docs/guides/agents.md", text: "svc recall", output: /Backups are kept for ninety days/ },
  { page: "docs/guides/sdk.md", text: "recall(", output: /Backups are kept for ninety days/ },
  {
    page: "docs/guides/python-frameworks.md",
    text: "Memory()",
    output:
      /allergic to nuts.*'category': 'food'[^]*I know: \['I keep my backups for ninety days[^]*'Noted\.'\]\n[^]*harbour office[^]*backup is in Oslo/,
  },
  {
    page: "docs/guides/python-agents.md",
    text: "pydantic_ai",
    output:
      /backups for ninety days[^]*<svc-memory>[^]*leaves at noon[^]*<svc-memory>[^]*allergic to nuts[^]*user The lighthouse was painted red/,
  },
  { page: "docs/guides/python-agents.md", text: "crewai", output: /\/port The harbour office opens at seven/ },
  {
    page: "docs/guides/python.md",
    text: "recall(",
    output: /Backups are kept for ninety days[^]*version_mismatch False/,
  },
];

/** What a page promises and the service does not do yet. The line goes when it does: then this test asks for that. */
const AWAITED: readonly string[] = [];

const SERVER_PROGRAMS = await findServerPrograms();
const PAGES = await readPages();
const ALL = [...PAGES.values()].flat();
const START = PAGES.get("README.md")!.find(({ manner }) => manner === "service")!;

/** Its fence, as the runners know it. */
const kindOf = ({ language, manner }: Block) => `${language} ${manner}`.trim();

type Runner =
  | "shell"
  | "service"
  | "endless"
  | "program"
  | "python"
  | "crewai"
  | "sql"
  | "data"
  | "drawing"
  | "elsewhere";

const RUNNERS: Readonly<Record<string, Runner>> = {
  ...{ sh: "shell", "sh service": "service", "sh endless": "endless", ts: "program", "ts endless": "program" },
  ...{
    python: "python",
    "python endless": "python",
    // An environment of its own.
    "python crewai": "crewai",
    sql: "sql",
    json: "data",
    "yaml prometheus": "data",
    "": "drawing",
  },
  ...Object.fromEntries(Object.keys(RUN_ELSEWHERE).map((kind) => [kind, "elsewhere"])),
};

const runnerOf = (block: Block): Runner | undefined => RUNNERS[kindOf(block)];
const isRun = (block: Block) => reasonNotRun(block) === undefined;

/** What only a command has. A block without a language is a drawing, and holds none. */
const COMMAND = /^\s*(?:\$ |curl |deno |svc |npm |docker |kubectl |export |sudo )/m;

function findUnknown(blocks: readonly Block[]): string[] {
  return blocks.filter(isRun).filter((block) => {
    const runner = runnerOf(block);
    return runner === undefined || (runner === "drawing" && COMMAND.test(block.text));
  }).map((block) => `${placeOf(block)}: ${kindOf(block) || "a command without a language"}`);
}

Deno.test("every block of the README and of docs/ is one that a test knows how to run, or says why not", async () => {
  assert.deepEqual(findUnknown(ALL), []);
  const notRun = ALL.filter((block) => !isRun(block));
  for (const block of notRun) console.log(`NOT RUN ${placeOf(block)}: ${reasonNotRun(block)}`);
  assert.ok(notRun.length <= NOT_RUN_MAX, `${notRun.length} blocks are not run`);
  for (const [kind, file] of Object.entries(RUN_ELSEWHERE)) {
    assert.ok(ALL.some((block) => kindOf(block) === kind), `${kind} is nowhere`);
    assert.ok(
      (await Deno.readTextFile(join(ROOT, file))).includes(kind.split(" ")[1]!),
      `${file} does not run ${kind}`,
    );
  }
});

Deno.test("a block of an unknown kind, and a command in a drawing, do not escape", () => {
  const page =
    "```sh\nls\n```\n\n```perl\nprint(1)\n```\n\n```\nsvc doctor\n```\n\n```sh not-run: needs a moon\nls\n```\n";
  assert.deepEqual(findUnknown(parseBlocks("a.md", page)), ["a.md:5: perl", "a.md:9: a command without a language"]);
});

Deno.test("what is not run here still is a shell script, and names programs that the checkout has", async () => {
  for (const block of ALL.filter((block) => !isRun(block) && block.language === "sh")) {
    const text = block.text.replaceAll(/<[\w. -]+>/g, "x");
    const { success, stderr } = await new Deno.Command("bash", { args: ["-n", "-c", text] }).output();
    assert.ok(success, `${placeOf(block)}: ${new TextDecoder().decode(stderr)}`);
    for (const [path] of text.matchAll(/(?<![\w/.])(?:scripts|deploy|src)\/[\w./-]+/g)) {
      assert.ok(await Deno.stat(join(ROOT, path)).then(() => true, () => false), `${placeOf(block)}: ${path}`);
    }
  }
});

/** A recall that answers with nothing shows a reader that the product does not work. */
const EMPTY_RECALL = /"results":\s*\[\]/;

function checkOutput(block: Block, output: string): void {
  const faults = EXPECTED.filter(({ page, text }) => page === block.page && block.text.includes(text))
    .filter((expected) => !expected.output.test(output)).map((expected) => `it lacks ${expected.output}`);
  if (EMPTY_RECALL.test(output)) faults.push("a recall finds nothing");
  const awaited = AWAITED.find((text) => block.text.includes(text));
  if (awaited !== undefined) {
    const isThere = faults.length === 0;
    console.log(`AWAITED ${placeOf(block)}: "${awaited}" ${isThere ? "works: take the line out" : faults.join(", ")}`);
  } else assert.deepEqual(faults, [], `${placeOf(block)}: ${output}`);
}

/** What a first start prints to be pasted stores a fact; the first key of the embedded database has no rate. */
async function checkFirstRequest(world: World): Promise<void> {
  const { output } = await world.run(["bash", "-euc", `${world.pasted} -D -`]);
  assert.match(output, /^HTTP\/1.1 201 [^]*Caroline adopted a dog/m, world.pasted);
  assert.doesNotMatch(output, /ratelimit-policy: "minute"/i);
}

/** Runs blocks as one program, because a later block goes on with what an earlier one has made. */
async function runProgram(
  blocks: readonly Block[],
  world: World,
  write: (text: string) => Promise<string[]>,
): Promise<void> {
  const [first] = blocks;
  if (first === undefined) return;
  const ending = blocks.filter(({ manner }) => manner !== "endless");
  if (ending.length > 0) {
    const { success, output } = await world.run(await write(ending.map(({ text }) => text).join("\n")));
    assert.ok(success, `${placeOf(first)}: ${output}`);
    checkOutput(first, output);
  }
  if (ending.length < blocks.length) await world.runEndless(await write(blocks.map(({ text }) => text).join("\n")));
}

/** Runs a page's blocks of commands, programs and SQL in order. */
async function runPage(page: string, blocks: readonly Block[], world: World): Promise<void> {
  const of = (runner: Runner) => blocks.filter((block) => isRun(block) && runnerOf(block) === runner);
  for (const block of of("sql")) await world.runSql(block.text);
  const [service = START] = of("service");
  await world.startService(service.text);
  const shells = of("shell");
  const outputs = await world.runShell(shells);
  shells.forEach((block, at) => checkOutput(block, outputs[at]!));
  for (const { text } of of("endless")) await world.runEndless(["bash", "-euc", `exec ${world.fill(text)}`]);
  const programs = of("program");
  await runProgram(programs, world, (text) => world.writeProgram(text));
  for (const [runner, tools] of [["python", "frameworks"], ["crewai", "crewai"]] as const) {
    const python = of(runner);
    if (python.length === 0) continue;
    await using environment = await makeEnvironment({ tools });
    await runProgram(python, world, (text) => world.writePython(environment, text));
  }
  if (page === "README.md") await checkFirstRequest(world);
}

for (const [page, blocks] of PAGES) {
  const runners = new Set(blocks.filter(isRun).map(runnerOf));
  if (
    !(["shell", "service", "endless", "program", "python", "crewai", "sql"] as const).some((runner) =>
      runners.has(runner)
    )
  ) {
    continue;
  }
  Deno.test({
    name: `what ${page} shows runs as it stands on the service that \`deno task start\` starts`,
    ignore: runners.has("sql") && SERVER_PROGRAMS === undefined || HAPROXY === undefined ||
      runners.has("python") && !HAS_PYTHON,
    async fn() {
      await using surroundings = await surround(blocks);
      await using world = await World.create(surroundings);
      await runPage(page, blocks, world);
    },
  });
}

Deno.test("every reply and message that a page shows is JSON, and every error is what the service answers", () => {
  for (const block of ALL.filter((block) => isRun(block) && runnerOf(block) === "data" && block.language === "json")) {
    // A block holds one document, or one a line.
    const texts = /^[[{]\n/.test(block.text) ? [block.text] : block.text.trim().split("\n");
    for (const value of texts.map((text) => JSON.parse(text))) {
      if ("code" in value) assert.ok(Problem.safeParse(value).success, placeOf(block));
    }
  }
});

Deno.test({
  name: "every configuration of Prometheus that a page shows is taken by its own checker",
  ignore: PROMTOOL === undefined,
  async fn() {
    for (const block of ALL.filter((block) => kindOf(block) === "yaml prometheus")) {
      const folder = await Deno.makeTempDir({ prefix: "svc-page-" });
      try {
        await Deno.copyFile(join(ROOT, "deploy/alerts.yml"), join(folder, "alerts.yml"));
        await Deno.writeTextFile(join(folder, "token"), "token");
        await Deno.writeTextFile(join(folder, "p.yml"), block.text.replaceAll("/etc/prometheus/svc", folder));
        const args = ["check", "config", join(folder, "p.yml")];
        const { success, stdout, stderr } = await new Deno.Command(PROMTOOL!, { args }).output();
        assert.ok(success, `${placeOf(block)}: ${[stdout, stderr].map((part) => new TextDecoder().decode(part))}`);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    }
  },
});
