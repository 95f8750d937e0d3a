/** Export and import on the command line: the same files as over HTTP, of any size. */
import assert from "node:assert/strict";
import { startService } from "../_service.ts";
import { emptyWorkspace, exportAll, parseFile } from "./_transfer.ts";
import { POSTGRES } from "../_postgres.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test({
  ...POSTGRES,
  name: "what svc export writes, svc import reads",
  async fn() {
    await using service = await startService();
    for (const colour of ["blue", "green"]) {
      await service.post("/v1/memory/facts", { statement: `The ${colour} boat lies in the harbour.` });
    }
    const target = await emptyWorkspace(service);
    const file = await Deno.makeTempFile({ suffix: ".jsonl" });
    const svc = async (...args: string[]) => {
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--quiet", "--no-check", "src/cli/main.ts", ...args],
        cwd: ROOT,
        env: { DATABASE_URL: service.database!.requestUrl },
      }).output();
      return { success, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
    };
    try {
      const exported = await svc("export", "--workspace", service.workspaceId, "--types", "fact");
      assert.ok(exported.success, exported.err);
      const { lines } = parseFile(exported.out);
      assert.equal(lines.length, 2);
      await Deno.writeTextFile(file, exported.out);
      const imported = await svc("import", file, "--workspace", target.workspaceId, "--json");
      assert.ok(imported.success, imported.err);
      assert.equal(JSON.parse(imported.out).created, 2);
      assert.deepEqual((await exportAll(service, target.key)).lines, lines);

      await Deno.writeTextFile(file, exported.out.slice(0, -10));
      const broken = await svc("import", file, "--workspace", target.workspaceId);
      assert.ok(!broken.success);
      assert.match(broken.err, /broken off/);
    } finally {
      await Deno.remove(file);
    }
  },
});
