/** The README's curl session, run word for word against the service. */
import assert from "node:assert/strict";
import { startService } from "./_service.ts";

const README = await Deno.readTextFile(new URL("../README.md", import.meta.url));
const BLOCKS = [...README.matchAll(/```sh session\n([\s\S]*?)```/g)].map((match) => match[1]!);

const [RPCS] = README.match(/(?<=```sh rpc\n)[\s\S]*?(?=```)/) ?? [];

Deno.test("the README's curl session ends in a recalled turn and a recalled fact, and its RPCs are answered", async () => {
  await using service = await startService({ embedded: true });
  const { url } = service.listen();
  const script = [...BLOCKS, RPCS!].map((block) => `${block}\necho\necho ---`).join("\n");
  const shell = await new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", script],
    env: { SVC: url, KEY: service.key },
  }).output();
  assert.ok(shell.success, new TextDecoder().decode(shell.stderr));
  const [told, asked, collapsed, rpcs] = new TextDecoder().decode(shell.stdout).split("---").map((text) =>
    text.trim().split("\n")
  );
  assert.match(told!.join(""), /"messageId":"m3"/);
  const [first] = JSON.parse(asked!.join("")).results;
  assert.equal(first.messageId, "m1", "the turn with the answer comes first");
  const recalled = collapsed!.join("");
  const fact = JSON.parse(recalled.slice(recalled.lastIndexOf('{"results"'))).results[0];
  assert.match(fact.text, /prefers to be told by mail/);
  assert.equal(fact.citations[0].messageId, "m3");
  assert.match(rpcs!.join(""), /"created":true.*"results":\[\{.*deploy freeze ends on Friday/);
});
