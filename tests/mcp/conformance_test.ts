/**
 * The conformance suite of the protocol, run offline against a real service: the scenarios that want no tools of their own,
 * for the newest revision and for the one before it. It cannot send a key, so a relay adds one.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import importMap from "../../imports.json" with { type: "json" };
import { LOCKED } from "../../scripts/locked.ts";
import { startService } from "../_service.ts";

const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  "2026-07-28": [
    "tools-list",
    "resources-list",
    "prompts-list",
    "caching",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "server-stateless",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "input-required-result-ignore-extra-params",
  ],
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ],
};
/** What the suite says of what it cannot try here. */
const UNTESTABLE = /^Not testable/;
const BOUND_MS = 120_000;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Passes requests on with a key, as somebody's proxy would. */
function startRelay(to: string, key: string) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${key}`);
    headers.delete("host");
    const body = request.method === "GET" ? null : await request.bytes();
    const reply = await fetch(to + pathname + search, { method: request.method, headers, body });
    return new Response(reply.body, reply);
  });
  return { url: `http://localhost:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function run(url: string, revision: string, scenario: string): Promise<Check[]> {
  const out = await Deno.makeTempDir({ prefix: "svc-conformance-" });
  try {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        ...LOCKED,
        "-A",
        "--cached-only",
        "--config",
        new URL("../../deno.json", import.meta.url).pathname,
        importMap.imports["@modelcontextprotocol/conformance"],
        ...["server", "--url", `${url}/mcp`, "--scenario", scenario, "--spec-version", revision, "-o", out],
      ],
      cwd: out,
      signal: AbortSignal.timeout(BOUND_MS),
    }).output();
    const [run] = Array.from(Deno.readDirSync(out)).filter(({ isDirectory }) => isDirectory);
    assert.ok(run, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
    return JSON.parse(await Deno.readTextFile(join(out, run.name, "checks.json")));
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}

for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
  Deno.test(`the conformance suite finds nothing wrong with MCP ${revision}`, async () => {
    await using service = await startService();
    await using relay = startRelay(service.listen().url, service.key);
    for (const scenario of scenarios) {
      const checks = await run(relay.url, revision, scenario);
      const failed = checks.filter(({ status, errorMessage = "" }) =>
        status === "FAILURE" && !UNTESTABLE.test(errorMessage)
      );
      assert.deepEqual(failed, [], scenario);
      assert.ok(checks.length > 0, `${scenario} tried something`);
    }
  });
}
