/**
 * Databases for tests: each a clone of a migrated template, on one cluster per test run.
 *
 * `scripts/gate/run_tests.ts` starts the cluster and passes its superuser's URL as `TEST_DATABASE_URL`. A test file that is
 * run on its own starts one by itself when server programs are installed; without any, `POSTGRES.ignore` is true.
 */
import postgres from "postgres";
import { createHash } from "node:crypto";
import { connectionOf, dropDatabase, findServerPrograms, NativePostgres } from "../scripts/gate/native_postgres.ts";
import { migrate, MIGRATIONS } from "../src/db/migrations.ts";

const superuserUrl = await findSuperuserUrl();

/**
 * The superuser's connection of a process that the runner started. It is kept, because a new one for each database would
 * cost as much as the database; and it is made before the first test, so that it is no test's resource. The runner ends
 * the process; another program would not end while the connection is open.
 */
const superuser = superuserUrl === undefined || !Deno.env.has("SVC_TEST_RUN") ? undefined : connect(superuserUrl);
if (superuser !== undefined) await superuser.sql`select`;

/** Options of a test that needs native Postgres: `Deno.test({ ...POSTGRES, name, fn })`. */
export const POSTGRES = { ignore: superuserUrl === undefined };

/**
 * Migrated data folder of an embedded database, which the program that runs the tests makes: `startService` copies it,
 * since migrating takes some seconds.
 */
export const EMBEDDED_TEMPLATE = Deno.env.get("SVC_TEST_EMBEDDED_TEMPLATE");

/** Options of a test that needs a service on any database: native Postgres, or the embedded one in the quick form. */
export const DATABASE = { ignore: POSTGRES.ignore && EMBEDDED_TEMPLATE === undefined };

/** Names of all databases of one test run start with it, so that the runner can drop what a crashed test left. */
const RUN = Deno.env.get("SVC_TEST_RUN") ?? crypto.randomUUID().slice(0, 8);

/** Serialises the making of roles and templates over all test processes. Any constant will do. */
const LOCK_KEY = 7_305_410_128;

const OWNER = "svc_test_owner";
const REQUEST = "svc_test_request";

export interface CreateDatabaseOptions {
  /** Dimension of the deployment's embeddings; 384, the service's default, unless told. */
  readonly embeddingDimension?: number;
  /** `false` gives an empty database with pgvector, owned by the owner role, for tests of the migrations. */
  readonly migrated?: boolean;
  /** Copies this database with all its contents, except roles; nobody may be connected to it. */
  readonly copyOf?: TestDatabase;
  /** Superuser's URL of another cluster than the run's, such as one that a fault test kills. */
  readonly cluster?: string;
}

/** One database with the roles that docs/guides/deployment.md tells users to make. Disposing drops it. */
export interface TestDatabase extends AsyncDisposable {
  readonly name: string;
  /** Owns the database: a plain role with CREATEROLE. Row-level policies are forced on it too. */
  readonly ownerUrl: string;
  /** The URL for requests, with a plain member of `svc_app`. */
  readonly requestUrl: string;
  /** The same past a pooler, if `requestUrl` leads through one. */
  readonly directUrl?: string;
  /** Superuser: sees every row; for preparing and checking, never for the code under test. */
  readonly superuserUrl: string;
}

/** Makes a database of its own for the caller; 20 to 60 ms once the template exists. */
export async function createDatabase(options: CreateDatabaseOptions = {}): Promise<TestDatabase> {
  const cluster = options.cluster ?? superuserUrl;
  if (cluster === undefined) {
    throw new Error("Cannot make a test database: neither server programs nor a URL are there");
  }
  const name = `svc_test_${RUN}_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const template = options.copyOf?.name ?? await prepareTemplate(cluster, options);
  await using administrator = administratorOf(cluster);
  // Copied as files: through the write-ahead log it takes twice as long.
  await administrator.sql.unsafe(`create database ${name} template ${template} owner ${OWNER} strategy = file_copy`);
  return {
    name,
    ownerUrl: urlOf(cluster, name, OWNER),
    requestUrl: urlOf(cluster, name, REQUEST),
    superuserUrl: urlOf(cluster, name),
    async [Symbol.asyncDispose]() {
      await using again = administratorOf(cluster);
      await dropDatabase(again.sql, name);
    },
  };
}

async function findSuperuserUrl(): Promise<string | undefined> {
  const given = Deno.env.get("TEST_DATABASE_URL");
  if (given) return given;
  if (Deno.env.get("SVC_TEST_RUN") || await findServerPrograms() === undefined) return undefined;
  // Not disposed of: it ends with this process.
  const server = await NativePostgres.start();
  return server.url();
}

/** Templates that this process knows to exist. */
const prepared = new Map<string, Promise<string>>();

function prepareTemplate(cluster: string, options: CreateDatabaseOptions): Promise<string> {
  const { embeddingDimension = 384, migrated = true } = options;
  const key = `${cluster} ${migrated} ${embeddingDimension}`;
  const template = prepared.get(key) ?? (async () => {
    await using superuser = connect(cluster);
    // Held by the session, because CREATE DATABASE does not run inside a transaction.
    await superuser.sql`select pg_advisory_lock(${LOCK_KEY})`;
    await ensureRoles(superuser.sql, cluster);
    return await ensureTemplate(superuser.sql, cluster, migrated, embeddingDimension);
  })();
  prepared.set(key, template);
  return template;
}

/** A superuser's connection to a cluster: the kept one, if there is one to it. */
function administratorOf(cluster: string) {
  if (superuser === undefined || cluster !== superuserUrl) return connect(cluster);
  return { sql: superuser.sql, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function connect(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}

async function ensureRoles(sql: postgres.Sql, cluster: string): Promise<void> {
  const rows = await sql<{ rolname: string }[]>`select rolname from pg_roles where rolname like 'svc%'`;
  const present = new Set(rows.map((row) => row.rolname));
  const password = passwordFor(cluster);
  if (!present.has("svc_app")) await sql`create role svc_app nologin`;
  for (const [name, power] of [[OWNER, "createrole"], [REQUEST, ""]]) {
    await sql.unsafe(`${present.has(name) ? "alter" : "create"} role ${name} login ${power} password '${password}'`);
  }
  await sql`grant svc_app to svc_test_request`;
}

async function ensureTemplate(
  superuser: postgres.Sql,
  cluster: string,
  migrated: boolean,
  embeddingDimension: number,
): Promise<string> {
  const digest = createHash("sha256");
  for (const { name, text } of migrated ? MIGRATIONS : []) digest.update(`${name}\0${text}\0`);
  const template = `svc_test_template_${digest.update(`${embeddingDimension}`).digest("hex").slice(0, 16)}`;
  const [present] = await superuser<[{ datistemplate: boolean }?]>`
    select datistemplate from pg_database where datname = ${template}`;
  if (present?.datistemplate) return template;
  // A template that is not marked as one was left half-made.
  if (present) await dropDatabase(superuser, template);
  await superuser.unsafe(`create database ${template} owner ${OWNER}`);
  const inside = postgres(urlOf(cluster, template), { max: 1, onnotice: () => {} });
  await inside`create extension vector`;
  await inside.end({ timeout: 5 });
  if (migrated) await migrate(connectionOf(urlOf(cluster, template, OWNER)), { embeddingDimension });
  await superuser.unsafe(`alter database ${template} is_template true`);
  return template;
}

function urlOf(cluster: string, database: string, role?: string): string {
  const url = new URL(cluster);
  url.pathname = `/${database}`;
  if (role !== undefined) {
    url.username = role;
    url.password = passwordFor(cluster);
  }
  return url.href;
}

/** The same password in every test process, unknown to anyone who does not know the superuser's URL. */
function passwordFor(cluster: string): string {
  return createHash("sha256").update(`svc-test ${cluster}`).digest("hex").slice(0, 32);
}
