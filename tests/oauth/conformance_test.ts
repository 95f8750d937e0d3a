/** The conformance suite's scenarios for authorization servers, run offline against a real service and a person's browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import importMap from "../../imports.json" with { type: "json" };
import { LOCKED } from "../../scripts/locked.ts";
import { CONSOLE, openConsole } from "../console/_console.ts";
import { agreeInBrowser } from "./_client.ts";

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** A port that nobody listens on: the suite takes one by its number. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function checksIn(folder: string): Promise<Check[]> {
  const runs = Array.from(Deno.readDirSync(folder)).filter(({ isDirectory }) => isDirectory);
  return (await Promise.all(
    runs.map(async ({ name }) => JSON.parse(await Deno.readTextFile(join(folder, name, "checks.json")))),
  )).flat();
}

Deno.test("T77 the conformance suite finds nothing wrong with the authorization server", CONSOLE, async () => {
  await using console = await openConsole();
  const { page, url } = console;
  const registered = await fetch(`${url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Conformance", redirect_uris: ["http://127.0.0.1/callback"] }),
  });
  const { client_id: clientId } = await registered.json();
  const out = await Deno.makeTempDir({ prefix: "svc-conformance-" });
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        ...LOCKED,
        "-A",
        "--cached-only",
        "--config",
        new URL("../../deno.json", import.meta.url).pathname,
        importMap.imports["@modelcontextprotocol/conformance"],
        ...["authorization", "--url", url, "--client-id", clientId, "--resource", `${url}/mcp`],
        ...["--port", String(freePort()), "--spec-version", "2026-07-28", "-o", out],
      ],
      cwd: out,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let said = "", hasAgreed = false;
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += piece;
      const address = /(https?:\S+\/oauth\/authorize\?\S+)\n/.exec(said)?.[1];
      if (address === undefined || hasAgreed) continue;
      hasAgreed = true;
      await agreeInBrowser(page, address, { may: "read only" });
    }
    said += await new Response(child.stderr).text();
    await child.status;
    const checks = await checksIn(out);
    assert.deepEqual(
      checks.map(({ id, status, errorMessage = "" }) => [id, status, errorMessage]).sort(),
      [
        ["authorization-code-grant", "SUCCESS", ""],
        ["authorization-server-metadata", "SUCCESS", ""],
        ["authorization-server-metadata-cimd", "SUCCESS", ""],
      ],
      said,
    );
  } finally {
    await Deno.remove(out, { recursive: true });
  }
});
