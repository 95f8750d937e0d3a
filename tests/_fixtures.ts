/**
 * Makes the resources that an operation's example needs: those that its path names, anew for each operation.
 *
 * Keyed by the path's beginning; the longest match wins. `body` replaces the example if it must name a resource.
 */
import assert from "node:assert/strict";
import { findWebhook, updateWebhook } from "../src/db/queries/webhooks.ts";
import { cursorAt } from "../src/domain/feed/changes.ts";
import { runJobs } from "../src/domain/upkeep/job_works.ts";
import { takeUpChanges } from "../src/domain/webhooks/take_up.ts";
import { pathOf } from "../src/http/app.ts";
import type { Endpoint } from "../src/http/route.ts";
import { createTestAdmin, requestAccess } from "./_admin.ts";
import { factForm, itemOf, Node } from "./federation/_exchange.ts";
import { makePeerKeys, makeToken, storePeer } from "./federation/_peer.ts";
import { ADMIN_TOKEN, type TestService } from "./_service.ts";
import { waitFor } from "./_wait.ts";

export interface Fixture {
  readonly params: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly query?: string;
  /** The key to use instead of the usual bearer. */
  readonly key?: string;
  /** The headers that prove the sender, if a bearer is not enough; made from method, path and body as they are sent. */
  readonly prove?: (method: string, path: string, body: string | Uint8Array) => Readonly<Record<string, string>>;
}

type Make = (service: TestService, endpoint: Endpoint) => Promise<Fixture>;

let serial = 0;

/** Each text is new, so that a fact is not recognised as one that exists already. */
function unique(text: string): string {
  return `${text} (${++serial}-${crypto.randomUUID().slice(0, 8)})`;
}

async function createFact(service: TestService): Promise<string> {
  const reply = await service.post("/v1/memory/facts", { statement: unique("The build runs on two cores") });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

/** A unit of any kind. */
async function createUnit(service: TestService, path: string, body: Record<string, unknown>): Promise<Fixture> {
  const reply = await service.post(path, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { params: { id: reply.body.id } };
}

function createDecision(service: TestService): Promise<Fixture> {
  return createUnit(service, "/v1/memory/decisions", { title: unique("Database"), decision: "We use Postgres." });
}

function createEpisode(service: TestService): Promise<Fixture> {
  return createUnit(service, "/v1/memory/episodes", { title: unique("Planning of the launch") });
}

function createEntity(service: TestService): Promise<Fixture> {
  return createUnit(service, "/v1/memory/entities", { canonicalName: unique("Acme") });
}

async function createEntityInDrawer(service: TestService): Promise<Fixture> {
  const { params } = await createEntity(service);
  return { params: { ...params, drawer: "customers" } };
}

/** Two entities; for operations that undo a merge, the second is merged into the first. */
async function createTwoEntities(service: TestService, endpoint: Endpoint): Promise<Fixture> {
  const { params } = await createEntity(service);
  const sourceIds = [(await createEntity(service)).params["id"]];
  if (pathOf(endpoint).endsWith("/unmerge")) {
    const reply = await service.post(`/v1/memory/entities/${params["id"]}/merge`, { sourceIds });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  return { params, body: { sourceIds } };
}

/** The link names a fact that exists. */
async function createLink(service: TestService): Promise<Fixture> {
  return { ...await createEpisode(service), body: { factIds: [await createFact(service)], reason: "agreed there" } };
}

/** A fact that a filter selects, which finds no other. */
async function createForgettable(service: TestService): Promise<Fixture> {
  const tag = `import-${crypto.randomUUID()}`;
  const reply = await service.post("/v1/memory/facts", { statement: unique("The build runs"), tags: [tag] });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { params: {}, body: { mode: "archive", tags: [tag] } };
}

/** A fact with a name of the caller's own. */
async function createNamedFact(service: TestService): Promise<Fixture> {
  const externalId = `crm-contact-${crypto.randomUUID()}`;
  const reply = await service.post("/v1/memory/facts", { statement: unique("The build runs"), externalId });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { params: { externalId } };
}

async function createSession(service: TestService): Promise<string> {
  const session = await service.post("/v1/session", { title: unique("Planning") });
  assert.equal(session.status, 201, JSON.stringify(session.body));
  const id: string = session.body.id;
  const turn = await service.post(`/v1/session/${id}/turns`, {
    role: "user",
    messageId: "msg-1",
    content: "We decided to ship on Friday.",
  });
  assert.equal(turn.status, 201, JSON.stringify(turn.body));
  return id;
}

async function createTask(service: TestService): Promise<string> {
  const reply = await service.post("/v1/memory/tasks", { title: unique("Compare the quotes") });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

/** The body of an operation on relations names units that exist. */
async function createEnds(service: TestService, endpoint: Endpoint): Promise<Fixture> {
  const relation = { verb: "supports", sourceId: await createFact(service), targetId: await createFact(service) };
  if (endpoint.route.method === "get") return { params: {} };
  return { params: {}, body: pathOf(endpoint).endsWith("/batch") ? { relations: [relation] } : relation };
}

async function createRelation(service: TestService): Promise<Fixture> {
  const body = { verb: "supports", sourceId: await createFact(service), targetId: await createFact(service) };
  return await createUnit(service, "/v1/memory/relations", body);
}

/** A playbook with two rules in its current version and another in a candidate. */
async function createPlaybook(service: TestService): Promise<Fixture> {
  const agent = `agent-${crypto.randomUUID()}`;
  for (const lessons of [["Look before you leap.", "Measure twice."], ["Ask when in doubt."]]) {
    const trajectories = [{ task: unique("Jump"), outcome: "success", lessons }];
    const reply = await service.post("/v1/memory/procedural/optimize", { agentId: agent, trajectories });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  return { params: { agent, rule: "r1" } };
}

async function createReasoning(service: TestService): Promise<string> {
  const reply = await service.post("/v1/memory/reasoning/record", {
    goal: unique("Sort the mail"),
    answer: "By date.",
  });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

/** A peer that waits for approval; operations that remove a peer take it in this state. */
async function createPeer(service: TestService): Promise<Fixture> {
  const id = `instance:peer-${crypto.randomUUID().replaceAll("-", "")}.example`;
  const reply = await service.post("/v1/memory/federation/peers", {
    id,
    endpoint: id.replace("instance:", "https://"),
  });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { params: { id } };
}

/** A peer that greets, and proves its key. */
async function createGreetingPeer(service: TestService, isUnverified = true): Promise<Fixture> {
  // The tests of two instances send the requests of peers to services in processes of their own.
  if (service.deps === undefined) return { params: {} };
  const keys = makePeerKeys();
  const from = `instance:greeting-${crypto.randomUUID().slice(0, 8)}.example`;
  const to = service.deps.config.instanceId;
  await storePeer(service.operator(), { id: from, keys, isUnverified });
  return {
    params: {},
    body: {
      v: 1,
      type: "hello",
      from,
      to,
      workspace: service.workspaceId,
      nonce: "AQEBAQEBAQEBAQEBAQEBAQ",
      sentAt: new Date().toISOString(),
      region: null,
      direction: "bidirectional",
      capabilities: [],
    },
    prove: (method, path, body) => ({
      "x-svc-federation-token": makeToken({
        ...{ keys, from, to, method, body, now: new Date(), url: `https://any.example${path}` },
      }),
    }),
  };
}

/** A peer that reports new items to read. */
async function createHintingPeer(service: TestService): Promise<Fixture> {
  const fixture = await createGreetingPeer(service, false);
  if (fixture.prove === undefined) return fixture;
  const { body, prove, params } = fixture;
  const { from, to, workspace } = body as Record<string, string>;
  return {
    params,
    prove,
    body: { v: 1, type: "SYNC_HINT", messageId: crypto.randomUUID(), from, to, workspace },
  };
}

/** A peer to exchange with; or a job that was asked for. */
async function createSync(service: TestService, { route }: Endpoint): Promise<Fixture> {
  if (service.deps === undefined) return { params: { jobId: crypto.randomUUID() } };
  const id = `instance:synced-${crypto.randomUUID().slice(0, 8)}.example`;
  await storePeer(service.operator(), { id, keys: makePeerKeys() });
  if (!route.path.includes("{jobId}")) return { params: {}, body: { peer: id } };
  const reply = await service.post("/v1/memory/federation/sync", { peer: id });
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  return { params: { jobId: reply.body.jobId } };
}

/** A consolidation that has been run. */
async function createJob(service: TestService): Promise<Fixture> {
  const runAll = async () => {
    if (service.deps !== undefined) { while (await runJobs(service.operator())); }
  };
  // One that still waits would stand in the way.
  await runAll();
  const reply = await service.post("/v1/memory/admin/consolidate", { force: true });
  // If another one runs already, its job serves as well.
  if (reply.status === 409) return { params: { id: reply.body.jobId } };
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  await runAll();
  return { params: { id: reply.body.id } };
}

/** A webhook to a port on which nobody listens. */
async function createWebhook(service: TestService): Promise<string> {
  const since = (await service.get("/v1/memory/changes?limit=1")).body.endCursor;
  const body = { url: "https://127.0.0.1:8443/", since };
  const reply = await service.post("/v1/webhooks", body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

/** A webhook that counts as consenting, with a delivery that waits. */
async function createDelivery(service: TestService): Promise<Fixture> {
  const id = await createWebhook(service);
  await createFact(service);
  // In a process of its own, only its endpoint could give consent, so the id of the delivery is made up.
  if (service.deps === undefined) return { params: { id, deliveryId: `msg_${"0".repeat(32)}` } };
  const ctx = service.operator();
  await ctx.tx(async (tx) => {
    const row = (await findWebhook(tx, id, true))!;
    await updateWebhook(tx, id, { ...row, status: "enabled", verifiedAt: tx.now, verifyAt: null }, true);
  });
  await takeUpChanges(ctx, id);
  const { body } = await service.get(`/v1/webhooks/${id}/deliveries`);
  return { params: { id, deliveryId: body.data[0].id }, body: { since: cursorAt(service.workspaceId, 0) } };
}

/** A fact that contradicts a more trusted one. */
async function createReviewItem(service: TestService): Promise<string> {
  const triple = { subject: unique("Caroline"), predicate: "lives in" };
  for (const [object, attribution] of [["Paris", "user_stated"], ["Rome", "agent_stated"]]) {
    const statement = `${triple.subject} lives in ${object}.`;
    const reply = await service.post("/v1/memory/facts", { statement, ...triple, object, attribution });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    if (reply.body.conflict.reviewItemId !== null) return reply.body.conflict.reviewItemId;
  }
  assert.fail("no review item was opened");
}

async function createSelfEdit(service: TestService): Promise<Fixture> {
  return await createUnit(service, "/v1/self/edit", {
    reason: "noted",
    mode: "atomic",
    operations: [{ op: "add", type: "fact", body: { statement: unique("The build is green") } }],
  });
}

/** A key of the first workspace, to be administered. */
async function createAdministeredKey(service: TestService): Promise<Fixture> {
  const body = { name: unique("agent"), workspace_id: service.workspaceId };
  const reply = await service.post("/v1/admin/api-keys", body, { key: ADMIN_TOKEN });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { params: { id: reply.body.id } };
}

async function createAdministeredWorkspace(service: TestService): Promise<Fixture> {
  const reply = await service.post("/v1/admin/workspaces", { name: "acme", region: "us-east-1" }, { key: ADMIN_TOKEN });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { params: { id: reply.body.id } };
}

/** The members of a new broker, by a name that is free. */
export function brokerBody(): Record<string, unknown> {
  return { name: `app ${crypto.randomUUID()}`, region: "us-east-1" };
}

/** A broker with its key; `body` adds to its rights. */
export async function createBroker(
  service: TestService,
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly name: string; readonly key: string }> {
  const reply = await service.post("/v1/admin/broker-keys", { ...brokerBody(), ...body }, { key: ADMIN_TOKEN });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

async function createTenantOpening(service: TestService, { route }: Endpoint): Promise<Fixture> {
  const { id: brokerId } = await createBroker(service);
  if (route.method === "get") return { params: {}, query: `?brokerId=${brokerId}` };
  return { params: {}, body: { brokerId, externalId: "alice" } };
}

async function createTenant(service: TestService): Promise<Fixture> {
  const { key } = await createBroker(service);
  const { body } = await service.post("/v1/admin/tenants", { externalId: "alice" }, { key });
  return { params: { id: body.tenant.id }, key };
}

/** A pending request of one admin, with the key of another one who decides; for a new request, the key of who asks. */
async function createBreakGlass(service: TestService, { route }: Endpoint): Promise<Fixture> {
  const [asking, deciding] = [await createTestAdmin(service), await createTestAdmin(service)];
  const isNew = !route.path.includes("{id}");
  if (isNew && route.method === "get") return { params: {}, key: asking.key };
  if (isNew) {
    const { workspaceId } = service;
    return { params: {}, key: asking.key, body: { totp: asking.totp(), workspaceId, reason: "Ticket 4711" } };
  }
  const reply = await requestAccess(service, asking);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  const body = route.path.endsWith("/approve") ? { totp: deciding.totp() } : undefined;
  return { params: { id: reply.body.id }, key: deciding.key, ...(body && { body }) };
}

/** A fact of a peer that was changed here and there. */
async function createFederationConflict(service: TestService): Promise<Fixture> {
  // The tests of two instances send the items of peers to services in processes of their own.
  if (service.deps === undefined) return { params: {} };
  const peer = `instance:${crypto.randomUUID()}.example`;
  const node = new Node(service, service.workspaceId);
  await node.addPeer(peer);
  const origin = { instance: peer, id: crypto.randomUUID() };
  await node.receive(peer, [itemOf(peer, { origin, unit: factForm(unique("The shop opens at eight")) })]);
  const changed = await service.patch(`/v1/memory/facts/${origin.id}`, { statement: unique("The shop opens at nine") });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const unit = factForm(unique("The shop opens at ten"));
  const [result] = await node.receive(peer, [itemOf(peer, { origin, version: 2, unit })]);
  assert.equal(result?.outcome, "contested");
  const versions = { itemA: { id: origin.id, instance: node.id }, itemB: { id: origin.id, instance: peer } };
  return { params: {}, body: versions };
}

const FIXTURES: Readonly<Record<string, Make>> = {
  "/v1/": async () => ({ params: {} }),
  "/v1/admin/api-keys": async (service, { route }) => ({
    params: {},
    ...(route.method === "post" && { body: { name: unique("agent"), workspace_id: service.workspaceId } }),
  }),
  "/v1/admin/api-keys/{id}": createAdministeredKey,
  "/v1/admin/break-glass": createBreakGlass,
  "/v1/admin/keys/{id}": createAdministeredKey,
  "/v1/admin/broker-keys": async (_, { route }) => ({
    params: {},
    ...(route.method === "post" && { body: brokerBody() }),
  }),
  "/v1/admin/broker-keys/{id}": async (service) => ({ params: { id: (await createBroker(service)).id } }),
  "/v1/admin/tenants": createTenantOpening,
  "/v1/admin/tenants/{id}": createTenant,
  "/v1/admin/workspaces/{id}": createAdministeredWorkspace,
  "/v1/actors": async () => ({ params: {}, query: "?id=key:01890000-0000-7000-8000-000000000001" }),
  "/v1/audit/{seq}/proof": async () => ({ params: { seq: "1" } }),
  "/v1/audit/consistency": async () => ({ params: {}, query: "?first=1" }),
  "/v1/memory/federation/handshake": (service) => createGreetingPeer(service),
  "/v1/memory/federation/messages": createHintingPeer,
  "/v1/memory/federation/sync": createSync,
  "/v1/memory/federation/peers/{id}": createPeer,
  "/v1/memory/federation/resolve": createFederationConflict,
  "/v1/memory/facts/by-external-id/{externalId}": createNamedFact,
  "/v1/memory/facts/{id}": async (service) => ({ params: { id: await createFact(service) } }),
  "/v1/decisions/{id}": createDecision,
  "/v1/memory/decisions/{id}": createDecision,
  "/v1/entities/{id}": createEntity,
  "/v1/entities/{id}/drawers": createEntityInDrawer,
  "/v1/entities/{id}/merge": createTwoEntities,
  "/v1/entities/{id}/unmerge": createTwoEntities,
  "/v1/memory/entities/{id}": createEntity,
  "/v1/memory/entities/{id}/drawers": createEntityInDrawer,
  "/v1/memory/entities/{id}/merge": createTwoEntities,
  "/v1/memory/entities/{id}/unmerge": createTwoEntities,
  "/v1/episodes/{id}": createEpisode,
  "/v1/episodes/{id}/facts": createLink,
  "/v1/memory/episodes/{id}": createEpisode,
  "/v1/memory/episodes/{id}/facts": createLink,
  "/v1/memory/governance/worth/feedback": async (service) => ({
    params: {},
    body: { agentId: "assistant-1", signals: [{ unitId: await createFact(service), signal: "helpful", weight: 0.5 }] },
  }),
  "/v1/memory/relations": createEnds,
  "/v1/memory/relations/traverse": async (service) => ({
    params: {},
    body: { startIds: [await createFact(service)], direction: "out", depth: 3 },
  }),
  "/v1/memory/relations/{id}": createRelation,
  "/v1/memory/procedural/prompt/{agent}": createPlaybook,
  "/v1/memory/procedural/prompt/{agent}/rollback": async (service) => ({
    ...await createPlaybook(service),
    body: { version: 2, reason: "it is good enough" },
  }),
  "/v1/memory/reasoning/{id}": async (service) => ({ params: { id: await createReasoning(service) } }),
  "/v1/memory/reasoning/feedback": async (service) => ({
    params: {},
    body: { entryId: await createReasoning(service), outcome: "helpful", agentId: "assistant-1" },
  }),
  "/v1/memory/admin/jobs/{id}": createJob,
  "/v1/memory/skills/{id}": (service) =>
    createUnit(service, "/v1/memory/skills", {
      name: unique("convert-currency"),
      description: "Converts money.",
      instructions: "Multiply by the rate.",
    }),
  "/v1/memory/strategies/{id}": (service) =>
    createUnit(service, "/v1/memory/strategies", {
      name: unique("Bisect"),
      situation: "A test fails.",
      pattern: "Bisect the commits.",
    }),
  "/v1/memory/forget": createForgettable,
  "/v1/memory/recalls": createRecall,
  "/v1/memory/units": async (service) => ({ params: {}, query: `?id=${await createFact(service)}` }),
  "/v1/memory/units/{id}": async (service) => ({ params: { id: await createFact(service) } }),
  "/v1/memory/workflows/{id}": (service) =>
    createUnit(service, "/v1/memory/workflows", { name: unique("Release"), steps: ["Tag the commit."] }),
  "/v1/facts/{id}": async (service) => ({ params: { id: await createFact(service) } }),
  "/v1/memory/events/{id}": (service) => createUnit(service, "/v1/memory/events", { type: unique("tool.called") }),
  "/v1/memory/tasks/{id}": async (service) => ({ params: { id: await createTask(service) } }),
  "/v1/errors/{code}": () => Promise.resolve({ params: { code: "rate_limited" } }),
  "/v1/relations": createEnds,
  "/v1/relations/{id}": createRelation,
  "/v1/review/{id}": async (service) => ({ params: { id: await createReviewItem(service) } }),
  "/v1/self/edits/{id}": createSelfEdit,
  "/v1/webhooks/{id}": async (service) => ({ params: { id: await createWebhook(service) } }),
  "/v1/webhooks/{id}/deliveries/{deliveryId}/retry": async (service) => {
    const { params } = await createDelivery(service);
    return { params };
  },
  "/v1/webhooks/{id}/replay": createDelivery,
  "/v1/session/{id}/turns/{messageId}": async (service) => {
    const id = await createSession(service);
    const { data } = (await service.get(`/v1/session/${id}/turns`)).body;
    return { params: { id, messageId: data[0].messageId } };
  },
  "/v1/session/{id}": async (service) => ({ params: { id: await createSession(service) } }),
};

/** A recall in the diary, which the workspace keeps from then on. */
async function createRecall(service: TestService): Promise<Fixture> {
  const path = `/v1/admin/workspaces/${service.workspaceId}`;
  const on = await service.patch(path, { settings: { recallDiaryDays: 30 } }, { key: ADMIN_TOKEN });
  assert.equal(on.status, 200, JSON.stringify(on.body));
  const query = unique("When does the ferry leave?");
  const entry = await waitFor("the diary knows that it is on", async () => {
    await service.post("/v1/memory/recall", { query });
    return (await service.get(`/v1/memory/recalls?limit=1&q=${encodeURIComponent(query)}`)).body.data[0];
  });
  return { params: { id: entry.id } };
}

/** The bearer that an operation takes. */
export function bearerFor(service: TestService, endpoint: Endpoint, fixture?: Fixture): string {
  return fixture?.key ?? (endpoint.bearer === "admin" ? ADMIN_TOKEN : service.key);
}

export async function createFixture(service: TestService, endpoint: Endpoint): Promise<Fixture> {
  const path = pathOf(endpoint);
  const best = Object.keys(FIXTURES).filter((prefix) => path.startsWith(prefix))
    .reduce((a, b) => (b.length > a.length ? b : a));
  const fixture = await FIXTURES[best]!(service, endpoint);
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    assert.ok(fixture.params[name!] !== undefined, `no fixture gives {${name}} of ${path}`);
  }
  if (path.endsWith("/{id}/restore")) {
    const forget = path.replace("{id}/restore", `${fixture.params["id"]}/forget`);
    const reply = await service.post(forget, { mode: "archive" });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  return fixture;
}
