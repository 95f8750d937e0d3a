/** The entries of peers, configured and stored, each of one workspace. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import {
  findPeer,
  listPeers,
  sealPeerSecrets,
  secretsOf,
  signingKeysOf,
} from "../../src/domain/federation/peers/peers.ts";
import { putPeer, readInstanceSecret, removePeer } from "../../src/db/queries/federation_peers.ts";
import { createDeps } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { openSecret, sealSecret } from "../../src/domain/common/stored_secrets.ts";
import { uuidv7 } from "../../src/crypto/ids.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";

const PEER = "instance:b.example";
const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const PEM = generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }) as string;
const NEXT = generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }) as string;
const SECRETS_KEY = "a secret for secrets, of 32 characters and more".replaceAll(" ", "-");

function entryFor(workspaceId: string, more: Record<string, unknown> = {}) {
  return { id: PEER, endpoint: "https://b.example", workspaces: [workspaceId], signingPublicKey: PEM, ...more };
}

/** Returns the entry that a service has in a workspace. */
function find(service: TestService, workspaceId: string) {
  return service.operator(workspaceId).tx((tx) => findPeer(service.deps, tx, PEER));
}

/** Stores an entry, as a workspace admin adds one. */
function store(service: TestService, workspaceId = service.workspaceId) {
  const { deps } = service;
  const secrets = sealPeerSecrets(deps, { workspaceId, id: PEER }, { symmetricKey: KEY, apiKey: "svc_live_x" });
  return service.operator(workspaceId).tx((tx) =>
    putPeer(tx, {
      id: PEER,
      uid: uuidv7(tx.now),
      source: "stored",
      endpoint: "https://b.example",
      state: "DISCOVERED",
      approvedBy: undefined,
      direction: "bidirectional",
      remoteWorkspaceId: workspaceId,
      region: null,
      maxSensitivity: "internal",
      conflictResolution: "manual",
      trustWeight: null,
      certPin: null,
      certPinNext: null,
      clientCertPin: null,
      signingKey: null,
      signingKeyNext: null,
      secrets,
      inboundKeyId: null,
    })
  );
}

Deno.test({
  ...POSTGRES,
  name: "a peer of the configuration stands in its workspaces from the start until it leaves the configuration",
  async fn(t) {
    await using database = await createDatabase();
    let now = new Date("2026-09-21T14:00:00.000Z");
    const start = (entries: unknown[], env: Record<string, string> = {}) =>
      startService({
        database,
        clock: () => now,
        env: { SVC_SECRETS_KEY: SECRETS_KEY, SVC_FEDERATION_PEERS: JSON.stringify(entries), ...env },
      });
    let [own, other] = ["", ""];
    await t.step(
      "another workspace has no entry of a stored peer, and an entry's secrets open only in its own workspace",
      async () => {
        await using service = await start([]);
        own = service.workspaceId;
        other = await service.createWorkspace("other");
        await store(service, other);
        assert.equal(await find(service, own), undefined);
        const peer = (await find(service, other))!;
        assert.equal(secretsOf(service.deps, peer).symmetricKey?.toBase64(), KEY);
        assert.doesNotMatch(JSON.stringify(peer), /svc_live_x|AAECAw/);
        const elsewhere = { ...peer, workspaceId: own };
        assert.throws(() => secretsOf(service.deps, elsewhere), { code: "unavailable" });
        await using keyless = await startService({ database, env: { SVC_SECRETS_KEY: "" } });
        assert.throws(() => secretsOf(keyless.deps, peer), { code: "unavailable" });
        assert.throws(() => sealPeerSecrets(keyless.deps, peer, { apiKey: "x" }), /SVC_SECRETS_KEY is not set/);
        const rotated = { SVC_SECRETS_KEY: `${SECRETS_KEY}-next`, SVC_SECRETS_KEY_PREVIOUS: SECRETS_KEY };
        await using next = await start([], rotated);
        assert.equal(secretsOf(next.deps, peer).apiKey, "svc_live_x");
      },
    );
    await t.step(
      "a configured entry is approved, replaces a stored one, and has its keys from the configuration",
      async () => {
        await using service = await start([
          entryFor(own, { workspaces: [own, `${other}=${own}`], symmetricKey: KEY, trustWeight: 7 }),
        ]);
        for (const [workspaceId, there] of [[own, own], [other, own]] as const) {
          const peer = (await find(service, workspaceId))!;
          assert.deepEqual(
            [peer.source, peer.state, peer.approvedBy, peer.trustWeight, peer.remoteWorkspaceId, peer.secrets],
            ["config", "HANDSHAKE", "config", 7, there, null],
          );
          assert.equal(secretsOf(service.deps, peer).symmetricKey?.toBase64(), KEY);
          assert.equal(signingKeysOf(peer, now).length, 1);
        }
        const third = await service.createWorkspace("third");
        assert.equal(await find(service, third), undefined);
      },
    );
    await t.step("the next key is accepted from when it is set, and after 72 hours it alone", async () => {
      await using service = await start([entryFor(own, { signingPublicKeyNext: NEXT })]);
      const peer = (await find(service, own))!;
      const keys = (ms: number) => signingKeysOf(peer, new Date(now.getTime() + ms)).map((key) => key.toHex());
      const [next, first] = [peer.signingKeyNext!, peer.signingKey!].map((key) => key.toHex());
      assert.deepEqual(keys(0), [next, first]);
      assert.deepEqual(keys(72 * 3_600_000), [next, first]);
      assert.deepEqual(keys(72 * 3_600_000 + 1), [next]);
      const since = peer.signingKeyNextSince;
      now = new Date(now.getTime() + 3_600_000);
      await using again = await start([entryFor(own, { signingPublicKeyNext: NEXT })]);
      assert.deepEqual((await find(again, own))!.signingKeyNextSince, since, "a start does not begin the time anew");
    });
    await t.step(
      "a peer that left the configuration is removed, and other processes' configurations do not count",
      async () => {
        await using service = await start([entryFor(own)]);
        assert.equal(await find(service, other), undefined, "the other workspace is not named any more");
        await using later = await start([]);
        assert.equal(await find(later, own), undefined);
        assert.equal(await find(service, own), undefined, "a process that still names it sees that it was removed");
        assert.deepEqual(await later.operator(own).tx((tx) => listPeers(later.deps, tx)), []);
        await using back = await start([entryFor(own)]);
        assert.equal((await find(back, own))?.source, "config");
        assert.equal(
          await find(later, own),
          undefined,
          "a process whose configuration does not name it has no keys for it",
        );
      },
    );
    await t.step("a service whose configuration names an unknown workspace does not start", async () => {
      await assert.rejects(
        start([entryFor(crypto.randomUUID())]),
        /peer 0 of the configuration names an unknown workspace/,
      );
    });
  },
});

Deno.test("a peer that was removed keeps no key, no pin and no secret", async () => {
  await using service = await startService({ env: { SVC_SECRETS_KEY: SECRETS_KEY } });
  await store(service);
  assert.notEqual((await find(service, service.workspaceId))?.secrets, null);
  await service.operator().tx((tx) => removePeer(tx, PEER, "test"));
  assert.equal(await find(service, service.workspaceId), undefined);
  const [row] = await service.operator().tx((tx) =>
    tx.sql`select secrets, signing_key, cert_pin, inbound_key_id from federation_peer
            where workspace_id = ${tx.workspaceId} and id = ${PEER}`
  );
  assert.deepEqual(row, { secrets: null, signing_key: null, cert_pin: null, inbound_key_id: null });
});

Deno.test("the embedded database makes the key for stored secrets in its folder, once, for nobody else to read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-secrets-" });
  try {
    const open = (env: Record<string, string> = {}) =>
      createDeps(readConfig({ SVC_DATA_DIR: folder, SVC_LOG_LEVEL: "error", ...env }));
    let sealed: string;
    {
      await using deps = await open();
      sealed = sealSecret(deps, "a secret", "a place");
      const file = await Deno.stat(`${folder}/secrets.key`);
      assert.equal(file.mode! & 0o777, 0o600);
    }
    await using later = await open({ SVC_SECRETS_KEY: SECRETS_KEY });
    assert.equal(later.secretsKeys[0], SECRETS_KEY, "what is configured seals from then on");
    assert.equal(openSecret(later, sealed, "a place"), "a secret");
    assert.throws(() => openSecret(later, sealed, "another place"), { code: "unavailable" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("all who ask at once for a secret of the instance get the same one, and each use has its own", async () => {
  await using service = await startService();
  const ask = (name: "handshake" | "projection") => service.deps.db.system((sql) => readInstanceSecret(sql, name));
  const secrets = await Promise.all(Array.from({ length: 8 }, () => ask("handshake")));
  assert.equal(new Set(secrets.map((secret) => secret.toHex())).size, 1);
  assert.equal(secrets[0]!.length, 32);
  assert.notEqual((await ask("projection")).toHex(), secrets[0]!.toHex());
});
