/**
 * The stage of the fault tests: a database and a Redis of its own, each behind a relay that spoils the way, service
 * processes, two tenants, and the check that holds after every fault.
 */
import { equal } from "node:assert/strict";
import postgres from "postgres";
import { NativePostgres } from "../../scripts/gate/native_postgres.ts";
import type { OwnedDeps } from "../../src/app.ts";
import { createTestDeps } from "../_deps.ts";
import { createDatabase, type TestDatabase } from "../_postgres.ts";
import { type RedisFront, startRedisFront } from "../_redis.ts";
import { type Relay, startRelay } from "../_relay.ts";
import { checkLedger, checkLiveness, createTenant, type Tenant } from "./_ledger.ts";
import { ServiceProcess, until } from "./_process.ts";

export interface StageOptions {
  /** Service processes; 2 unless told. */
  readonly nodes?: number;
  readonly redis?: boolean;
  /**
   * A Postgres of its own, as durable as Postgres is, which the test may stop and kill. Without it the database is on the
   * cluster that all tests share.
   */
  readonly ownServer?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export class Stage implements AsyncDisposable {
  readonly nodes: ServiceProcess[] = [];
  tenants: Tenant[] = [];

  readonly #server: NativePostgres | undefined;

  private constructor(
    server: NativePostgres | undefined,
    readonly database: TestDatabase,
    /** Between the processes and Postgres. */
    readonly way: Relay,
    readonly redis: RedisFront | undefined,
    /** Between the processes and Redis. */
    readonly redisWay: Relay | undefined,
    /** Of this process: straight to the database. */
    readonly deps: OwnedDeps,
    readonly env: Readonly<Record<string, string>>,
    readonly stack: AsyncDisposableStack,
  ) {
    this.#server = server;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    await using stack = new AsyncDisposableStack();
    const server = options.ownServer ? stack.use(await NativePostgres.start({ durable: true })) : undefined;
    const database = await createDatabase(server && { cluster: server.url() });
    // One on an own cluster is not dropped: the cluster goes as a whole, and may be down by then.
    if (server === undefined) stack.use(database);
    const url = new URL(database.requestUrl);
    const way = stack.use(startRelay({ hostname: url.hostname, port: Number(url.port) }));
    url.hostname = "127.0.0.1";
    url.port = String(way.port);
    const env: Record<string, string> = { DATABASE_URL: url.href, ...options.env };
    let redis: RedisFront | undefined;
    let redisWay: Relay | undefined;
    if (options.redis) {
      redis = stack.use(await startRedisFront({ own: true }));
      redisWay = stack.use(startRelay({ hostname: "127.0.0.1", port: Number(new URL(redis.url).port) }));
      env.SVC_UPSTASH_REDIS_REST_URL = `http://127.0.0.1:${redisWay.port}`;
      env.SVC_UPSTASH_REDIS_REST_TOKEN = redis.token;
    }
    const deps = stack.use(await createTestDeps(database));
    const stage = new Stage(server, database, way, redis, redisWay, deps, env, stack.move());
    try {
      const nodes = Array.from({ length: options.nodes ?? 2 }, () => ServiceProcess.start(env));
      for (const started of await Promise.allSettled(nodes)) {
        if (started.status === "rejected") throw started.reason;
        stage.nodes.push(started.value);
      }
      for (const mark of stage.nodes.length > 0 ? ["MARK_ADA", "MARK_BO"] : []) {
        stage.tenants.push(await createTenant(deps, stage.nodes[0].url, mark));
      }
      return stage;
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
  }

  get server(): NativePostgres {
    if (this.#server === undefined) throw new Error("Cannot stop the server: the stage has none of its own");
    return this.#server;
  }

  get urls(): string[] {
    return this.nodes.map((node) => node.url);
  }

  /** Whether every process says that it is ready. */
  async isReady(): Promise<boolean> {
    return (await Promise.all(this.nodes.map((node) => node.status("/health/ready")))).every((code) => code === 200);
  }

  /** Puts a new process into the place of one that has ended. */
  async restart(at: number): Promise<void> {
    const { port } = this.nodes[at];
    this.nodes[at] = await ServiceProcess.start(this.env, { port });
  }

  /** Ends a backend of the service at random; answers whether there was one. */
  async killBackend(): Promise<boolean> {
    const sql = postgres(this.database.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      const killed = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'svc' and datname = current_database() order by random() limit 1`;
      return killed.length > 0;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** What holds after every fault: ready again, 100 of 100 operations, nothing lost, doubled or mixed. */
  async check(): Promise<void> {
    this.way.heal();
    this.redisWay?.heal();
    await until("all processes are ready", () => this.isReady(), this.nodes[0]);
    await checkLiveness(this.urls, this.tenants);
    await checkLedger(this.deps, this.database, this.tenants);
  }

  /** An orderly end of all processes, which shows that none was left in a bad state. */
  async stop(): Promise<void> {
    for (const node of this.nodes.splice(0)) equal(await node.stop(), 0, node.output);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) await node.kill();
    await this.stack.disposeAsync();
  }
}
