/**
 * Measures how long a coding agent waits for a hook: the whole process, from start to end, beside a service that runs.
 *
 *     deno run -A scripts/bench/hook.ts [--count 40] [--facts 300] [--program <svc>] [--json <file>]
 *
 * `--program` names a compiled `svc`; without it the hooks run from the source tree, as `svc connect` writes it there. Beside
 * each hook stands a Deno program that does nothing, because starting one is most of the time, and `svc --version`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine, formatTable, latencyCells, note, parseCount, summarise, writeJson } from "./_bench.ts";
import { startBenchService } from "./_service.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const NAMES = ["ferry", "lighthouse", "archive", "harbour", "backup", "market", "bridge", "station"];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string" },
      facts: { type: "string" },
      program: { type: "string" },
      json: { type: "string" },
    },
  });
  const count = parseCount("count", values.count, 40);
  const facts = parseCount("facts", values.facts, 300);
  const machine = describeMachine();
  await using service = await startBenchService({ database: "any" });
  const { url, access: { key } } = service;
  for (let i = 0; i < facts; i++) {
    const statement = `The ${NAMES[i % NAMES.length]} number ${i} was painted in the year ${1900 + i}.`;
    await post(`${url}/v1/memory/facts`, key, { statement });
  }
  const home = await Deno.makeTempDir({ prefix: "svc-hook-" });
  try {
    const transcript = join(home, "transcript.jsonl");
    const program = values.program;
    const source = ["run", "-A", "--quiet", "--no-config", "--no-lock"];
    const hook = (...args: string[]) =>
      program === undefined
        ? [Deno.execPath(), ...source, join(ROOT, "src/cli/hook/main.ts"), ...args]
        : [program, "hook", ...args];
    const version = program === undefined
      ? [Deno.execPath(), "run", "-A", join(ROOT, "src/cli/main.ts"), "--version"]
      : [program, "--version"];
    const empty = join(home, "empty.ts");
    await Deno.writeTextFile(empty, "");
    let turns = 0;
    const input = (more: object) => () =>
      JSON.stringify({ session_id: "bench", transcript_path: transcript, cwd: home, ...more });
    const say = () => {
      const lines = ["user", "assistant"].map((role) =>
        JSON.stringify({
          type: role,
          uuid: `u${turns++}`,
          message: { role, content: `Sentence ${turns} about the ferry.` },
        })
      );
      Deno.writeTextFileSync(transcript, `${lines.join("\n")}\n`, { append: true });
      return input({})();
    };
    let asked = 0;
    const ask = () =>
      input({ prompt: `When was the ${NAMES[asked % NAMES.length]} number ${asked++ % facts} painted?` })();
    const measured: [string, string[], () => string][] = [
      ["nothing (an empty program)", [Deno.execPath(), ...source, empty], () => ""],
      ["svc --version", version, () => ""],
      ["SessionStart: briefing", hook("claude-code", "SessionStart"), input({ source: "startup" })],
      ["UserPromptSubmit: recall", hook("claude-code", "UserPromptSubmit"), ask],
      ["Stop: record two turns", hook("claude-code", "Stop"), say],
    ];
    const env = { ...Deno.env.toObject(), HOME: home, XDG_STATE_HOME: join(home, "state"), SVC_URL: url, SVC_KEY: key };
    const dir = { DENO_DIR: Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "", ".cache", "deno") };
    const results = [];
    note(`load before the measurement: ${describeMachine().loadBefore.join(" ")}`);
    for (const [name, command, feed] of measured) {
      const durations: number[] = [];
      // The first runs compile and fill caches.
      for (let i = -3; i < count; i++) {
        const took = await time(command, { ...env, ...dir }, feed());
        if (i >= 0) durations.push(took);
      }
      results.push({ name, ...summarise(durations) });
    }
    console.log(
      formatTable(["", "p50 ms", "p95 ms", "p99 ms"], results.map((one) => [one.name, ...latencyCells(one)])),
    );
    await writeJson(values.json, { program: "bench_hook", machine, database: service.database, results });
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

async function post(url: string, key: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
}

/** Runs a program to its end; returns milliseconds. @throws Error if it reports a fault */
async function time([program, ...args]: string[], env: Record<string, string>, input: string): Promise<number> {
  const begun = performance.now();
  const child = new Deno.Command(program!, { args, env, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stderr } = await child.output();
  const took = performance.now() - begun;
  const said = new TextDecoder().decode(stderr);
  if (code !== 0 || said.startsWith("svc hook")) throw new Error(`${args.join(" ")}: ${code} ${said}`);
  return took;
}

if (import.meta.main) await main();
