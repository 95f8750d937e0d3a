/** `svc mcp`: between the lines of a client and a running service. */
import assert from "node:assert/strict";
import { Bridge } from "../../src/cli/mcp.ts";
import { startService } from "../_service.ts";
import { bridgeTo } from "./_client.ts";

interface Run {
  readonly replies: Record<string, never>[];
  readonly complaints: string[];
}

/** Runs lines through a bridge, to the end. */
async function run(url: string, key: string, input: string): Promise<Run> {
  const complaints: string[] = [];
  let output = "";
  const sink = new WritableStream<Uint8Array>({ write: (chunk) => void (output += new TextDecoder().decode(chunk)) });
  const bridge = new Bridge(new URL(`${url}/mcp`), key, (text) => void complaints.push(text));
  await bridge.run(new Response(input).body!, sink);
  return { replies: output.split("\n").filter(Boolean).map((line) => JSON.parse(line)), complaints };
}

const line = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n";

Deno.test("svc mcp ends with its input, when the last reply is out, and never opens the database", async () => {
  await using service = await startService();
  const { url } = service.listen();
  const { command, args, env } = bridgeTo(url, service.key) as {
    command: string;
    args: string[];
    env: Record<string, string>;
  };
  const dataDir = await Deno.makeTempDir({ prefix: "svc-bridge-" });
  try {
    const child = new Deno.Command(command, {
      args,
      // A database that is not there: nobody asks it.
      env: { ...env, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", SVC_DATA_DIR: dataDir },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    const statement = "The bridge is long.";
    const asked = line(1, "tools/call", { name: "remember", arguments: { statement } }) + line(2, "tools/list");
    await writer.write(new TextEncoder().encode(asked.trimEnd()));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
    const replies = new TextDecoder().decode(stdout).trim().split("\n").map((text) => JSON.parse(text));
    assert.deepEqual(replies.map(({ id }) => id).sort(), [1, 2]);
    assert.deepEqual(Array.from(Deno.readDirSync(dataDir)), []);
    assert.equal((await service.get("/v1/memory/facts")).body.data[0].statement, statement);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("svc mcp says what is wrong: no key, a bad address, no service, a wrong key", async () => {
  const { command, args, env } = bridgeTo("x", "") as { command: string; args: string[]; env: Record<string, string> };
  const start = async (variables: Record<string, string>) => {
    const { code, stderr } = await new Deno.Command(command, { args, env: { ...env, ...variables }, stdin: "null" })
      .output();
    return [code, new TextDecoder().decode(stderr).trim()] as const;
  };
  const empty = await Deno.makeTempDir({ prefix: "svc-bridge-" });
  const keyless = await start({ SVC_KEY: "", XDG_CONFIG_HOME: empty });
  await Deno.remove(empty, { recursive: true });
  assert.match(keyless.join(), /^\d+,Cannot ask the service: no key\. Set SVC_KEY/);
  const [code, said] = await start({ SVC_KEY: "k", SVC_URL: "ftp://x" });
  assert.deepEqual([code, said], [1, "Cannot ask the service: SVC_URL is not an http: or https: URL"]);

  const gone = await run("http://127.0.0.1:1", "k", line(1, "ping") + '{"jsonrpc":"2.0","method":"notifications/x"}\n');
  assert.deepEqual(gone.replies.map(({ id }) => id), [1], "a notification gets no reply");
  assert.match(JSON.stringify(gone.replies), /Cannot reach the service at http:\/\/127\.0\.0\.1:1/);
  assert.match(gone.complaints[0]!, /is it running/);
  await using service = await startService();
  const wrong = await run(service.listen().url, "svc_live_wrong", line(7, "tools/list"));
  assert.match(wrong.complaints.join(), /does not know the key/);
  assert.deepEqual(wrong.replies.map(({ id }) => id), [7]);
});

Deno.test("svc mcp survives lines that are no messages, and names that no header can hold", async () => {
  await using service = await startService();
  const { url } = service.listen();
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const client = {
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const input = "\n{nonsense\n" + "a".repeat(1_048_577) + "\n[1,2]\nnull\n" +
    line(1, "tools/call", { name: "naïve\r\nname", arguments: {}, _meta: { ...meta, ...client } }) + line(2, "ping");
  const { replies } = await run(url, service.key, input);
  const codes = Object.fromEntries(
    replies.map(({ id, error }: Record<string, { code: number }>) => [String(id), error?.code]),
  );
  assert.equal(codes["1"], -32602, JSON.stringify(replies));
  assert.equal(codes["2"], undefined);
  assert.ok("2" in codes);
  assert.ok(replies.some(({ error }: Record<string, { code: number }>) => error?.code === -32700));
  const said = replies.map(({ error }: Record<string, { code: number; message: string }>) =>
    error && `${error.code} ${error.message}`
  );
  const notObjects = said.filter((text?: string) => text === "-32600 Cannot send the message: it is not an object");
  assert.equal(notObjects.length, 2, JSON.stringify(replies));
  assert.ok(replies.some(({ error }: Record<string, { message: string }>) => /larger than/.test(error?.message ?? "")));
});
