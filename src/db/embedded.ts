/**
 * The default database: PostgreSQL as WebAssembly (PGlite) with pgvector, in this process and in one folder.
 *
 * It goes through the same door as a server: postgres.js is given an in-process socket instead of an address. Commits
 * are flushed to the disk as a server's are; a killed process recovers from the write-ahead log at its next start.
 */
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { vector } from "@electric-sql/pglite-pgvector";
import { fsyncSync } from "node:fs";
import { join, resolve } from "node:path";
import { ServiceError } from "../errors.ts";
import { keepUp, runUpkeep, type UpkeepOptions } from "./embedded_upkeep.ts";
import { type Backend, BackendMultiplexer } from "./embedded_wire.ts";
import { migrate } from "./migrations.ts";
import type { NearestIndex } from "./nearest_index.ts";
import type { PostgresOptions } from "./pool.ts";

export interface EmbeddedOptions extends UpkeepOptions {
  /** Dimension of the deployment's embeddings, for the migrations. */
  readonly embeddingDimension: number;
  /** The nearest-neighbour index to build. */
  readonly nearestIndex?: NearestIndex | undefined;
  readonly onMigrated?: (name: string, durationMs: number) => void;
}

/** The running database, migrated. Disposing ends its connections and writes a checkpoint. */
export interface Embedded extends AsyncDisposable {
  /** postgres.js options of the requests' connection: the role `svc_app`, and one connection. */
  readonly connection: PostgresOptions;
  /** postgres.js options of the owner: the superuser. For tests and repairs; requests never get it. */
  readonly ownerConnection: PostgresOptions;
  /** Does a round of upkeep now; otherwise one runs every 15 s. */
  upkeep(): void;
}

/** PGlite's own parameters without `-F`, which turns fsync off. Its fdatasync does nothing, so the log takes fsync. */
const START_PARAMETERS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  ...["-c", "wal_sync_method=fsync"],
];

/**
 * Starts and migrates the database of a data folder, and makes the folder if it is missing. The first start takes some
 * 3 s, the next ones 0.5 s; most of that time it blocks the event loop, as every statement does.
 * @throws ServiceError `conflict` when another process uses the folder.
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  await using stack = new AsyncDisposableStack();
  const folder = resolve(dataDir);
  stack.use(await openFolder(folder));
  const engine = await startEngine(join(folder, "postgres"));
  stack.defer(() => engine.close());
  const parameters = await readParameters(engine);
  const wire = new BackendMultiplexer(await toBackend(engine), parameters);
  stack.defer(() => wire.close());
  const ownerConnection = connectionOf(wire);
  await migrate(ownerConnection, {
    embeddingDimension: options.embeddingDimension,
    nearestIndex: options.nearestIndex,
    onApplied: options.onMigrated,
    // The client is in this process, so it cannot disappear alone.
    clientCheckMs: 0,
  });
  stack.use(keepUp(wire, options));
  const owned = stack.move();
  return {
    connection: { ...ownerConnection, connection: { role: REQUEST_ROLE } },
    ownerConnection,
    upkeep: () => runUpkeep(wire),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The group of request roles, as the migrations name it. */
const REQUEST_ROLE = "svc_app";

const SYNC = new Uint8Array([0x53, 0, 0, 0, 4]);

function connectionOf(wire: BackendMultiplexer): PostgresOptions {
  return {
    // The driver's type lacks this option, which its documentation has.
    ...{ socket: () => wire.connect() },
    host: "embedded",
    database: "postgres",
    username: "postgres",
    password: "",
    ssl: false,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
  };
}

async function startEngine(folder: string): Promise<PGlite> {
  return await PGlite.create({
    fs: new FlushingNodeFS(folder),
    extensions: { vector },
    startParams: START_PARAMETERS,
  });
}

async function toBackend(engine: PGlite): Promise<Backend> {
  let sink: (data: Uint8Array) => void = () => {};
  // The engine writes to this handler from now on, so nothing may use its own `query` and `exec` any more.
  await engine.execProtocolRawStream(SYNC, { syncToFs: false, onRawData: (data) => sink(data.slice()) });
  return {
    run(messages, onData) {
      sink = onData;
      engine.execProtocolRawSync(messages);
    },
    get inTransaction() {
      return engine.isInTransaction();
    },
  };
}

/** The parameters that a server reports to a client as it connects. */
async function readParameters(engine: PGlite): Promise<Record<string, string>> {
  const names = [
    ...["client_encoding", "DateStyle", "integer_datetimes", "IntervalStyle", "server_encoding", "server_version"],
    ...["standard_conforming_strings", "TimeZone"],
  ];
  const list = names.map((name) => `('${name}', current_setting('${name}'))`).join(", ");
  const { rows } = await engine.query<{ name: string; value: string }>(
    `select * from (values ${list}) v (name, value)`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

interface EmscriptenStream {
  /** The file descriptor of the process. */
  readonly nfd?: number;
}

/** The folder as the engine's file system, in which fsync reaches the disk. */
class FlushingNodeFS extends NodeFS {
  override async init(...args: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(...args);
    const flush = (module: { FS: { filesystems: Record<string, { stream_ops: Record<string, unknown> }> } }) => {
      module.FS.filesystems.NODEFS.stream_ops.fsync = (stream: EmscriptenStream) => {
        if (stream.nfd !== undefined) fsyncSync(stream.nfd);
        return 0;
      };
    };
    const preRun = [...emscriptenOpts.preRun ?? [], flush] as typeof emscriptenOpts.preRun;
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

/** Whether a folder holds a database, or one that is just being made. */
export async function holdsDatabase(dataDir: string): Promise<boolean> {
  for (const sign of ["lock", join("postgres", "PG_VERSION")]) {
    // One that may not be read is told when it is opened.
    const isThere = await Deno.stat(join(dataDir, sign)).then(
      () => true,
      (error) => !(error instanceof Deno.errors.NotFound),
    );
    if (isThere) return true;
  }
  return false;
}

/** @throws ServiceError `conflict` when another process uses the folder, or when this one may not */
async function openFolder(folder: string): Promise<Disposable> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    return await lockFolder(folder);
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof ServiceError) throw cause;
    // The system's words for the reason, such as "Permission denied (os error 13)".
    const reason = cause.message.split(": ")[0]!.replace(/ \(os error \d+\)$/, "");
    const message = `Cannot open the data folder ${folder}: ${reason}. Make it a folder that this user can write, or ` +
      "set SVC_DATA_DIR to another one";
    throw new ServiceError("conflict", message, { cause });
  }
}

/** Why a folder cannot be opened, for those who can wait until it can. */
const IN_USE = "folder_in_use";

/** Whether the data folder could not be opened because another process uses it. */
export function isFolderInUse(error: unknown): boolean {
  return error instanceof ServiceError && error.cause === IN_USE;
}

/** Locks the folder for this process; the operating system ends the lock however the process ends. */
async function lockFolder(folder: string): Promise<Disposable> {
  const path = join(folder, "lock");
  const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  if (!await file.tryLock(true)) {
    file.close();
    const pid = (await Deno.readTextFile(path)).trim();
    const message = `Cannot open the data folder ${folder}: process ${pid || "?"} is using it. Stop that process, or ` +
      "set SVC_DATA_DIR to another folder";
    throw new ServiceError("conflict", message, { cause: IN_USE });
  }
  await file.truncate();
  await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
  return { [Symbol.dispose]: () => file.close() };
}
