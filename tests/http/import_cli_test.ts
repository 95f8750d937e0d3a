/** `svc import <format> <file>`: files, folders, archives and databases of other products, over HTTP. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { exportAll, type Line } from "./_transfer.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const DATA = `${ROOT}tests/data/import`;

interface Reply {
  readonly code: number;
  // deno-lint-ignore no-explicit-any
  readonly out: any;
  /** The text from which `out` was parsed. */
  readonly text: string;
  readonly err: string;
}

type Run = (...args: string[]) => Promise<Reply>;

/** Runs the test with a service that listens, the command line beside it, and a folder. */
function test(name: string, run: (svc: Run, folder: string, service: TestService) => Promise<void>): void {
  Deno.test({
    ...POSTGRES,
    name,
    async fn() {
      await using service = await startService();
      await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, service.service.fetch);
      const folder = await Deno.makeTempDir();
      const svc: Run = async (...args) => {
        const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--quiet", "--no-check", "src/cli/main.ts", "import", "--json", ...args],
          cwd: ROOT,
          env: { SVC_URL: `http://127.0.0.1:${server.addr.port}`, SVC_KEY: service.key },
        }).output();
        const text = new TextDecoder().decode(stdout);
        return { code, text, out: text === "" ? undefined : JSON.parse(text), err: new TextDecoder().decode(stderr) };
      };
      try {
        await run(svc, folder, service);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

async function makeZip(path: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await zip.add(name, new Uint8ArrayReader(bytes));
  }
  await Deno.writeFile(path, await zip.close());
}

const counts = ({ created, unchanged, failed }: Line) => [created, unchanged, failed];

test("a ChatGPT archive is tried, imported, found unchanged, and recalled", async (svc, folder, service) => {
  const zip = `${folder}/export.zip`;
  const text = await Deno.readTextFile(`${DATA}/chatgpt/conversations.json`);
  const [first, ...rest] = JSON.parse(text);
  await makeZip(zip, {
    "conversations-000.json": JSON.stringify([first]),
    "conversations-001.json": JSON.stringify(rest, null, 1),
    "user.json": "{}",
    "chat.html": "<html></html>",
  });
  const tried = await svc("chatgpt", zip, "--dry-run");
  assert.equal(tried.code, 0, tried.err);
  assert.deepEqual([tried.out.dryRun, ...counts(tried.out), tried.out.samples.length], [true, 5, 0, 0, 5]);
  assert.equal(tried.out.omitted["files that hold no memories"], 2);
  assert.equal((await exportAll(service)).lines.length, 0, "a trial writes nothing");

  const imported = await svc("chatgpt", zip, "--tag", "chats");
  assert.deepEqual(counts(imported.out), counts(tried.out));
  assert.deepEqual(imported.out.kinds, tried.out.kinds);
  const again = await svc("chatgpt", zip);
  assert.deepEqual(counts(again.out), [0, 5, 0]);
  const triedAgain = await svc("chatgpt", zip, "--dry-run");
  assert.deepEqual(counts(triedAgain.out), [0, 5, 0]);
  const recalled = await service.post("/v1/memory/recall", { query: "Where is the boat moored?" });
  assert.ok(JSON.stringify(recalled.body.results).includes("moored at pier nine"));

  const limited = await svc("chatgpt", zip, "--limit", "1", "--dry-run");
  assert.deepEqual([limited.out.records, limited.out.limited], [1, true]);
});

test(
  "the names of files in an archive, and what they hold, can neither steer the terminal nor forge a line",
  async (svc, folder) => {
    // deno-lint-ignore no-control-regex
    const unsafe = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/;
    const evil = "\x1b[2J\x9b31m\u202eforged";
    await makeZip(`${folder}/names.zip`, { [`${evil}\nImported: 9.txt`]: "" });
    const { code, err } = await svc("chatgpt", `${folder}/names.zip`);
    assert.deepEqual([code, unsafe.test(err), err.trim().split("\n").length], [1, false, 1], err);
    assert.match(err, /it has \\x1b\[2J\\x9b31m\\u\{202e\}forged Imported: 9\.txt/);
    await Deno.writeTextFile(`${folder}/MEMORY.md`, `- The boat is ${evil}.\n`);
    const tried = await svc("markdown", `${folder}/MEMORY.md`, "--dry-run");
    assert.match(tried.out.samples[0].text, /forged/);
    assert.equal(unsafe.test(tried.text), false, tried.text);
  },
);

test("a folder of Claude Code transcripts is imported, however much of it is noise", async (svc, folder, service) => {
  const line = await Deno.readTextFile(`${DATA}/claude-code/session.jsonl`);
  await Deno.mkdir(`${folder}/projects/-home-mara-boats`, { recursive: true });
  const path = `${folder}/projects/-home-mara-boats/8888cccc-0000-4000-8000-000000000001.jsonl`;
  // A tool's result of 6 MB, and a line that is longer than the limit.
  const noise = (size: number) =>
    JSON.stringify({
      type: "user",
      sessionId: "s",
      uuid: "u",
      message: { role: "user", content: [{ type: "tool_result", content: "x".repeat(size) }] },
    });
  await Deno.writeTextFile(path, `${line}${noise(6_000_000)}\n${noise(9_000_000)}\n`);
  await Deno.symlink(folder, `${folder}/projects/loop`);
  const { code, out, err } = await svc("claude-code", `${folder}/projects`);
  assert.equal(code, 1, err);
  assert.deepEqual(counts(out), [3, 0, 1]);
  assert.deepEqual([out.errors[0].line, out.errors[0].message], [
    12,
    "Cannot import: the line is longer than 8388608 bytes",
  ]);
  assert.equal(out.omitted["tool results"], 2);
  assert.equal((await exportAll(service)).lines.filter((one) => one.kind === "turn").length, 2);
});

test("Markdown folders, an archive of Hindsight, and an agent file are imported", async (svc, folder) => {
  const markdown = await svc("markdown", `${DATA}/markdown`);
  assert.deepEqual([markdown.code, markdown.out.files, markdown.out.kinds.fact.created], [0, 4, 7], markdown.err);
  assert.deepEqual(
    [markdown.out.omitted["tasks"], markdown.out.omitted["code blocks"], markdown.out.omitted["commands"]],
    [1, 1, undefined],
  );
  assert.deepEqual(counts((await svc("markdown", `${DATA}/markdown`)).out), [0, markdown.out.created, 0]);
  const single = await svc("markdown", `${DATA}/markdown/project/CLAUDE.md`, "--dry-run");
  assert.equal(single.out.samples[0].text, "Build: Run `make slip` before a launch.");

  const bank = JSON.parse(await Deno.readTextFile(`${DATA}/hindsight/bank.json`));
  await makeZip(`${folder}/bank.zip`, {
    "manifest.json": JSON.stringify({ schema_version: 1, source_bank_id: bank.source_bank_id }),
    "documents/000000.json": JSON.stringify(bank.documents[0]),
    "observations.json": JSON.stringify(bank.observations),
  });
  const hindsight = await svc("hindsight", `${folder}/bank.zip`);
  assert.deepEqual(counts(hindsight.out), [7, 0, 0], hindsight.err);
  assert.deepEqual(counts((await svc("hindsight", `${DATA}/hindsight/bank.json`)).out), [0, 7, 0]);

  const letta = await svc("letta", `${DATA}/letta/agent.af`);
  assert.deepEqual(counts(letta.out), [7, 0, 0], letta.err);
});

test("OpenMemory's archive and its database hold the same memories", async (svc, folder) => {
  const backup = JSON.parse(await Deno.readTextFile(`${DATA}/openmemory/memories.json`));
  const lines = backup.memories.map((memory: Line) =>
    JSON.stringify({ ...memory, app: "cursor", categories: memory.category_ids.map(() => "preferences") })
  );
  await makeZip(`${folder}/memories_export_lena.zip`, {
    "memories.json": JSON.stringify(backup, null, 2),
    "memories.jsonl.gz": gzipSync(`${lines.join("\n")}\n`),
  });
  const archive = await svc("openmemory", `${folder}/memories_export_lena.zip`);
  assert.deepEqual(counts(archive.out), [2, 0, 0], archive.err);
  assert.equal(archive.out.omitted["deleted memories"], 1);

  const database = new DatabaseSync(`${folder}/openmemory.db`);
  database.exec(`create table apps (id char(32), name text);
    create table categories (id char(32), name text);
    create table memory_categories (memory_id char(32), category_id char(32));
    create table memories (id char(32), user_id char(32), app_id char(32), content text, vector text, metadata json,
      state varchar(8), created_at datetime, updated_at datetime);
    insert into apps values ('a1', 'cursor'); insert into categories values ('c1', 'preferences')`);
  for (const { id, content, metadata, state, created_at, category_ids } of backup.memories) {
    const hex = id.replaceAll("-", "");
    const time = created_at.replace("T", " ").replace("+00:00", ".000000");
    database.prepare("insert into memories values (?, 'u', 'a1', ?, null, ?, ?, ?, ?)")
      .run(hex, content, JSON.stringify(metadata), state, time, time);
    if (category_ids.length > 0) database.prepare("insert into memory_categories values (?, 'c1')").run(hex);
  }
  database.close();
  const stored = await svc("openmemory", `${folder}/openmemory.db`);
  assert.deepEqual([stored.code, ...counts(stored.out)], [0, 0, 2, 0], stored.err);
});

test("what cannot be imported is refused with the reason", async (svc, folder) => {
  await makeZip(`${folder}/other.zip`, { "photos/cat.txt": "meow" });
  await makeZip(`${folder}/bomb.zip`, { "conversations.json": `["${" ".repeat(80_000_000)}"]` });
  await Deno.writeFile(`${folder}/broken.zip`, new Uint8Array([0x50, 0x4b, 3, 4, 9, 9, 9]));
  await Deno.writeTextFile(`${folder}/torn.json`, `[{"uuid":"c","chat_messages":[]},{"uuid":`);
  await Deno.writeTextFile(`${folder}/empty.json`, "");
  new DatabaseSync(`${folder}/plain.db`).exec("create table t (x)");
  const cases: readonly (readonly [string[], RegExp])[] = [
    [["chatgpt", `${folder}/none.zip`], /there is no file or folder/],
    [["chatgpt", `${folder}/other.zip`], /has no file that the format chatgpt reads; it has photos\/cat.txt/],
    [["chatgpt", `${folder}/bomb.zip`], /conversations.json unpacks to more than 250 times its size/],
    [["chatgpt", `${folder}/broken.zip`], /is a broken ZIP archive/],
    [["claude", `${folder}/torn.json`], /it breaks off in item 2, in torn.json/],
    [["claude", `${folder}/empty.json`], /is empty/],
    [["openmemory", `${folder}/plain.db`], /is no database of OpenMemory/],
    [["claude", `${folder}/plain.db`], /is an SQLite database/],
    [["gpt", `${folder}/other.zip`], /gpt is no format; known: mem0/],
    [["claude"], /the file is missing/],
  ];
  for (const [args, reason] of cases) {
    const { code, err } = await svc(...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(err, reason, args.join(" "));
  }
});

test("the names of projects come from other files of a claude.ai export", async (svc, folder, service) => {
  const project = { uuid: "7777bbbb-0000-4000-8000-0000000000bb", name: "Ketch Solveig", docs: [] };
  await makeZip(`${folder}/claude.zip`, {
    "memories.json": await Deno.readTextFile(`${DATA}/claude/memories.json`),
    "projects.json": JSON.stringify([project]),
  });
  const { code, err } = await svc("claude", `${folder}/claude.zip`);
  assert.equal(code, 0, err);
  const statements = (await exportAll(service)).lines.filter((line: Line) => line.kind === "fact")
    .map((line: Line) => line.body.statement);
  assert.ok(statements.includes("Ketch Solveig: The ketch is to be launched in May."), String(statements));
});
