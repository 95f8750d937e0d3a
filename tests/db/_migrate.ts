/** Migrates the database of its one argument, and is killed while it does so. */
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { migrate } from "../../src/db/migrations.ts";

await migrate(connectionOf(Deno.args[0]!), {
  embeddingDimension: 384,
  // The same check as the service's own, but more often.
  clientCheckMs: 20,
});
