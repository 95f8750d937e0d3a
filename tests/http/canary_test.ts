/**
 * T64: every configured secret, every key and all content carry a mark; after a tour of all operations, with errors and
 * faults, nothing that leaves the service, apart from its replies, has one.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import postgres from "postgres";
import { SCOPES } from "../../src/schema/scopes.ts";
import { generateApiKey } from "../../src/crypto/api_key.ts";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { createTestAdmin, MADE_ADMINS } from "../_admin.ts";
import { askForAdmin, logIn, logInAdmin, type Opened, SESSION } from "./_console.ts";
import { MCP_BINDINGS } from "../_mcp_face.ts";
import { send } from "../mcp/_client.ts";
import { bearerFor, createFixture } from "../_fixtures.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { ADMIN_TOKEN, type Reply, type TestService, TOTP_KEY } from "../_service.ts";
import { startCollector } from "./_collector.ts";
import { type ServiceProcess, startProcess } from "./_process.ts";

const SECRETS = {
  database: "p@ss/w:canary-database",
  metrics: "canary-metrics-token-0123",
  embeddings: "canary-embeddings-key-0123",
  llm: "canary-llm-key-0123456789",
  redis: "canary-redis-token-01234",
  collector: "Y2FuYXJ5OmNvbGxlY3Rvcg",
  admin: ADMIN_TOKEN,
  totp: TOTP_KEY,
  stored: "canary-key-of-what-is-stored-sealed",
} as const;
/** A key to sign with, as it is configured. */
const PEM = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }) as string;
/** Matches the forms of any owner's secrets: whole keys, private keys. */
const SECRET_FORMS = /(?:svc_live_|mk_admin_|mk_broker_)[0-9A-Za-z]{40,}|PRIVATE KEY/g;
/** The mark in content, names, callers' ids, queries and unknown fields. */
const CONTENT = "contentcanary";
/** The mark in a fact that is erased. */
const ERASED = "erasedcanary";
/** Words that only errors of the database could bring into a reply. */
const INTERNALS = ["relation", "postgres", "select ", "insert ", "column", "node_modules", "file://", ".ts:"];

/** Everything that a stranger must not learn, as it is and in the form that it has in a URL. */
function secretsOf(database: TestDatabase, keys: readonly string[]): string[] {
  const plain = [...Object.values(SECRETS), new URL(database.ownerUrl).password, ...keys];
  return [...new Set([...plain, ...plain.map(encodeURIComponent)])];
}

function find(text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase();
  return words.filter((word) => lower.includes(word.toLowerCase()));
}

/** An endpoint that refuses everything, and repeats the request in its refusal. */
function startEcho(isRefused: (body: string) => boolean = () => true) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = await request.text();
    if (isRefused(body)) return new Response(`${request.headers.get("authorization")} ${body}`, { status: 400 });
    const texts = [JSON.parse(body).input].flat();
    const embedding = Array.from({ length: 384 }, (_, i) => Math.sin(i + body.length));
    return Response.json({ data: texts.map((_: string, index: number) => ({ index, embedding })) });
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A request role of its own, whose password has characters that a URL encodes. */
async function createRole(database: TestDatabase, superuser: postgres.Sql): Promise<URL> {
  const name = `svc_canary_${database.name.slice(-12)}`;
  await superuser.unsafe(`create role ${name} login in role svc_app password '${SECRETS.database}'`);
  const url = new URL(database.requestUrl);
  url.username = name;
  url.password = encodeURIComponent(SECRETS.database);
  return url;
}

/** Calls every operation by its example, and in ways that fail. */
async function callAll(client: TestService, wrongKeys: readonly string[]): Promise<Reply[]> {
  const replies: Reply[] = [];
  const strange = { "x-request-id": "canary-request", cookie: `a=${SECRETS.metrics}`, referer: `http://${CONTENT}/` };
  for (const endpoint of ENDPOINTS.filter((one) => one.scope !== "public")) {
    const fixture = await createFixture(client, endpoint);
    const { params, body = exampleOf(endpoint), query = "" } = fixture;
    const key = bearerFor(client, endpoint, fixture);
    const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
    const method = endpoint.route.method.toUpperCase();
    const marked = { ...(body as object), [CONTENT]: CONTENT };
    replies.push(
      await client.call(method, path + query, { key, body, headers: strange }),
      await client.call(method, `${path}?token=${client.key}&${CONTENT}=${SECRETS.llm}`, { key, body }),
      await client.call(method, path, { body, key: wrongKeys[replies.length % wrongKeys.length]! }),
      await client.call("REPORT", path, { headers: { authorization: `Basic ${SECRETS.redis}` } }),
      ...(body === undefined ? [] : [
        await client.call(method, path, { key, body: marked }),
        await client.call(method, path, { key, body: `{"${client.key}": ${CONTENT}` }),
      ]),
    );
  }
  for (const endpoint of ENDPOINTS.filter((one) => one.scope === "public")) {
    const query = `?access_token=${client.key}&${CONTENT}`;
    replies.push(await client.get(pathOf(endpoint) + query), await client.get(pathOf(endpoint)));
  }
  replies.push(await client.get(`/${CONTENT}/${client.key}`));
  return [...replies, ...await callMcp(client, wrongKeys)];
}

/** Calls every tool of MCP, with valid arguments and with others. */
async function callMcp(client: TestService, wrongKeys: readonly string[]): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const { prepare, name } of MCP_BINDINGS) {
    const asked = await prepare(client);
    const call = { name: name.replace("MCP ", ""), arguments: { ...asked.body, [CONTENT]: CONTENT } };
    for (const options of [{}, { key: wrongKeys[0]! }, { headers: { origin: `http://${CONTENT}` } }]) {
      replies.push(await send(client, "tools/call", call, { ...options, path: "/mcp/all" }));
    }
    assert.equal((await asked.send()).code, undefined, name);
  }
  const stored = { session: CONTENT, turns: [{ role: "user", content: `The buoy of ${CONTENT} is red.` }] };
  for (const params of [{ name: "record", arguments: stored }, { name: "recall", arguments: { query: CONTENT } }]) {
    replies.push(await send(client, "tools/call", params));
  }
  for (const method of ["resources/read", "prompts/get", CONTENT]) {
    replies.push(await send(client, method, { uri: `svc://${CONTENT}`, name: CONTENT }));
  }
  return replies;
}

/** Uses the console by both kinds of session, in ways that fail, too. @returns secrets that it got, and those keys */
async function callConsole(client: TestService): Promise<{ readonly secrets: string[]; readonly issued: string[] }> {
  const admin = await createTestAdmin(client);
  await askForAdmin(client, admin.key, `${admin.key} 000000`);
  const sessions: Opened[] = [await logIn(client), await logInAdmin(client, admin)];
  const issued: string[] = [];
  for (const { send, cookie, proof } of sessions) {
    await send("PATCH", SESSION, { writing: true });
    const once = { "idempotency-key": `canary-console-${issued.length}` };
    const body = { name: "of the console", workspaceId: client.workspaceId };
    const made = await send("POST", "/console/api/v1/admin/api-keys", body, once);
    if (made.status === 201) issued.push(made.body.key);
    await send("GET", `/console/api/v1/whoami?proof=${proof}`);
    await send("POST", `/console/api/v1/${encodeURIComponent(cookie)}`, { [cookie]: proof });
  }
  assert.equal(issued.length, 1, "an admin's session made a key");
  const secrets = sessions.flatMap(({ cookie, proof }) => [cookie.split("=")[1]!, proof]);
  return { secrets, issued: issued.flatMap((key) => [key, key.slice(21, 64)]) };
}

function exampleOf(endpoint: Endpoint): unknown {
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  return content?.["application/json"]?.example;
}

/** Stores marked content of all kinds, finds it, collapses and erases it. */
async function storeContent(client: TestService): Promise<void> {
  const text = (what: string) => `The ${what} of ${CONTENT} is in the harbour since May 2024. I prefer ${CONTENT} tea.`;
  const session = await client.post("/v1/session", {
    title: CONTENT,
    agentId: CONTENT,
    tags: [CONTENT],
    metadata: { [CONTENT]: CONTENT },
  });
  const path = `/v1/session/${session.body.id}`;
  const turns = Array.from({ length: 5 }, (_, i) => {
    return {
      role: "user",
      name: `${CONTENT} ${i}`,
      messageId: `${CONTENT}-${i}`,
      content: text(`boat ${i}`),
      pinned: i === 0,
    };
  });
  assert.equal((await client.post(`${path}/turns`, { turns })).status, 201);
  await client.post(`${path}/scratch`, { [CONTENT]: CONTENT }, { headers: { "content-type": "application/json" } });
  const triple = { subject: CONTENT, predicate: "lives in", object: "Oslo" };
  const fact = await client.post("/v1/memory/facts", { statement: text("house"), ...triple, metadata: { a: CONTENT } });
  assert.equal(fact.status, 201, JSON.stringify(fact.body));
  await client.post("/v1/memory/facts", {
    statement: text("flat"),
    ...triple,
    object: "Bergen",
    attribution: "imported",
  });
  const erased = await client.post("/v1/memory/facts", { statement: `The ${ERASED} sinks.`, tags: [ERASED] });
  const other = await client.post("/v1/memory/facts", { statement: "The pier is long." });
  const learnt = await learnErased(client, [erased.body.id, other.body.id]);
  const gone = await client.post(`/v1/facts/${erased.body.id}/forget`, { mode: "erase" });
  assert.equal(gone.status, 200, JSON.stringify(gone.body));
  await assertUnlearnt(client, learnt);
  await storeErased(client);
  for (const face of ["/v1/recall", "/v1/memory/recall/hot", "/v1/memory/recall/explain"]) {
    const reply = await client.post(face, { query: `Where is the boat of ${CONTENT}?` });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  await client.get(`${path}/context?query=${CONTENT}`);
  const collapsed = await client.post(`${path}/collapse`);
  assert.equal(collapsed.status, 200, JSON.stringify(collapsed.body));
}

const PROCEDURAL = "/v1/memory/procedural";
const PROMPT = `${PROCEDURAL}/prompt/canary`;

interface Learnt {
  /** Edits of the fact alone, and of another one too. */
  readonly edits: readonly string[];
  /** An export of the workspace before the erasure. */
  readonly file: string;
}

/** Runs, rules, versions and edits that came from a fact: by its id, by its words, by their reasons. */
async function learnErased(client: TestService, [factId, otherId]: readonly [string, string]): Promise<Learnt> {
  const call = async (method: string, path: string, body: unknown, headers = {}) => {
    const reply = await client.call(method, path, { body, headers });
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    return reply.body;
  };
  const run = (body: object) => ({ task: "Sail", outcome: "success", ...body });
  const optimize = (...trajectories: object[]) =>
    call("POST", `${PROCEDURAL}/optimize`, { agentId: "canary", trajectories });
  // r1 comes from a run that names the fact, in other words than the fact's; r2 has no source; r3 quotes the fact.
  await optimize(run({ steps: [{ action: "read", id: factId }], lessons: [`Leave each ${ERASED} ashore.`] }));
  await optimize(run({ lessons: ["Look at the weather first."] }));
  await optimize(run({ task: `I know that the ${ERASED}  sinks`, trajectoryId: `the ${ERASED} sinks` }));
  await optimize(run({ lessons: [`Mind it: THE ${ERASED} sinks, always`], trajectoryId: "quoting" }));
  const once = { "idempotency-key": "canary-rule" };
  for (const [rule, headers] of [["r2", {}], ["r3", once]] as const) {
    const body = { status: "active", pinned: true, reason: `for the ${ERASED} sinks` };
    await call("PATCH", `${PROMPT}/rules/${rule}`, body, headers);
  }
  const versions = (await client.get(`${PROMPT}/history`)).body.data;
  assert.ok(versions.length >= 2 && JSON.stringify(versions).includes(ERASED));
  const edit = (...operations: object[]) =>
    call("POST", "/v1/self/edit", { reason: `Of the ${ERASED}`, mode: "atomic", operations });
  const one = await edit({ op: "pin", id: factId });
  const both = await edit({ op: "unpin", id: factId }, { op: "pin", id: otherId });
  const quoting = {
    reason: `Because the ${ERASED} sinks.`,
    mode: "atomic",
    operations: [{ op: "unpin", id: otherId }],
  };
  const quoted = await call("POST", "/v1/self/edit", quoting);
  const file = await client.get("/v1/export");
  assert.equal(file.status, 200);
  return { edits: [one.id, both.id, quoted.id], file: file.body };
}

/** Checks that lessons from an erased fact are gone from everything readable, and that nothing brings them back. */
async function assertUnlearnt(client: TestService, { edits, file }: Learnt): Promise<void> {
  const clean = async (path: string) => {
    const { status, body } = await client.get(path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    assert.deepEqual(find(JSON.stringify(body), [ERASED]), [], path);
    return body;
  };
  const assertClean = async () => {
    const prompt = await clean(PROMPT);
    assert.deepEqual(prompt.rules.map((rule: { text: string }) => rule.text), ["Look at the weather first."]);
    await clean(`${PROMPT}/history`);
    await clean(`${PROMPT}/rules`);
    for (const id of edits) assert.equal((await clean(`/v1/self/edits/${id}`)).reason, "[erased]");
  };
  await assertClean();
  const back = await client.post(`${PROMPT}/rollback`, { version: 1 });
  assert.deepEqual([back.status, back.body.rules], [200, []]);
  assert.equal((await client.post(`${PROMPT}/rollback`, { version: back.body.version - 1 })).status, 200);
  assert.equal((await client.patch(`${PROMPT}/rules/r1`, { status: "active" })).status, 410);
  const reverted = await client.post(`/v1/self/edits/${edits[0]}/revert`, {});
  assert.deepEqual([reverted.status, reverted.body.code], [410, "erased"]);
  const imported = await client.call("POST", "/v1/import?format=svc", {
    body: file,
    headers: { "content-type": "application/x-ndjson" },
  });
  assert.ok(imported.status < 300, JSON.stringify(imported.body));
  await assertClean();
}

/** Erases tasks and events like facts: neither their content nor a kept reply to a repetition is left. */
async function storeErased(client: TestService): Promise<void> {
  const once = { headers: { "idempotency-key": "canary-task" } };
  const body = { title: `Sink the ${ERASED}`, metadata: { boat: ERASED }, agentId: ERASED };
  const task = await client.post("/v1/memory/tasks", body, once);
  await client.patch(`/v1/memory/tasks/${task.body.id}`, { status: "in_progress", reason: `the ${ERASED} leaks` });
  await client.patch(`/v1/memory/tasks/${task.body.id}`, { status: "completed", result: { boat: ERASED } });
  const event = await client.post("/v1/memory/events", { type: ERASED, data: { boat: ERASED } });
  for (const path of [`/v1/memory/tasks/${task.body.id}`, `/v1/memory/events/${event.body.id}`]) {
    const gone = await client.post(`${path}/forget`, { mode: "erase" });
    assert.equal(gone.status, 200, JSON.stringify(gone.body));
  }
}

/** Requests that the broken database cannot serve: its errors quote statements and values. */
async function provokeFaults(client: TestService, superuser: postgres.Sql): Promise<Reply[]> {
  const session = await client.post("/v1/session", {});
  const turns = `/v1/session/${session.body.id}/turns`;
  const turn = { role: "user", content: `${CONTENT} in a turn that cannot be kept` };
  const fact = { statement: `${CONTENT} in a fact that cannot be kept` };
  const replies: Reply[] = [];
  await superuser.unsafe(`alter table turn add constraint broken check (content not like '%cannot be kept')`);
  replies.push(await client.post(turns, turn));
  await superuser.unsafe(`
    create function broken() returns trigger language plpgsql as $$ begin perform new.text::integer; return new; end $$;
    create trigger broken before insert on unit for each row execute function broken()`);
  replies.push(await client.post("/v1/memory/facts", fact));
  await superuser.unsafe(`alter table unit rename to unit_broken`);
  replies.push(
    await client.post("/v1/memory/facts", fact),
    await client.get(`/v1/memory/facts?tags=${CONTENT}`),
    await client.get("/v1/health"),
  );
  await superuser.unsafe(`alter table unit_broken rename to unit`);
  return replies;
}

/** Every table's rows as text. */
async function dump(superuser: postgres.Sql): Promise<Map<string, string>> {
  const tables = await superuser<{ name: string }[]>`
    select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  const dumped = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await superuser.unsafe(`select t::text as line from ${name} t`);
    dumped.set(name, rows.map((row) => row["line"]).join("\n"));
  }
  return dumped;
}

/** Tables that hold callers' content, as a whole or as single words. */
const CONTENT_TABLES = [
  "entity_name",
  "name_change",
  "name_sighting",
  "posting",
  "recall_entry",
  "session",
  "turn",
  "unit",
  "unit_name",
  "unit_revision",
  "vocabulary",
];

Deno.test({
  ...POSTGRES,
  name: "T64: no secret and no content leaves through logs, spans, metrics, errors or tables that are not its own",
  async fn() {
    await using database = await createDatabase();
    await using collector = startCollector();
    await using models = startEcho((body) => body.includes("cannot be kept") || body.includes("chat"));
    await using refusing = startEcho();
    const superuser = postgres(connectionOf(database.superuserUrl));
    const url = await createRole(database, superuser);
    try {
      await using service = await startProcess({
        database,
        env: {
          DATABASE_URL: url.href,
          SVC_OWNER_DATABASE_URL: database.ownerUrl,
          SVC_LOG_LEVEL: "debug",
          SVC_ADMIN_TOKEN: SECRETS.admin,
          SVC_ADMIN_TOTP_KEY: SECRETS.totp,
          SVC_SECRETS_KEY: SECRETS.stored,
          SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
          SVC_FEDERATION_PRIVATE_KEY: PEM,
          SVC_METRICS_TOKEN: SECRETS.metrics,
          SVC_EMBEDDINGS_URL: models.url,
          SVC_EMBEDDINGS_MODEL: "test",
          SVC_EMBEDDINGS_API_KEY: SECRETS.embeddings,
          SVC_LLM_URL: refusing.url,
          SVC_LLM_MODEL: "test",
          SVC_LLM_API_KEY: SECRETS.llm,
          SVC_UPSTASH_REDIS_REST_URL: refusing.url,
          SVC_UPSTASH_REDIS_REST_TOKEN: SECRETS.redis,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
          OTEL_EXPORTER_OTLP_HEADERS: `authorization=Basic%20${SECRETS.collector}`,
        },
      });
      await tour(service, database, superuser, () => collector.bodies());
      assert.ok(collector.text().includes(`Basic ${SECRETS.collector}`), "the collector got its header");
    } finally {
      await superuser.unsafe(`drop owned by ${url.username}; drop role ${url.username}`);
      await superuser.end({ timeout: 5 });
    }
  },
});

async function tour(
  service: ServiceProcess,
  database: TestDatabase,
  superuser: postgres.Sql,
  spans: () => string,
): Promise<void> {
  const { client } = service;
  const { key } = client;
  assert.equal(key.length, 70, service.stderr());
  const unknown = generateApiKey("svc_live_").key;
  // It has the beginning of a key, because guesses of the admin's token count as failures of their source.
  const wrong = ["svc_live_nonsense-canary-key", unknown, key.slice(0, -1) + (key.endsWith("0") ? "1" : "0")];
  const keys = [key, unknown, key.slice(21, 64), unknown.slice(21, 64)];

  // The first key has no administrator's scopes; nothing has used it yet.
  await superuser`update api_key set scopes = ${[...SCOPES]}`;
  await storeContent(client);
  // Before the many wrong keys, which count as failures of their source.
  const ofConsole = await callConsole(client);
  const guess = await client.get("/v1/admin/workspaces", { key: "nonsense-canary-key" });
  const replies = [guess, ...await callAll(client, wrong)];
  // Keys that were made in the meantime: they are shown once, and nowhere else.
  const issued = replies.flatMap(({ body }) => typeof body?.key === "string" ? [body.key as string] : []);
  const ofWebhooks = replies.flatMap(({ body }) =>
    /^whsec_/.test(body?.secret) ? [body.secret.slice(6) as string] : []
  );
  assert.ok(ofWebhooks.length >= 2, "secrets of webhooks were issued");
  assert.ok(issued.length >= 2, "keys were issued");
  assert.ok(MADE_ADMINS.length >= 2, "admins were made");
  const pem = PEM.split("\n")[1]!;
  const ofAdmins = MADE_ADMINS.flatMap((admin) => [admin.key, admin.key.slice(21, 64), admin.secret]);
  const secrets = secretsOf(database, [...keys, pem, ...ofAdmins, ...ofConsole.secrets]);
  const issuedParts = [...issued.flatMap((each) => [each, each.slice(21, 64)]), ...ofWebhooks, ...ofConsole.issued];
  const faults = await provokeFaults(client, superuser);
  assert.deepEqual(faults.map((reply) => reply.status), [500, 500, 500, 500, 500]);
  const page = await client.get("/metrics", { key: null, headers: { authorization: `Bearer ${SECRETS.metrics}` } });
  assert.equal(page.status, 200);
  const dumped = await dump(superuser);
  service.signal("SIGTERM");
  assert.equal(await service.exited, 0);

  // The marks are where they belong, so that the next checks prove something.
  assert.ok(dumped.get("public.turn")!.includes(CONTENT));
  assert.ok(spans().includes("svc.write") && spans().includes("svc.recall"));
  const log = service.stdout();
  for (const event of ["http.request_failed", "http.request", "server.started", "server.stopped"]) {
    assert.ok(log.includes(`"event":"${event}"`), event);
  }

  const everything = [...secrets, ...issuedParts, CONTENT, ERASED];
  for (const line of log.split("\n")) assert.deepEqual(find(line, everything), [], line);
  assert.deepEqual(find(spans(), everything), []);
  assert.deepEqual(find(page.body, everything), []);
  assert.deepEqual(find(service.stderr().replaceAll(key, ""), everything), []);
  const left = [log, spans(), page.body, service.stderr().replaceAll(key, ""), ...dumped.values()];
  for (const text of left) assert.deepEqual(text.match(SECRET_FORMS) ?? [], []);
  for (const reply of [...replies, ...faults]) {
    const text = JSON.stringify([[...reply.headers], reply.body]);
    assert.deepEqual(find(text, secrets), [], text);
    if (reply.status >= 500) assert.deepEqual(find(text, [...INTERNALS, ...everything]), [], text);
  }
  for (const [table, rows] of dumped) {
    assert.deepEqual(find(rows, [...secrets, ...issuedParts, ERASED]), [], table);
    if (!CONTENT_TABLES.includes(table.replace("public.", ""))) assert.deepEqual(find(rows, [CONTENT]), [], table);
  }
}
