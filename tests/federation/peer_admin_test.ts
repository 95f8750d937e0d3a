/** Peers over HTTP: added, approved, shown and removed. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { pinNext } from "../../src/domain/federation/peers/manage_peers.ts";
import { findPeer } from "../../src/domain/federation/peers/peers.ts";
import { notePeerEvent } from "../../src/domain/federation/peers/standing.ts";
import { peerSignalsOf } from "../../src/domain/federation/peers/peer_signals.ts";
import { createDatabase, DATABASE, POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

const PEERS = "/v1/memory/federation/peers";
const ID = "instance:b.example";
const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const PIN = "sha256/MG79lf3rKlNk29Hg26rKjk9nAKieH3kFRBkkJ5Ss/DA=";
const PEM = generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }) as string;
const ENV = { SVC_SECRETS_KEY: "a-secret-for-secrets-of-32-characters-and-more" };
const ENTRY = { id: ID, endpoint: "https://b.example", certPin: PIN, signingPublicKey: PEM, symmetricKey: KEY };

/** Returns the events about peers in the audit log of the workspace, or of the system. */
async function auditOf(service: TestService, workspaceId = service.workspaceId): Promise<string[]> {
  const rows = await service.operator(workspaceId).tx((tx) =>
    tx.sql<{ event: string }[]>`
      select event_type as event from svc_audit_log
       where workspace_id = ${tx.workspaceId} and event_type like 'federation%' order by seq`
  );
  return rows.map(({ event }) => event);
}

Deno.test({
  ...POSTGRES,
  name: "T43 a peer that somebody adds waits for approval, and its removal takes away everything that it was given",
  async fn(t) {
    await using service = await startService({ env: ENV });
    const issued = await service.createKey({ scopes: ["federation"] });
    const inboundKeyId = (await service.operator().tx((tx) =>
      tx.sql<{ id: string }[]>`
        select key_id as id from api_key
         where workspace_id = ${tx.workspaceId} and scopes = '{federation}'`
    ))[0]!.id;
    await t.step("its entry is stored with its secrets sealed, and shows none of them", async () => {
      const added = await service.post(PEERS, { ...ENTRY, apiKey: issued, inboundKeyId, trustWeight: 60 });
      assert.equal(added.status, 201, JSON.stringify(added.body));
      const { state, approved, signed, sealed, trustWeight, workspaces, nextAttemptAt } = added.body;
      assert.deepEqual([state, approved, signed, sealed, trustWeight], ["DISCOVERED", false, true, true, 60]);
      assert.deepEqual([workspaces, nextAttemptAt], [[service.workspaceId], null]);
      assert.equal((await service.post(PEERS, ENTRY)).body.code, "conflict");
      const [row] = await service.operator().tx((tx) =>
        tx.sql`select p.* from federation_peer p where workspace_id = ${tx.workspaceId}`
      );
      for (const shown of [JSON.stringify(added.body), JSON.stringify(row)]) {
        assert.ok(!shown.includes(KEY) && !shown.includes(issued));
      }
      assert.deepEqual((await service.get(PEERS)).body.data, []);
      assert.deepEqual((await service.get(`${PEERS}/pending`)).body.data, [added.body]);
      assert.deepEqual((await service.get(`${PEERS}/${encodeURIComponent(ID)}`)).body, added.body);
    });
    await t.step("whoever lacks memory:admin changes nothing", async () => {
      const key = await service.createKey({ scopes: ["federation"] });
      for (
        const reply of [
          await service.post(PEERS, { ...ENTRY, id: "instance:c.example" }, { key }),
          await service.post(`${PEERS}/${ID}/approve`, {}, { key }),
          await service.delete(`${PEERS}/${ID}`, { key }),
        ]
      ) assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"]);
      assert.equal((await service.get(`${PEERS}/pending`, { key })).body.data.length, 1);
    });
    await t.step(
      "T40 an endpoint that may not be called, and an entry that is no peer's, is refused when somebody adds it",
      async () => {
        const wrong: [Record<string, unknown>, string][] = [
          [{ endpoint: "http://b.example" }, "endpoint"],
          [{ endpoint: "https://user@b.example" }, "endpoint"],
          [{ endpoint: "https://b.example:22" }, "endpoint"],
          [{ id: service.deps.config.instanceId }, "id"],
          [{ id: "b.example" }, "id"],
          [{ signingPublicKey: PEM.replace(/MCow.{20}/, "MCow" + "A".repeat(20)) }, "signingPublicKey"],
          [{ symmetricKey: "short" }, "symmetricKey"],
          [{ workspaces: [crypto.randomUUID()] }, "workspaces"],
          [{ inboundKeyId: crypto.randomUUID() }, "inboundKeyId"],
          [{ noSuchMember: 1 }, "noSuchMember"],
        ];
        for (const [member, path] of wrong) {
          const reply = await service.post(PEERS, { ...ENTRY, id: "instance:d.example", ...member });
          assert.equal(reply.status, 422, JSON.stringify([member, reply.body]));
          assert.equal(reply.body.errors[0].path.split(".")[0], path);
        }
      },
    );
    await t.step("it is approved once, is tried at once, and both audit chains say who did it", async () => {
      const approved = await service.post(`${PEERS}/${ID}/approve`, { maxSensitivity: "public" });
      assert.equal(approved.status, 200, JSON.stringify(approved.body));
      const { state, maxSensitivity, nextAttemptAt } = approved.body;
      assert.deepEqual([state, maxSensitivity, typeof nextAttemptAt], ["HANDSHAKE", "public", "string"]);
      assert.equal((await service.post(`${PEERS}/${ID}/approve`)).body.code, "invalid_transition");
      assert.equal((await service.get(PEERS)).body.data.length, 1);
      for (const chain of [service.workspaceId, "00000000-0000-0000-0000-000000000000"]) {
        assert.deepEqual(await auditOf(service, chain), ["federation.peer_added", "federation.peer_approved"]);
      }
    });
    await t.step("F18 the backoff stands in its row: another process, or a later start, goes on with it", async () => {
      const failed = { kind: "failed", code: "timeout", message: "Cannot reach the peer" } as const;
      await notePeerEvent(service.operator(), ID, { kind: "greeted" });
      for (let i = 0; i < 2; i++) await notePeerEvent(service.operator(), ID, failed);
      await using later = await startService({ env: ENV, database: service.database! });
      const peer = await later.operator(service.workspaceId).tx((tx) => findPeer(later.deps, tx, ID));
      assert.deepEqual([peer?.state, peer?.failures, peer?.lastError?.code], ["DEGRADED", 2, "timeout"]);
      const wait = peer!.nextAttemptAt!.getTime() - peer!.updatedAt.getTime();
      assert.ok(wait >= 120_000 && wait <= 132_000, String(wait));
      const shown = await service.get(`${PEERS}/${ID}`);
      assert.equal(shown.body.lastError.message, "Cannot reach the peer");
    });
    await t.step(
      "T43 once removed it is gone in every process, with its key, and is not discovered again",
      async () => {
        await using other = await startService({ env: ENV, database: service.database! });
        const federates = (one: TestService) => one.get(PEERS, { key: issued });
        assert.deepEqual([(await federates(service)).status, (await federates(other)).status], [200, 200]);
        using running = peerSignalsOf(other.deps).follow(service.workspaceId, ID);
        const removed = await service.delete(`${PEERS}/${ID}`);
        assert.deepEqual([removed.status, removed.body], [200, { id: ID, removed: true }]);
        await waitFor("the other process to hear of the removal", () => running.signal.aborted);
        await waitFor("its key to be refused there", async () => (await federates(other)).status === 401);
        assert.equal((await federates(service)).status, 401);
        assert.equal((await service.get(`${PEERS}/${ID}`)).status, 404);
        assert.equal((await service.delete(`${PEERS}/${ID}`)).status, 404);
        const [row] = await service.operator().tx((tx) =>
          tx.sql`select secrets, signing_key, cert_pin, inbound_key_id, removed_at is not null as removed
                 from federation_peer where workspace_id = ${tx.workspaceId} and id = ${ID}`
        );
        assert.deepEqual(row, {
          secrets: null,
          signing_key: null,
          cert_pin: null,
          inbound_key_id: null,
          removed: true,
        });
        assert.ok((await auditOf(service)).includes("federation.peer_removed"));
        const again = await service.post(PEERS, ENTRY);
        assert.deepEqual([again.status, again.body.state], [201, "DISCOVERED"]);
      },
    );
    await t.step("every change of its state stands in the feed, by ids alone", async () => {
      const { body } = await service.get("/v1/memory/changes?limit=100");
      const kinds = body.data.filter((change: { kind: string }) => change.kind.startsWith("peer."))
        .map((change: { kind: string }) => change.kind);
      assert.deepEqual(kinds, [
        "peer.added",
        "peer.state_changed",
        "peer.state_changed",
        "peer.state_changed",
        "peer.removed",
        "peer.added",
      ]);
    });
  },
});

Deno.test({
  ...DATABASE,
  name:
    "If-Match guards the approval and the removal of a peer, and what the exchange notes does not change its version",
  async fn() {
    await using service = await startService({ env: ENV });
    const at = `${PEERS}/${ID}`;
    const ifMatch = (version: number) => ({ headers: { "if-match": `"${version}"` } });
    const added = await service.post(PEERS, ENTRY);
    const etagOf = async () => (await service.get(at)).headers.get("etag");
    assert.deepEqual([added.status, added.body.version, added.headers.get("etag")], [201, 1, '"1"']);
    assert.equal(await etagOf(), '"1"');
    const early = await service.post(`${at}/approve`, {}, ifMatch(2));
    assert.deepEqual([early.status, early.body.code], [412, "version_mismatch"]);
    assert.equal((await service.get(at)).body.approved, false);
    const approved = await service.post(`${at}/approve`, { maxSensitivity: "public" }, ifMatch(1));
    assert.deepEqual([approved.status, approved.body.version, approved.headers.get("etag")], [200, 2, '"2"']);
    const operator = service.operator();
    await notePeerEvent(operator, ID, { kind: "greeted" });
    await notePeerEvent(operator, ID, { kind: "failed", code: "timeout", message: "Cannot reach the peer" });
    const { state, version, nextAttemptAt } = (await service.get(at)).body;
    assert.deepEqual([state, version], ["DEGRADED", 2]);
    assert.ok(Date.parse(nextAttemptAt) > Date.now(), "it waits");
    await pinNext(operator, ID, PIN.replace("MG79", "MG80"));
    assert.ok(Date.parse((await service.get(at)).body.nextAttemptAt) <= Date.now(), "it is tried at once");
    assert.equal(await etagOf(), '"3"');
    const stale = await service.delete(at, ifMatch(2));
    assert.deepEqual([stale.status, stale.body.code], [412, "version_mismatch"]);
    assert.equal((await service.get(at)).status, 200);
    assert.equal((await service.delete(at, ifMatch(3))).status, 200);
    const { data } = (await service.get("/v1/memory/changes?limit=100")).body;
    const told = data.filter((change: { kind: string }) => change.kind.startsWith("peer."))
      .map((change: { kind: string; version: number }) => [change.kind, change.version]);
    assert.deepEqual(told, [
      ["peer.added", 1],
      ["peer.state_changed", 2],
      ["peer.state_changed", 2],
      ["peer.state_changed", 2],
      ["peer.updated", 3],
      ["peer.removed", 4],
    ]);
  },
});

Deno.test({
  ...DATABASE,
  name: "peers come in pages by their ids, either way, those that are approved apart from those that wait",
  async fn() {
    await using service = await startService({ env: ENV });
    const ids = ["a", "b", "c", "d", "e"].map((name) => `instance:${name}.example`);
    for (const id of ids.toReversed()) assert.equal((await service.post(PEERS, { ...ENTRY, id })).status, 201);
    for (const id of ids.slice(3)) assert.equal((await service.post(`${PEERS}/${id}/approve`, {})).status, 200);
    const pages = async (path: string) => {
      const found: string[][] = [];
      for (let cursor = "";;) {
        const { status, body } = await service.get(path + cursor);
        assert.equal(status, 200, JSON.stringify(body));
        found.push(body.data.map((peer: { id: string }) => peer.id));
        if (body.nextCursor === null) return found;
        cursor = `&cursor=${body.nextCursor}`;
      }
    };
    const [a, b, c, d, e] = ids;
    assert.deepEqual(await pages(`${PEERS}/pending?limit=2`), [[a, b], [c]]);
    assert.deepEqual(await pages(`${PEERS}/pending?limit=2&order=desc`), [[c, b], [a]]);
    assert.deepEqual(await pages(`${PEERS}?limit=1&order=desc`), [[e], [d]]);
    assert.deepEqual(await pages(`${PEERS}?limit=200`), [[d, e]]);
    const { nextCursor } = (await service.get(`${PEERS}/pending?limit=1`)).body;
    for (const other of [`${PEERS}?limit=1`, `${PEERS}/pending?limit=1&order=desc`]) {
      const reply = await service.get(`${other}&cursor=${nextCursor}`);
      assert.deepEqual([reply.status, reply.body.code], [422, "validation_failed"]);
    }
  },
});

Deno.test("T43 where only the operator may add peers, an admin of a workspace may not", async () => {
  await using service = await startService({ env: { ...ENV, SVC_FEDERATION_TENANT_PEERS: "off" } });
  const reply = await service.post(PEERS, ENTRY);
  assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"]);
});

Deno.test("a secret of a peer is not stored where there is no key to seal it under", async () => {
  await using service = await startService({ env: { SVC_SECRETS_KEY: "" } });
  const reply = await service.post(PEERS, ENTRY);
  assert.deepEqual([reply.status, reply.body.code], [503, "unavailable"]);
  assert.match(reply.body.message, /SVC_SECRETS_KEY is not set/);
  const { symmetricKey: _key, ...open } = ENTRY;
  assert.equal((await service.post(PEERS, open)).status, 201);
});

Deno.test({
  ...POSTGRES,
  name: "a configured peer that a person removed stays removed until it leaves the configuration or somebody adds it",
  async fn() {
    await using database = await createDatabase();
    let workspaceId = "";
    const start = async (isNamed: boolean) =>
      await startService({
        database,
        env: {
          ...ENV,
          ...(isNamed && { SVC_FEDERATION_PEERS: JSON.stringify([{ ...ENTRY, workspaces: [workspaceId] }]) }),
        },
      });
    {
      await using empty = await start(false);
      workspaceId = empty.workspaceId;
    }
    const sourceIn = async (service: TestService) =>
      (await service.operator(workspaceId).tx((tx) => findPeer(service.deps, tx, ID)))?.source;
    {
      await using service = await start(true);
      assert.equal(await sourceIn(service), "config");
      const key = await service.createKey({ workspaceId });
      assert.equal((await service.delete(`${PEERS}/${ID}`, { key })).status, 200);
      assert.equal(await sourceIn(service), undefined);
    }
    {
      await using again = await start(true);
      assert.equal(await sourceIn(again), undefined);
    }
    {
      await using without = await start(false);
      assert.equal(await sourceIn(without), undefined);
    }
    await using back = await start(true);
    assert.equal(await sourceIn(back), "config");
  },
});
