/** The script of the README, run word for word with a model that needs no network. */
import assert from "node:assert/strict";
import { join } from "node:path";
import root from "../../imports.json" with { type: "json" };
import { startAnyService } from "./_client.ts";

const README = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
const [SCRIPT] = README.match(/(?<=```ts ai-sdk\n)[\s\S]*?(?=```)/) ?? [];

/** Knows what its prompt says, and nothing else. */
const MODEL = `
import { MockLanguageModelV4 } from "ai/test";
export const openai = (_name: string) => new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const [, name] = /dog is called (\\w+)/.exec(JSON.stringify(prompt)) ?? [];
    return {
      content: [{ type: "text", text: name === undefined ? "I do not know." : "Your dog is called " + name + "." }],
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    };
  },
});
`;

Deno.test("the script of the README remembers across runs", async () => {
  assert.ok(SCRIPT!.split("\n").length <= 20);
  await using service = await startAnyService();
  const { url } = service.listen();
  const folder = await Deno.makeTempDir({ prefix: "svc-script-" });
  try {
    const sdk = new URL("../../clients/typescript/", import.meta.url).href;
    const imports = {
      ...{ "@svc/client": `${sdk}mod.ts`, "@svc/client/ai-sdk": `${sdk}ai_sdk.ts`, "@ai-sdk/openai": "./model.ts" },
      ...{ ai: root.imports.ai, "ai/test": `${root.imports.ai}/test` },
    };
    const files = { "script.ts": SCRIPT!, "model.ts": MODEL, "deno.json": JSON.stringify({ imports }) };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    // Says which packages belong together: nothing is asked of the registry.
    await Deno.copyFile(new URL("../../deno.lock", import.meta.url), join(folder, "deno.lock"));
    const say = async (prompt: string) => {
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--check", "--cached-only", "script.ts", prompt],
        ...{ cwd: folder, env: { SVC_URL: url, SVC_KEY: service.key }, signal: AbortSignal.timeout(120_000) },
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      return new TextDecoder().decode(stdout).trim();
    };
    assert.equal(await say("What is my dog called?"), "I do not know.");
    assert.equal(await say("My dog is called Rex."), "Your dog is called Rex.");
    assert.equal(await say("What is my dog called?"), "Your dog is called Rex.");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
