/** A peer that lies in its replies to what the service asks. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import postgres from "postgres";
import { POSTGRES, type TestDatabase } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { type Answer, type Lie, rewrite } from "./_evil_peer.ts";
import {
  type Case,
  countAudit,
  entryOf,
  goodTurn,
  held,
  HOUR_MS,
  NOBODY,
  otherKeys,
  startWorld,
  turn,
  type World,
} from "./_evil_world.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const stream = (source: UnderlyingDefaultSource<Uint8Array>) =>
  new Response(new ReadableStream(source, { highWaterMark: 0 }), { headers: { "content-type": "application/json" } });
const plainly = (status: number, body: string | null, headers: HeadersInit = {}) => () =>
  new Response(body, { status, headers });

/** Lies about who answers what, and about the bytes of a reply. */
const REPLIES: readonly Case[] = [
  {
    what: "the token of another request",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { req: randomBytes(16).toString("base64url") } } }),
  },
  {
    what: "another instance's token",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, signer: otherKeys }),
  },
  {
    what: "the name of another instance",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { iss: "instance:honest.test" } } }),
  },
  {
    what: "a token of another status",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { status: 404 } } }),
  },
  {
    what: "a token of another body",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { payload_hash: "A".repeat(43) } } }),
  },
  {
    what: "a token that nothing signs",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { header: { alg: "none" } } }),
  },
  { what: "no token", code: "reply_token_missing", tell: (truth) => ({ ...truth, token: null }) },
  {
    what: "a clock that is a minute ahead",
    code: "clock",
    tell: (truth) => {
      const iat = Math.floor(Date.now() / 1_000) + 60;
      return { ...truth, token: { claims: { iat, exp: iat + 300 } } };
    },
  },
  {
    what: "a redirect to an inside address",
    code: "redirected",
    tell: plainly(302, null, { location: "http://169.254.169.254/" }),
  },
  { what: "500", code: "unavailable", tell: plainly(500, "{}") },
  { what: "503 as HTML", code: "unavailable", tell: plainly(503, "<html>") },
  { what: "nothing at all", code: "unexpected_reply", tell: (truth) => ({ ...truth, status: 204, body: "" }) },
  { what: "HTML", code: "page_unreadable", tell: (truth) => ({ ...truth, body: "<html></html>" }) },
  { what: "half a page", code: "page_unreadable", tell: (truth) => ({ ...truth, body: truth.body.slice(0, 400) }) },
  {
    what: "a reply that breaks off, also when it is asked for again",
    code: "broken",
    requests: 2,
    tell: () =>
      stream({
        start: (to) => to.enqueue(new TextEncoder().encode('{"v":1,')),
        pull: (to) => to.error(new Error("gone")),
      }),
  },
  {
    what: "ten megabytes",
    code: "body_too_large",
    tell: (truth) => ({ ...truth, body: truth.body + " ".repeat(1e7) }),
  },
  {
    what: "a few bytes that unpack to very many",
    code: "encoded",
    tell: plainly(200, gzipSync(new Uint8Array(5e7)) as unknown as string, { "content-encoding": "gzip" }),
  },
];

/** Lies in a page, under a token that is right. */
function pagesOf({ liar, honest, service }: World): readonly Case[] {
  const { workspaceId } = service;
  const last = () => liar.bodies.at(-1)!;
  const paged = (items: () => Json[], changes: Json = {}) => () => ({
    status: 200,
    body: JSON.stringify(liar.page(items(), { cursor: `c${liar.bodies.length}`, ...changes })),
  });
  const refused = (what: string, tell: Lie["tell"], code = "federation_verify_failed"): Case => ({
    what,
    tell,
    code,
    isPage: true,
  });
  const sealed = (change: Json, options = {}) => paged(() => [liar.seal({ ...last(), ...change }, options)]);
  return [
    refused("a page that nobody signed", rewrite(({ signature: _, ...page }) => page)),
    refused("the signature of another page", rewrite((page) => ({ ...page, signature: "A".repeat(86) }))),
    refused(
      "a page that another key signed",
      () => ({ status: 200, body: JSON.stringify(liar.page([liar.seal(last())], { cursor: "c9" }, otherKeys)) }),
    ),
    refused(
      "an item that was added after the signing",
      rewrite((page) => ({ ...page, items: [...page.items, ...page.items] })),
    ),
    refused(
      "plain items",
      rewrite(({ alg: _, keyId: _key, signature: _signature, ...page }) => ({
        ...page,
        items: page.items.map(({ nonce: _nonce, sealed: _sealed, ...item }: Json) => ({ ...item, body: last() })),
      })),
    ),
    refused("a page of somebody else", rewrite((page) => ({ ...page, from: honest.id }))),
    refused("a page for somebody else", rewrite((page) => ({ ...page, to: honest.id }))),
    refused("a page of another workspace", rewrite((page) => ({ ...page, workspace: workspaceId }))),
    refused("an item under another key", sealed({}, { key: new Uint8Array(32) }), "federation_decrypt_failed"),
    refused(
      "an item that was sealed for another workspace",
      sealed({}, { context: { workspace: NOBODY } }),
      "federation_decrypt_failed",
    ),
    refused("an item with another's id", sealed({}, { header: { id: NOBODY } })),
    refused("an item of another hash", sealed({}, { header: { hash: "0".repeat(64) } })),
    refused("another instance's word", sealed({ writer: honest.id })),
    refused("our own word", sealed({ writer: "instance:us.test" })),
    refused("a body that is no JSON", sealed({}, { text: "{" })),
    refused(
      "one nonce for two items",
      paged(() => {
        const nonce = new Uint8Array(12);
        return [
          liar.seal(last(), { nonce }),
          liar.seal({ ...last(), origin: { instance: liar.id, id: NOBODY } }, { nonce }),
        ];
      }),
    ),
    refused(
      "one good item and one that does not open",
      paged(() => [
        liar.seal(last()),
        liar.seal({ ...last(), origin: { instance: liar.id, id: NOBODY } }, { key: new Uint8Array(32) }),
      ]),
      "federation_decrypt_failed",
    ),
    { what: "501 items", code: "page_unreadable", tell: paged(() => new Array(501).fill(liar.seal(last()))) },
    { what: "version 0", code: "page_unreadable", tell: sealed({ version: 0 }) },
    {
      what: "a member that is there twice",
      code: "page_unreadable",
      tell: (truth) => ({ ...truth, body: truth.body.replace("{", '{"v":1,') }),
    },
    { what: "a place of a megabyte", code: "page_unreadable", tell: paged(() => [], { cursor: "c".repeat(1e6) }) },
    { what: "no place to go on at", code: "page_repeated", tell: paged(() => [liar.seal(last())], { cursor: null }) },
    {
      what: "the place where we are, with items",
      code: "page_repeated",
      tell: (_, { query }) => paged(() => [liar.seal(last())], { cursor: query.get("since") })() as Answer,
    },
    {
      what: "two places that lead to each other",
      code: "page_repeated",
      requests: 3,
      tell: (_, { query }) => paged(() => [], { cursor: query.get("since") === "x1" ? "x2" : "x1" })() as Answer,
    },
    {
      what: "pages of nothing that never end",
      code: "pages_empty",
      requests: 101,
      tell: () => paged(() => [], { cursor: `x${randomBytes(8).toString("hex")}` })() as Answer,
    },
    {
      what: "an epoch that changes with each page",
      code: "place_lost",
      requests: 3,
      tell: (truth, { query }) => query.has("since") ? { status: 422, body: "{}" } : truth,
    },
  ];
}

/** Keeps everybody from storing items until it ends; what its own connection changes is stored then. */
async function lockItems({ superuserUrl }: TestDatabase) {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  await sql`begin`;
  await sql`lock table federation_item in exclusive mode`;
  return {
    sql,
    async end() {
      await sql`commit`;
      await sql.end({ timeout: 5 });
    },
  };
}

Deno.test({
  ...POSTGRES,
  name:
    "F18 T28 T29 T32 T33 T36 T42 a peer that lies in its replies: nothing is taken, its entry says why, and it comes back when it stops",
  async fn(t) {
    await using world = await startWorld();
    const { liar, honest, slow, service } = world;

    // Its page comes a byte at a time, while all the rest goes on.
    await goodTurn(world, slow);
    let drip: ReturnType<typeof setInterval> | undefined;
    slow.lie = {
      on: "items",
      tell: () =>
        stream({
          start(to) {
            drip = setInterval(() => to.enqueue(new TextEncoder().encode(" ")), 1_000);
          },
          cancel: () => clearInterval(drip),
        }),
    };
    const hanging = turn(world, slow);
    try {
      await goodTurn(world, liar);
      for (const { what, code, tell, isPage = false, requests = 1 } of [...REPLIES, ...pagesOf(world)]) {
        await t.step(what, async () => {
          const { origin } = liar.say(`The liar says: ${what}.`);
          const [before, rejected] = [await held(world), await countAudit(world, "federation.page_rejected")];
          const asked = liar.requests.length;
          liar.lie = { on: "items", tell };
          const report = await turn(world, liar).finally(() => liar.lie = undefined);
          assert.equal(report?.error?.code, code);
          assert.ok(liar.requests.length - asked <= requests, `${liar.requests.length - asked} requests`);
          const { state, lastError } = await entryOf(world, liar);
          assert.deepEqual([state, lastError?.["code"]], ["DEGRADED", code]);
          assert.match(String(lastError?.["message"]), /\w{3}/);
          // The first page was good, and the place after it was not known: that page stays.
          if (code !== "place_lost") assert.deepEqual([await held(world), report?.received], [before, 0]);
          assert.equal(await countAudit(world, "federation.page_rejected") - rejected, isPage ? 1 : 0);
          await goodTurn(world, liar);
          assert.equal((await service.get(`/v1/memory/facts/${origin.id}`)).status, 200);
        });
      }

      await t.step("a body without an end is read to its limit and no further", async () => {
        let poured = 0;
        let isClosed = false;
        const piece = new Uint8Array(65_536).fill(32);
        liar.lie = {
          on: "items",
          tell: () =>
            stream({
              pull(to) {
                poured += piece.length;
                to.enqueue(piece);
              },
              cancel: () => void (isClosed = true),
            }),
        };
        assert.equal((await turn(world, liar))?.error?.code, "body_too_large");
        await waitFor("the connection to be closed", () => isClosed);
        assert.ok(poured < 32 * 1_048_576, `${poured} bytes`);
        liar.lie = undefined;
        await goodTurn(world, liar);
      });

      const isKnown = async (id: string) => (await service.get(`/v1/memory/facts/${id}`)).status === 200;
      const asksSince = (from: number) =>
        liar.requests.slice(from).filter(({ what }) => what.startsWith("items")).length;

      await t.step("a page behind a good one is refused alone, and nothing more is asked", async () => {
        const { origin } = liar.say("The first page is good.");
        const [asked, rejected] = [liar.requests.length, await countAudit(world, "federation.page_rejected")];
        const unsigned = rewrite(({ signature: _, ...page }) => page);
        liar.lie = {
          on: "items",
          tell: (truth, request) => asksSince(asked) === 1 ? truth : unsigned(truth, request),
        };
        const report = await turn(world, liar).finally(() => liar.lie = undefined);
        assert.deepEqual([report?.error?.code, report?.received], ["federation_verify_failed", 1]);
        assert.ok(await isKnown(origin.id));
        assert.equal(asksSince(asked), 2);
        assert.equal(await countAudit(world, "federation.page_rejected") - rejected, 1);
        await goodTurn(world, liar);
      });

      await t.step("the next page is asked for while one is stored", async () => {
        const { origin } = liar.say("The next page comes while this one is stored.");
        const asked = liar.requests.length;
        const lock = await lockItems(service.database!);
        const running = turn(world, liar);
        try {
          await waitFor("the next request", () => asksSince(asked) === 2);
          assert.equal(await isKnown(origin.id), false);
        } finally {
          await lock.end();
        }
        assert.equal((await running)?.error, null);
        assert.ok(await isKnown(origin.id));
        assert.equal(asksSince(asked), 2);
      });

      await t.step("a turn that fails ends the request that it made ahead", async () => {
        const { origin } = liar.say("Nobody waits for the page behind this one.");
        const asked = liar.requests.length;
        let isClosed = false;
        liar.lie = {
          on: "items",
          tell: (truth) => asksSince(asked) === 1 ? truth : stream({ cancel: () => void (isClosed = true) }),
        };
        const lock = await lockItems(service.database!);
        try {
          const running = turn(world, liar);
          await waitFor("the next request", () => asksSince(asked) === 2);
          await waitFor("the end of the storing transaction", async () => {
            const cancelled = await lock.sql`
              select pg_cancel_backend(pid) from pg_locks
               where relation = 'federation_item'::regclass and not granted and database = (
                     select oid from pg_database where datname = current_database())`;
            return cancelled.length > 0;
          });
          assert.notEqual((await running)?.error, null);
          // By itself the request would last for 25 s.
          await waitFor("the connection to be closed", () => isClosed, { deadlineMs: 15_000 });
        } finally {
          await lock.end();
          liar.lie = undefined;
        }
        await goodTurn(world, liar);
        assert.ok(await isKnown(origin.id));
      });

      await t.step("an honest peer is read meanwhile", async () => {
        const { origin } = honest.say("The honest peer says what it knows.");
        assert.equal((await goodTurn(world, honest)).received, 1);
        assert.equal((await service.get(`/v1/memory/facts/${origin.id}`)).status, 200);
      });

      await t.step("F18 a peer that greets well and lies in its pages is asked less and less often", async () => {
        liar.lie = { on: "items", tell: plainly(500, "{}") };
        const waits: number[] = [];
        for (let i = 0; i < 4; i++) {
          assert.equal((await turn(world, liar))?.error?.code, "unavailable");
          const { nextAttemptAt } = await entryOf(world, liar);
          waits.push((nextAttemptAt!.getTime() - world.now.getTime()) / 1_000);
        }
        for (const [i, seconds] of [30, 120, 600, 1_800].entries()) {
          assert.ok(waits[i]! >= seconds && waits[i]! <= seconds * 1.1 + 1, `${i}: ${waits[i]}`);
        }
        liar.lie = { on: "items", tell: (truth) => ({ ...truth, status: 403, body: "{}" }) };
        assert.equal((await turn(world, liar))?.error?.code, "unauthenticated");
        const { nextAttemptAt } = await entryOf(world, liar);
        assert.ok(nextAttemptAt!.getTime() - world.now.getTime() >= HOUR_MS / 2, "it is not greeted again at once");
        liar.lie = undefined;
        await goodTurn(world, liar);
        assert.equal((await entryOf(world, liar)).failures, 0);
      });

      assert.equal((await hanging)?.error?.code, "timeout");
      assert.deepEqual((await entryOf(world, slow)).lastError?.["code"], "timeout");
    } finally {
      clearInterval(drip);
      await hanging;
    }
  },
});
