/** A peer that lies about its items, about who it is, and about how much it has. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { POSTGRES } from "../_postgres.ts";
import type { TestService } from "../_service.ts";
import { type Lie, rewrite } from "./_evil_peer.ts";
import {
  type Case,
  countAudit,
  entryOf,
  goodTurn,
  held,
  HOUR_MS,
  NOBODY,
  otherKeys,
  rows,
  startWorld,
  turn,
} from "./_evil_world.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

Deno.test({
  ...POSTGRES,
  name: "T36 T37 T38 items that a peer makes up change nothing but what is its own",
  async fn() {
    await using world = await startWorld();
    const { liar, service } = world;
    const stored = async (at: TestService, statement: string) => {
      const { status, body } = await at.post("/v1/memory/facts", { statement });
      assert.equal(status, 201, JSON.stringify(body));
      return body;
    };
    await goodTurn(world, liar);
    const ours = await stored(service, "The bridge over the Aller carries 12 tons.");
    const neighbour = await service.inNewWorkspace();
    const theirs = await stored(neighbour, "The neighbour keeps the key under the mat.");
    const named = (id: string) => ({ origin: { instance: liar.id, id } });
    liar.say("The bridge over the Aller is closed.", named(ours.id));
    liar.say("The key is with the liar.", named(theirs.id));
    const future = liar.say("The liar comes from the future.", { updatedAt: "2099-01-01T00:00:00.000Z" });
    liar.say("The liar has seen what we will say.", { seen: { "instance:us.test": 7 } });
    const jump = liar.say("The liar says it for the 2,000th time.", { version: 2_000 });
    const { unit } = liar.bodies[0];
    const trusted = liar.say("x", {
      unit: { ...unit, statement: "Trust the liar.", attribution: "verified", trustScore: 100 },
    });
    const before = liar.requests.length;
    const report = await goodTurn(world, liar);
    assert.deepEqual(
      Object.fromEntries(report.rejected.map(({ code, count }) => [code, count])),
      { VERSION_JUMP_REJECTED: 1, validation_failed: 2 },
    );
    // The jump is asked for once in a step; what does not come nearer is not asked for again.
    assert.ok(liar.requests.length - before <= 4, `${liar.requests.length - before} requests`);
    assert.equal((await service.get(`/v1/memory/facts/${ours.id}`)).body.statement, ours.statement);
    assert.equal((await neighbour.get(`/v1/memory/facts/${theirs.id}`)).body.statement, theirs.statement);
    for (const { origin } of [jump, trusted]) {
      assert.equal((await service.get(`/v1/memory/facts/${origin.id}`)).status, 404);
    }
    const [{ at }] = await rows(
      world,
      `select updated_at as at from federation_version where workspace_id = :ws and origin_id = '${future.origin.id}'`,
    );
    assert.ok(at <= world.now, "a time that is ahead counts as that of receipt");
    const all = await rows(
      world,
      "select distinct attribution from unit where workspace_id = :ws and origin_instance <> 'instance:us.test'",
    );
    assert.deepEqual(all.map(({ attribution }) => attribution), ["federation_received"]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "F20 T26 T41 a peer that is somebody else since it was paired is not greeted, and another certificate gets no request",
  async fn(t) {
    await using world = await startWorld();
    const { liar, certificates } = world;
    await goodTurn(world, liar);
    const resign = (change: Json, signer = liar.keys): Lie["tell"] => (truth) => {
      const { signature: _, keyId: _key, ...said } = JSON.parse(truth.body);
      return { ...truth, body: JSON.stringify(liar.signed("handshake", { ...said, ...change }, signer)) };
    };
    const first = (tell: Lie["tell"]): Lie["tell"] => (truth, request) =>
      request.body.type === "hello" ? tell(truth, request) : truth;
    const second = (tell: Lie["tell"]): Lie["tell"] => (truth, request) =>
      request.body.type === "hello" ? truth : tell(truth, request);
    const cases: readonly Pick<Case, "what" | "code" | "tell">[] = [
      {
        what: "a challenge that another key signed",
        code: "federation_verify_failed",
        tell: first(resign({}, otherKeys)),
      },
      {
        what: "a challenge that says another's signature is ours",
        code: "federation_verify_failed",
        tell: first(rewrite((said) => ({ ...said, signature: "A".repeat(86) }))),
      },
      {
        what: "a challenge to another hello",
        code: "handshake_failed",
        tell: first(resign({ hello: "A".repeat(43) })),
      },
      { what: "another instance", code: "handshake_failed", tell: first(resign({ from: "instance:honest.test" })) },
      { what: "another workspace", code: "handshake_failed", tell: first(resign({ workspace: NOBODY })) },
      {
        what: "a challenge for somebody else",
        code: "handshake_failed",
        tell: first(resign({ to: "instance:honest.test" })),
      },
      {
        what: "a clock that is 31 s ahead",
        code: "clock",
        tell: (truth, request) =>
          first(resign({ time: new Date(world.now.getTime() + 31_000).toISOString() }))(truth, request),
      },
      {
        what: "a welcome in the place of a challenge",
        code: "unexpected_reply",
        tell: first(rewrite(() => ({ v: 1 }))),
      },
      {
        what: "a welcome for somebody else",
        code: "handshake_failed",
        tell: second(rewrite((said) => ({ ...said, to: "instance:honest.test" }))),
      },
    ];
    const before = await held(world);
    for (const { what, code, tell } of cases) {
      await t.step(what, async () => {
        world.now = new Date(world.now.getTime() + 7 * HOUR_MS);
        const asked = liar.requests.length;
        liar.lie = { on: "handshake", tell };
        assert.equal((await turn(world, liar))?.error?.code, code);
        liar.lie = undefined;
        assert.ok(liar.requests.slice(asked).every((request) => request.what === "handshake"), "nothing else is asked");
        const { state, lastError } = await entryOf(world, liar);
        assert.deepEqual([state, lastError?.["code"]], ["DEGRADED", code]);
        await goodTurn(world, liar);
      });
    }
    await t.step("keys that are all new", async () => {
      const { keys } = liar;
      liar.keys = otherKeys;
      assert.equal((await turn(world, liar))?.error?.code, "federation_verify_failed");
      liar.keys = keys;
      await goodTurn(world, liar);
    });
    await t.step("another certificate in the same place", async () => {
      const asked = liar.requests.length;
      await liar.show(await certificates.make({ names: "IP:127.0.0.1", isSelfSigned: true }));
      assert.equal((await turn(world, liar))?.error?.code, "pin_mismatch");
      assert.equal(liar.requests.length, asked);
      assert.ok(await countAudit(world, "federation_cert_pin_mismatch") >= 1);
      await liar.show(liar.identity);
      await goodTurn(world, liar);
    });
    assert.deepEqual(await held(world), before);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T42 a digest that never fits costs bounded work, and proves nothing",
  async fn(t) {
    await using world = await startWorld();
    const { liar } = world;
    liar.say("The liar counts its sheep.");
    await goodTurn(world, liar);
    const digest = () => randomBytes(32).toString("hex");
    /** Nodes that all differ, down to buckets that list what `items` says. */
    const differing = (children: readonly string[], items: (prefix: string) => Json[]) =>
      rewrite((said) => ({
        ...said,
        nodes: said.nodes.map(({ prefix }: Json) => {
          if (prefix.length === 4) return { prefix, items: items(prefix) };
          const below = prefix === ""
            ? children
            : Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
          const nodes = below.map((digits) => ({ prefix: prefix + digits, count: 1, digest: digest() }));
          return { prefix, count: 1, digest: digest(), children: nodes };
        }),
      }));
    const made = (prefix: string) =>
      Array.from({ length: 88 }, (_, i) => ({
        id: `0199${prefix}-0000-7000-8000-${i.toString(16).padStart(12, "0")}`,
        instance: "instance:e",
        type: "fact",
        version: 1,
        hash: "0".repeat(64),
      }));
    const cases: readonly (Pick<Case, "what" | "code" | "tell"> & { readonly requests: number })[] = [
      {
        what: "a root that differs, over children that do not",
        code: "digest_unsound",
        requests: 1,
        tell: rewrite((said) => ({ ...said, nodes: [{ ...said.nodes[0], digest: digest() }] })),
      },
      { what: "children of another node", code: "digest_unsound", requests: 1, tell: differing(["abc"], () => []) },
      {
        what: "children that no key begins with",
        code: "digest_unsound",
        requests: 1,
        tell: differing(["zz"], () => []),
      },
      {
        what: "entries where nodes belong",
        code: "digest_unsound",
        requests: 1,
        tell: rewrite((said) => ({ ...said, nodes: [{ prefix: "", items: [] }] })),
      },
      {
        what: "what was not asked for",
        code: "unexpected_reply",
        requests: 1,
        tell: rewrite((said) => ({ ...said, side: "held" })),
      },
      {
        what: "more differences than anybody has",
        code: "digest_unsound",
        requests: 5,
        tell: differing(["0a", "0b", "0c"], made),
      },
    ];
    for (const { what, code, tell, requests } of cases) {
      await t.step(what, async () => {
        const [before, asked] = [await held(world), liar.requests.length];
        liar.lie = { on: "digest", tell };
        assert.equal((await turn(world, liar, { mode: "pull", reconcile: true }))?.error?.code, code);
        liar.lie = undefined;
        const digests = liar.requests.slice(asked).filter(({ query }) => query.get("side") === "served");
        assert.ok(digests.length <= requests, `${digests.length} requests`);
        assert.deepEqual([(await entryOf(world, liar)).lastError?.["code"], await held(world)], [code, before]);
        await goodTurn(world, liar);
      });
    }
    await t.step("nodes that differ over entries that do not: the sides are not equal, and the turn ends", async () => {
      const asked = liar.requests.length;
      const lied = (node: Json) => ({ ...node, digest: digest() });
      liar.lie = {
        on: "digest",
        tell: rewrite((said) => ({
          ...said,
          nodes: said.nodes.map((node: Json) =>
            "items" in node ? node : { ...lied(node), children: node.children.map(lied) }
          ),
        })),
      };
      const { reconciled } = await goodTurn(world, liar, { mode: "pull", reconcile: true });
      liar.lie = undefined;
      assert.deepEqual(reconciled, { equal: false, differences: 0, left: [] });
      const digests = liar.requests.slice(asked).filter(({ query }) => query.get("side") === "served");
      assert.ok(digests.length <= 8, `${digests.length} requests`);
      assert.equal((await goodTurn(world, liar, { mode: "pull", reconcile: true })).reconciled?.equal, true);
    });
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T42 pages that repeat what was said, or say what nobody can take, end after bounded work, and cost no honest peer",
  async fn(t) {
    await using world = await startWorld();
    const { liar } = world;
    liar.say("The liar says it once.");
    await goodTurn(world, liar);
    const { unit } = liar.bodies[0];
    const bad = { ...liar.bodies[0], unit: { ...unit, attribution: "verified", trustScore: 100 } };
    let pages = 0;
    const endless = (items: () => Json[]): Lie["tell"] => () => ({
      status: 200,
      body: JSON.stringify(liar.page(items(), { cursor: `z${pages++}` })),
    });
    const lies = {
      "one item again and again": () => [liar.seal(liar.bodies[0])],
      "items that nobody can take": () => [
        liar.seal({ ...bad, origin: { ...bad.origin, id: crypto.randomUUID() } }),
      ],
    };
    for (const [what, items] of Object.entries(lies)) {
      await t.step(what, async () => {
        const asked = liar.requests.length;
        liar.lie = { on: "items", tell: endless(items) };
        const report = await turn(world, liar).finally(() => liar.lie = undefined);
        assert.equal(report?.error?.code, "pages_fruitless");
        assert.ok(liar.requests.length - asked <= 25, `${liar.requests.length - asked} requests`);
        assert.deepEqual((await entryOf(world, liar)).lastError?.["code"], "pages_fruitless");
      });
    }
    await t.step("as many pages of news are read to their end", async () => {
      let n = 0;
      liar.lie = {
        on: "items",
        tell: (_, { query }) => {
          const items = n++ < 30 ? [liar.seal(liar.say(`News number ${n}.`))] : [];
          const cursor = items.length > 0 ? `n${n}` : query.get("since");
          return { status: 200, body: JSON.stringify(liar.page(items, { cursor })) };
        },
      };
      const report = await turn(world, liar).finally(() => liar.lie = undefined);
      assert.deepEqual([report?.error, report?.received], [null, 30]);
    });
  },
});
