/** What an issuer of tokens may do to the service: be away, slow, lie, change its keys. docs/reference/guarantees.md F28, T69. */
import assert from "node:assert/strict";
import { entryOf, startIssuer, trusting } from "../_issuer.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { createEnabled, sendDue, startReceiver } from "../webhooks/_receiver.ts";

const WORKSPACE = { claim: "workspace" };

/** A clock that a test moves. Tokens are signed by the true time, so it is moved by less than they last. */
function movable() {
  let ms = 0;
  return { clock: () => new Date(Date.now() + ms), move: (by: number) => void (ms += by) };
}

async function status(service: TestService, token: string): Promise<number> {
  return (await service.get("/v1/whoami", { key: token })).status;
}

function lasting(seconds: number) {
  return { exp: Math.floor(Date.now() / 1_000) + seconds };
}

Deno.test({
  name: "F28 new keys of an issuer are found when a token names one, and a key that it withdrew counts no longer",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    const { clock, move } = movable();
    await using service = await startService({ env: trusting(entryOf(issuer, WORKSPACE)), clock });
    const { workspaceId: workspace } = service;
    const [old] = issuer.keys;
    assert.equal(await status(service, await issuer.sign({ workspace })), 200);
    await issuer.addKey("RS256");
    const early = await issuer.sign({ workspace });
    assert.equal(await status(service, early), 401, "the keys were asked for a moment ago");
    move(31_000);
    assert.equal(await status(service, early), 200, "what was refused for want of the key is accepted with it");
    assert.equal(
      await status(service, await issuer.sign({ workspace }, { key: old })),
      200,
      "both count while both are shown",
    );
    issuer.keys = issuer.keys.filter((key) => key !== old);
    move(601_000);
    const last = await issuer.sign({ workspace, ...lasting(3_000) }, { key: old });
    await status(service, last);
    await issuer.addKey("EdDSA");
    move(61_000);
    assert.equal(await status(service, await issuer.sign({ workspace, ...lasting(3_000) })), 200);
    move(61_000);
    assert.equal(await status(service, last), 401);
  },
});

Deno.test({
  name: "F28 a flood of tokens that name unknown keys asks the issuer once in half a minute, and harms no good token",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    const { clock, move } = movable();
    await using service = await startService({ env: trusting(entryOf(issuer, WORKSPACE)), clock });
    const { workspaceId: workspace } = service;
    const good = await issuer.sign({ workspace });
    assert.equal(await status(service, good), 200);
    const flood = async () => {
      const tokens = await Promise.all(
        Array.from({ length: 40 }, () => issuer.sign({ workspace }, { head: { kid: crypto.randomUUID() } })),
      );
      const found = await Promise.all([...tokens.map((token) => status(service, token)), status(service, good)]);
      assert.deepEqual(new Set(found.slice(0, 40)), new Set([401]));
      assert.equal(found[40], 200);
    };
    await flood();
    assert.equal(issuer.keysAsked, 1);
    move(31_000);
    await flood();
    assert.equal(issuer.keysAsked, 2);
  },
});

Deno.test({
  name:
    "F28 while an issuer is away its known keys go on for a day; without any the service refuses, and comes back by itself",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    const { clock, move } = movable();
    const env = trusting(entryOf(issuer, WORKSPACE, { lifetimeSecondsMax: 2_592_000 }));
    await using service = await startService({ env, clock });
    const { workspaceId: workspace } = service;
    const token = await issuer.sign({ workspace, ...lasting(200_000) });
    await issuer.stop();
    const refused = await service.get("/v1/whoami", { key: token });
    assert.deepEqual([refused.status, refused.body.code], [503, "unavailable"]);
    assert.match(refused.body.message, /the keys of its issuer cannot be fetched/);
    assert.equal((await service.get("/v1/whoami")).status, 200, "keys do not need the issuer");
    issuer.start();
    move(6_000);
    assert.equal(await status(service, token), 200);
    await issuer.stop();
    for (const ms of [700_000, 3_600_000, 70_000_000]) {
      move(ms);
      assert.equal(await status(service, token), 200, `after ${ms} ms`);
    }
    move(20_000_000);
    assert.equal(await status(service, token), 503, "keys that nobody confirmed for a day count no longer");
    issuer.start();
    move(6_000);
    assert.equal(await status(service, token), 200);
  },
});

Deno.test({
  name: "F28 T69 an issuer's redirects, strange addresses, endless and odd answers open nothing and reach nobody",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    await using other = await startIssuer();
    const { clock, move } = movable();
    await using service = await startService({ env: trusting(entryOf(issuer, WORKSPACE)), clock });
    const { workspaceId: workspace } = service;
    const metadata = "/.well-known/openid-configuration";
    const naming = (more: object) => () => Response.json({ ...issuer.metadata(), ...more });
    const faults: [string, string, () => Response][] = [
      ["a redirect of the keys", "/keys", () => Response.redirect(`${other.url}/keys`)],
      ["a redirect of the metadata", metadata, () => Response.redirect(`${other.url}${metadata}`)],
      ["keys on another host's odd port", metadata, naming({ jwks_uri: "https://example.com:6379/keys" })],
      ["keys at the metadata service of a cloud", metadata, naming({ jwks_uri: "http://169.254.169.254/keys" })],
      ["keys in a private network", metadata, naming({ jwks_uri: "https://10.0.0.1/keys" })],
      ["keys in a file", metadata, naming({ jwks_uri: "file:///etc/passwd" })],
      ["keys nowhere", metadata, naming({ jwks_uri: undefined })],
      ["the metadata of another issuer", metadata, naming({ issuer: other.url })],
      ["the metadata of nobody", metadata, naming({ issuer: undefined })],
      ["an error", "/keys", () => new Response("no", { status: 500 })],
      ["what is no JSON", "/keys", () => new Response("<html>")],
      ["no object", "/keys", () => Response.json([])],
      ["no keys", "/keys", () => Response.json({ keys: [] })],
      ["keys that are none", "/keys", () => Response.json({ keys: [null, 1, "x", {}, { kty: "oct", k: "c2VjcmV0" }] })],
      ["private keys", "/keys", () => Response.json({ keys: [{ ...issuer.keys[0]!.jwk, d: "c2VjcmV0" }] })],
      ["keys for encryption", "/keys", () => Response.json({ keys: [{ ...issuer.keys[0]!.jwk, use: "enc" }] })],
      ["a thousand keys", "/keys", () => Response.json({ keys: Array(1_000).fill(issuer.keys[0]!.jwk) })],
      ["a megabyte", "/keys", () =>
        Response.json({
          keys: issuer.keys.map(({ jwk }) => jwk),
          pad: "x".repeat(1_000_000),
        })],
    ];
    const asked = [...other.asked.values()].length;
    for (const [what, path, answer] of faults) {
      issuer.answers.set(path, answer);
      assert.equal(await status(service, await issuer.sign({ workspace })), 503, what);
      issuer.answers.clear();
      move(6_000);
    }
    assert.equal([...other.asked.values()].length, asked, "nobody else was asked");
    assert.equal(await status(service, await issuer.sign({ workspace })), 200, "and then all is well");
  },
});

Deno.test({
  name: "F28 an issuer that answers slowly keeps none waiting who needs it not, and its own callers for seconds",
  ...POSTGRES,
  fn: async () => {
    await using slow = await startIssuer("/slow");
    await using quick = await startIssuer("/quick");
    const entries = [entryOf(slow, WORKSPACE), entryOf(quick, WORKSPACE, { name: "quick" })];
    await using service = await startService({ env: trusting(...entries) });
    const { workspaceId: workspace } = service;
    const released = Promise.withResolvers<void>();
    slow.answers.set("/slow/keys", async () => {
      await released.promise;
      return new Response("too late");
    });
    const waiting: Promise<Reply>[] = [];
    for (let i = 0; i < 5; i++) {
      waiting.push(service.get("/v1/whoami", { key: await slow.sign({ workspace, sub: `s${i}` }) }));
    }
    assert.equal(await status(service, await quick.sign({ workspace })), 200);
    assert.equal((await service.get("/v1/whoami")).status, 200);
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 503);
    assert.equal(slow.keysAsked, 1, "all of them wait for one question");
    released.resolve();
  },
});

Deno.test({
  name: "T76 a token is presented to this service alone: neither issuers nor receivers of webhooks get it",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    await using hook = startReceiver();
    await using service = await startService({ env: { ...trusting(entryOf(issuer, WORKSPACE)), ...hook.env } });
    const { workspaceId: workspace } = service;
    await createEnabled(service, hook.url("/x"), { kinds: ["fact."], maxSensitivity: "restricted" });
    const token = await issuer.sign({ workspace, scope: "memory:read memory:write" });
    const fact = { statement: "The depot opens at seven" };
    assert.equal((await service.post("/v1/memory/facts", fact, { key: token })).status, 201);
    await sendDue(service);
    assert.equal(hook.at("/x").length, 1);
    const sent = hook.all("/x").map(({ headers, text }) => JSON.stringify([...headers]) + text);
    const signature = token.split(".")[2]!;
    for (const text of [...issuer.received, ...sent]) {
      assert.ok(!text.includes(signature) && !/authorization/i.test(text), text);
    }
  },
});
