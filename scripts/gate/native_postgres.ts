/**
 * Throwaway PostgreSQL clusters from the server programs that are installed on this machine.
 *
 * As a module: `await using server = await NativePostgres.start()`. As a program it runs one cluster in the foreground,
 * with the roles that docs/guides/deployment.md describes, and prints the URLs:
 *
 *     deno run -A scripts/gate/native_postgres.ts [--data <dir>] [--port <n>] [--migrated]
 */
import postgres from "postgres";
import { dirname } from "node:path";
import { parseDatabaseUrl } from "../../src/db/url.ts";
import { NativePostgres } from "./_cluster.ts";

export { findServerPrograms, NativePostgres, type NativePostgresOptions, REPLICATED_SETTINGS } from "./_cluster.ts";
export { parseDatabaseUrl as connectionOf };

/** Creates the roles once per cluster. Passwords are random, so keep the result. */
export async function createRoles(superuser: postgres.Sql): Promise<{ owner: string; request: string }> {
  const passwords = { owner: crypto.randomUUID(), request: crypto.randomUUID() };
  for (const [name, password] of [["svc_owner", passwords.owner], ["svc_request", passwords.request]]) {
    const [present] = await superuser`select from pg_roles where rolname = ${name}`;
    await superuser.unsafe(`${present ? "alter" : "create"} role ${name} login password '${password}'`);
  }
  await superuser`alter role svc_owner createrole`;
  const [group] = await superuser`select from pg_roles where rolname = 'svc_app'`;
  if (!group) await superuser`create role svc_app nologin`;
  await superuser`grant svc_app to svc_request`;
  return passwords;
}

/** The server's error while somebody is connected to a database. */
const OBJECT_IN_USE = "55006";
const DROP_TRIES = 12;

/**
 * Drops a database together with the connections to it. The server waits five seconds for their backends to end and
 * then refuses, so on a starved machine this tries again, for a minute.
 */
export async function dropDatabase(superuser: postgres.Sql, name: string): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      await superuser.unsafe(`drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || tries === DROP_TRIES) throw error;
    }
  }
}

async function main(args: readonly string[]): Promise<void> {
  const value = (name: string) => args.includes(name) ? args[args.indexOf(name) + 1] : undefined;
  const known = new Set(["--data", "--port", "--migrated"]);
  const bad = args.find((arg, i) =>
    arg.startsWith("--") ? !known.has(arg) : !["--data", "--port"].includes(args[i - 1])
  );
  if (bad !== undefined) throw new Error(`Cannot start: unknown argument ${bad}`);
  await using server = await NativePostgres.start({
    durable: true,
    dataDir: value("--data"),
    port: value("--port") === undefined ? undefined : Number(value("--port")),
  });
  const superuser = postgres(server.url(), { max: 1, onnotice: () => {} });
  const passwords = await createRoles(superuser);
  const [present] = await superuser`select from pg_database where datname = 'svc'`;
  if (!present) await superuser`create database svc owner svc_owner`;
  await superuser.end({ timeout: 5 });
  const inside = postgres(server.url("svc"), { max: 1, onnotice: () => {} });
  await inside`create extension if not exists vector`;
  await inside.end({ timeout: 5 });
  const ownerUrl = server.url("svc", "svc_owner", passwords.owner);
  if (args.includes("--migrated")) {
    const { migrate } = await import("../../src/db/migrations.ts");
    await migrate(parseDatabaseUrl(ownerUrl), { embeddingDimension: 384 });
  }
  console.log(`# PostgreSQL from ${dirname(server.binDir)} in ${server.directory}; Ctrl-C stops it.`);
  console.log(`export DATABASE_URL=${server.url("svc", "svc_request", passwords.request)}`);
  console.log(`export SVC_OWNER_DATABASE_URL=${ownerUrl}`);
  console.log(`export TEST_DATABASE_URL=${server.url()}`);
  const stopped = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => stopped.resolve());
  await stopped.promise;
}

if (import.meta.main) await main(Deno.args);
