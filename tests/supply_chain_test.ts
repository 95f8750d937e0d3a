/** What is built and tested is what the lock file says: T68. */
import assert from "node:assert/strict";

const read = (path: string) => Deno.readTextFile(new URL(`../${path}`, import.meta.url));

Deno.test("T68 the gate and the image take the locked packages, each with its checksum, and run no script of theirs", async () => {
  assert.match(await read(".ci/run"), /^deno install --frozen --quiet$/m);
  assert.match(await read("Dockerfile"), /^RUN deno cache --frozen /m);
  const { imports, allowScripts } = JSON.parse(await read("deno.json"));
  assert.deepEqual(allowScripts.allow, [], "no package runs scripts");
  const { specifiers, npm } = JSON.parse(await read("deno.lock"));
  for (const wanted of Object.values(imports) as string[]) {
    assert.match(wanted, /^npm:(@[^@]+|[^@]+)@\d+\.\d+\.\d+(-[\w.]+)?$/, "an exact version");
    assert.ok(specifiers[wanted], `${wanted} is locked`);
  }
  for (const [name, { integrity }] of Object.entries(npm) as [string, { integrity?: string }][]) {
    assert.match(integrity ?? "", /^sha512-/, name);
  }
});
