/** Ids of one workspace in another one's requests, in every path and every body of the registry. docs/reference/guarantees.md T1, T6. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { createFixture } from "../_fixtures.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, TestService } from "../_service.ts";
import { idFieldsOf, withId } from "./_id_fields.ts";
import { Tables } from "./_tables.ts";
import {
  buildWorld,
  type Collection,
  fillPath,
  isTold,
  plain,
  questionOf,
  readOf,
  READS,
  unknownWorld,
  type World,
} from "./_world.ts";

/** The same service for a stranger, in a workspace of its own. */
async function strangerOf(service: TestService): Promise<TestService> {
  const workspaceId = await service.createWorkspace("stranger");
  const key = await service.createKey({ workspaceId });
  return new TestService(service.service, workspaceId, key, service.database, new AsyncDisposableStack());
}

function nameOf(endpoint: Endpoint): string {
  return `${endpoint.route.method.toUpperCase()} ${pathOf(endpoint)}`;
}

function exampleOf(endpoint: Endpoint): unknown {
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  return Object.values(content ?? {}).find((type) => type.example !== undefined)?.example;
}

const OF_KEYS = ENDPOINTS.filter(({ bearer }) => bearer === "key");
const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"];

/** The id of a request comes back in its reply; without that, two refusals are the same to the byte. */
const SAME = { "x-request-id": "same" };

/** Nothing was found, and so nothing was forgotten. */
const NOTHING_FORGOTTEN = { mode: "erase", dryRun: false, forgotten: 0, data: [], nextCursor: null };

/** All that a caller sees of a reply. */
function whole({ status, headers, body }: Reply): string {
  return JSON.stringify([status, [...headers].sort(), body]);
}

/** An upsert creates a missing resource under a name, so two workspaces have two; see `external_ids_test.ts`. */
const NAMED = OF_KEYS.filter((endpoint) =>
  /\{(id|agent|.*Id)\}/.test(pathOf(endpoint)) && endpoint.id !== "upsertFact"
);

/**
 * A service with a world, a stranger to it, a world of ids that never existed, and a reader of all tables.
 */
async function meetStranger() {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startService());
  const tables = stack.use(new Tables(service));
  const stranger = await strangerOf(service);
  const world = await buildWorld(service, { mark: "quetzalcoatlus" });
  const owned = stack.move();
  const dispose = { [Symbol.asyncDispose]: () => owned.disposeAsync() };
  return { service, tables, stranger, world, never: unknownWorld(world), ...dispose };
}

/** Asks as a stranger for the resources of a world, and for the same by ids that never existed. */
async function expectNotFound(
  t: Deno.TestContext,
  world: World,
  stranger: TestService,
  endpoints: readonly Endpoint[],
): Promise<void> {
  const never = unknownWorld(world);
  for (const endpoint of endpoints) {
    await t.step(nameOf(endpoint), async () => {
      const body = (await createFixture(stranger, endpoint)).body ?? exampleOf(endpoint);
      const ask = (asked: World) => {
        const path = fillPath(pathOf(endpoint), asked) + (pathOf(endpoint).endsWith("/diff") ? "?from=1&to=2" : "");
        return stranger.call(endpoint.route.method.toUpperCase(), path, { body, headers: SAME });
      };
      const foreign = await ask(world);
      assert.equal(foreign.status, 404, JSON.stringify(foreign.body));
      assert.equal(whole(foreign), whole(await ask(never)));
    });
  }
}

Deno.test("most operations name a resource in their path", () => assert.ok(NAMED.length > 80, `${NAMED.length}`));

Deno.test({
  ...POSTGRES,
  name: "T1 with the row-level policies switched off the statements alone keep workspaces apart",
  async fn(t) {
    await using meeting = await meetStranger();
    const { service, tables, stranger, world } = meeting;
    await tables.switchPoliciesOff();
    await expectNotFound(t, world, stranger, NAMED);
    await t.step("forgetting by a condition that only another workspace's units meet", async () => {
      const before = await tables.digest(service.workspaceId);
      for (const condition of [{ tags: [world.mark] }, { entityId: world.ids.entities }]) {
        const asked = { mode: "erase", dryRun: false, ...condition };
        const reply = await stranger.post("/v1/memory/forget", asked);
        assert.deepEqual([reply.status, reply.body], [200, NOTHING_FORGOTTEN], JSON.stringify(condition));
        const own = await service.post("/v1/memory/forget", { ...asked, dryRun: true });
        assert.ok(own.body.data.length > 0, `${JSON.stringify(condition)} selects nothing anywhere`);
      }
      assert.deepEqual(await tables.digest(service.workspaceId), before, "a stranger forgot something");
    });
    for (const endpoint of READS) {
      const { name, method, path, body, naming } = readOf(endpoint, world);
      await t.step(`${name} as a list`, async () => {
        const reply = await stranger.call(method, path, { body });
        const text = JSON.stringify(reply.body).replaceAll(questionOf(world.mark), "");
        assert.doesNotMatch(text, /quetzalcoatlus/);
        if (!naming) assert.ok(!isTold(text, world), "an id in the reply");
      });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T1 no path and no verb tells an id of another workspace from one that never was, nor changes what it names",
  async fn(t) {
    await using meeting = await meetStranger();
    const { service, tables, stranger, world, never } = meeting;
    const before = await tables.digest(service.workspaceId);
    await expectNotFound(t, world, stranger, NAMED);
    await t.step("verbs that a path has not", async () => {
      for (const template of new Set(NAMED.map(pathOf))) {
        for (const method of METHODS) {
          const options = { key: stranger.key, headers: SAME };
          const ask = (asked: World) => service.call(method, fillPath(template, asked), options);
          assert.equal(whole(await ask(world)), whole(await ask(never)), `${method} ${template}`);
        }
      }
    });
    assert.deepEqual(await tables.digest(service.workspaceId), before, "a stranger changed something");
  },
});

/** The collection that an id in a place names, if the name of the member does not say it. */
const COLLECTIONS: Readonly<Record<string, Collection>> = {
  dependsOn: "tasks",
  entityIds: "entities",
  entryId: "reasoning",
  sessionId: "session",
  sourceIds: "entities",
};

/**
 * Events accept any session id and look nothing up by it, because it may be no session of ours. The workspace of a peer
 * is one of that instance.
 */
const OPAQUE = new Set([
  "approvePeer remoteWorkspaceId",
  "recordEvent sessionId",
  "recordEvents events[].sessionId",
]);

/** Conditions on what is forgotten: an id that is none of this workspace selects nothing, and that is no error. */
const CONDITIONS = new Set(["forgetUnits entityId", "forgetUnits sessionId"]);

/** Refused as a whole, or its only item is. */
function isRefused({ status, body }: Reply): boolean {
  return status === 404 || status === 422 || (status === 200 && body.refused === 1 && body.results.length === 1);
}

/** Makes a body in which the place has a meaning. */
function bodyAround(operationId: string, place: string, base: unknown, own: World): unknown {
  const { facts, entities, decisions } = own.ids;
  if (place.includes("participants")) {
    const participants = [facts, entities, decisions].map((id, n) => ({ role: `role-${n}`, id }));
    const relation = { verb: "about", participants };
    return place.startsWith("relations") ? { relations: [relation] } : relation;
  }
  if (operationId === "resolveFederationConflict" && place.startsWith("items")) {
    const claim = { id: facts, version: 1, hash: "0".repeat(64) };
    return { items: ["a", "b"].map((name) => ({ ...claim, instance: `instance:${name}.example` })) };
  }
  // The id is its only condition, and what that selected would be gone.
  if (CONDITIONS.has(`${operationId} ${place}`)) return { mode: "erase", dryRun: false };
  if (operationId === "editSelf") {
    const relate = { op: "relate", verb: "about", sourceId: facts, targetId: entities };
    const operation = /sourceId|targetId|evidenceIds/.test(place) ? relate : { op: "pin", id: facts };
    return { reason: "noted", mode: "atomic", operations: [operation] };
  }
  return base;
}

Deno.test({
  ...POSTGRES,
  name: "T6 no member of a body links to another workspace's id: refused as one that never was, and no row names it",
  async fn(t) {
    await using meeting = await meetStranger();
    const { service, tables, stranger, world, never } = meeting;
    const own = await buildWorld(stranger, { mark: "archaeopteryx", workspaceId: stranger.workspaceId });
    const before = await tables.digest(service.workspaceId);
    let places = 0;

    for (const endpoint of OF_KEYS) {
      const { operationId } = endpoint.route;
      for (const field of idFieldsOf(operationId)) {
        const place = field.place.join(".").replaceAll(".[]", "[]");
        places++;
        await t.step(`${operationId} ${place}`, async () => {
          const member = field.place.findLast((name) => name !== "[]")!;
          const collection = COLLECTIONS[member] ?? "facts";
          const ask = async (asked: World) => {
            const fixture = await createFixture(stranger, endpoint);
            const base = bodyAround(operationId, place, fixture.body ?? exampleOf(endpoint), own);
            const params = fixture.params as Record<string, string>;
            const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? "");
            const body = withId(base, field, asked.ids[collection]);
            return await service.call(endpoint.route.method.toUpperCase(), path, { key: stranger.key, body });
          };
          const foreign = await ask(world);
          if (OPAQUE.has(`${operationId} ${place}`)) return;
          const text = JSON.stringify(foreign.body);
          // A search that names an id may succeed, as if nothing had that id.
          if (CONDITIONS.has(`${operationId} ${place}`)) {
            assert.deepEqual([foreign.status, foreign.body], [200, NOTHING_FORGOTTEN]);
          } else if (endpoint.scope !== "memory:read") assert.ok(isRefused(foreign), `${foreign.status} ${text}`);
          assert.doesNotMatch(text, /unknown field|Invalid input/, "the place was not reached");
          assert.equal(plain(foreign, world), plain(await ask(never), never));
          assert.doesNotMatch(JSON.stringify(foreign.body), /quetzalcoatlus/);
        });
      }
    }
    assert.ok(places > 80, `${places} places hold ids`);
    const ids = Object.values(world.ids);
    const naming = await tables.naming(stranger.workspaceId, [...ids, world.mark]);
    // The diary keeps queries exactly as they were asked.
    assert.deepEqual(
      naming.filter((row) => !/^(event|federation_peer|recall_entry):/.test(row)),
      [],
      "a row names what is not its own",
    );
    assert.deepEqual(await tables.digest(service.workspaceId), before, "a stranger changed something");
  },
});
