/** Two processes share a server with few connections: one that was busy once leaves connections to the other. */
import assert from "node:assert/strict";
import { NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { backendOf, createGate, openDoor, outcomeOf } from "./_door.ts";

/** Postgres reserves three of them for superusers. */
const CONNECTIONS = 10;
const PLACES = CONNECTIONS - 3;

Deno.test({
  ignore: POSTGRES.ignore,
  name: "a pool that was busy once gives its connections back, and a transaction on it goes on",
  async fn() {
    await using cluster = await NativePostgres.start();
    await using database = await createDatabase({ cluster: cluster.url() });
    await using busy = await openDoor({ database, max: 10, deadlineMs: 120_000 });
    await using other = await openDoor({ database, max: 10, deadlineMs: 1_000 });
    for (const { superuser } of [busy, other]) await superuser.end({ timeout: 5 });
    await cluster.stop();
    await cluster.start({ max_connections: CONNECTIONS });

    const gate = createGate();
    const begun = Array.from({ length: PLACES }, () => Promise.withResolvers<number>());
    const held = begun.map(({ resolve }) =>
      busy.db.tx(busy.a, async (tx) => {
        resolve(await backendOf(tx));
        await gate.opened;
        return await backendOf(tx);
      })
    );
    const backends = await Promise.all(begun.map(({ promise }) => promise));
    assert.equal(new Set(backends).size, PLACES);
    const ask = () => outcomeOf(other.db.tx(other.a, backendOf, { readOnly: true }));
    assert.equal((await ask()).code, "unavailable");
    gate.open();
    assert.deepEqual(await Promise.all(held), backends);

    // One long transaction, and small ones such as the background loops run all the time.
    const end = createGate();
    const lasting = Promise.withResolvers<number>();
    const outcome = busy.db.tx(busy.a, async (tx) => {
      lasting.resolve(await backendOf(tx));
      await end.opened;
      return await backendOf(tx);
    });
    const backend = await lasting.promise;
    await waitFor("the other one is let in", async () => {
      await busy.db.tx(busy.a, backendOf, { readOnly: true });
      return (await ask()).value;
    });
    end.open();
    assert.equal(await outcome, backend);
  },
});
