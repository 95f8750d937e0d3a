/**
 * A workspace with one resource of every family, all full of one word: tests search for that word and for the ids where
 * they must not be visible. The calls that read it are made from the registry, so that no operation is forgotten.
 */
import assert from "node:assert/strict";
import { runJobs } from "../../src/domain/upkeep/job_works.ts";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import type { Sensitivity } from "../../src/schema/common.ts";
import { makePeerKeys, storePeer } from "../federation/_peer.ts";
import { ADMIN_TOKEN, type Reply, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

/** Collections of units, each with a maker of a body that is full of a mark. */
const UNITS = {
  decisions: (mark: string) => ({ title: `Vault of ${mark}`, decision: `It stays at ${mark}.` }),
  strategies: (mark: string) => ({ name: `Vault of ${mark}`, situation: `At ${mark}`, pattern: `Ask ${mark}.` }),
  workflows: (mark: string) => ({ name: `Vault of ${mark}`, goal: `Open ${mark}`, steps: [`Turn ${mark}.`] }),
  skills: (mark: string) => ({ name: `Vault of ${mark}`, description: `Opens ${mark}`, instructions: `Turn ${mark}.` }),
  entities: (mark: string) => ({ canonicalName: `Vault of ${mark}`, attributes: { place: mark } }),
  episodes: (mark: string) => ({
    title: `Vault of ${mark}`,
    summary: `It was opened at ${mark}.`,
    startedAt: "2026-03-02T09:00:00Z",
  }),
};

/** Ids by the name of the collection in paths. */
export type Collection =
  | keyof typeof UNITS
  | "edits"
  | "events"
  | "facts"
  | "jobs"
  | "peers"
  | "reasoning"
  | "recalls"
  | "relations"
  | "review"
  | "session"
  | "sync"
  | "tasks"
  | "units"
  | "webhooks";

export interface World {
  readonly mark: string;
  readonly sensitivity: Sensitivity;
  readonly ids: Readonly<Record<Collection, string>>;
  /** An agent that has a playbook of two versions. */
  readonly agent: string;
}

export interface WorldOptions {
  readonly mark: string;
  readonly sensitivity?: Sensitivity;
  readonly key?: string;
  /** The workspace of the key, for the job that a worker runs; default: the service's own. */
  readonly workspaceId?: string;
}

export async function created(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  assert.ok(status === 201 || status === 202, `${status} ${JSON.stringify(body)}`);
  return body.id;
}

/** Makes one resource of each family; about forty requests. */
export async function buildWorld(service: TestService, options: WorldOptions): Promise<World> {
  const { mark, sensitivity = "internal", key = service.key } = options;
  const post = (path: string, body: object) => service.post(path, body, { key });
  const common = { sensitivity, tags: [mark] };
  const session = await created(
    post("/v1/session", { title: `About ${mark}`, sensitivity, agentId: mark, externalId: mark }),
  );
  const turn = { role: "user", name: mark, messageId: mark, content: `The vault stands at ${mark}.` };
  await created(post(`/v1/session/${session}/turns`, turn));
  const units = Object.fromEntries(
    await Promise.all(
      Object.entries(UNITS).map(async ([name, bodyOf]) =>
        [name, await created(post(`/v1/memory/${name}`, { ...bodyOf(mark), ...common }))] as const
      ),
    ),
  ) as Record<keyof typeof UNITS, string>;
  const facts = await created(post("/v1/memory/facts", {
    ...common,
    statement: `The vault code is ${mark}.`,
    externalId: mark,
    citations: [{ messageId: mark, quote: mark }],
    entityIds: [units.entities],
  }));
  const patched = await service.patch(`/v1/memory/facts/${facts}`, { statement: `The vault code was ${mark}.` }, {
    key,
  });
  assert.equal(patched.status, 200, JSON.stringify(patched.body));
  const linked = await post(`/v1/memory/episodes/${units.episodes}/facts`, { factIds: [facts] });
  assert.equal(linked.status, 200, JSON.stringify(linked.body));
  const relation = { verb: "about", sourceId: facts, targetId: units.entities };
  const relations = await created(post("/v1/memory/relations", { ...relation, ...common }));
  const reasoning = await created(
    post("/v1/memory/reasoning/record", { goal: `Open the vault ${mark}`, answer: mark, sensitivity }),
  );
  const agent = `keeper-${mark}`;
  for (const lesson of [`Open the vault at ${mark}.`, `Never tell anybody of ${mark}.`]) {
    const trajectories = [{ task: lesson, outcome: "success", lessons: [lesson] }];
    const optimized = await post("/v1/memory/procedural/optimize", { agentId: agent, sensitivity, trajectories });
    assert.equal(optimized.status, 200, JSON.stringify(optimized.body));
  }
  const edits = await created(post("/v1/self/edit", {
    reason: `Noted at ${mark}`,
    mode: "atomic",
    operations: [{ op: "add", type: "fact", body: { statement: `The vault key is ${mark}.`, sensitivity } }],
  }));
  const tasks = await created(post("/v1/memory/tasks", { ...common, title: `Guard ${mark}`, agentId: mark }));
  const events = await created(
    post("/v1/memory/events", { type: "vault.opened", agentId: mark, data: { place: mark }, sensitivity }),
  );
  const webhooks = await created(
    post("/v1/webhooks", { url: `https://127.0.0.1:8443/${mark}`, description: mark, maxSensitivity: sensitivity }),
  );
  const review = await openReview(service, mark, sensitivity, key);
  const peers = `instance:vault-${crypto.randomUUID()}.example`;
  await storePeer(service.operator(options.workspaceId), { id: peers, keys: makePeerKeys() });
  const sync = await post("/v1/memory/federation/sync", { peer: peers });
  assert.equal(sync.status, 202, JSON.stringify(sync.body));
  return {
    mark,
    sensitivity,
    agent,
    ids: {
      ...units,
      facts,
      session,
      relations,
      reasoning,
      edits,
      tasks,
      events,
      review,
      units: facts,
      webhooks,
      peers,
      sync: sync.body.jobId,
      jobs: await runJob(service, options),
      recalls: await keepRecall(service, options),
    },
  };
}

/** A contested fact opens a review item. */
async function openReview(
  service: TestService,
  mark: string,
  sensitivity: Sensitivity,
  key: string,
): Promise<string> {
  const claim = { subject: `vault ${mark}`, predicate: "colour", sensitivity };
  const first = { ...claim, object: "red", statement: `The vault of ${mark} is red.`, attribution: "user_stated" };
  await created(service.post("/v1/memory/facts", first, { key }));
  const second = { ...claim, object: "blue", statement: `The vault of ${mark} is blue.`, attribution: "unverified" };
  const contested = await service.post("/v1/memory/facts", second, { key });
  assert.equal(contested.body.status, "contested", JSON.stringify(contested.body));
  const items = await service.get(`/v1/review?unitId=${contested.body.id}`, { key });
  return items.body.data[0].id;
}

/** A job is as sensitive as the clearance of the caller who asked for it. */
async function runJob(service: TestService, options: WorldOptions): Promise<string> {
  const { sensitivity = "internal", workspaceId = service.workspaceId } = options;
  const key = await service.createKey({ workspaceId, maxSensitivity: sensitivity });
  const job = await created(service.post("/v1/memory/admin/consolidate", { force: true, dryRun: true }, { key }));
  while (await runJobs(service.operator(workspaceId)));
  return job;
}

/** A recall in the diary is as sensitive as the clearance of the caller who asked. */
async function keepRecall(service: TestService, options: WorldOptions): Promise<string> {
  const { mark, sensitivity = "internal", workspaceId = service.workspaceId } = options;
  const key = await service.createKey({ workspaceId, maxSensitivity: sensitivity });
  const on = { settings: { recallDiaryDays: 90 } };
  const turned = await service.patch(`/v1/admin/workspaces/${workspaceId}`, on, { key: ADMIN_TOKEN });
  assert.equal(turned.status, 200, JSON.stringify(turned.body));
  const query = questionOf(mark);
  return await waitFor("the recall in the diary", async () => {
    await service.post("/v1/memory/recall", { query }, { key });
    const { body } = await service.get(`/v1/memory/recalls?q=${encodeURIComponent(query)}`, { key });
    const own = body.data.find((entry: { query: string }) => entry.query === query);
    return own?.id;
  }, { everyMs: 200 });
}

/** Whether a reply names something of the world. */
export function isTold(text: string, { ids }: World): boolean {
  return Object.values(ids).some((id) => text.includes(id));
}

/** A world of the same form with ids that never existed. */
export function unknownWorld(world: World): World {
  const unknown = (name: string) => name === "peers" ? `instance:${crypto.randomUUID()}.example` : crypto.randomUUID();
  const ids = Object.fromEntries(Object.keys(world.ids).map((name) => [name, unknown(name)]));
  return { ...world, agent: "keeper-nobody", ids: ids as Record<Collection, string> };
}

/**
 * A reply without the parts that differ in any case: the request's id, durations, ids that the caller named, counts of
 * reads, and the number of the workspace's last change, which is the same for all clearances.
 */
export function plain(reply: Reply, world: World): string {
  const { body } = reply;
  const parts: unknown[] = typeof body === "string"
    ? body.split("\n").filter(Boolean).map((l) => JSON.parse(l))
    : [body];
  let text = parts.map((part) => JSON.stringify(part, (name, value) => VOLATILE.has(name) ? 0 : value)).join("\n");
  for (const [name, id] of Object.entries({ ...world.ids, agent: world.agent })) {
    text = text.replaceAll(id, `<${name}>`);
  }
  return `${reply.status} ${text}`;
}
const VOLATILE = new Set([
  "asOfSeq",
  "changeSeq",
  "changes",
  "durationMs",
  "endCursor",
  "exportedAt",
  "lastUsedAt",
  "last_used_at",
  "requestId",
  "seq",
  "sha256",
  "traceId",
  "useCount",
  "use_count",
]);

/**
 * Every operation that shows stored data and changes nothing. `stream_test.ts` covers streams; entries of peers have no
 * sensitivity, and the tests of federation cover the replies to peers.
 */
export const READS: readonly Endpoint[] = ENDPOINTS.filter(({ scope, bearer, route }) =>
  scope !== "public" && scope !== "federation" && bearer === "key" && !route.path.startsWith("/stream") &&
  (scope === "memory:read" || scope === "memory:export" || route.method === "get")
);

/** The audit log shows its readers which ids were touched, but never their contents. */
export const NAMES_IDS: ReadonlySet<string> = new Set(["audit:read"]);

/** The replies of each read operation about the world, except for those of the audit log, which records reads, too. */
export async function repliesOf(service: TestService, world: World, key: string): Promise<Map<string, string>> {
  const replies = new Map<string, string>();
  for (const endpoint of READS) {
    if (NAMES_IDS.has(endpoint.scope)) continue;
    const { name, method, path, body } = readOf(endpoint, world);
    replies.set(name, plain(await service.call(method, path, { key, body }), world));
  }
  return replies;
}

export interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Its path names one resource, so that a caller who may not see it gets 404. */
  readonly single: boolean;
  /** It names resources, in any place. */
  readonly naming: boolean;
}

/** Queries without which an operation would return nothing. */
const QUERIES: Readonly<Record<string, (world: World) => string>> = {
  "/v1/actors": () => "?id=key:01890000-0000-7000-8000-000000000001",
  "/v1/audit/consistency": () => "?first=1",
  "/v1/graph": ({ ids }) => `?around=${ids.entities}&implied=true`,
  "/v1/memory/episodes/{id}/timeline/counts": () => "?bucket=day",
  "/v1/memory/procedural/prompt/{agent}/diff": () => "?from=1&to=2",
  "/v1/memory/timeline/counts": () => "?bucket=day",
  "/v1/memory/units": ({ ids }) => `?id=${ids.facts}`,
  "/v1/timeline/counts": () => "?bucket=day",
};

/** The word that a query asks for comes back in some replies; it is cut out of them before they are searched. */
export function questionOf(mark: string): string {
  return `Where is the vault ${mark}?`;
}

/** A call of a read operation that asks for this world. */
export function readOf(endpoint: Endpoint, world: World): Call {
  const template = pathOf(endpoint);
  const method = endpoint.route.method.toUpperCase();
  const path = fillPath(template, world) + (QUERIES[template]?.(world) ?? "");
  const body = method === "GET" ? undefined : readBody(template, world);
  const single = /\{(id|agent|externalId)\}/.test(template);
  const naming = single || isTold(`${path} ${JSON.stringify(body)}`, world);
  return { name: `${method} ${template}`, method, path, body, single, naming };
}

function readBody(template: string, { mark, ids }: World): unknown {
  const query = questionOf(mark);
  if (template.endsWith("/export")) return {};
  if (template.endsWith("/batch")) return { queries: [{ query }] };
  if (template.endsWith("/reasoning/resolve")) return { goal: `Open the vault ${mark}` };
  if (template.endsWith("/traverse")) return { startIds: [ids.entities], direction: "both", depth: 2 };
  if (template.endsWith("/explain")) return { query, explainIds: [ids.facts] };
  return { query };
}

/** `/v1/memory/facts/{id}` with the world's own fact. */
export function fillPath(template: string, world: World): string {
  return template.replaceAll(/(\w+)\/\{(\w+)\}/g, (_, collection, name) => {
    const values: Record<string, string | undefined> = {
      id: world.ids[collection as Collection],
      agent: world.agent,
      externalId: world.mark,
      messageId: world.mark,
      rule: "r1",
      drawer: "customers",
      seq: "1",
      jobId: world.ids[collection as Collection],
      deliveryId: `msg_${"0".repeat(32)}`,
    };
    assert.ok(values[name] !== undefined, `no value for {${name}} of ${template}`);
    return `${collection}/${values[name]}`;
  });
}
