/** The curl lines of the README and of docs/wire.md, run word for word against what `deno task start` starts. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { startProcess } from "./_process.ts";
import { waitFor } from "./_wait.ts";

const read = (file: string) => Deno.readTextFile(new URL(`../${file}`, import.meta.url));
const README = await read("README.md");
const WIRE = await read("docs/wire.md");
const BLOCKS = [...README.matchAll(/```sh session\n([\s\S]*?)```/g)].map((match) => match[1]!);

const [RPCS] = WIRE.match(/(?<=```sh rpc\n)[\s\S]*?(?=```)/) ?? [];
const [STREAM] = WIRE.match(/(?<=```sh stream\n)[\s\S]*?(?=```)/) ?? [];

Deno.test("the README's curl session ends in a recalled turn and a recalled fact; the RPCs and the stream of docs/wire.md answer", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await Deno.makeTempDir({ prefix: "svc-readme-" });
  stack.defer(() => Deno.remove(dataDir, { recursive: true }));
  const service = stack.use(await startProcess({ SVC_DATA_DIR: dataDir }));
  await service.listening();
  const { url } = service;
  // It was printed before the first answer, and may come through the pipe after it.
  const [printed] = await waitFor(
    "the first key",
    () => /First API key[^]*^curl .*\n/m.exec(service.output()) ?? undefined,
  );
  const [, key = ""] = /First API key\s+(svc_live_\S+)/.exec(printed) ?? [];
  const [pasted = "curl"] = /^curl .*$/m.exec(printed) ?? [];
  const paste = await new Deno.Command("bash", { args: ["-c", `${pasted} -D -`] }).output();
  const [head = "", body = ""] = new TextDecoder().decode(paste.stdout).split("\r\n\r\n");
  assert.match(head, /^HTTP\/1.1 201 /, pasted);
  assert.doesNotMatch(head, /ratelimit-policy: "minute"/i, "the first key of the embedded database has no rate");
  assert.match(body, /The nightly backup runs at two/);

  const script = [...BLOCKS, RPCS!].map((block) => `${block}\necho\necho ---`).join("\n");
  const shell = await new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", script],
    env: { SVC_URL: url, SVC_KEY: key },
  }).output();
  assert.ok(shell.success, new TextDecoder().decode(shell.stderr));
  const [added, asked, collapsed, rpcs] = new TextDecoder().decode(shell.stdout).split("---").map((text) =>
    text.trim().split("\n")
  );
  assert.match(added!.join(""), /"messageId":"m3"/);
  const [first] = JSON.parse(asked!.join("")).results;
  assert.equal(first.messageId, "m1", "the turn with the answer comes first");
  const recalled = collapsed!.join("");
  const fact = JSON.parse(recalled.slice(recalled.lastIndexOf('{"results"'))).results[0];
  assert.match(fact.text, /prefers to be told by mail/);
  assert.equal(fact.citations[0].messageId, "m3");
  assert.match(rpcs!.join(""), /"created":true.*"results":\[\{.*deploy freeze ends on Friday/);

  const child = new Deno.Command("bash", {
    args: ["-c", `exec ${STREAM!}`],
    env: { SVC_URL: url, SVC_KEY: key, PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}` },
    cwd: new URL("../", import.meta.url),
    stdout: "piped",
  }).spawn();
  stack.defer(async () => {
    child.kill();
    await Promise.all([child.status, reading]);
  });
  let told = "";
  const reading = (async () => {
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) told += piece;
  })();
  await waitFor("the subscription", () => told.includes('"op":"subscribed"'));
  const stored = await fetch(`${url}/v1/memory/facts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ statement: "The example runs." }),
  });
  const { id } = await stored.json();
  await waitFor("the event", () => told.includes(id));
});
