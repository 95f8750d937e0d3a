/** Near names of entities: they go to review, nothing is merged silently. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import type { Tx } from "../../src/db/tx.ts";
import { findNear } from "../../src/domain/kinds/entities/near_review.ts";
import { blocksOf } from "../../src/domain/unit/names/blocks.ts";
import { shapeOf } from "../../src/domain/unit/names/near.ts";
import { test } from "./_facts.ts";
import { get, listIds, patch, post, refusal } from "./_units.ts";

const ENTITIES = "/v1/memory/entities";

async function create(service: TestService, name: string, more: Record<string, unknown> = {}): Promise<Reply["body"]> {
  return await post(service, ENTITIES, { canonicalName: name, ...more });
}

async function openItems(service: TestService) {
  return (await get(service, "/v1/review?kind=near_duplicate")).data as Reply["body"][];
}

function resolve(service: TestService, id: string, action: string, more: object = {}): Promise<Reply> {
  return service.post(`/v1/review/${id}/resolve`, { action, ...more });
}

test("a near name makes an entity of its own and asks a person about the two, once", async (service) => {
  const known = await create(service, "Kubernetes", { entityType: "technology" });
  const typo = await create(service, "Kubernets");
  const [near] = typo.nearDuplicates;
  assert.deepEqual([near.id, near.canonicalName, near.rule, near.similarity], [
    known.id,
    "Kubernetes",
    "spelling",
    0.9,
  ]);
  const [item, ...rest] = await openItems(service);
  assert.deepEqual(rest, []);
  assert.deepEqual([item.id, item.subjectId, item.otherId, item.detail], [
    near.reviewItemId,
    typo.id,
    known.id,
    { type: "entity", similarity: 0.9, rule: "spelling" },
  ]);
  const again = await post(service, ENTITIES, { canonicalName: "kubernets", aliases: ["K8s"] }, 200);
  assert.equal(again.nearDuplicates[0].reviewItemId, near.reviewItemId);
  for (const name of ["Al", "Ali", "aaaa", "aaaaa", "Kotlin"]) {
    assert.deepEqual((await create(service, name)).nearDuplicates, []);
  }
  assert.equal((await openItems(service)).length, 1);
});

test("entities of a batch are near each other too, and a rename is looked at", async (service) => {
  const { results } = await post(service, `${ENTITIES}/batch`, {
    entities: [
      { canonicalName: "International Business Machines", entityType: "organization" },
      { canonicalName: "IBM" },
      { canonicalName: "John Smith", entityType: "person" },
      { canonicalName: "J. Smith", entityType: "person" },
      { canonicalName: "Jane Smithers", entityType: "person" },
    ],
  }, 200);
  const rules = results.map(({ entity }: Reply["body"]) =>
    entity.nearDuplicates.map(({ rule }: { rule: string }) => rule)
  );
  assert.deepEqual(rules, [["acronym"], ["acronym"], ["initials"], ["initials"], []]);
  assert.equal((await openItems(service)).length, 2);
  await patch(service, `${ENTITIES}/${results[4].entity.id}`, { canonicalName: "Jon Smith", aliases: [] });
  assert.equal((await openItems(service)).length, 4, "with John Smith and with J. Smith");
});

test("the same name with another precise type goes to review", async (service) => {
  const planet = await create(service, "Mercury", { entityType: "place" });
  const product = await create(service, "Mercury", { entityType: "product" });
  assert.deepEqual(product.nearDuplicates.map(({ id, rule }: Reply["body"]) => [id, rule]), [[planet.id, "same_name"]]);
});

test("what a person decides about two near names is done, and can be taken back", async (service) => {
  const pairs = [["Kubernetes", "Kubernets"], ["Michael Jordan", "Micheal Jordan"], ["Caroline", "Carolinne"]];
  const made: [Reply["body"], Reply["body"]][] = [];
  for (const [name, near] of pairs) made.push([await create(service, name!), await create(service, near!)]);
  const itemOf = (entity: Reply["body"]) => entity.nearDuplicates[0].reviewItemId;
  for (const [i, action] of ["merge", "keep_local", "accept_incoming"].entries()) {
    const [local, incoming] = made[i]!;
    const reply = await resolve(service, itemOf(incoming), action, { reason: "a typo" });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const [survivor, source] = action === "accept_incoming" ? [incoming, local] : [local, incoming];
    assert.equal(reply.body.resolution.outcome, `merged into ${survivor.id}`);
    const shown = await get(service, `${ENTITIES}/${source.id}`);
    assert.deepEqual([shown.id, shown.aliases], [survivor.id, [source.canonicalName]]);
    assert.equal((await service.post(`${ENTITIES}/${survivor.id}/unmerge`, { sourceIds: [source.id] })).status, 200);
    assert.equal((await get(service, `${ENTITIES}/${source.id}`)).id, source.id);
  }
  assert.deepEqual(await openItems(service), []);
});

test("a pair that was kept or dismissed is never asked about again", async (service) => {
  const known = await create(service, "Kubernetes");
  const kept = await create(service, "Kubernets");
  assert.equal(
    (await resolve(service, kept.nearDuplicates[0].reviewItemId, "keep_both")).body.resolution.outcome,
    "both stand",
  );
  const other = await create(service, "Kuberneets");
  for (const near of other.nearDuplicates) {
    assert.equal((await service.post(`/v1/review/${near.reviewItemId}/dismiss`, {})).status, 200);
  }
  await patch(service, `${ENTITIES}/${kept.id}`, { aliases: ["Kubernetis"] });
  const again = await post(service, ENTITIES, { canonicalName: "Kuberneets", aliases: ["Kubernetts"] }, 200);
  const toldOf = again.nearDuplicates.map(({ id }: Reply["body"]) => id).sort();
  assert.deepEqual(toldOf, [known.id, kept.id].sort());
  assert.ok(again.nearDuplicates.every((near: Reply["body"]) => near.reviewItemId === null));
  assert.deepEqual(await openItems(service), []);
});

test("a merge settles the review of the two; one that was merged otherwise cannot be resolved again", async (service) => {
  const a = await create(service, "Kubernetes");
  const b = await create(service, "Kubernets");
  const merged = await service.post(`${ENTITIES}/${a.id}/merge`, { sourceIds: [b.id] });
  assert.equal(merged.status, 200);
  const item = await get(service, `/v1/review/${b.nearDuplicates[0].reviewItemId}`);
  assert.deepEqual([item.status, item.resolution.outcome], ["resolved", `merged into ${a.id}`]);
  const text = { merged: { statement: "One." } };
  const c = await create(service, "Kuberneets");
  const refused = await resolve(service, c.nearDuplicates[0].reviewItemId, "merge", text);
  assert.deepEqual(refusal(refused), [422, "validation_failed"]);
});

test("nobody learns of a near name that is above the key's clearance", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  await create(service, "Kubernetes", { sensitivity: "confidential" });
  const reply = await service.post(ENTITIES, { canonicalName: "Kubernets" }, { key: low });
  assert.deepEqual([reply.status, reply.body.nearDuplicates], [201, []]);
  const seen = await create(service, "Kubernetis");
  assert.equal(seen.nearDuplicates.length, 2);
  assert.equal((await service.get("/v1/review", { key: low })).body.data.length, 1);
});

test("a list is searched by the start of a name and by what is near it", async (service) => {
  const ids: Record<string, string> = {};
  for (const name of ["Kubernetes", "Kubectl", "Caroline Smith", "Apple"]) ids[name] = (await create(service, name)).id;
  const search = (q: string) => listIds(service, `${ENTITIES}?order=asc&q=${encodeURIComponent(q)}`);
  assert.deepEqual(await search("KUBE"), [ids["Kubernetes"], ids["Kubectl"]]);
  assert.deepEqual(await search("k8s"), [ids["Kubernetes"]]);
  assert.deepEqual(await search("Kuberntes"), [ids["Kubernetes"]]);
  assert.deepEqual(await search("smith"), [ids["Caroline Smith"]]);
  assert.deepEqual(await search("zzz"), []);
});

test("however many entities share what a name has, a bounded number of rows is read", async (service) => {
  const name = "Constantinople";
  const { asked } = blocksOf(shapeOf(name), "other");
  const { kept } = blocksOf(shapeOf(name), "other");
  // In parts: a statement has a time limit of its own.
  for (let from = 0; from < 20_000; from += 2_000) {
    await service.operator().tx(async (tx) => {
      await tx.sql`
        with added as (
          insert into unit (workspace_id, id, type, status, attribution, trust_score, confidence, content_hash,
                            origin_instance, origin_id, text, doc_no, body, recorded_at, created_at, updated_at, created_by)
          select ${tx.workspaceId}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'entity', 'active',
                 'agent_stated', 60, 0.8, 'x', 'x', gen_random_uuid(), 'x', 1000000 + n,
                 jsonb_build_object('canonicalName', 'Constantinopl' || n % 7, 'entityType', 'other',
                                    'aliases', '[]'::jsonb, 'attributes', '{}'::jsonb, 'drawers', '[]'::jsonb,
                                    'mergedInto', null),
                 now(), now(), now(), 'x'
            from generate_series(${from}::int + 1, ${from}::int + 2000) n
          returning id
        )
        insert into entity_block (workspace_id, block, entity_id, sensitivity)
        select ${tx.workspaceId}, b, added.id, 'internal'
          from added cross join unnest(${kept}::float8[]::bigint[]) b`;
    }, { deadlineMs: 120_000 });
  }
  const rowsRead = (tx: Tx) =>
    tx.sql<{ name: string; rows: number }[]>`
      select relname as name, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as rows
        from pg_stat_xact_user_tables where relname in ('entity_block', 'unit') order by relname`;
  const [before, after] = await service.operator().tx(async (tx) => {
    const body = {
      canonicalName: name,
      entityType: "other",
      aliases: [],
      attributes: {},
      drawers: [],
      mergedInto: null,
    };
    const entity = { id: "", status: "active", sensitivity: "internal", body } as const;
    const before = await rowsRead(tx);
    await findNear(tx, [{ entity, names: [name] }]);
    return [before, await rowsRead(tx)];
  });
  const [blocks, units] = ["entity_block", "unit"].map((table) => {
    const rowsOf = (rows: readonly { name: string; rows: number }[]) =>
      rows.find((row) => row.name === table)?.rows ?? 0;
    return rowsOf(after) - rowsOf(before);
  });
  assert.ok(blocks! > 0 && blocks! <= 40 * asked.length, `${blocks} rows of blocks`);
  assert.ok(units! > 0 && units! <= 60, `${units} units`);
}, { own: true });

test("entities of one type that share an alias are never merged without a review", async (service) => {
  const bob = await create(service, "Robert Smith", { entityType: "person", aliases: ["Bob"] });
  const other = await create(service, "Bob Jones", { entityType: "person", aliases: ["bob"] });
  assert.notEqual(other.id, bob.id, "an alias that the two share does not make them one");
  assert.deepEqual(other.nearDuplicates.map(({ id, rule }: Reply["body"]) => [id, rule]), [[bob.id, "same_name"]]);
  const [item, ...rest] = await openItems(service);
  assert.deepEqual([rest, item.subjectId, item.otherId], [[], other.id, bob.id]);
  assert.deepEqual((await get(service, `${ENTITIES}/${bob.id}`)).aliases, ["Bob"]);
  const again = await post(service, ENTITIES, { canonicalName: "Bob Jones", entityType: "person" }, 200);
  assert.equal(again.id, other.id);
});

test("one that is found by name and told an alias of another, or given it, goes to review with that one", async (service) => {
  const places = { entityType: "place" };
  const york = await create(service, "New York", { ...places, aliases: ["NYC"] });
  const apple = await create(service, "Big Apple", places);
  const found = await post(service, ENTITIES, { canonicalName: "Big Apple", ...places, aliases: ["nyc"] }, 200);
  assert.deepEqual([found.id, found.matchedBy, found.aliases], [apple.id, "name", ["nyc"]]);
  assert.deepEqual(found.nearDuplicates.map(({ id }: Reply["body"]) => id), [york.id]);
  const many = Array.from({ length: 30 }, (_, i) => `Name number ${i}`);
  const gotham = await create(service, "Gotham", { ...places, aliases: many });
  const given = await create(service, "Metropolis", places);
  await patch(service, `${ENTITIES}/${given.id}`, { aliases: [...many.map((name) => `${name} b`), "NAME NUMBER 29"] });
  const pairs = (await openItems(service)).map(({ subjectId, otherId }) => [subjectId, otherId]);
  assert.deepEqual(pairs.filter(([a, b]) => [a, b].includes(given.id)), [[given.id, gotham.id]]);
  assert.equal((await get(service, `${ENTITIES}/${given.id}`)).status, "active");
});
