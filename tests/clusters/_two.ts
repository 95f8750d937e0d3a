/** Two Postgres servers as the clusters `home` and `b` of one deployment. */
import postgres from "postgres";
import { connectionOf, NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { readConfig } from "../../src/config.ts";
import { nameCluster } from "../../src/db/migrations.ts";
import { type MoveProgress, Mover } from "../../src/db/move_workspace.ts";
import { listTables } from "../../src/db/move_tables.ts";
import { ownerConnectionsOf } from "../../src/db/connections.ts";
import { createDatabase, type TestDatabase } from "../_postgres.ts";
import { type StartOptions, startService, type TestService } from "../_service.ts";

export class TwoClusters implements AsyncDisposable {
  private constructor(
    readonly server: NativePostgres,
    readonly home: TestDatabase,
    readonly b: TestDatabase,
    readonly stack: AsyncDisposableStack,
  ) {}

  static async start(): Promise<TwoClusters> {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await NativePostgres.start());
    const home = stack.use(await createDatabase());
    // Disposed with its server.
    const b = await createDatabase({ cluster: server.url() });
    for (const [name, database] of [["home", home], ["b", b]] as const) {
      await nameCluster(connectionOf(database.ownerUrl), name);
      const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
      await sql.unsafe("grant set on parameter session_replication_role to svc_test_owner");
      await sql.end({ timeout: 5 });
    }
    return new TwoClusters(server, home, b, stack.move());
  }

  get env(): Record<string, string> {
    return {
      DATABASE_URL: this.home.requestUrl,
      SVC_OWNER_DATABASE_URL: this.home.ownerUrl,
      SVC_CLUSTERS: `b=${this.b.requestUrl}`,
      SVC_OWNER_CLUSTERS: `b=${this.b.ownerUrl}`,
      // A busy machine may be slow.
      SVC_DB_CONNECT_TIMEOUT_SECONDS: "30",
      SVC_DB_DEADLINE_MS: "20000",
    };
  }

  service(options: StartOptions = {}): Promise<TestService> {
    return startService({ ...options, database: this.home, env: { ...this.env, ...options.env } });
  }

  mover(
    options: { readonly pauseSeconds?: number; readonly tell?: (progress: MoveProgress) => void | Promise<void> } = {},
  ): Mover {
    const { pauseSeconds = 30, tell = () => {} } = options;
    return new Mover({ ways: ownerConnectionsOf(readConfig(this.env)), pauseSeconds, tell });
  }

  /** Starts the command line in a process of its own. */
  svc(...args: readonly string[]): Deno.ChildProcess {
    const { PATH = "", HOME = "", DENO_DIR = "" } = Deno.env.toObject();
    return new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", new URL("../../src/cli/main.ts", import.meta.url).pathname, ...args],
      clearEnv: true,
      env: { PATH, HOME, ...(DENO_DIR && { DENO_DIR }), NO_COLOR: "1", ...this.env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /** Runs the command line to its end. */
  async run(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await this.svc(...args).output();
    const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
  }

  /** Queries one of the clusters as its superuser. */
  async look<T>(name: "home" | "b", work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const sql = postgres(this[name].superuserUrl, { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 5 });
    }
  }

  /** All rows of a workspace on a cluster, in Postgres' text form, by table, without transaction ids. */
  rows(name: "home" | "b", workspaceId: string): Promise<Record<string, string[]>> {
    return this.look(name, async (sql) => {
      const found: Record<string, string[]> = {};
      for (const table of await listTables(sql)) {
        const columns = table.written.filter((column) => !column.isTransaction).map((column) => `"${column.name}"`);
        const rows = await sql.unsafe(
          `select row(${columns.join(", ")})::text as row from "${table.name}" where workspace_id = $1 order by 1`,
          [workspaceId],
        );
        if (rows.length > 0) found[table.name] = rows.map((row) => row["row"] as string);
      }
      return found;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}
