/**
 * Clients that keep a ledger of what was acknowledged to them, and the check of it: no acknowledged write is lost, none is
 * applied twice, nobody sees what is anybody else's, the audit chain is whole and tells every write.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import postgres from "postgres";
import type { Deps } from "../../src/context.ts";
import { checkChain } from "../../src/domain/audit/log.ts";
import * as access from "../../src/domain/access/authorize.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import type { TestDatabase } from "../_postgres.ts";
import type { TestService } from "../_service.ts";
import { WAIT_MS } from "../_wait.ts";
import { type Answer, send, until } from "./_process.ts";

export interface Tenant {
  /** Stands in every text of this workspace and in none of another one. */
  readonly mark: string;
  readonly workspaceId: string;
  readonly key: string;
  readonly sessionId: string;
  readonly writes: Write[];
}

/** What a client set out to write; `id` is what it was told that it is stored as. */
export interface Write {
  readonly kind: WriteKind;
  /** Stands in its text, and in no other one's. */
  readonly token: string;
  id?: string;
}

const WRITE_KINDS = ["fact", "event", "turn"] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** A workspace with a key and a session, made in this process. */
export async function createTenant(deps: Deps, url: string, mark: string): Promise<Tenant> {
  const workspaceId = await access.createWorkspace(deps, { name: mark, region: "us-east-1" });
  const { key } = await access.createApiKey(access.operatorContext(deps, workspaceId), {
    ...{ name: mark, scopes: SCOPES, maxSensitivity: "restricted" as const },
    rateLimit: { perMinute: 0, burst: 1 },
  });
  const { status, body } = await send(url, key, "POST", "/session", { title: mark });
  equal(status, 201, JSON.stringify(body));
  return { mark, workspaceId, key, sessionId: body.id, writes: [] };
}

/** Statuses that a refusal may have while parts of the deployment are down. 0: the connection broke. */
const REFUSALS = new Set([0, 409, 503, 504]);

interface Picks {
  /** The process that gets the next request. */
  readonly url: () => string;
  readonly random?: () => number;
}

/** Clients of all tenants that write and read for as long as they are not stopped, and come back when they are refused. */
export class Clients {
  /** Milliseconds that the slowest request took. */
  slowestMs = 0;
  /** Replies that were kept from an earlier attempt. */
  replays = 0;
  readonly refused = new Map<number, number>();
  readonly #tenants: readonly Tenant[];
  readonly #pick: Required<Picks>;
  readonly #running: Promise<void[]>;
  #stopped = false;
  #count = 0;

  constructor(tenants: readonly Tenant[], perTenant: number, { url, random = Math.random }: Picks) {
    this.#tenants = tenants;
    this.#pick = { url, random };
    const all = tenants.flatMap((tenant) => Array.from({ length: perTenant }, () => this.#run(tenant)));
    this.#running = Promise.all(all);
    this.#running.catch(() => {});
  }

  /** Waits until so many more writes were acknowledged. */
  async progress(more: number): Promise<void> {
    const target = this.#count + more;
    await Promise.race([until(`${more} more writes are stored`, async () => this.#count >= target), this.#running]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(tenant: Tenant): Promise<void> {
    while (!this.#stopped) {
      const kind = WRITE_KINDS[Math.floor(this.#pick.random() * WRITE_KINDS.length)];
      await this.#write(tenant, kind);
      if (this.#pick.random() < 0.3) await this.#read(tenant);
    }
  }

  /** Sends one write again and again, with one key, until it is acknowledged. */
  async #write(tenant: Tenant, kind: WriteKind): Promise<void> {
    const write: Write = { kind, token: crypto.randomUUID().slice(0, 13) };
    tenant.writes.push(write);
    while (!this.#stopped) {
      const answer = await sendWrite(this.#pick.url(), tenant, write);
      this.#note(tenant, answer);
      if (answer.status === 201) {
        this.#count++;
        if (answer.isReplay) this.replays++;
        return;
      }
      await pause();
    }
  }

  async #read(tenant: Tenant): Promise<void> {
    const answer = await sendRead(this.#pick.url(), tenant, this.#pick.random());
    this.#note(tenant, answer);
    if (answer.status !== 200) await pause();
  }

  #note(tenant: Tenant, answer: Answer): void {
    this.slowestMs = Math.max(this.slowestMs, answer.ms);
    refuseForeign(tenant, this.#tenants, answer.body);
    if (answer.status === 200 || answer.status === 201) return;
    ok(REFUSALS.has(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
    if (answer.status === 503) ok(answer.retryAfter !== null, "a 503 without Retry-After");
    this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1);
  }
}

/** A caller that is refused comes back after a while. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

/** Sends a write, under a key of its own where it has none by nature; notes the id when it is acknowledged. */
export async function sendWrite(url: string, tenant: Tenant, write: Write): Promise<Answer> {
  const { kind, token } = write;
  const text = `Crate ${token} of ${tenant.mark} stands in the yard`;
  const [path, body] = kind === "fact"
    ? ["/memory/facts", { statement: text }]
    : kind === "event"
    ? ["/memory/events", { type: token, data: { text } }]
    : [`/session/${tenant.sessionId}/turns`, { role: "user", content: text, messageId: token }];
  const answer = await send(url, tenant.key, "POST", path, body, { "idempotency-key": `write-${token}` });
  if (answer.status === 201) write.id = idOf(kind, answer.body);
  return answer;
}

// deno-lint-ignore no-explicit-any -- the body of any reply
function idOf(kind: WriteKind, body: any): string {
  const id = kind === "turn" ? (body.data ?? body.turns)?.[0]?.id ?? body.id : body.id;
  equal(typeof id, "string", JSON.stringify(body));
  return id;
}

function sendRead(url: string, { key, sessionId }: Tenant, random: number): Promise<Answer> {
  if (random < 0.4) return send(url, key, "POST", "/memory/recall/hot", { query: "Which crate stands in the yard?" });
  if (random < 0.6) return send(url, key, "GET", "/memory/facts?limit=20&order=desc");
  if (random < 0.8) return send(url, key, "GET", "/memory/events?limit=20");
  return send(url, key, "GET", `/session/${sessionId}/turns?limit=20`);
}

function refuseForeign(tenant: Tenant, tenants: readonly Tenant[], body: unknown): void {
  const text = JSON.stringify(body) ?? "";
  for (const other of tenants) {
    if (other !== tenant) ok(!text.includes(other.mark), `${tenant.mark} sees what is ${other.mark}'s: ${text}`);
  }
}

/** Refused because the machine is busy: a deadline was met, or no connection became free before it. */
function isLate({ status, body }: Answer): boolean {
  return status === 504 || status === 503 && body?.message?.includes("no connection became free in time") === true;
}

/** Sends a request again while it is late, for a bounded time. */
async function inTime(send: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + WAIT_MS;
  let answer = await send();
  while (isLate(answer) && performance.now() < until) {
    await pause();
    answer = await send();
  }
  return answer;
}

/**
 * So many operations, spread over the processes, all of which must succeed. On a busy machine one may be late, so
 * that it is asked for again as its reply says, for a bounded time.
 */
export async function checkLiveness(urls: readonly string[], tenants: readonly Tenant[], count = 100): Promise<void> {
  const answers: Answer[] = [];
  for (let i = 0; i < count;) {
    const batch = Array.from({ length: Math.min(10, count - i) }, () => {
      const [url, tenant] = [urls[i % urls.length], tenants[i % tenants.length]];
      const write: Write = { kind: WRITE_KINDS[i % 3], token: crypto.randomUUID().slice(0, 13) };
      const random = i % 100 / 100;
      if (i++ % 5 === 4) return inTime(() => sendRead(url, tenant, random));
      tenant.writes.push(write);
      return inTime(() => sendWrite(url, tenant, write));
    });
    answers.push(...await Promise.all(batch));
  }
  const failed = answers.filter(({ status }) => status !== 200 && status !== 201);
  equal(answers.length, count);
  const told = JSON.stringify(failed.map(({ status, body }) => [status, body]));
  equal(told, "[]", `operations fail although nothing is broken any more: ${told}`);
}

/**
 * The same of a service that runs in the test's process: ready, 100 of 100 operations, what was acknowledged is there
 * once, the audit chain is whole.
 */
export async function checkServing(service: TestService, count = 100): Promise<void> {
  await until("the service is ready", async () => (await service.get("/health/ready")).status === 200);
  const type = `alive-${crypto.randomUUID().slice(0, 13)}`;
  const written: string[] = [];
  for (let i = 0; i < count; i++) {
    const reply = i % 5 === 4
      ? await service.get("/v1/memory/events?limit=20")
      : await service.post("/v1/memory/events", { type });
    equal(reply.status, i % 5 === 4 ? 200 : 201, JSON.stringify(reply.body));
    if (i % 5 !== 4) written.push(reply.body.id);
  }
  const { body: { data } } = await service.get(`/v1/memory/events?type=${type}&limit=200`);
  deepEqual(data.map(({ id }: { id: string }) => id).sort(), written.sort());
  const chain = await checkChain(service.operator(), {});
  ok(chain.ok, `the audit chain is broken: ${chain.problem} at ${chain.firstBadSeq}`);
}

interface StoredRow {
  readonly workspaceId: string;
  readonly id: string;
  readonly text: string;
  /** How often a fact was stated again. */
  readonly again: number;
}

/** Compares the ledger of every tenant with what is stored. `deps` reads past the processes under test. */
export async function checkLedger(deps: Deps, database: TestDatabase, tenants: readonly Tenant[]): Promise<void> {
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    for (const tenant of tenants) {
      const rows = await sql<StoredRow[]>`
        select workspace_id as "workspaceId", id, text, corroboration_count as again from unit where type = 'fact'
        union all select workspace_id, id, data::text, 0 from event
        union all select workspace_id, id, content, 0 from turn`;
      checkWrites(tenant, tenants, rows);
      const told = await sql<{ targets: string[] }[]>`
        select targets from svc_audit_log
         where workspace_id = ${tenant.workspaceId} and event_type like 'write.%'`;
      const known = new Set(told.flatMap(({ targets }) => targets));
      // For a turn, the audit log names its session instead of the turn.
      const untold = tenant.writes.filter(({ id, kind }) => id !== undefined && kind !== "turn" && !known.has(id));
      equal(JSON.stringify(untold), "[]", `the audit log of ${tenant.mark} does not tell every acknowledged write`);
      const [feed] = await sql<[{ rows: number; last: number }]>`
        select count(*)::int as rows, coalesce(max(seq), 0)::int as last from change
         where workspace_id = ${tenant.workspaceId}`;
      equal(feed.rows, feed.last, "the change feed has a gap");
      const chain = await checkChain(access.operatorContext(deps, tenant.workspaceId), {});
      ok(chain.ok, `the audit chain of ${tenant.mark} is broken: ${chain.problem} at ${chain.firstBadSeq}`);
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function checkWrites(tenant: Tenant, tenants: readonly Tenant[], rows: readonly StoredRow[]): void {
  const stored = new Map<string, StoredRow[]>();
  for (const row of rows) {
    const owner = tenants.find(({ mark }) => row.text.includes(mark));
    if (owner) equal(row.workspaceId, owner.workspaceId, `${row.text} stands in another workspace`);
    const token = /Crate ([0-9a-f-]{13}) of/.exec(row.text)?.[1];
    if (token === undefined || owner !== tenant) continue;
    stored.set(token, [...stored.get(token) ?? [], row]);
  }
  for (const { kind, token, id } of tenant.writes) {
    const found = stored.get(token) ?? [];
    ok(found.length <= 1, `${kind} ${token} is stored ${found.length} times`);
    if (id !== undefined) equal(found[0]?.id, id, `an acknowledged ${kind} is missing: ${token}`);
    equal(found[0]?.again ?? 0, 0, `${kind} ${token} was applied twice`);
  }
}
