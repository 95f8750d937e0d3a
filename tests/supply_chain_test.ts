/** What is built and tested is what the lock file says: T68. */
import assert from "node:assert/strict";

const read = (path: string) => Deno.readTextFile(new URL(`../${path}`, import.meta.url));

Deno.test("T68 the gate and the image take the locked packages, each with its checksum, and run no script of theirs", async () => {
  assert.match(await read("scripts/test_all.sh"), /^deno install --lock=deno\.lock --frozen --quiet$/m);
  assert.match(await read("Dockerfile"), /^RUN deno cache --frozen /m);
  const { allowScripts, tasks } = JSON.parse(await read("deno.json"));
  assert.deepEqual(allowScripts.allow, [], "no package runs scripts");
  for (const command of Object.values(tasks)) assert.match(command as string, / --lock=deno\.lock --frozen /);
  assert.equal(JSON.parse(await read("src/deno.json")).lock, "../deno.lock");
  const { imports } = JSON.parse(await read("imports.json")) as { imports: Record<string, string> };
  const { specifiers, npm } = JSON.parse(await read("deno.lock"));
  for (const [name, wanted] of Object.entries(imports)) {
    if (name.endsWith("/")) {
      assert.equal(wanted, imports[name.slice(0, -1)]!.replace("npm:", "npm:/") + "/", "the same version");
      continue;
    }
    assert.match(wanted, /^npm:(@[^@]+|[^@]+)@\d+\.\d+\.\d+(-[\w.]+)?$/, "an exact version");
    assert.ok(specifiers[wanted], `${wanted} is locked`);
  }
  for (const [name, { integrity }] of Object.entries(npm) as [string, { integrity?: string }][]) {
    assert.match(integrity ?? "", /^sha512-/, name);
  }
});
