/** A database with two workspaces behind the door to SQL, for the tests that attack the door itself. */
import postgres from "postgres";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { settingsOf } from "../../src/db/opening.ts";
import type { PostgresOptions } from "../../src/db/pool.ts";
import { Database } from "../../src/db/database.ts";
import type { Tx, WorkspaceScope } from "../../src/db/tx.ts";
import { createDatabase, type TestDatabase } from "../_postgres.ts";

export interface DoorOptions {
  /** Connections of the pool. */
  readonly max?: number;
  readonly deadlineMs?: number;
  /** Where the door connects to if not directly to the database, such as a relay. */
  readonly connection?: Partial<PostgresOptions>;
  /** The way past a pooler or relay in between. */
  readonly direct?: PostgresOptions;
  readonly database?: TestDatabase;
}

/**
 * Rows of `usage_counter` stand for anything that a workspace owns: `name` names the owner, `value` the call that wrote
 * it.
 */
export interface Row {
  readonly name: string;
  readonly value: string;
}

export class Door implements AsyncDisposable {
  constructor(
    readonly db: Database,
    readonly a: WorkspaceScope,
    readonly b: WorkspaceScope,
    /** Superuser on the same database; never the code under test. */
    readonly superuser: postgres.Sql,
    readonly requestUrl: string,
    readonly stack: AsyncDisposableStack,
  ) {}

  /** Kills one backend and waits until it has gone. */
  async kill(pid: number): Promise<void> {
    await this.superuser`select pg_terminate_backend(${pid}, 10000)`;
  }

  /** Every row of both workspaces. */
  async rows(): Promise<Row[]> {
    return await this.superuser<Row[]>`select name, value from usage_counter order by name`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

export async function openDoor(options: DoorOptions = {}): Promise<Door> {
  await using stack = new AsyncDisposableStack();
  const database = options.database ?? stack.use(await createDatabase());
  const deadlineMs = options.deadlineMs ?? 10_000;
  const superuser = postgres(database.superuserUrl, { max: 2, onnotice: () => {} });
  stack.defer(() => superuser.end({ timeout: 5 }));
  const scopes = await Promise.all(["A", "B"].map((name) => createScope(superuser, name)));
  const db = stack.use(
    new Database({
      connection: {
        ...connectionOf(database.requestUrl),
        max: options.max ?? 4,
        connect_timeout: 2,
        connection: { application_name: "svc-door-test" },
        ...options.connection,
      },
      ...(options.direct && { direct: options.direct }),
      settings: settingsOf({ deadlineMs }),
      deadlineMs,
      clock: () => new Date(),
    }),
  );
  return new Door(db, scopes[0]!, scopes[1]!, superuser, database.requestUrl, stack.move());
}

async function createScope(superuser: postgres.Sql, name: string): Promise<WorkspaceScope> {
  const workspaceId = crypto.randomUUID();
  await superuser`insert into workspace (workspace_id, name, region) values (${workspaceId}, ${name}, 'us-east-1')`;
  return { workspaceId, maxSensitivity: "restricted", actor: name };
}

export async function writeRow(tx: Tx, name: string, value = 0): Promise<void> {
  await tx.sql`
    insert into usage_counter (workspace_id, day, name, value)
    values (${tx.workspaceId}, '2026-01-01', ${name}, ${value})`;
}

/** Reads rows without naming the workspace, so that only row-level security filters them. */
export async function readRows(tx: Pick<Tx, "sql">): Promise<Row[]> {
  return await tx.sql<Row[]>`select name, value from usage_counter order by name`;
}

export async function backendOf(tx: Pick<Tx, "sql">): Promise<number> {
  const [row] = await tx.sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  return row.pid;
}

/** A gate to wait for, which a test opens by hand. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Returns the outcome of a promise, without throwing. */
export async function outcomeOf<T>(work: Promise<T>): Promise<{ value?: T; code?: string; error?: unknown }> {
  try {
    return { value: await work };
  } catch (error) {
    return { code: (error as { code?: string }).code ?? String(error), error };
  }
}

/** Collects the errors that would have ended the process. */
export function watchUncaught(): Disposable & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    errors.push(event.error);
  };
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    errors.push(event.reason);
  };
  globalThis.addEventListener("error", onError);
  globalThis.addEventListener("unhandledrejection", onRejection);
  return {
    errors,
    [Symbol.dispose]() {
      globalThis.removeEventListener("error", onError);
      globalThis.removeEventListener("unhandledrejection", onRejection);
    },
  };
}
