/**
 * Nothing that a peer sends overwrites what people stated or verified here: of any type, wherever the item began,
 * whatever the strategy, from the first version on.
 */
import assert from "node:assert/strict";
import type { IncomingItem } from "../../src/domain/federation/applying/incoming.ts";
import { CONFLICT_RESOLUTIONS, type ConflictResolution } from "../../src/schema/federation_peer.ts";
import { ITEM_TYPES, type ItemType, type WireType } from "../../src/schema/federation_item.ts";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, factForm, itemOf, type Json, type Node, type Notice } from "./_exchange.ts";

const A = "instance:a.example";
const C = "instance:c.example";
const PEOPLE = ["user_stated", "verified"] as const;
const ATTRIBUTIONS = [...PEOPLE, "agent_stated"] as const;

/** How to create a unit of a type under a name, and the member of its shared form that a peer changes. */
const KINDS: Readonly<Record<ItemType, { path: string; body: (name: string) => object; member: string }>> = {
  fact: { path: "facts", body: (name) => ({ statement: `${name} opens at six` }), member: "statement" },
  decision: { path: "decisions", body: (name) => ({ title: name, decision: `Use ${name}` }), member: "decision" },
  strategy: {
    path: "strategies",
    body: (name) => ({ name, situation: `${name} is slow`, pattern: `Restart ${name}` }),
    member: "pattern",
  },
  workflow: { path: "workflows", body: (name) => ({ name, goal: `Run ${name}`, steps: ["Open it"] }), member: "goal" },
  skill: {
    path: "skills",
    body: (name) => ({ name, description: `Knows ${name}`, instructions: `Read ${name}` }),
    member: "instructions",
  },
  episode: {
    path: "episodes",
    body: (name) => ({ title: name, summary: `${name} was built`, startedAt: "2026-03-01T10:00:00Z" }),
    member: "summary",
  },
  entity: { path: "entities", body: (name) => ({ canonicalName: name, entityType: "place" }), member: "attributes" },
  relation: { path: "relations", body: () => ({ verb: "related_to" }), member: "weight" },
};

interface Item {
  readonly type: ItemType;
  readonly attribution: (typeof ATTRIBUTIONS)[number];
  readonly origin: { readonly instance: string; readonly id: string };
  /** The first version, as its origin published it. */
  readonly form: Json;
}

/** The next version of an item by a peer, with other content than all versions before. */
function edited({ type, origin, form }: Item, writer: string, version: number, seen: Json): IncomingItem {
  const { member } = KINDS[type];
  const next = type === "entity" ? { floor: version } : type === "relation" ? 1 / version : `${writer} says ${version}`;
  return itemOf(writer, { origin, version, seen, unit: { ...form, [member]: next } }, type);
}

const buried = ({ type, origin }: Item, writer: string, version: number) =>
  itemOf(writer, { origin, version }, `${type}:deleted` as WireType);

async function create(node: Node, type: ItemType, name: string, more: object): Promise<string> {
  const { path, body } = KINDS[type];
  const reply = await node.service.post(`/v1/memory/${path}`, { ...body(name), ...more }, { key: await keyOf(node) });
  assert.ok(reply.status < 300, `${type}: ${JSON.stringify(reply.body)}`);
  return reply.body.id;
}

const keys = new WeakMap<Node, Promise<string>>();
function keyOf(node: Node): Promise<string> {
  if (!keys.has(node)) keys.set(node, node.service.createKey({ workspaceId: node.workspaceId }));
  return keys.get(node)!;
}

/** Creates an item of each type and attribution. */
async function createItems(node: Node): Promise<Item[]> {
  const made: Omit<Item, "form">[] = [];
  for (const attribution of ATTRIBUTIONS) {
    const ends: string[] = [];
    for (const type of ITEM_TYPES) {
      const name = `The ${attribution} ${type} house`;
      const [sourceId, targetId] = ends;
      const id = await create(node, type, name, { attribution, ...(type === "relation" && { sourceId, targetId }) });
      ends.push(id);
      made.push({ type, attribution, origin: { instance: node.id, id } });
    }
  }
  const forms = new Map((await node.serve(A)).map(({ body }) => [body.origin.id, body.unit]));
  return made.map((item) => ({ ...item, form: forms.get(item.origin.id) }));
}

/** What is shown of an item, whole. */
async function shownOf(node: Node, { type, origin }: Item): Promise<Json> {
  const [row] = type === "relation"
    ? await node.rows(`
        select attribution, status, weight from relation where workspace_id = :ws and id = '${origin.id}'`)
    : await node.rows(`
        select attribution, status, text, body, tags, valid_to from unit
         where workspace_id = :ws and id = '${origin.id}'`);
  return row;
}

const showAll = async (node: Node, items: readonly Item[]): Promise<Json[]> =>
  await Promise.all(items.map((item) => shownOf(node, item)));

/** The open conflict about each item, with its review, task and the peer's version where it is a unit. */
async function conflictsOf(node: Node): Promise<Map<string, Json[]>> {
  const rows = await node.rows(`
    select c.origin_id, r.status as review, t.status as task, t.kind, u.status as other, u.text
      from federation_conflict c
      left join review_item r on r.workspace_id = c.workspace_id and r.id = c.review_item_id
      left join task t on t.workspace_id = c.workspace_id and t.id = c.task_id
      left join unit u on u.workspace_id = c.workspace_id and u.id = c.other_unit_id
     where c.workspace_id = :ws and c.state = 'contested'`);
  return Map.groupBy(rows, (row) => row.origin_id);
}

/** Receives a version of each item, and checks that those of people stay and are contested, as the strategy says. */
async function receiveEdits(
  b: Node,
  strategy: ConflictResolution,
  items: readonly Item[],
  edits: readonly IncomingItem[],
): Promise<void> {
  const people = items.filter(({ attribution }) => attribution !== "agent_stated");
  const before = await showAll(b, people);
  const results = await b.receive(A, edits);
  assert.ok(results.every(({ outcome }) => ["applied", "contested", "kept_ours"].includes(outcome)), strategy);
  assert.deepEqual(await showAll(b, people), before, strategy);
  const open = await conflictsOf(b);
  for (const item of people) {
    const where = `${strategy} ${item.attribution} ${item.type} of ${item.origin.instance}`;
    const conflicts = open.get(item.origin.id) ?? [];
    if (strategy === "ours_wins") {
      assert.deepEqual(conflicts, [], where);
      continue;
    }
    assert.equal(conflicts.length, 1, where);
    const [{ review, task, kind, other, text }] = conflicts;
    assert.deepEqual([review, task, kind], ["open", "pending", "conflict_review"], where);
    if (item.type === "entity" || item.type === "relation") continue;
    const { unit, version } = edits.find(({ body }) => body.origin.id === item.origin.id)!.body;
    assert.equal(other, "contested", where);
    assert.ok(text.includes(unit![KINDS[item.type].member]), `${where} version ${version}: ${text}`);
  }
}

/**
 * Receives items that began at a peer; `last` publishes the next version of each. Then they are attributed here.
 * @param template an instance in another workspace, in which their content is made
 */
async function receiveTwins(b: Node, template: Node, first: string, last?: string): Promise<Item[]> {
  await template.addPeer(A);
  const made = await createItems(template);
  let text = JSON.stringify(made);
  for (const { origin } of made) {
    const id = crypto.randomUUID();
    text = text.replaceAll(`${template.id}/${origin.id}`, `${first}/${id}`).replaceAll(origin.id, id);
  }
  const items = (JSON.parse(text) as Item[]).map((item): Item => ({
    ...item,
    origin: { ...item.origin, instance: first },
  }));
  const said = items.map(({ origin, type, form }) => itemOf(first, { origin, unit: form }, type));
  const outcomes = [await b.receive(first, said)];
  if (last !== undefined) {
    const next = items.map((item) => edited(item, last, 2, { [first]: 1 }));
    outcomes.push(await b.receive(last, next));
  }
  assert.deepEqual(new Set(outcomes.flat().map(({ outcome }) => outcome)), new Set(["applied"]));
  // Nobody can verify a received episode: no operation changes one.
  const kept = items.filter(({ type }) => type !== "episode");
  for (const { type, attribution, origin } of kept) {
    const path = `/v1/memory/${KINDS[type].path}/${origin.id}`;
    const reply = await b.service.patch(path, { attribution }, { key: await keyOf(b) });
    assert.equal(reply.status, 200, `${type}: ${JSON.stringify(reply.body)}`);
  }
  return kept;
}

Deno.test({
  ...POSTGRES,
  name: "what people stated or verified",
  async fn(t) {
    await using exchange = await Exchange.open(["b"]);

    for (const strategy of CONFLICT_RESOLUTIONS) {
      for (const isAware of [true, false]) {
        const how = isAware ? "made with knowledge of ours" : "made without knowledge of ours";
        await t.step(
          `T37 stays under ${strategy}, where it began here, from the first version on, ${how}`,
          async () => {
            const [b] = await exchange.play(1);
            for (const peer of [A, C]) await b!.addPeer(peer, { strategy, weight: 100 });
            const items = await createItems(b!);
            const others = items.filter(({ attribution }) => attribution === "agent_stated");
            const before = await showAll(b!, others);
            for (const version of [2, 3]) {
              const seen = isAware ? { [b!.id]: 1 } : {};
              await receiveEdits(b!, strategy, items, items.map((item) => edited(item, A, version, seen)));
            }
            if (strategy === "theirs_wins") {
              const after = await showAll(b!, others);
              for (const [i, row] of after.entries()) {
                assert.notDeepEqual(row, before[i], others[i]!.type);
                assert.equal(row.attribution, "federation_received");
              }
            }
            const shown = await showAll(b!, items);
            const asked = await b!.receive(A, items.map((item) => buried(item, A, 4)));
            assert.deepEqual(new Set(asked.map(({ outcome }) => outcome)), new Set(["review_opened"]));
            const erasedAt = "2026-05-01T10:00:00.000Z";
            const notices = items.map(({ type, origin }): Notice => ({
              ...origin,
              type: `${type}:deleted`,
              version: 4,
              erasedAt,
            }));
            const again = await b!.notify(C, notices);
            assert.deepEqual(new Set(again.map(({ outcome }) => outcome)), new Set(["review_opened"]));
            assert.deepEqual(await showAll(b!, items), shown);
            assert.equal((await conflictsOf(b!)).size, 0);
            const [{ count }] = await b!.rows(`
            select count(*)::int from review_item
             where workspace_id = :ws and status = 'open' and detail ->> 'kind' = 'erase_request'`);
            assert.equal(count, 2 * items.length);
          },
        );
      }

      await t.step(`T37 stays under ${strategy}, where it began at the peer, from the first version on`, async () => {
        const [[template], [b]] = [await exchange.play(1), await exchange.play(1)];
        for (const peer of [A, C]) await b!.addPeer(peer, { strategy, weight: 100 });
        const items = await receiveTwins(b!, template!, A);
        for (const version of [2, 3]) {
          await receiveEdits(b!, strategy, items, items.map((item) => edited(item, A, version, {})));
        }
        const shown = await showAll(b!, items);
        const outcomes = await b!.receive(C, items.map((item) => buried(item, C, 4)));
        assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(["version_removed"]));
        assert.deepEqual(await showAll(b!, items), shown);
      });

      await t.step(
        `T37 stays under ${strategy}, when the peer that said it takes it back or withdraws it`,
        async () => {
          const [[template], [b]] = [await exchange.play(1), await exchange.play(1)];
          for (const peer of [A, C]) await b!.addPeer(peer, { strategy, weight: 100 });
          const items = await receiveTwins(b!, template!, A, C);
          const people = items.filter(({ attribution }) => attribution !== "agent_stated");
          const shown = await showAll(b!, people);
          const withdrawn = people.map(({ origin, type }) =>
            itemOf(C, { origin, version: 3, withdrawn: true, seen: { [A]: 1 } }, type)
          );
          await b!.receive(C, withdrawn);
          assert.deepEqual(await showAll(b!, people), shown);
          await b!.receive(C, people.map((item) => buried(item, C, 4)));
          assert.deepEqual(await showAll(b!, people), shown);
        },
      );
    }

    await t.step("T37 is not ended by a peer's fact, even where its sources make it trusted as little", async () => {
      for (const attribution of PEOPLE) {
        const [b] = await exchange.play(1);
        await b!.addPeer(A, { strategy: "theirs_wins" });
        const source = { instance: A, id: crypto.randomUUID() };
        await b!.receive(A, [itemOf(A, { origin: source, unit: factForm("A letter about the vault came") })]);
        const triple = { subject: "The vault", predicate: "code", exclusive: true };
        const ours = await b!.createFact({
          ...{ statement: "The vault code is 1", object: "1", ...triple },
          ...{ attribution, derivedFrom: [source.id] },
        });
        assert.equal(ours.trustScore, 20);
        const unit = factForm("The vault code is 2", { ...triple, object: "2" });
        await b!.receive(A, [itemOf(A, { origin: { instance: A, id: crypto.randomUUID() }, unit })]);
        const { status, validTo, supersededBy } = await b!.fact(ours.id);
        assert.deepEqual([status, validTo, supersededBy], ["active", null, null]);
      }
    });
  },
});
