/** A Postgres server and its streaming standby, and services that read from both. */
import postgres from "postgres";
import { NativePostgres, REPLICATED_SETTINGS } from "../../scripts/gate/native_postgres.ts";
import { createDatabase, type TestDatabase } from "../_postgres.ts";
import { type StartOptions, startService, type TestService } from "../_service.ts";
import { parseMetrics } from "../http/_metrics.ts";
import { waitFor } from "../_wait.ts";

/** `postgres://…` of the same database and role at another port. */
export function atPort(url: string, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.href;
}

/** The same database and role at one of several hosts. */
export function atHosts(url: string, hosts: readonly { readonly port: number }[], target: string): string {
  const { hostname, host } = new URL(url);
  const list = hosts.map(({ port }) => `${hostname}:${port}`).join(",");
  return `${url.replace(`@${host}/`, `@${list}/`)}?target_session_attrs=${target}`;
}

/** The same database on another server. */
export function movedTo(database: TestDatabase, port: number): TestDatabase {
  return {
    ...database,
    ownerUrl: atPort(database.ownerUrl, port),
    requestUrl: atPort(database.requestUrl, port),
    superuserUrl: atPort(database.superuserUrl, port),
  };
}

export class ReplicaPair implements AsyncDisposable {
  private constructor(
    readonly primary: NativePostgres,
    readonly standby: NativePostgres,
    readonly database: TestDatabase,
    readonly stack: AsyncDisposableStack,
  ) {}

  static async start(): Promise<ReplicaPair> {
    await using stack = new AsyncDisposableStack();
    const primary = stack.use(await NativePostgres.start({ settings: REPLICATED_SETTINGS }));
    // Goes with its server.
    const database = await createDatabase({ cluster: primary.url() });
    const standby = stack.use(await NativePostgres.startStandby(primary, { settings: REPLICATED_SETTINGS }));
    return new ReplicaPair(primary, standby, database, stack.move());
  }

  /** Another server that follows one of the two. */
  async addStandby(of: NativePostgres): Promise<NativePostgres> {
    return this.stack.use(await NativePostgres.startStandby(of, { settings: REPLICATED_SETTINGS }));
  }

  get replicaUrl(): string {
    return atPort(this.database.requestUrl, this.standby.port);
  }

  /** A service on the primary, or on the database that is named, with the standby as its replica unless another is named. */
  async service(options: StartOptions = {}): Promise<TestService> {
    const env = {
      SVC_DATABASE_REPLICA_URL: this.replicaUrl,
      // A busy machine may take its time.
      SVC_DB_CONNECT_TIMEOUT_SECONDS: "30",
      SVC_DB_DEADLINE_MS: "20000",
      ...options.env,
    };
    return this.stack.use(await startService({ database: this.database, ...options, env }));
  }

  /** Asks one of the servers as its superuser, in the service's database unless told. */
  async look<T>(
    server: NativePostgres,
    work: (sql: postgres.Sql) => Promise<T>,
    database = this.database.name,
  ): Promise<T> {
    const sql = postgres(server.url(database), { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 5 });
    }
  }

  /** Gives the service's database another name, on both servers; nobody is connected to it. */
  async renameDatabase(name: string): Promise<void> {
    await this.look(
      this.primary,
      (sql) => sql.unsafe(`alter database ${this.database.name} rename to ${name}`),
      "postgres",
    );
    await waitFor("the database has its name on the standby", () =>
      this.look(
        this.standby,
        async (sql) => (await sql`select from pg_database where datname = ${name}`).length === 1,
        "postgres",
      ));
  }

  /** Stops the standby from replaying, so that it shows the past and no more. */
  async pause(): Promise<void> {
    await this.look(this.standby, async (sql) => {
      await sql`select pg_wal_replay_pause()`;
      await waitFor("replay is paused", async () => {
        const [row] = await sql`select pg_get_wal_replay_pause_state() as state`;
        return row!["state"] === "paused";
      });
    });
  }

  async resume(): Promise<void> {
    await this.look(this.standby, (sql) => sql`select pg_wal_replay_resume()`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

/** How many reads of a service had which outcome. */
export async function outcomesOf(service: TestService): Promise<Record<string, number>> {
  const { body } = await service.deps.telemetry.metrics.render();
  const samples = parseMetrics(body).get("svc_replica_reads_total")?.samples ?? [];
  return Object.fromEntries(samples.map(({ labels, value }) => [labels["outcome"]!, value]));
}

/** Reads until a replica answers. */
export async function untilReplica<T>(service: TestService, read: () => Promise<T>, what = "a read"): Promise<T> {
  return await waitFor(`the replica answers ${what}`, async () => {
    const before = (await outcomesOf(service))["replica"] ?? 0;
    const found = await read();
    const outcomes = await outcomesOf(service);
    if ((outcomes["replica"] ?? 0) > before) return found;
    throw new Error(`${JSON.stringify(outcomes)} for ${JSON.stringify(found)?.slice(0, 500)}`);
  });
}
