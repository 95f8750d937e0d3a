/** What the deployment files promise, as far as it can be shown without a container engine. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import postgres from "postgres";
import { findServerPrograms, NativePostgres } from "../scripts/gate/native_postgres.ts";
import { V8_FLAGS } from "../src/cli/v8_flags.ts";
import { migrateDatabase } from "../src/migrate.ts";
import { readConfig } from "../src/config.ts";
import { ERROR_CODES } from "../src/errors.ts";
import { Problem } from "../src/http/problem.ts";
import { ENDPOINTS } from "../src/http/endpoints.ts";
import { startPgBouncer } from "./_pgbouncer.ts";
import { createDatabase } from "./_postgres.ts";
import { PGBOUNCER } from "./_programs.ts";
import { startService } from "./_service.ts";

const ROOT = join(import.meta.dirname!, "..");
const read = (path: string) => Deno.readTextFile(join(ROOT, path));

interface Compose {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      command?: string[];
      healthcheck?: unknown;
      profiles?: string[];
      networks?: { default: { ipv4_address: string } };
      volumes?: string[];
    }
  >;
  configs: Record<"roles" | "pooler" | "pooler_users", { content: string }>;
}

const binDir = await findServerPrograms();

const compose = parse(await read("compose.yaml")) as Compose;
const SECRETS: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: "p1",
  SVC_OWNER_PASSWORD: "o2",
  SVC_REQUEST_PASSWORD: "r3",
  REDIS_PASSWORD: "d4",
  REDIS_TOKEN: "t5".repeat(16),
};

/** Replaces `${NAME}` and `${NAME:?message}` as compose does. */
function interpolate(text: string): string {
  return text.replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => {
    ok(name in SECRETS, `compose.yaml asks for ${name}, which its head does not name`);
    return SECRETS[name];
  });
}

Deno.test("the service accepts the environment that compose.yaml and the Dockerfile give it", async () => {
  const image = Object.fromEntries(
    [...(await read("Dockerfile")).matchAll(/\b(SVC_\w+)=(\S+)/g)].map((m) => [m[1], m[2]]),
  );
  equal(image.SVC_HOST, "0.0.0.0");
  for (const name of ["service", "service-2", "migrate"]) {
    const own = Object.entries(compose.services[name].environment!).map(([key, value]) => [key, interpolate(value)]);
    const config = readConfig({ ...image, ...Object.fromEntries(own) });
    const way = name === "service-2" ? "pooler:6432" : "postgres:5432";
    equal(config.database.url, `postgres://svc_request:r3@${way}/svc`);
    equal(config.database.ownerUrl !== undefined, name === "migrate");
  }
});

Deno.test({
  name: "the pooler of `docker compose --profile scale` carries what the service sends, and is recognised",
  ignore: binDir === undefined || PGBOUNCER === undefined,
  async fn() {
    for (const name of ["service-2", "pooler"]) deepEqual(compose.services[name].profiles, ["scale"]);
    await using database = await createDatabase();
    const server = new URL(database.requestUrl);
    const told = await new Deno.Command(PGBOUNCER!, { args: ["--version"] }).output();
    const minor = Number(/PgBouncer 1\.(\d+)/.exec(new TextDecoder().decode(told.stdout))?.[1]);
    const ini = interpolate(compose.configs.pooler.content)
      .replace("host=postgres port=5432 dbname=svc", () => {
        return `host=${server.hostname} port=${server.port} dbname=${database.name}`;
      })
      // PgBouncer before 1.21 does not know this setting; the image has a later one.
      .replace(/^max_prepared_statements = .*\n/m, (line) => minor < 21 ? "" : line);
    await using bouncer = await startPgBouncer(database, {
      written: { ini, users: `"${server.username}" "${decodeURIComponent(server.password)}"\n` },
    });
    const url = new URL(database.requestUrl);
    url.port = `${bouncer.port}`;
    url.pathname = "/svc";
    await using service = await startService({
      database: { ...database, requestUrl: url.href, directUrl: database.requestUrl },
    });
    equal((await service.post("/v1/memory/facts", { statement: "Ann likes tea." })).status, 201);
    equal((await service.get("/health/ready", { key: null })).status, 200);
  },
});

Deno.test("every place names the same version of Deno", async () => {
  const version = Deno.version.deno;
  match(await read("Dockerfile"), new RegExp(`^FROM denoland/deno:${version}$`, "m"));
  match(await read("scripts/test_all.sh"), new RegExp(`^deno_version=${version}$`, "m"));
  match(await read("README.md"), new RegExp(`deno@${version}\\b`));
});

Deno.test("the container starts the engine as `deno task start` does", async () => {
  const entrypoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(await read("Dockerfile"))![1]) as string[];
  ok(entrypoint.indexOf(`--v8-flags=${V8_FLAGS}`) < entrypoint.indexOf("src/cli/main.ts"));
  ok(entrypoint.includes(`--v8-flags=${V8_FLAGS}`));
  ok(JSON.parse(await read("deno.json")).tasks.start.includes(`--v8-flags=${V8_FLAGS}`));
});

Deno.test("the proxy of `docker compose --profile scale` stands where both services expect it, before both of them", () => {
  const addressOf = (name: string) => compose.services[name].networks?.default.ipv4_address;
  const { environment, volumes, profiles } = compose.services["proxy"];
  deepEqual(profiles, ["scale"]);
  ok(volumes?.some((volume) => volume.startsWith("./deploy/haproxy.cfg:")));
  for (const [name, variable] of [["service", "PROXY_SERVICE"], ["service-2", "PROXY_SERVICE_2"]]) {
    equal(environment![variable], `${addressOf(name)}:8787`);
    equal(compose.services[name].environment!.SVC_TRUSTED_PROXY_IP, addressOf("proxy"));
  }
  equal(environment!.SVC_TRUSTED_PROXY_IP, addressOf("proxy"));
});

Deno.test("every file that the Dockerfile copies is there and passes its ignore list", async () => {
  const ignore = (await read(".dockerignore")).split("\n");
  for (const [, sources] of (await read("Dockerfile")).matchAll(/^COPY (.*) \S+$/gm)) {
    for (const source of sources.split(" ")) {
      ok((await Deno.stat(join(ROOT, source))) !== undefined);
      ok(ignore.includes(`!${source}`), `${source} is ignored`);
    }
  }
});

Deno.test("the proxy's limits and error replies are the service's", async () => {
  const text = await read("deploy/haproxy.cfg");
  const largest = Math.max(...ENDPOINTS.map((endpoint) => endpoint.bodyBytesMax));
  equal(Number(/req\.body_size gt (\d+)/.exec(text)?.[1]), largest);
  const replies = [...text.matchAll(/^ *http-error status (\d+) .* lf-string '(.*)'$/gm)];
  ok(replies.length > 0);
  for (const [, status, reply] of replies) {
    const problem = Problem.parse(JSON.parse(reply));
    const { title, ...entry } = ERROR_CODES[problem.code];
    equal(problem.status, Number(status));
    equal(problem.title, title);
    equal(problem.type, `urn:svc:error:${problem.code}`);
    equal(problem.help, `/v1/errors/${problem.code}`);
    equal(problem.retryable, "retryable" in entry);
  }
});

Deno.test({
  name: "the roles that compose.yaml makes are enough to migrate, and no more than the service accepts",
  ignore: binDir === undefined,
  async fn() {
    await using server = await NativePostgres.start();
    const script = compose.configs.roles.content.replaceAll("$$", "$");
    const { success, stderr } = await new Deno.Command("bash", {
      args: ["-c", script],
      env: {
        ...{ PATH: `${binDir}:${Deno.env.get("PATH")}`, PGHOST: "127.0.0.1", PGPORT: String(server.port) },
        ...{ PGPASSWORD: server.password, SVC_OWNER_PASSWORD: "o2", SVC_REQUEST_PASSWORD: "r3" },
      },
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    const config = readConfig({
      DATABASE_URL: server.url("svc", "svc_request", "r3"),
      SVC_OWNER_DATABASE_URL: server.url("svc", "svc_owner", "o2"),
    });
    ok((await migrateDatabase(config)).length > 0);
    const sql = postgres(config.database.url!, { max: 1 });
    const [row] = await sql`
      select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as powerful, pg_has_role(rolname, 'svc_app', 'member')
             as member, (select count(*)::int from workspace) as visible
        from pg_roles where rolname = current_user`;
    await sql.end({ timeout: 5 });
    equal(row.powerful, false);
    equal(row.member, true);
    equal(row.visible, 0);
  },
});
