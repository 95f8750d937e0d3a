import assert from "node:assert/strict";

Deno.test("the committed program of the Argon2id threads is what its source makes", async () => {
  const script = new URL("./argon2id_worker.ts", import.meta.url).pathname;
  const args = ["run", "--allow-all", "--quiet", script, "--check"];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
