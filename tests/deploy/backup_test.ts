/** The commands of docs/guides/backup-and-restore.md: a dump of the database is a whole backup. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findServerPrograms } from "../../scripts/gate/native_postgres.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(join((await findServerPrograms())!, program), { args }).output();
  assert.ok(success, `${program}: ${new TextDecoder().decode(stderr)}`);
}

Deno.test({
  ...POSTGRES,
  name: "a dump that a superuser restores holds every fact, key and audit row, and the service goes on with it",
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "svc-backup-" });
    try {
      await using from = await createDatabase();
      await using into = await createDatabase({ migrated: false });
      let key: string;
      {
        await using service = await startService({ database: from });
        key = service.key;
        const { status } = await service.post("/v1/memory/facts", {
          statement: "The lighthouse keeper is called Ilse.",
        });
        assert.equal(status, 201);
        assert.equal((await service.get("/v1/audit/verify")).body.ok, true);
      }
      await run("pg_dump", "--format=custom", `--file=${folder}/svc.dump`, from.superuserUrl);
      await run(
        "pg_restore",
        "--exit-on-error",
        "--clean",
        "--if-exists",
        `--dbname=${into.superuserUrl}`,
        `${folder}/svc.dump`,
      );
      await using restored = await startService({ database: into });
      const found = await restored.post("/v1/memory/recall", { query: "lighthouse keeper" }, { key });
      assert.equal(found.body.results[0].text, "The lighthouse keeper is called Ilse.");
      const again = await restored.post("/v1/memory/facts", { statement: "Ilse repairs clocks." }, { key });
      assert.equal(again.status, 201);
      assert.equal((await restored.get("/v1/audit/verify", { key })).body.ok, true);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
