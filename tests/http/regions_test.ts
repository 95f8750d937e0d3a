/** The data of a workspace of another region stay there, whoever asks and whatever runs. docs/reference/guarantees.md T12. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import { createTestAdmin, requestAccess } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { buildWorld, fillPath, isTold, READS } from "./_world.ts";

const MARK = "quetzalcoatlus";

Deno.test({
  ...POSTGRES,
  name:
    "T12 nothing of another region's workspace is shown: exports, audit log, timelines, searches, also under a grant",
  async fn(t) {
    await using home = await startService({ env: { SVC_REGION: "eu-west-1" } });
    let now = new Date();
    await using service = await startService({
      env: { SVC_REGION: "us-east-1" },
      database: home.database!,
      clock: () => now,
    });
    const workspaceId = await service.createWorkspace("elsewhere", "eu-west-1");
    const key = await home.createKey({ workspaceId });
    const world = await buildWorld(home, { mark: MARK, key, workspaceId });
    const [ada, bob] = [await createTestAdmin(service), await createTestAdmin(service)];
    const request = await requestAccess(service, ada, {
      workspaceId,
      scopes: ["memory:read", "memory:export", "audit:read"],
    });
    now = new Date(now.getTime() + 60_000);
    const grant = `/v1/admin/break-glass/${request.body.id}`;
    assert.equal((await service.post(`${grant}/approve`, { totp: bob.totp() }, { key: bob.key })).status, 200);
    const asking = [{ key }, { key: ada.key, headers: { "x-svc-break-glass": request.body.id } }];

    const forms = [MARK, btoa(MARK).replace(/=+$/, ""), new TextEncoder().encode(MARK).toHex()];
    for (const endpoint of READS) {
      await t.step(endpoint.route.operationId, async () => {
        for (const as of asking) {
          const reply = await service.call(endpoint.route.method.toUpperCase(), fillPath(pathOf(endpoint), world), as);
          assert.deepEqual([reply.status, reply.body.code, reply.body.homeRegion], [403, "wrong_region", "eu-west-1"]);
          const text = JSON.stringify([reply.body, [...reply.headers]]);
          for (const form of forms) assert.ok(!text.includes(form), form);
          assert.ok(!isTold(text, world));
        }
      });
    }
    assert.equal((await service.get(grant, { key: bob.key })).body.uses, 0, "a use that was refused is none");
    assert.equal((await home.get(`/v1/facts/${world.ids.facts}`, { key })).status, 200, "at home it is there");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T12 the loops of one region leave the workspaces of another alone: nothing of them reaches a model here",
  async fn() {
    await using home = await startService({ env: { SVC_REGION: "eu-west-1" } });
    const seen: string[] = [];
    const model = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const { input } = await request.json();
      seen.push(...input);
      return Response.json({
        data: input.map((_: string, index: number) => ({ index, embedding: Array(384).fill(0.05) })),
      });
    });
    await using _ = { [Symbol.asyncDispose]: () => model.shutdown() };
    const url = `http://127.0.0.1:${model.addr.port}/v1`;
    await using _looping = await startService({
      env: { SVC_REGION: "us-east-1", SVC_EMBEDDINGS_URL: url, SVC_EMBEDDINGS_MODEL: "spy" },
      database: home.database!,
      workers: true,
    });
    const elsewhere = await home.createWorkspace("elsewhere", "eu-west-1");
    const key = await home.createKey({ workspaceId: elsewhere });
    const secret = { statement: `The ${MARK} nests in the tower.` };
    assert.equal((await home.post("/v1/memory/facts", secret, { key })).status, 201);
    // The loops go through the workspaces in the order of their ids, so that they come to this one after the other. The
    // service that writes into it has no model.
    await using writer = await startService({ env: { SVC_REGION: "us-east-1" }, database: home.database! });
    const workspaceId = await writer.createWorkspace("own");
    assert.ok(elsewhere < workspaceId);
    const own = { statement: "The heliograph stands on the terrace." };
    assert.equal(
      (await writer.post("/v1/memory/facts", own, { key: await writer.createKey({ workspaceId }) })).status,
      201,
    );
    await waitFor("the service's own text", () => seen.some((text) => text.includes("heliograph")));
    assert.ok(!seen.some((text) => text.includes(MARK)));
  },
});
