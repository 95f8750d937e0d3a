/** Two services with ways between them that are not the usual: one direction, repeated and late requests, another region, no keys. */
import assert from "node:assert/strict";
import { greet } from "../../src/domain/federation/peers/greet.ts";
import { joinByInvite } from "../../src/domain/federation/peers/join.ts";
import { findPeer } from "../../src/domain/federation/peers/peers.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import { takePage } from "../../src/domain/federation/exchange/take_page.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, TestService } from "../_service.ts";
import { factBody, PEER, plain, plainPage } from "./_pages.ts";
import { entryOf, invite, type Pair, pairUp, type Side, startPair, TERMS } from "./_pair.ts";
import { makePeerKeys, storePeer } from "./_peer.ts";
import { create, type Json, later, ok, rows, turn } from "./_turns.ts";

const statusOf = async (side: Side, id: string) => (await side.service.get(`/v1/memory/facts/${id}`)).status;
const textOf = async (side: Side, id: string) => (await ok(side.service.get(`/v1/memory/facts/${id}`))).statement;
const edit = (side: Side, id: string, statement: string) =>
  ok(side.service.patch(`/v1/memory/facts/${id}`, { statement }));
const erase = (side: Side, id: string) => ok(side.service.post(`/v1/facts/${id}/forget`, { mode: "erase" }));

/** By its entry A pushes, and B only receives; B's entry says nothing of that. */
async function pairOneWay(pair: Pair): Promise<void> {
  const { a, b } = pair;
  const own = { certPin: b.identity.pin, clientCertPin: undefined };
  await joinByInvite(b.service.operator(), await invite(pair, { ...TERMS, direction: "push" }), own, TERMS);
  await greet(a.service.operator(), { id: b.id });
  await greet(b.service.operator(), { id: a.id });
}

Deno.test({
  ...POSTGRES,
  name: "a peer that only receives is pushed to, reads nothing and sends nothing; the digest of what it holds repairs",
  async fn(t) {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairOneWay(pair);
    const fact = await create(a, "The beacon of Fyns Hoved turns twice a minute.");
    const theirs = await create(b, "The beacon keeper of Fyns Hoved is away.");

    await t.step("what A publishes is pushed, and B's turn asks A for nothing", async () => {
      assert.equal((await turn(a, b)).sent, 1);
      assert.equal(await statusOf(b, fact.id), 200);
      const before = a.front.requests.length;
      assert.equal((await turn(b, a)).received, 0);
      await turn(b, a, { mode: "both", reconcile: true });
      assert.deepEqual(a.front.requests.slice(before), []);
      assert.equal((await entryOf(b, a))!.state, "ACTIVE");
      assert.equal(await statusOf(a, theirs.id), 404);
    });

    await t.step("A refuses a peer that only receives what it asks and what it pushes", async () => {
      const told = (await rows(b, "select told from federation_peer where workspace_id = :ws"))[0].told;
      const tell = (value: Json) =>
        rows(b, `update federation_peer set told = '${JSON.stringify(value)}' where workspace_id = :ws`);
      for (const mode of ["pull", "push"] as const) {
        await tell({ ...told, direction: "bidirectional" });
        const report = await syncWithPeer(b.service.operator(), a.id, { mode });
        assert.equal(report?.error?.code, "insufficient_scope", `${mode}: ${JSON.stringify(report)}`);
        assert.equal(await statusOf(a, theirs.id), 404);
        await greet(b.service.operator(), { id: a.id });
      }
    });

    await t.step("edits and erasures follow", async () => {
      await edit(a, fact.id, "The beacon of Fyns Hoved turns three times a minute.");
      await turn(a, b);
      assert.match(await textOf(b, fact.id), /three times/);
      await erase(a, fact.id);
      await turn(a, b);
      assert.equal(await statusOf(b, fact.id), 410);
    });

    await t.step("what B lost shows in the digest, and is pushed again", async () => {
      const kept = await create(a, "The beacon of Fyns Hoved was built of oak.");
      await turn(a, b);
      await rows(
        b,
        `delete from federation_version where workspace_id = :ws and writer = '${a.id}' and origin_id = '${kept.id}'`,
      );
      const { reconciled } = await turn(a, b, { reconcile: true });
      assert.deepEqual(reconciled, { equal: true, differences: 1, left: [] });
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "F21 requests between two services that arrive twice, or late and after newer ones, change nothing",
  async fn(t) {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairOneWay(pair);

    await t.step("each request arrives twice: the second is refused as a replay", async () => {
      const seconds: number[] = [];
      b.front.way = async (deliver) => {
        const reply = await deliver();
        const again = await deliver();
        seconds.push(again.status);
        await again.body?.cancel();
        return reply;
      };
      const fact = await create(a, "The sluice of Hals opens at dawn.");
      assert.equal((await turn(a, b)).sent, 1);
      await erase(a, fact.id);
      await turn(a, b);
      b.front.way = undefined;
      assert.equal(await statusOf(b, fact.id), 410);
      assert.ok(seconds.length >= 3, `${seconds}`);
      assert.deepEqual(new Set(seconds), new Set([401]));
    });

    await t.step("pushes that arrive after newer ones, the last first, leave what is newer", async () => {
      const late: (() => Promise<Response>)[] = [];
      const fact = await create(a, "The sluice of Hals has one gate.");
      await turn(a, b);
      for (const gates of ["two", "three"]) {
        await edit(a, fact.id, `The sluice of Hals has ${gates} gates.`);
        b.front.way = (deliver) => {
          late.unshift(deliver);
          return Promise.reject(new Error("late"));
        };
        const report = await syncWithPeer(a.service.operator(), b.id);
        assert.ok(report?.error, "nothing came back");
        b.front.way = undefined;
      }
      await edit(a, fact.id, "The sluice of Hals has four gates.");
      await turn(a, b);
      const replies = await Promise.all(late.map((deliver) => deliver()));
      for (const reply of replies) await reply.body?.cancel();
      assert.ok(replies.some(({ status }) => status === 200), "some of them were taken");
      assert.match(await textOf(b, fact.id), /four gates/);
      await turn(a, b, { reconcile: true });
      assert.equal((await rows(b, "select 1 from federation_conflict where workspace_id = :ws")).length, 0);
    });

    await t.step("a push that arrives after the erasure brings nothing back", async () => {
      const fact = await create(a, "The sluice keeper of Hals is ill.");
      let late: (() => Promise<Response>) | undefined;
      b.front.way = (deliver, request) => {
        if (!request.startsWith("POST") || !request.includes("/messages")) return deliver();
        late ??= deliver;
        return Promise.reject(new Error("late"));
      };
      await syncWithPeer(a.service.operator(), b.id);
      b.front.way = undefined;
      await erase(a, fact.id);
      await turn(a, b);
      const reply = await late!();
      const { results } = await reply.json();
      assert.deepEqual(results.map(({ outcome }: Json) => outcome), ["RESURRECTION_BLOCKED"]);
      assert.notEqual(await statusOf(b, fact.id), 200);
      const { reconciled } = await turn(a, b, { reconcile: true });
      assert.equal(reconciled?.equal, true, JSON.stringify(reconciled));
    });
  },
});

/** A text as it could stand on the wire: itself, and where it is part of something written in hex or base64. */
function spellings(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = new Uint8Array([...new Uint8Array(before), ...bytes]).toBase64({ omitPadding: true });
    // What its neighbours have a part in is cut.
    return whole.slice(before === 0 ? 0 : before + 1, bytes.length + before - (bytes.length + before) % 3);
  });
  const hex = bytes.toHex();
  const inUrl = inBase64.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"));
  return [text, encodeURIComponent(text), hex, hex.toUpperCase(), ...inBase64, ...inUrl];
}

Deno.test({
  ...POSTGRES,
  name: "T39 another region gets the id, a keyed hash and the region of facts, pulled and pushed, and no other byte",
  async fn() {
    for (
      const [direction, isLocked] of [["bidirectional", true], ["push", true], ["bidirectional", false]] as const
    ) {
      const env = (region: string) => isLocked ? { env: { SVC_REGION: region } } : {};
      await using pair = await startPair({ a: env("eu-west-1"), b: env("us-east-1") });
      const { a, b } = pair;
      if (!isLocked) await moveTo(a, "eu-west-1");
      const wire: string[] = [];
      for (const { front } of [a, b]) front.onBody = (text) => wire.push(text);
      if (direction === "push") await pairOneWay(pair);
      else await pairUp(pair);
      const markers = ["Zuiderzeestraat", "oosterschelde-kering", "haringvlietdam"];
      const fact = await create(a, `The lock at ${markers[0]} is closed.`, {
        tags: [markers[1]],
        metadata: { dam: markers[2] },
      });
      await ok(a.service.post("/v1/memory/decisions", { title: markers[0], decision: `Close ${markers[1]}` }));
      await ok(a.service.post("/v1/memory/entities", { canonicalName: markers[2], entityType: "place" }));
      await (direction === "push" ? turn(a, b) : turn(b, a));
      const { data } = await ok(b.service.get("/v1/memory/federation/items/remote"));
      assert.deepEqual(data.map(({ factId, region }: Json) => [factId, region]).at(0)?.[0], fact.id);
      assert.equal(data.length, 1);
      await edit(a, fact.id, `The lock at ${markers[0]} is open.`);
      await (direction === "push" ? turn(a, b) : turn(b, a));
      const text = wire.join("\n");
      for (const marker of markers) {
        for (const spelling of spellings(marker)) assert.ok(!text.includes(spelling), `${spelling} crossed the border`);
      }
      // The search finds what is there.
      const id = spellings(fact.id).filter((spelling) => text.includes(spelling));
      assert.ok(id.length > 0);
      const pages = wire.flatMap((body) => pagesIn(body)).flatMap(({ items }) => items);
      assert.ok(pages.length > 0, "facts crossed");
      for (const item of pages) assert.deepEqual(Object.keys(item).sort(), ["factId", "hash", "region"]);
      assert.deepEqual(await rows(b, "select 1 from unit where workspace_id = :ws"), []);
      await erase(a, fact.id);
      await turn(a, b);
      assert.deepEqual((await ok(b.service.get("/v1/memory/federation/items/remote"))).data, []);
    }
  },
});

/** Goes on in a workspace of another region, on an instance that serves all of them. */
async function moveTo(side: Side, region: "eu-west-1"): Promise<void> {
  const { service } = side;
  const workspaceId = await service.createWorkspace(`in ${region}`, region);
  const key = await service.createKey({ workspaceId });
  side.service = new TestService(service.service, workspaceId, key, service.database, new AsyncDisposableStack());
  side.front.service = side.service;
}

Deno.test({
  ...POSTGRES,
  name: "T39 a peer whose region is not known gets no more than one in another region, until it tells its region",
  async fn() {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair);
    const wire: string[] = [];
    a.front.onBody = (text) => wire.push(text);
    await rows(a, "update federation_peer set told = told - 'region' where workspace_id = :ws");
    const fact = await create(a, "The lock at Zuiderzeestraat is closed.");
    assert.equal((await syncWithPeer(b.service.operator(), a.id))?.error?.code, "wrong_region");
    const pages = wire.flatMap((body) => pagesIn(body)).flatMap(({ items }) => items);
    assert.deepEqual(pages.map((item) => Object.keys(item).sort()), [["factId", "hash", "region"]]);
    const { warnings, region } = await ok(a.service.get(`/v1/memory/federation/peers/${b.id}`));
    assert.equal(region, null);
    assert.ok(warnings.some((warning: string) => warning.includes("region")), warnings);
    later(pair, 60);
    await turn(b, a);
    assert.equal(await statusOf(b, fact.id), 200);
    assert.equal((await ok(a.service.get(`/v1/memory/federation/peers/${b.id}`))).region, "us-east-1");
  },
});

/** The pages in a body: a reply to a reading, or what was pushed. */
function pagesIn(body: string): Json[] {
  if (!body.startsWith("{")) return [];
  const value = JSON.parse(body);
  return [value, value.envelope].filter((one) => Array.isArray(one?.items) && typeof one.issuedAt === "string");
}

Deno.test({
  ...POSTGRES,
  name: "T29 with SVC_FEDERATION_REQUIRE_CRYPTO no plain page is taken, of a peer without keys either",
  async fn() {
    const keys = makePeerKeys();
    for (const isRequired of [false, true]) {
      await using service = await startService({
        env: {
          SVC_INSTANCE_ID: "instance:a.example",
          SVC_FEDERATION_PRIVATE_KEY: keys.privatePem,
          SVC_FEDERATION_SYMMETRIC_KEY: new Uint8Array(32).fill(3).toBase64(),
          ...(isRequired && { SVC_FEDERATION_REQUIRE_CRYPTO: "on" }),
        },
      });
      const ctx = service.operator(service.workspaceId);
      await storePeer(ctx, { id: PEER });
      const peer = await ctx.tx((tx) => findPeer(service.deps, tx, PEER), { readOnly: true });
      const { workspaceId: workspace } = service;
      const take = () => takePage(ctx, peer!, plainPage([plain(factBody({ version: 1 }))], { workspace }), workspace);
      if (isRequired) await assert.rejects(take, { code: "federation_verify_failed" });
      else assert.deepEqual((await take()).map(({ outcome }) => outcome), ["applied"]);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "an instance on the embedded database and one on a server exchange, edit, erase and are equal",
  async fn() {
    await using pair = await startPair({ b: { embedded: true } });
    const { a, b } = pair;
    await pairUp(pair);
    const [ours, theirs] = [
      await create(a, "The pier of Thisted is long."),
      await create(b, "The pier of Nibe is short."),
    ];
    await turn(a, b);
    await turn(b, a);
    assert.deepEqual([await statusOf(a, theirs.id), await statusOf(b, ours.id)], [200, 200]);
    await edit(a, ours.id, "The pier of Thisted is very long.");
    await erase(b, theirs.id);
    await turn(b, a);
    await turn(a, b);
    assert.match(await textOf(b, ours.id), /very long/);
    assert.equal(await statusOf(a, theirs.id), 410);
    for (const [one, other] of [[a, b], [b, a]] as const) {
      assert.equal((await turn(one, other, { reconcile: true })).reconciled?.equal, true);
    }
  },
});
