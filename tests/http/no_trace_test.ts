/**
 * A resource above a reader's clearance leaves no trace in what the reader sees of others: whatever is done above, every
 * operation that reads answers as if nothing had been done.
 */
import assert from "node:assert/strict";
import { continuePasses } from "../../src/domain/unit/standing.ts";
import { expireDueFacts } from "../../src/domain/kinds/facts/lifecycle.ts";
import { runJobs } from "../../src/domain/upkeep/job_works.ts";
import { send } from "../mcp/_client.ts";
import { test } from "./_facts.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { buildWorld, created, repliesOf } from "./_world.ts";

type Ids = Readonly<Record<string, string>>;

const FACTS = "/v1/memory/facts";
const DECISIONS = "/v1/memory/decisions";
const ADA = { subject: "Ada", predicate: "lives in" };
const HIDDEN = { sensitivity: "restricted", attribution: "user_stated" };

async function fact(service: TestService, body: object): Promise<string> {
  return await created(service.post(FACTS, body));
}

async function done(reply: Promise<Reply>): Promise<void> {
  const { status, body } = await reply;
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
}

/** What everybody may see; each resource is the object of some deed. Some name hidden ones, as their authors want. */
async function tell(service: TestService, sensitivity: string) {
  const own = { sensitivity, attribution: "agent_stated" };
  const source = await fact(service, { statement: "The cellar key hangs in the shed.", ...HIDDEN });
  const erased = await fact(service, { statement: "The shed burned down.", ...HIDDEN });
  const evidence = await fact(service, { statement: "The auditor saw the ledger.", ...HIDDEN });
  const facts = {
    home: await fact(service, { statement: "Ada lives in Berlin.", ...ADA, object: "Berlin", ...own }),
    read: await fact(service, { statement: "My favourite tea is Assam.", ...own }),
    named: await fact(service, { statement: "The boiler was serviced by Novak.", ...own }),
    restated: await fact(service, { statement: "The harbour office opens at nine.", ...own }),
    later: await fact(service, {
      statement: "Bo works at Acme.",
      subject: "Bo",
      predicate: "works at",
      object: "Acme",
      ...own,
    }),
    weak: await fact(service, {
      ...{ statement: "Cy lives in Rome.", subject: "Cy", predicate: "lives in", object: "Rome" },
      ...{ sensitivity, attribution: "unverified" },
    }),
    related: await fact(service, { statement: "The gate is painted green.", ...own }),
    derived: await fact(service, { statement: "Fetch the key from the shed.", ...own, derivedFrom: [source, erased] }),
  };
  const decision = await created(
    service.post(DECISIONS, { title: "Which bank", decision: "Use the Linz bank.", ...own, evidenceIds: [evidence] }),
  );
  const linked = await created(
    service.post(DECISIONS, { title: "Which printer", decision: "Use the Graz printer.", ...own }),
  );
  const entity = await created(
    service.post("/v1/memory/entities", { canonicalName: "Harbour Office", sensitivity }),
  );
  const seen: Ids = { ...facts, decision, linked, entity };
  return { seen, hidden: { source, erased, evidence } as Ids };
}

type Deed = (service: TestService, seen: Ids, hidden: Ids) => Promise<unknown>;

/** Everything that something hidden can do to what is visible. */
const DEEDS: Readonly<Record<string, Deed>> = {
  "supersedes by a newer value": (service) =>
    fact(service, { statement: "Ada lives in Lisbon.", ...ADA, object: "Lisbon", ...HIDDEN }),
  "supersedes by what the rules read": (service) =>
    fact(service, { statement: "My favourite tea is Sencha now, no longer Assam.", ...HIDDEN }),
  "supersedes because its author says so": (service, { named }) =>
    fact(service, { statement: "The boiler was serviced by Holub.", supersedes: named, ...HIDDEN }),
  "restates, trusted more, with citations and tags": async (service, { restated, entity }) => {
    const session = await created(service.post("/v1/session", { sensitivity: "restricted" }));
    const id = await fact(service, {
      statement: "The harbour office opens at nine.",
      aliases: ["Night harbour"],
      tags: ["secret"],
      citations: [{ messageId: "m-1", sessionId: session }],
      entityIds: [entity],
      ...HIDDEN,
      attribution: "verified",
    });
    assert.notEqual(id, restated);
  },
  "takes a place on a later day": (service) =>
    fact(service, {
      ...{ statement: "Bo works at Globex.", subject: "Bo", predicate: "works at", object: "Globex" },
      ...{ validFrom: "2099-01-01T00:00:00Z", ...HIDDEN },
    }),
  "contradicts an earlier time": (service) =>
    fact(service, {
      ...{ statement: "Cy lives in Oslo.", subject: "Cy", predicate: "lives in", object: "Oslo" },
      ...{ validFrom: "2020-01-01T00:00:00Z", ...HIDDEN, attribution: "verified" },
    }),
  "supersedes by a relation, which is taken back": async (service, { related }) => {
    const sourceId = await fact(service, { statement: "The gate is painted black.", ...HIDDEN });
    const relation = await created(
      service.post("/v1/memory/relations", { verb: "supersedes", sourceId, targetId: related }),
    );
    await created(service.post("/v1/memory/relations", { verb: "contradicts", sourceId, targetId: related }));
    await done(service.call("DELETE", `/v1/memory/relations/${relation}`));
    await created(service.post("/v1/memory/relations", { verb: "supersedes", sourceId, targetId: related }));
  },
  "is a source that is retracted": (service, _, { source }) =>
    done(service.patch(`${FACTS}/${source}`, { status: "retracted" })),
  "is a source that is erased": (service, _, { erased }) =>
    done(service.post(`/v1/facts/${erased}/forget`, { mode: "erase" })),
  "is evidence that loses trust and falls": async (service, _, { evidence }) => {
    await done(service.patch(`${FACTS}/${evidence}`, { attribution: "unverified" }));
    await done(service.patch(`${FACTS}/${evidence}`, { status: "retracted" }));
  },
  "supersedes a decision": (service, { decision }) =>
    done(service.post(`${DECISIONS}/${decision}/supersede`, {
      ...{ title: "Which bank", decision: "Use the Zug bank.", sensitivity: "restricted", reason: "moved" },
    })),
  "supersedes a decision by a relation": async (service, { linked }) => {
    const by = { title: "Which printer", decision: "Use the Brno printer.", sensitivity: "restricted" };
    const sourceId = await created(service.post(DECISIONS, { ...by, attribution: "user_stated" }));
    await created(service.post("/v1/memory/relations", { verb: "supersedes", sourceId, targetId: linked }));
  },
  "mentions, derives from and relates to": async (service, seen) => {
    const ids = Object.values(seen);
    const hidden = await fact(service, {
      ...{ statement: "The Harbour Office hides the ledger of Ada and Bo.", entityIds: [seen["entity"]] },
      ...{ derivedFrom: [seen["home"], seen["restated"]], ...HIDDEN },
    });
    for (const targetId of ids) {
      await created(service.post("/v1/memory/relations", { verb: "related_to", sourceId: hidden, targetId }));
    }
    const episode = { title: "Night at the harbour", summary: "Ada came.", startedAt: "2026-03-02T09:00:00Z" };
    await created(service.post("/v1/memory/episodes", { ...episode, factIds: [seen["home"]], ...HIDDEN }));
    const task = { title: "Watch the harbour office", sensitivity: "restricted", agentId: "warden" };
    await created(service.post("/v1/memory/tasks", task));
    await created(service.post("/v1/memory/events", { type: "harbour.seen", sensitivity: "restricted", data: {} }));
    await created(service.post("/v1/memory/reasoning/record", {
      ...{ goal: "Find the harbour ledger", answer: "Ask Ada", sensitivity: "restricted" },
      preconditions: [{ factId: seen["home"] }],
    }));
  },
  "is told in a session that collapses": async (service) => {
    const session = await created(service.post("/v1/session", { sensitivity: "restricted" }));
    const turns = [
      { role: "user", messageId: "c-1", content: "The harbour office opens at nine. My favourite tea is Sencha." },
      { role: "user", messageId: "c-2", content: "Ada lives in Porto now. Bo works at Initech." },
    ];
    await done(service.post(`/v1/session/${session}/turns`, { turns }));
    await done(service.post(`/v1/session/${session}/collapse`));
  },
  "is reviewed, each question in favour of what is hidden": async (service) => {
    const { body } = await service.get("/v1/review?limit=200");
    const hidden = body.data.filter((item: { sensitivity: string }) => item.sensitivity === "restricted");
    assert.ok(hidden.length > 0);
    for (const item of hidden) {
      const accepted = await service.post(`/v1/review/${item.id}/resolve`, { action: "accept_incoming" });
      if (accepted.status !== 200) await service.post(`/v1/review/${item.id}/dismiss`);
    }
  },
  "is consolidated, and worked on by the workers": (service) => tidy(service),
};

async function tidy(service: TestService): Promise<void> {
  await created(service.post("/v1/memory/admin/consolidate", { force: true }));
  while (await runJobs(service.operator()));
  while (await continuePasses(service.operator()));
  while (await expireDueFacts(service.operator()) > 0);
}

const VOLATILE =
  /"(requestId|traceId|exportedAt|sha256|durationMs|seq|asOfSeq|changeSeq|endCursor)":("[^"]*"|\d+(\.\d+)?|null),?/g;

/** What a key sees of some units by every way to read one, and what it recalls. */
async function sightOf(service: TestService, seen: Ids, key: string): Promise<Map<string, string>> {
  const sight = new Map<string, string>();
  const ask = async (name: string, reply: Promise<Reply>) => {
    const { status, body } = await reply;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    sight.set(name, `${status} ${text.replaceAll(VOLATILE, "")}`);
  };
  for (const [name, id] of Object.entries(seen)) {
    const isFact = !["decision", "linked", "entity"].includes(name);
    const family = isFact ? "facts" : name === "entity" ? "entities" : "decisions";
    for (const path of [`/v1/memory/${family}/${id}`, `/v1/memory/${family}/${id}/revisions`, `/v1/${family}/${id}`]) {
      await ask(`GET ${name} ${path.replace(id, "{id}")}`, service.get(path, { key }));
    }
    for (const more of isFact ? ["history", "citations"] : family === "decisions" ? ["chain"] : ["edges"]) {
      await ask(`${more} of ${name}`, service.get(`/v1/${family}/${id}/${more}`, { key }));
    }
    await ask(`unit ${name}`, service.get(`/v1/memory/units/${id}`, { key }));
    await ask(`review of ${name}`, service.get(`/v1/review?unitId=${id}`, { key }));
    await ask(`relations of ${name}`, service.get(`/v1/relations?unitId=${id}`, { key }));
    const args = { name: "read", arguments: { ids: [id], history: true } };
    await ask(`MCP read of ${name}`, send(service, "tools/call", args, { key }));
  }
  for (const status of ["active", "contested", "superseded", "archived"]) {
    await ask(`facts that are ${status}`, service.get(`${FACTS}?status=${status}&limit=200`, { key }));
  }
  await ask("decisions", service.get(`${DECISIONS}?limit=200`, { key }));
  await ask("stats", service.get("/v1/memory/admin/stats", { key }));
  await ask("changes", service.get("/v1/memory/changes?limit=200", { key }));
  for (
    const query of ["Where does Ada live?", "favourite tea", "boiler", "harbour office", "Bo works", "gate", "bank"]
  ) {
    for (const path of ["/v1/memory/recall", "/v1/memory/recall/hot", "/v1/memory/recall/explain"]) {
      const more = path.endsWith("explain") ? { explainIds: Object.values(seen) } : { include: ["superseded"] };
      if (path.endsWith("/hot")) await ask(`${path} ${query}`, service.post(path, { query }, { key }));
      else await ask(`${path} ${query}`, service.post(path, { query, ...more }, { key }));
    }
    await ask(`MCP recall ${query}`, send(service, "tools/call", { name: "recall", arguments: { query } }, { key }));
  }
  return sight;
}

/** The places where two texts begin to differ. */
function difference(before: string, after: string): string[] {
  const at = [...before].findIndex((character, i) => after[i] !== character);
  const from = Math.max(0, at - 200);
  return [before.slice(from, at + 200), after.slice(from, at + 200)];
}

for (const clearance of ["internal", "public"] as const) {
  Deno.test({
    ...POSTGRES,
    name: `T9 nothing restricted leaves a trace in what a key of clearance ${clearance} reads of anything else`,
    async fn(t) {
      const now = new Date("2026-06-01T12:00:00.000Z");
      await using service = await startService({ clock: () => now });
      const low = await service.createKey({ maxSensitivity: clearance });
      const world = await buildWorld(service, { mark: "visiblemark", sensitivity: clearance });
      const { seen, hidden } = await tell(service, clearance);
      await tidy(service);
      let before = await sightOf(service, seen, low);
      const worldBefore = await repliesOf(service, world, low);
      await t.step("ids of what is hidden are not in what names it", () => {
        for (const [name, text] of [...before, ...worldBefore]) {
          for (const id of Object.values(hidden)) assert.ok(!text.includes(id), `${name}: ${text}`);
        }
      });
      for (const [name, deed] of Object.entries(DEEDS)) {
        await t.step(`a hidden fact ${name}`, async () => {
          await deed(service, seen, hidden);
          const after = await sightOf(service, seen, low);
          const told = [...before].filter(([what, text]) => after.get(what) !== text);
          before = after;
          assert.deepEqual(told.map(([what, text]) => [what, ...difference(text, after.get(what)!)]), []);
        });
      }
      await t.step("after all of it, every operation that reads answers as before", async () => {
        const worldAfter = await repliesOf(service, world, low);
        const told = [...worldBefore].filter(([what, text]) => worldAfter.get(what) !== text);
        assert.deepEqual(told.map(([what, text]) => [what, ...difference(text, worldAfter.get(what)!)]), []);
      });
    },
  });
}

test("T9 what is told below does not bend to what is known above, whoever tells it", async (service) => {
  // The same statements by the same key in two workspaces, of which one holds hidden facts.
  const bare = await service.inNewWorkspace();
  const hidden = [
    { statement: "Ada lives in Lisbon.", ...ADA, object: "Lisbon", validFrom: "2026-01-01T00:00:00Z" },
    { statement: "Ada lives in Faro.", ...ADA, object: "Faro", validFrom: "2099-01-01T00:00:00Z" },
    { statement: "The harbour office opens at nine." },
    { statement: "My favourite tea is Sencha." },
  ];
  for (const body of hidden) await fact(service, { ...body, ...HIDDEN });
  const told = [
    { statement: "Ada lives in Berlin.", ...ADA, object: "Berlin", attribution: "unverified" },
    { statement: "Ada lives in Madrid.", ...ADA, object: "Madrid", validFrom: "2026-02-01T00:00:00Z" },
    { statement: "My favourite tea is Assam now." },
  ].map((body) => ({ ...body, sensitivity: "internal" }));
  const shown: unknown[][] = [];
  for (const where of [service, bare]) {
    const low = await where.createKey({ maxSensitivity: "internal" });
    const ids: string[] = [];
    for (const body of told) ids.push(await fact(where, body));
    const facts = await Promise.all(ids.map(async (id) => (await where.get(`${FACTS}/${id}`, { key: low })).body));
    shown.push(facts.map(({ statement, status, version, validFrom, validTo, supersedes, supersededBy, trustScore }) => [
      ...[statement, status, version, validFrom, validTo, trustScore],
      ...[supersedes, supersededBy].map((id) => id === null ? null : ids.indexOf(id)),
    ]));
  }
  assert.deepEqual(shown[0], shown[1]);
});

test("who may see both is told what is outdated, and asked; a person who accepts it changes nothing below", async (service) => {
  const old = await fact(service, {
    statement: "Ada lives in Berlin.",
    ...ADA,
    object: "Berlin",
    sensitivity: "internal",
  });
  const told = await service.post(FACTS, { statement: "Ada lives in Lisbon.", ...ADA, object: "Lisbon", ...HIDDEN });
  assert.deepEqual([told.body.status, told.body.conflict.outcome, told.body.conflict.factIds], ["active", "outdates", [
    old,
  ]]);
  const recalled = async (key: string) => {
    const { body } = await service.post("/v1/memory/recall", { query: "Where does Ada live?" }, { key });
    return body.results.map(({ id, outdatedBy }: { id: string; outdatedBy?: string }) => [id, outdatedBy ?? null]);
  };
  const low = await service.createKey({ maxSensitivity: "internal" });
  const both = [[told.body.id, null], [old, told.body.id]];
  assert.deepEqual(await recalled(service.key), both);
  assert.deepEqual(await recalled(low), [[old, null]]);
  const { reviewItemId } = told.body.conflict;
  assert.equal((await service.get(`/v1/review/${reviewItemId}`, { key: low })).status, 404);
  await done(service.post(`/v1/review/${reviewItemId}/resolve`, { action: "accept_incoming" }));
  assert.deepEqual(await recalled(service.key), both);
  assert.deepEqual(await recalled(low), [[old, null]]);
  assert.equal((await service.get(`${FACTS}/${told.body.id}`)).body.supersedes, old);
  // One that is told below ends what is above it, and does not name it.
  const last = await fact(service, {
    statement: "Ada lives in Porto.",
    ...ADA,
    object: "Porto",
    attribution: "user_stated",
  });
  const ended = (await service.get(`${FACTS}/${told.body.id}`)).body;
  assert.deepEqual([ended.status, ended.supersededBy], ["superseded", last]);
  assert.equal((await service.get(`${FACTS}/${last}`)).body.supersedes, old);
});

test("T9 what becomes more sensitive after it closed others leaves them as if it had not been", async (service) => {
  const bare = await service.inNewWorkspace();
  const told = async (where: TestService): Promise<Ids> => {
    const own = { sensitivity: "internal", attribution: "agent_stated" };
    const bo = { subject: "Bo", predicate: "works at" };
    return {
      home: await fact(where, { statement: "Ada lives in Berlin.", ...ADA, object: "Berlin", ...own }),
      read: await fact(where, { statement: "My favourite tea is Assam.", ...own }),
      later: await fact(where, { statement: "Bo works at Acme.", ...bo, object: "Acme", ...own }),
      named: await fact(where, { statement: "The boiler was serviced by Novak.", ...own }),
      weak: await fact(where, {
        ...{ statement: "Cy lives in Rome.", subject: "Cy", predicate: "lives in", object: "Rome" },
        ...{ ...own, attribution: "unverified", validFrom: "2027-01-01T00:00:00Z" },
      }),
      decision: await created(where.post(DECISIONS, { title: "Which bank", decision: "Use the Linz bank.", ...own })),
    };
  };
  const [seen, alone] = [await told(service), await told(bare)];
  const strong = { sensitivity: "internal", attribution: "user_stated" };
  const closing = [
    { statement: "Ada lives in Lisbon.", ...ADA, object: "Lisbon" },
    { statement: "My favourite tea is Sencha now, no longer Assam." },
    {
      ...{ statement: "Bo works at Globex.", subject: "Bo", predicate: "works at", object: "Globex" },
      validFrom: "2099-01-01T00:00:00Z",
    },
    { statement: "The boiler was serviced by Holub.", supersedes: seen["named"] },
  ];
  const closers: string[] = [];
  for (const body of closing) closers.push(await fact(service, { ...body, ...strong }));
  const replaced = await created(service.post(`${DECISIONS}/${seen["decision"]}/supersede`, {
    ...{ title: "Which bank", decision: "Use the Zug bank.", sensitivity: "internal", reason: "moved" },
  }));
  assert.equal((await service.get(`${FACTS}/${seen["home"]}`)).body.status, "superseded");
  for (const id of closers) await done(service.patch(`${FACTS}/${id}`, { sensitivity: "restricted" }));
  await done(service.patch(`${DECISIONS}/${replaced}`, { sensitivity: "restricted" }));
  await tidy(service);
  const shown = async (where: TestService, ids: Ids) => {
    const key = await where.createKey({ maxSensitivity: "internal" });
    const pairs = Object.entries(ids).map(async ([name, id]) => {
      const { body } = await where.get(`${name === "decision" ? DECISIONS : FACTS}/${id}`, { key });
      const { status, validFrom, validTo, supersedes, supersededBy, stale } = body;
      return [name, { status, validFrom, validTo, supersedes, supersededBy, stale }];
    });
    return Object.fromEntries(await Promise.all(pairs));
  };
  assert.deepEqual(await shown(service, seen), await shown(bare, alone));
  const key = await service.createKey({ maxSensitivity: "internal" });
  for (const [what, text] of await sightOf(service, seen, key)) {
    // The feed has told of them while they were visible.
    if (what === "changes") continue;
    for (const id of [...closers, replaced]) assert.ok(!text.includes(id), `${what}: ${text}`);
    assert.doesNotMatch(text, /"(?:superseded|ending|restored|reopened)"/, what);
  }
  const { body } = await service.post("/v1/memory/recall", { query: "Where does Ada live?" });
  assert.deepEqual(
    body.results.map(({ id, outdatedBy }: { id: string; outdatedBy?: string }) => [id, outdatedBy ?? null]),
    [[closers[0], null], [seen["home"], closers[0]]],
  );
});
