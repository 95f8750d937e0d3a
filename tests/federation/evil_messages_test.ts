/** A peer that lies in the messages that it sends, and in its answers to those of the service. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { publish } from "../../src/domain/federation/register/publish.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Lie, rewrite } from "./_evil_peer.ts";
import { entryOf, goodTurn, held, NOBODY, otherKeys, rows, startWorld, turn } from "./_evil_world.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

Deno.test({
  ...POSTGRES,
  name:
    "T25 T27 T29 T34 T35 a peer that lies in its messages is refused by name, in the audit log too, and touches nothing of others",
  async fn(t) {
    await using world = await startWorld();
    const { liar, honest, slow, service } = world;
    const { operator, workspaceId } = { operator: service.operator(), workspaceId: service.workspaceId };
    const create = async (statement: string) => (await service.post("/v1/memory/facts", { statement })).body;
    const theirs = honest.say("The honest peer mends the mill.");
    const body = liar.say("The liar burns the mill.");
    for (const peer of [liar, honest, slow]) await goodTurn(world, peer);
    const ours = await create("The mill stands by the brook.");
    while (await publish(operator));
    const statusOf = async ({ id }: Json) => (await service.get(`/v1/memory/facts/${id}`)).status;
    const auditOf = async (code: string) => {
      await auditTrailOf(service.deps).flush();
      const [{ n }] = await rows(
        world,
        `select count(*)::int as n from svc_audit_log where workspace_id = :ws and actor_type = 'peer'
            and outcome = '${code}'`,
      );
      return n;
    };

    const push = (envelope: Json) => ({ ...liar.head("SYNC_PUSH"), envelope });
    const good = () => liar.pushed([liar.sealPushed(body)]);
    const gone = (instance: string, id: string, more: Json = {}) => ({
      ...{ id, instance, type: "fact:deleted", version: 2, erasedAt: world.now.toISOString() },
      ...more,
    });
    const { messageId: _, ...from } = liar.head("SYNC_ACK");
    const ack = (id: string, more: Json = {}) => ({
      ...{ ...from, workspace: liar.workspace, for: NOBODY, at: world.now.toISOString() },
      results: [{ id, instance: "instance:us.test", version: 2, outcome: "erased" }],
      ...more,
    });
    const lies: readonly [what: string, code: string, message: Json, path?: string][] = [
      ["another sender", "validation_failed", { ...liar.head("SYNC_HINT"), from: honest.id }],
      ["another addressee", "validation_failed", { ...liar.head("SYNC_HINT"), to: honest.id }],
      ["another workspace", "validation_failed", { ...liar.head("SYNC_HINT"), workspace: NOBODY }],
      ["a message of no kind", "validation_failed", liar.head("SYNC_STEAL")],
      ["an answer that nobody asked for", "validation_failed", { ...ack(ours.id), type: "CLAIM_REPLY" }],
      ["a push that nobody signed", "federation_verify_failed", push({ ...good(), signature: undefined })],
      [
        "a push that another key signed",
        "federation_verify_failed",
        push(liar.page([liar.sealPushed(body)], { workspace: workspaceId, cursor: null }, otherKeys)),
      ],
      ["a push of another workspace", "federation_verify_failed", push(liar.page([liar.seal(body)]))],
      ["a push of another instance", "federation_verify_failed", push({ ...good(), from: honest.id })],
      [
        "a push of another instance's word",
        "federation_verify_failed",
        push(liar.pushed([liar.sealPushed({ ...body, writer: honest.id })])),
      ],
      [
        "a push that was sealed for somebody else",
        "federation_decrypt_failed",
        push(liar.pushed([liar.seal(body)])),
      ],
      [
        "a notice about what is there",
        "validation_failed",
        { ...liar.head("ERASE_NOTIFY"), items: [gone("instance:us.test", ours.id, { type: "fact" })] },
      ],
      [
        "more notices than one message holds",
        "validation_failed",
        { ...liar.head("ERASE_NOTIFY"), items: new Array(201).fill(gone(liar.id, NOBODY)) },
      ],
      ["an acknowledgement that nobody signed", "federation_verify_failed", ack(ours.id)],
      ["another's acknowledgement", "federation_verify_failed", liar.signed("ack", ack(ours.id, { from: honest.id }))],
      ["an acknowledgement by another key", "federation_verify_failed", liar.signed("ack", ack(ours.id), otherKeys)],
      [
        "a hello in another's name",
        "validation_failed",
        {
          ...{ v: 1, type: "hello", from: honest.id, to: "instance:us.test", workspace: workspaceId },
          ...{ nonce: "A".repeat(22), sentAt: world.now.toISOString(), region: null },
          ...{ direction: "bidirectional", capabilities: [] },
        },
        "handshake",
      ],
    ];
    for (const [what, code, message, path = "messages"] of lies) {
      await t.step(what, async () => {
        const [before, audited] = [await held(world), await auditOf(code)];
        const reply = await liar.send(path, message);
        assert.deepEqual([reply.status, reply.body.code], [422, code], JSON.stringify(reply.body));
        assert.deepEqual(await held(world), before);
        assert.ok(await auditOf(code) > audited, "the audit log has it");
      });
    }

    await t.step("T25 a token that was used", async () => {
      const claims = { jti: randomBytes(16).toString("base64url") };
      assert.equal((await liar.send("messages", liar.head("SYNC_HINT"), { claims })).status, 200);
      const again = await liar.send("messages", liar.head("SYNC_HINT"), { claims });
      assert.deepEqual([again.status, again.body.code, await auditOf("replay_detected")], [401, "replay_detected", 1]);
    });

    await t.step("T35 it erases nothing but what is its own", async () => {
      const late = honest.say("The honest peer will tell it later.");
      const items = [
        gone("instance:us.test", ours.id),
        gone(honest.id, theirs.origin.id),
        gone(honest.id, late.origin.id, { version: 1 }),
        gone(liar.id, body.origin.id),
      ];
      const reply = await liar.send("messages", { ...liar.head("ERASE_NOTIFY"), requiresAck: true, items });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const outcomes = reply.body.results.map(({ outcome }: Json) => outcome);
      assert.deepEqual(outcomes, ["review_opened", "version_removed", "not_found", "erased"]);
      await goodTurn(world, honest);
      const statuses = await Promise.all([ours, theirs.origin, late.origin, body.origin].map(statusOf));
      assert.deepEqual(statuses, [200, 200, 200, 410]);
    });

    await t.step("T35 it acknowledges nothing in the place of others, nor by half", async () => {
      const { status } = await service.post(`/v1/facts/${ours.id}/forget`, { mode: "erase" });
      assert.equal(status, 200);
      while (await publish(operator));
      const pending = async (): Promise<Json[]> =>
        (await rows(
          world,
          `select peer_id, version from federation_erasure where workspace_id = :ws and acked_at is null
              and origin_id = '${ours.id}' order by 1`,
        )).map(({ peer_id }) => peer_id);
      const all = [honest.id, liar.id, slow.id];
      const resign = (change: Json, signer = liar.keys): Lie["tell"] => (truth) => {
        const { signature: _, keyId: _key, ...said } = JSON.parse(truth.body);
        return { ...truth, body: JSON.stringify(liar.signed("ack", { ...said, ...change }, signer)) };
      };
      const tells: readonly [code: string, tell: Lie["tell"]][] = [
        ["federation_verify_failed", rewrite(({ signature: _, ...said }) => said)],
        ["federation_verify_failed", resign({}, otherKeys)],
        ["federation_verify_failed", resign({ for: NOBODY })],
        ["federation_verify_failed", resign({ from: honest.id })],
        ["federation_verify_failed", rewrite(({ signature: _, keyId: _key, ...said }) => liar.signed("claims", said))],
        ["unacknowledged", resign({ results: [] })],
        ["unacknowledged", resign({ results: [{ id: NOBODY, instance: liar.id, version: 1, outcome: "erased" }] })],
        ["unexpected_reply", rewrite((said) => ({ v: 1, type: "ACCEPTED", for: said.for }))],
      ];
      for (const [code, tell] of tells) {
        liar.lie = { on: "messages", tell };
        assert.equal((await turn(world, liar))?.error?.code, code);
        assert.deepEqual([(await entryOf(world, liar)).lastError?.["code"], await pending()], [code, all]);
      }
      liar.lie = undefined;
      const [{ version }] = await rows(
        world,
        `select version from federation_erasure where workspace_id = :ws and origin_id = '${ours.id}' limit 1`,
      );
      const results = [{ id: ours.id, instance: "instance:us.test", version, outcome: "erased" }];
      const { status: taken } = await liar.send("messages", liar.signed("ack", ack(ours.id, { results })));
      assert.deepEqual([taken, await pending()], [200, [honest.id, slow.id]]);
      await goodTurn(world, honest);
      assert.deepEqual(await pending(), [slow.id]);
    });
  },
});
