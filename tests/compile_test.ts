/**
 * The single binary. Its runtime cannot be had everywhere, so two things are shown without it: that a build holds every
 * asset byte for byte, and that the same program, bundled, runs from an empty folder without the source tree.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import deno from "../deno.json" with { type: "json" };
import importMap from "../imports.json" with { type: "json" };
import { LOCKED } from "../scripts/locked.ts";

const ROOT = join(import.meta.dirname!, "..");
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Files that the embedded database reads from inside its packages: in the binary they lie beside the modules. */
const ASSETS: Readonly<Record<string, readonly string[]>> = {
  "@electric-sql/pglite": ["pglite.wasm", "pglite.data", "initdb.wasm"],
  "@electric-sql/pglite-pgvector": ["vector.tar.gz"],
};

Deno.test("a build of the single binary holds the program and every asset", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-compile-" });
  try {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", ...LOCKED, "-A", join(ROOT, "scripts/compile.ts"), "--output", join(folder, "svc")],
      // Any program will do as the carrier: the build is looked into, not run.
      env: { DENORT_BIN: Deno.env.get("DENORT_BIN") ?? Deno.execPath(), NO_COLOR: "1" },
    }).output();
    ok(success, decode(stderr));
    match(decode(stdout), /nothing is missing/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a build without a network names what it would download, and ends with one sentence", async () => {
  // A proxy that takes every connection and never answers: what a network without a way out looks like.
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const proxy = `http://127.0.0.1:${silent.addr.port}`;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // A runtime that nobody who runs this test has downloaded.
    args: ["run", ...LOCKED, "-A", join(ROOT, "scripts/compile.ts"), "--target", "no-such-machine"],
    env: { DENORT_BIN: "", HTTPS_PROXY: proxy, https_proxy: proxy, NO_COLOR: "1" },
  }).output();
  equal(code, 1);
  match(decode(stdout), /^Downloading Deno's runtime, once: https:\/\/dl\.deno\.land\/\S+\n$/);
  match(decode(stderr), /^Cannot build the binary: https:\S+ cannot be reached\. DENORT_BIN may name .*\n$/);
});

Deno.test("the bundled program runs from an empty folder without the source tree", async () => {
  const program = await Deno.makeTempDir({ prefix: "svc-bundle-" });
  const empty = await Deno.makeTempDir({ prefix: "svc-empty-" });
  try {
    const bundle = join(program, "svc.js");
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        // A bundle does not hold the thread of the sentence encoder: the program goes on without it.
        ...["bundle", ...LOCKED, "--quiet", "--platform", "deno"],
        ...["--output", bundle, "src/cli/binary.ts"],
      ],
      cwd: ROOT,
    }).output();
    ok(success, decode(stderr));
    equal((await Deno.readTextFile(bundle)).includes(ROOT), false, "the bundle names the source tree");
    await copyAssets(program);
    const svc = (...args: string[]) =>
      new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-config",
          "--no-remote",
          "--cached-only",
          "--unstable-no-legacy-abort",
          bundle,
          ...args,
        ],
        cwd: empty,
        clearEnv: true,
        env: { HOME: empty, DENO_DIR: join(program, "cache"), SVC_PORT: String(freePort()), NO_COLOR: "1" },
        stdout: "piped",
        stderr: "piped",
      });

    const fresh = svc("serve").spawn();
    const faults = fresh.stderr.pipeTo(new WritableStream());
    for await (const line of readLines(fresh.stdout)) if (line.includes('"server.started"')) fresh.kill("SIGTERM");
    equal((await fresh.status).code, 0);
    await faults;
    const created = JSON.parse(await outputOf(svc("workspace", "create", "--name", "Bundle")));
    const { key } = JSON.parse(
      await outputOf(svc("key", "create", "--workspace", created.workspaceId, "--name", "test")),
    );
    deepEqual([...Deno.readDirSync(empty)].map(({ name }) => name), ["data"]);

    equal((await outputOf(svc("--version"))).trim(), deno.version);
    match(await outputOf(svc("connect", "codex", "--hooks", "--dry-run")), /mcp_servers\.svc\]\n\+url = /);

    const child = svc("serve").spawn();
    const errors = child.stderr.pipeTo(new WritableStream());
    const lines = readLines(child.stdout);
    // The files of the sentence encoder are not beside the bundle. The service says so and goes on by words.
    const first = [JSON.parse((await lines.next()).value ?? "{}")];
    while (first.at(-1).event !== "server.started") first.push(JSON.parse((await lines.next()).value ?? "{}"));
    const started = first.at(-1);
    // The background loops may seal what the commands before have put into the audit log.
    const events = new Set(first.map(({ event }) => event));
    events.delete("audit.checkpoint");
    deepEqual([...events], ["embedding.encoder_failed", "server.started"]);
    const call = async (path: string, body: unknown) => {
      const response = await fetch(`http://127.0.0.1:${started.port}/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
      return await response.json();
    };
    const session = await call("/session", { title: "Bundle" });
    await call(`/session/${session.id}/turns`, {
      turns: [{ role: "user", content: "The heron nests behind the old mill.", messageId: "m1" }],
    });
    const recalled = await call("/memory/recall", { query: "Where does the heron nest?" });
    ok(JSON.stringify(recalled).includes("behind the old mill"), JSON.stringify(recalled));
    const docs = await fetch(`http://127.0.0.1:${started.port}/v1/docs`);
    match(await docs.text(), /<!doctype html>/i);

    child.kill("SIGTERM");
    equal((await child.status).code, 0);
    while (!(await lines.next()).done) { /* until the last line */ }
    await errors;
  } finally {
    await Deno.remove(program, { recursive: true });
    await Deno.remove(empty, { recursive: true });
  }
});

async function copyAssets(to: string): Promise<void> {
  const info = await outputOf(new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: ROOT }));
  const { npmCache } = JSON.parse(info) as { npmCache: string };
  const imports: Readonly<Record<string, string>> = importMap.imports;
  for (const { name: registry } of Deno.readDirSync(npmCache)) {
    for (const [name, files] of Object.entries(ASSETS)) {
      const dist = join(npmCache, registry, name, imports[name].slice(imports[name].lastIndexOf("@") + 1), "dist");
      for (const file of files) await Deno.copyFile(join(dist, file), join(to, file));
    }
  }
}

async function outputOf(command: Deno.Command): Promise<string> {
  const { success, stdout, stderr } = await command.output();
  ok(success, decode(stderr));
  return decode(stdout);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
