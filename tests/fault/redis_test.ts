/** Redis away, emptied, slow or refusing, and what processes share through it. docs/reference/guarantees.md F9. */
import assert from "node:assert/strict";
import { generateApiKey, parseApiKey } from "../../src/crypto/api_key.ts";
import * as access from "../../src/domain/access/authorize.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import { POSTGRES } from "../_postgres.ts";
import { REDIS } from "../_redis.ts";
import { waitFor } from "../_wait.ts";
import { send, ServiceProcess } from "./_process.ts";
import { Stage } from "./_stage.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";

const NEEDED = { ignore: POSTGRES.ignore || REDIS.ignore };

Deno.test({
  ...NEEDED,
  name: "F9 Redis cut off, silent, talking noise or emptied: not ready, but every request is served",
  async fn() {
    await using stage = await Stage.open({ redis: true, nodes: 1 });
    const [node] = stage.nodes;
    const key = await createKey(stage, { perMinute: 1, burst: 30 });
    const serve = async (what: string) => {
      const recalled = await send(node.url, key, "POST", "/memory/recall/hot", { query: "crate" });
      const written = await send(node.url, key, "POST", "/memory/events", { type: what });
      assert.deepEqual([recalled.status, written.status], [200, 201], what);
    };
    await serve("as usual");
    const faults = {
      "cut off": () => stage.redisWay!.onPiece = () => stage.redisWay!.cut(),
      silent: () => stage.redisWay!.freeze(),
      slow: () => stage.redisWay!.delay(2_000),
      noise: () => stage.redisWay!.garble(),
    };
    let counted = 0;
    for (const [name, begin] of Object.entries(faults)) {
      begin();
      for (let i = 0; i < 3; i++) await serve(name);
      assert.equal(await node.status("/health/ready"), 503, name);
      assert.equal(await node.status("/health/live"), 200, name);
      assert.equal(await outages(node.url), ++counted, `${name}: counted once, however many requests meet it`);
      stage.redisWay!.onPiece = undefined;
      stage.redisWay!.heal();
      stage.redisWay!.cut();
      await waitFor(`readiness after ${name}`, async () => await node.status("/health/ready") === 200);
    }
    await stage.redis!.command("FLUSHALL");
    await serve("emptied");
    // Local counts are a limit, too: thirty requests are over at some time, with Redis away.
    stage.redisWay!.freeze();
    const flood = await Promise.all(
      Array.from({ length: 60 }, () => send(node.url, key, "GET", "/session?limit=1")),
    );
    assert.ok(flood.some(({ status }) => status === 429), "without Redis there is no limit");
    await stage.check();
    await stage.stop();
  },
});

Deno.test({
  ...NEEDED,
  name: "F9 a wrong token for Redis: the process says that it is not ready and serves, with limits of its own",
  async fn() {
    await using stage = await Stage.open({ redis: true, nodes: 0 });
    await using node = await startWith(stage, { SVC_UPSTASH_REDIS_REST_TOKEN: "wrong" });
    const key = await createKey(stage, { perMinute: 1, burst: 3 });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await send(node.url, key, "GET", "/session")).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    assert.equal(await node.status("/health/ready"), 503);
    assert.equal(await node.status("/health/ready?exclude=notifications"), 503);
    assert.equal(await node.status("/health/ready?exclude=cache,notifications"), 200, "a load balancer keeps it");
  },
});

Deno.test({
  ...NEEDED,
  name: "T14 T15 two processes and Redis: one rate, one count of failed attempts, and a revocation that both feel",
  async fn() {
    await using stage = await Stage.open({ redis: true });
    const rated = await whileRedisAnswers(stage.urls, async () => {
      const key = await createKey(stage, { perMinute: 1, burst: 6 });
      const statuses: number[] = [];
      for (let i = 0; i < 8; i++) statuses.push((await send(stage.urls[i % 2], key, "GET", "/session")).status);
      return statuses;
    });
    assert.deepEqual(rated, [200, 200, 200, 200, 200, 200, 429, 429]);

    const victim = await createKey(stage, { perMinute: 0, burst: 1 });
    for (const url of stage.urls) assert.equal((await send(url, victim, "GET", "/session")).status, 200);
    const ctx = access.operatorContext(stage.deps, stage.tenants[0].workspaceId);
    const { publicId } = parseApiKey(victim)!;
    const { keyId } = (await access.listApiKeys(ctx)).find((row) => row.publicId === publicId)!;
    await revokeApiKey(ctx, keyId);
    for (const url of stage.urls) {
      await waitFor("the refusal", async () => (await send(url, victim, "GET", "/session")).status === 401);
    }

    // From one source, to both processes in turns: ten failures in all, not ten on each. The revoked key made two, unless
    // Redis answered too late for one of them, so that a process counted it for itself.
    const failed: number[] = [];
    for (let i = 0; i < 14; i++) {
      failed.push((await send(stage.urls[i % 2], generateApiKey("svc_live_").key, "GET", "/session")).status);
    }
    const refused = failed.filter((status) => status === 401).length;
    assert.ok(refused >= 8 && refused <= 10, `${failed}`);
    assert.ok(failed.slice(10).every((status) => status === 429), `${failed}`);
  },
});

/** So often the work is run, on the busiest machine. */
const TRIES_MAX = 20;

/**
 * Runs the work again until Redis has answered both processes in time throughout: on a busy machine Redis may be late, and
 * then each process counts for itself. @throws Error when Redis was late in every run
 */
async function whileRedisAnswers<T>(urls: readonly string[], work: () => Promise<T>): Promise<T> {
  const countOutages = () => Promise.all(urls.map(outages));
  const isReady = async (url: string) => {
    const reply = await fetch(`${url}/health/ready`);
    await reply.body?.cancel();
    return reply.status === 200;
  };
  for (let i = 0; i < TRIES_MAX; i++) {
    await waitFor("both processes hear Redis", async () => (await Promise.all(urls.map(isReady))).every(Boolean));
    const before = await countOutages();
    const value = await work();
    if (`${await countOutages()}` === `${before}`) return value;
  }
  throw new Error(`Redis answered too late in each of ${TRIES_MAX} runs`);
}

/** How often the process has found Redis away. */
async function outages(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^svc_cache_outages_total (\d+)$/m.exec(page)?.[1]);
}

/** A process of its own, with some variables changed. */
function startWith(stage: Stage, env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  return ServiceProcess.start({ ...stage.env, ...env });
}

async function createKey(stage: Stage, rateLimit: { perMinute: number; burst: number }): Promise<string> {
  const workspaceId = stage.tenants[0]?.workspaceId ??
    await access.createWorkspace(stage.deps, { name: "redis", region: "us-east-1" });
  const ctx = access.operatorContext(stage.deps, workspaceId);
  const input = { name: "limited", scopes: SCOPES, maxSensitivity: "internal" as const, rateLimit };
  return (await access.createApiKey(ctx, input)).key;
}
