/** Instances that share a host, with ports in their ids. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { entryOf, pairUp, startPair } from "./_pair.ts";
import { create, ok, turn } from "./_turns.ts";

Deno.test({
  ...POSTGRES,
  name: "an instance with a port in its id pairs, exchanges, settles and erases, and is named in addresses as it is",
  async fn() {
    const ids = { a: "instance:host.test:8443", b: "instance:host.test:9443" };
    await using pair = await startPair({
      a: { env: { SVC_INSTANCE_ID: ids.a } },
      b: { env: { SVC_INSTANCE_ID: ids.b } },
    });
    const [a, b] = [{ ...pair.a, id: ids.a }, { ...pair.b, id: ids.b }];
    await pairUp({ ...pair, a, b });
    for (const [side, other] of [[a, b], [b, a]] as const) assert.equal((await entryOf(side, other))!.state, "ACTIVE");
    const [ours, theirs] = [await create(a, "The quay has nine bollards."), await create(b, "The quay is wet.")];
    await turn(b, a);
    await turn(a, b);
    const copy = await ok(b.service.get(`/v1/memory/facts/${ours.id}`));
    assert.deepEqual(copy.origin, { instance: ids.a, id: ours.id });
    for (const path of [ids.a, encodeURIComponent(ids.a)]) {
      assert.equal((await ok(b.service.get(`/v1/memory/federation/peers/${path}`))).id, ids.a);
    }
    await ok(a.service.patch(`/v1/memory/facts/${ours.id}`, { statement: "The quay has ten bollards." }));
    await ok(b.service.patch(`/v1/memory/facts/${ours.id}`, { statement: "The quay has eight bollards." }));
    await turn(b, a);
    const { data: [conflict] } = await ok(b.service.get(`/v1/memory/federation/conflicts?peer=${ids.a}`));
    const body = { itemA: { id: ours.id, instance: ids.a }, itemB: { id: ours.id, instance: ids.b } };
    assert.equal((await ok(b.service.post("/v1/memory/federation/resolve", body))).conflictId, conflict.id);
    await ok(b.service.post(`/v1/facts/${theirs.id}/forget`, { mode: "erase" }));
    await turn(b, a);
    assert.equal((await a.service.get(`/v1/memory/facts/${theirs.id}`)).status, 410);
    assert.equal((await ok(b.service.delete(`/v1/memory/federation/peers/${ids.a}`))).removed, true);
  },
});
