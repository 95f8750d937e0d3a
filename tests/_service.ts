/**
 * A service for tests: the real composition on a database of its own, called through its `fetch`.
 *
 * `await using service = await startService()` runs on native Postgres; `{ embedded: true }` on the embedded default.
 */
import { readConfig } from "../src/config.ts";
import { Argon2id } from "../src/crypto/argon2id.ts";
import * as access from "../src/domain/access/authorize.ts";
import type { Deps, OperationContext } from "../src/context.ts";
import type { Sensitivity } from "../src/schema/common.ts";
import { DEFAULT_SCOPES, type Scope, SCOPES } from "../src/schema/scopes.ts";
import type { HttpOptions } from "../src/http/app.ts";
import { Service, type ServiceOptions } from "../src/service.ts";
import type { LogSink } from "../src/telemetry/log.ts";
import { WORKER_LOOPS, workerContext } from "../src/workers/mod.ts";
import { createDatabase, EMBEDDED_TEMPLATE, POSTGRES, type TestDatabase } from "./_postgres.ts";
import type { Fixture } from "./_fixtures.ts";
import { waitFor, within } from "./_wait.ts";

/**
 * The thread of all services of this process: to start one takes longer than a hash, and no test depends on its cost.
 */
const THREAD = new Argon2id({ cost: { memoryKib: 8, iterations: 1 } });
await THREAD.hash("the first hash starts the thread");

/** One service's way to the common thread. */
class TestArgon2id extends Argon2id {
  override hash(secret: string, signal?: AbortSignal): Promise<string> {
    return THREAD.hash(secret, signal);
  }

  override verify(secret: string, phc: string, signal?: AbortSignal): Promise<boolean> {
    return THREAD.verify(secret, phc, signal);
  }
}

const HOT_PATH = "/v1/memory/recall/hot";

/** The `SVC_ADMIN_TOKEN` of every service here. */
export const ADMIN_TOKEN = "test-admin-token-of-40-visible-characters";

/** The `SVC_ADMIN_TOTP_KEY` of every service here. */
export const TOTP_KEY = "test-totp-key-of-more-than-32-characters";

export interface StartOptions {
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly embedded?: boolean;
  readonly clock?: () => Date;
  /** Whether the background loops run; default: false, so that nothing happens by itself. */
  readonly workers?: boolean;
  readonly logSink?: LogSink;
  readonly sharedFiles?: HttpOptions["sharedFiles"];
  /** An existing database, such as that of another service. */
  readonly database?: TestDatabase;
  /** The name server for other servers' names, instead of those of the system. */
  readonly nameServer?: ServiceOptions["nameServer"];
  /** Whether hashes cost as much as outside tests, in the service's own threads: another program knows only these. */
  readonly realHashCost?: boolean;
}

export interface KeyOptions {
  readonly workspaceId?: string;
  readonly scopes?: readonly Scope[];
  readonly maxSensitivity?: Sensitivity;
  readonly expiresAt?: Date;
  readonly cidrs?: readonly string[];
  readonly rateLimit?: { readonly perMinute: number; readonly burst: number };
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

export class TestService implements AsyncDisposable {
  constructor(
    readonly service: Service,
    /** The first workspace. */
    readonly workspaceId: string,
    /** A key of the first workspace with all scopes and the highest clearance. */
    readonly key: string,
    readonly database: TestDatabase | undefined,
    readonly stack: AsyncDisposableStack,
  ) {}

  get deps(): Deps {
    return this.service.deps;
  }

  /**
   * Calls the service; a body that is not a string or bytes is sent as JSON, a reply is parsed if it is JSON. `prove`
   * is the fixture's: it makes the headers that prove the sender.
   */
  async call(
    method: string,
    path: string,
    options: { body?: unknown; key?: string | null; headers?: HeadersInit; prove?: Fixture["prove"] } = {},
  ) {
    const headers = new Headers(options.headers);
    const key = options.key === undefined ? this.key : options.key;
    if (key !== null) headers.set("authorization", `Bearer ${key}`);
    let body = options.body as BodyInit | undefined;
    if (options.body !== undefined && typeof options.body !== "string" && !(options.body instanceof Uint8Array)) {
      body = JSON.stringify(options.body);
    }
    if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
    const proof = options.prove?.(method, path, body as string | Uint8Array | undefined ?? "") ?? {};
    for (const [name, value] of Object.entries(proof)) headers.set(name, value);
    const request = new Request(`http://svc.test${path}`, { method, headers, body });
    return await readReply(await this.service.fetch(request));
  }

  get(path: string, options: { key?: string | null; headers?: HeadersInit } = {}): Promise<Reply> {
    return this.call("GET", path, options);
  }

  /**
   * Calls the service. A request to the hot tier is repeated until the tier itself answers, and no longer the database
   * because the workspace is not loaded yet. `once`: it is sent once.
   */
  async post(
    path: string,
    body?: unknown,
    { once = false, ...options }: { key?: string | null; headers?: HeadersInit; once?: boolean } = {},
  ): Promise<Reply> {
    const send = () => this.call("POST", path, { ...options, body: body ?? {} });
    if (once || path !== HOT_PATH) return await send();
    return await waitFor("the hot tier's own answer", async () => {
      const reply = await send();
      return reply.status !== 200 || reply.body.tiers[0].tier === "hot" ? reply : undefined;
    }, { everyMs: 2 });
  }

  patch(path: string, body: unknown, options: { key?: string | null; headers?: HeadersInit } = {}): Promise<Reply> {
    return this.call("PATCH", path, { ...options, body });
  }

  delete(path: string, options: { key?: string | null; headers?: HeadersInit } = {}): Promise<Reply> {
    return this.call("DELETE", path, options);
  }

  createWorkspace(name = "other", region: "us-east-1" | "eu-west-1" | "ap-southeast-1" = "us-east-1"): Promise<string> {
    return access.createWorkspace(this.deps, { name, region });
  }

  async createKey(options: KeyOptions = {}): Promise<string> {
    const { key } = await access.createApiKey(this.operator(options.workspaceId), {
      name: "test",
      scopes: options.scopes ?? SCOPES,
      maxSensitivity: options.maxSensitivity ?? "restricted",
      ...(options.expiresAt && { expiresAt: options.expiresAt }),
      ...(options.cidrs && { cidrs: options.cidrs }),
      ...(options.rateLimit && { rateLimit: options.rateLimit }),
    });
    return key;
  }

  /** The same service with a key of a new workspace. Disposing of it ends nothing. */
  async inNewWorkspace(): Promise<TestService> {
    const workspaceId = await this.createWorkspace(`workspace ${crypto.randomUUID()}`);
    const key = await this.createKey({ workspaceId });
    return new TestService(this.service, workspaceId, key, this.database, new AsyncDisposableStack());
  }

  /** A context inside a workspace, for calling capabilities and workers directly. */
  operator(workspaceId: string = this.workspaceId): OperationContext {
    return access.operatorContext(this.deps, workspaceId);
  }

  /** Does one step of a background loop in a workspace; returns whether there is more work to do at once. */
  async step(loop: string, workspaceId: string = this.workspaceId): Promise<boolean> {
    const { step } = WORKER_LOOPS.find(({ name }) => name === loop)!;
    return await step(workerContext(this.deps, loop, workspaceId)) === true;
  }

  /** Serves on a loopback port, by default one of its own, for tests that need a real connection. */
  listen(port = 0): { readonly url: string } {
    const server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, this.service.fetch);
    this.stack.defer(() => within("the server shuts down", server.shutdown()));
    return { url: `http://127.0.0.1:${server.addr.port}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

export { DEFAULT_SCOPES };

/**
 * Starts a service on a database of its own. In the quick form, tests without wishes share one service of their process
 * instead, each in a workspace of its own: to start the embedded database takes longer than most of these tests.
 */
export async function startService(options: StartOptions = {}): Promise<TestService> {
  const isPlain = Object.values(options).every((wish) => wish === undefined);
  return isPlain && common !== undefined ? await common.inNewWorkspace() : await startOwnService(options);
}

async function startOwnService(options: StartOptions): Promise<TestService> {
  await using stack = new AsyncDisposableStack();
  let database = options.database;
  // Tests send more requests with one key than callers do; the tests of the limit set one.
  const env: Record<string, string> = {
    SVC_LOG_LEVEL: "error",
    // Most tests are about something else, and their few texts are found by words alone.
    SVC_SENTENCE_ENCODER: "off",
    SVC_RATE_LIMIT_PER_MINUTE: "0",
    SVC_DB_SECONDS_PER_KEY: "0",
    SVC_DB_SECONDS_PER_WORKSPACE: "0",
    // On a busy machine, requests may wait long for their turn, and for a connection to a slow database.
    SVC_REQUESTS_WAIT_MS: "60000",
    SVC_DB_CONNECT_TIMEOUT_SECONDS: "30",
    SVC_DB_DEADLINE_MS: "20000",
    SVC_ADMIN_TOKEN: ADMIN_TOKEN,
    SVC_ADMIN_TOTP_KEY: TOTP_KEY,
    SVC_SECRETS_KEY: "test-secrets-key-of-more-than-32-characters",
    // Tests serve other parties' servers on loopback.
    SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
  };
  if (options.embedded ?? (POSTGRES.ignore && database === undefined)) {
    const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
    stack.defer(() => Deno.remove(dataDir, { recursive: true }));
    if (EMBEDDED_TEMPLATE !== undefined) await copyFolder(EMBEDDED_TEMPLATE, dataDir);
    env["SVC_DATA_DIR"] = dataDir;
  } else {
    if (!database) database = stack.use(await createDatabase());
    env["DATABASE_URL"] = database.requestUrl;
    if (database.directUrl !== undefined) env["SVC_DATABASE_DIRECT_URL"] = database.directUrl;
  }
  let first: { workspaceId: string; key: string } | undefined;
  const service = stack.use(
    await Service.boot(readConfig({ ...env, ...options.env }), {
      clock: options.clock,
      logSink: options.logSink,
      workers: options.workers ?? false,
      nameServer: options.nameServer,
      checkReplies: true,
      lazyDocument: true,
      ...(!options.realHashCost && { argon2id: new TestArgon2id() }),
      ...(options.sharedFiles && { sharedFiles: options.sharedFiles }),
      showFirstAccess: (access) => first = access,
    }),
  );
  // On a machine that is too busy to connect in time the service prepares itself later, and refuses requests until then.
  await waitFor("a service that has prepared itself", () => service.deps.isPrepared());
  const workspaceId = first?.workspaceId ??
    await access.createWorkspace(service.deps, { name: "second", region: "us-east-1" });
  const { key } = await access.createApiKey(access.operatorContext(service.deps, workspaceId), {
    name: "test",
    scopes: SCOPES,
    maxSensitivity: "restricted",
  });
  return new TestService(service, workspaceId, key, database, stack.move());
}

export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, body: isJson && text !== "" ? JSON.parse(text) : text };
}

async function copyFolder(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("cp", { args: ["-r", `${from}/.`, to] }).output();
  if (!success) throw new Error(`Cannot copy ${from}: ${new TextDecoder().decode(stderr)}`);
}

/** Started before the first test, so that it is no test's resource; it ends with the process. */
const common = Deno.env.has("SVC_TEST_SHARED_SERVICE") ? await startOwnService({}) : undefined;
