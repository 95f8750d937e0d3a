/** How many entries of a peer are here is counted now and then, and exactly near the limit. */
import { deepEqual } from "node:assert/strict";
import postgres from "postgres";
import { ENTRIES_MAX, hasRoom, readRoom } from "../../src/domain/federation/applying/deferred.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";

const PEER = "instance:b.example";

Deno.test({
  ...POSTGRES,
  name: "a count of a peer's entries is reused with what was received since, and made anew near the limit",
  async fn() {
    await using service = await startService();
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    service.stack.defer(() => sql.end({ timeout: 5 }));
    const ctx = service.operator();
    const entriesFor = (arriving: number) =>
      ctx.tx(async (tx) => (await readRoom(ctx, tx, PEER, arriving)).entries, { readOnly: true });
    const receive = (n: number) =>
      sql`
      insert into federation_version (
        workspace_id, origin_instance, origin_id, writer, type, version, updated_at, hash, sensitivity, least_sensitivity,
        key, leaf, verdict)
      select ${service.workspaceId}, ${PEER}, gen_random_uuid(), ${PEER}, 'fact', 1, now(), h, 'internal', 'internal',
             substr(h, 1, 8), h, 'covered'
        from generate_series(1, ${n}::int) as n cross join lateral (select sha256(n::text::bytea) as h) digest`;
    await receive(3);
    deepEqual([await entriesFor(5), await entriesFor(2), await entriesFor(0)], [3, 8, 10]);
    // Most of what was received were new versions of known items: the exact number is smaller.
    await receive(1);
    deepEqual([await entriesFor(ENTRIES_MAX - 5), await entriesFor(1), await entriesFor(1)], [4, 4, 5]);
    deepEqual([ENTRIES_MAX - 1, ENTRIES_MAX].map((entries) => hasRoom({ entries, conflicts: 0 })), [true, false]);
  },
});
