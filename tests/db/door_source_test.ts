/** Checks in the source text that there is only one door to SQL. docs/reference/guarantees.md T2, T3. */
import assert from "node:assert/strict";

const SOURCE = new URL("../../src/", import.meta.url);

async function readSources(folder = SOURCE): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const entry of Deno.readDir(folder)) {
    const url = new URL(entry.name + (entry.isDirectory ? "/" : ""), folder);
    if (entry.isDirectory) { for (const [path, text] of await readSources(url)) texts.set(path, text); }
    else if (/^[^_].*(?<!_test)\.ts$/.test(entry.name)) {
      texts.set(url.pathname.slice(SOURCE.pathname.length), await Deno.readTextFile(url));
    }
  }
  return texts;
}

/** The files in which a pattern occurs outside of comments. */
async function filesWith(pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const [path, text] of await readSources()) {
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    if (pattern.test(code)) found.push(path);
  }
  return found.sort();
}

Deno.test("T3 the driver is loaded where connections are made and nowhere else", async () => {
  assert.deepEqual(await filesWith(/^import (?!type)[^;]*from "postgres"/m), [
    // It asks which of several servers is the one that is wanted.
    "db/hosts.ts",
    "db/migrations.ts",
    // They connect as the owner, to move a workspace from one cluster to another and to build an index.
    "db/move_workspace.ts",
    "db/nearest_index.ts",
    "db/notifications.ts",
    "db/pool.ts",
    "db/sessions.ts",
  ]);
});

Deno.test("T3 transactions begin in the door alone, and where the owner moves a workspace", async () => {
  assert.deepEqual(await filesWith(/\.begin\(\s*(?:async|options\.|\()/), [
    "db/attempt.ts",
    "db/move_copy.ts",
    "db/move_tables.ts",
    "db/move_workspace.ts",
  ]);
  assert.deepEqual(await filesWith(/\.reserve\(/), []);
  assert.deepEqual(await filesWith(/\.savepoint\(/), []);
});

Deno.test("T2 the workspace is set for a transaction and never for a session", async () => {
  assert.deepEqual(await filesWith(/app\.(workspace_id|max_sensitivity)/), [
    "db/database.ts",
    "db/enter_workspace.ts",
    "db/move_tables.ts",
  ]);
  // The embedded database gives each of its connections the settings that Postgres takes from a startup message.
  assert.deepEqual(await filesWith(/set_config\(.*,\s*false\)/), ["db/embedded_wire.ts"]);
  // SET CONSTRAINTS lasts until the transaction ends.
  assert.deepEqual(await filesWith(/sql`\s*set (?!local|constraints)/i), []);
});
