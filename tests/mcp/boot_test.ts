/** The library of MCP is loaded by the first request to MCP: a service that nobody asks by it does not pay for it. */
import assert from "node:assert/strict";
import deno from "../../deno.json" with { type: "json" };
import importMap from "../../imports.json" with { type: "json" };

const NAME = "@modelcontextprotocol/server";
const ROOT = new URL("../../", import.meta.url);

/** Says when the library is loaded, and is it. */
const SPY = `console.log("library loaded"); export * from "${importMap.imports[NAME]}";`;

const PROGRAM = `
  import { startService } from "${new URL("tests/_service.ts", ROOT)}";
  const service = await startService({ embedded: true });
  const headers = { accept: "application/json, text/event-stream" };
  const ask = (path, body) => service.call("POST", path, { body, headers });
  const { status } = await ask("/v1/memory/facts", { statement: "The pier is long." });
  console.log("served", status);
  const ping = await ask("/mcp", { jsonrpc: "2.0", id: 1, method: "ping" });
  console.log("pinged", ping.status);
  await service[Symbol.asyncDispose]();
  // The embedded database keeps a program alive that does not end itself.
  Deno.exit(0);
`;

Deno.test("a service loads the library of MCP with the first request to it, and not before", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-boot-" });
  try {
    const spy = `data:text/javascript,${encodeURIComponent(SPY)}`;
    // Under another name the lock file keeps it.
    const imports = { ...importMap.imports, [NAME]: spy, library: importMap.imports[NAME] };
    const { importMap: _, lock: __, ...settings } = deno;
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ ...settings, imports }));
    // Says which packages belong together: nothing is asked of the registry.
    await Deno.copyFile(new URL("deno.lock", ROOT), `${folder}/deno.lock`);
    await Deno.writeTextFile(`${folder}/main.ts`, PROGRAM);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--cached-only",
        "--config",
        `${folder}/deno.json`,
        `${folder}/main.ts`,
      ],
      signal: AbortSignal.timeout(120_000),
    }).output();
    const said = new TextDecoder().decode(stdout).trim().split("\n");
    assert.deepEqual(said, ["served 201", "library loaded", "pinged 200"], new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
