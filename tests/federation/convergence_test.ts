/**
 * Instances on real databases write, edit, erase and exchange over a network that loses, repeats, delays and reorders.
 * After the network heals they have the same register, show the same versions where that is promised, and have nothing
 * that was erased.
 */
import assert from "node:assert/strict";
import { listFederationConflicts, resolveFederationConflict } from "../../src/domain/federation/conflicts.ts";
import type { IncomingItem } from "../../src/domain/federation/incoming.ts";
import { ServiceError } from "../../src/errors.ts";
import { ListFederationConflictsQuery } from "../../src/schema/federation_conflict.ts";
import type { ConflictResolution } from "../../src/schema/federation_peer.ts";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, exchangeAll, type Json, type Node, registerOf } from "./_exchange.ts";
import { randomOf } from "./_histories.ts";

/** How many histories of each setting are played; `deno task soak --histories N` plays N. */
const SEEDS = Number(Deno.env.get("SVC_TEST_HISTORIES") ?? 4);
const STEPS = 30;
const ITEMS_MAX = 4;

interface Setting {
  readonly name: string;
  readonly count: number;
  readonly strategies: readonly ConflictResolution[];
  /** How often a person states what is created. */
  readonly protects: number;
  readonly isAlike: boolean;
}

const SETTINGS: readonly Setting[] = [
  { name: "two, manual", count: 2, strategies: ["manual"], protects: 0, isAlike: true },
  { name: "three, manual", count: 3, strategies: ["manual"], protects: 0, isAlike: true },
  { name: "three, theirs_wins", count: 3, strategies: ["theirs_wins"], protects: 0, isAlike: true },
  { name: "one leader", count: 3, strategies: ["ours_wins", "theirs_wins", "theirs_wins"], protects: 0, isAlike: true },
  { name: "three, consensus", count: 3, strategies: ["consensus"], protects: 0, isAlike: true },
  {
    name: "mixed, with people's words",
    count: 3,
    strategies: ["manual", "theirs_wins", "ours_wins"],
    protects: 0.3,
    isAlike: false,
  },
];

interface Message {
  readonly from: Node;
  readonly to: Node;
  readonly item: IncomingItem;
}

interface Known {
  readonly id: string;
  readonly origin: Node;
  isErased: boolean;
}

class Play {
  readonly known: Known[] = [];
  readonly net: Message[] = [];
  #made = 0;

  constructor(readonly nodes: readonly Node[], readonly random: () => number, readonly setting: Setting) {}

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  text(): string {
    return this.random() < 0.1
      ? "The marker says the same"
      : `The marker of history says ${this.#made++} ${crypto.randomUUID()}`;
  }

  async step(): Promise<void> {
    const node = this.pick(this.nodes);
    const dice = this.random();
    if (dice < 0.2 && this.known.length < ITEMS_MAX) {
      const attribution = this.random() < this.setting.protects ? "user_stated" : "agent_stated";
      const { id } = await node.createFact({ statement: this.text(), attribution });
      if (!this.known.some((one) => one.id === id)) this.known.push({ id, origin: node, isErased: false });
    } else if (dice < 0.5 && this.known.length > 0) await this.change(node, this.pick(this.known));
    else if (dice < 0.55 && this.known.length > 0) await this.erase(this.pick(this.known));
    else await this.send(node);
    while (this.net.length > 0 && this.random() < 0.7) {
      const [message] = this.net.splice(Math.floor(this.random() * this.net.length), 1);
      if (this.random() >= 0.2) await this.deliver(message!);
    }
  }

  /** Changes a fact, if it is here and in force. */
  async change(node: Node, { id }: Known): Promise<void> {
    const change = this.random() < 0.15 ? { status: "retracted" } : { statement: this.text() };
    await node.patchFact(id, change).catch(ignoreRefusal);
  }

  async erase(known: Known): Promise<void> {
    await known.origin.erase(known.id).catch(ignoreRefusal);
    known.isErased = true;
  }

  async send(to: Node): Promise<void> {
    const from = this.pick(this.nodes);
    if (from === to) return;
    for (const item of await from.serve(to.id)) {
      if (this.random() < 0.3) continue;
      for (let copies = this.random() < 0.2 ? 2 : 1; copies > 0; copies--) this.net.push({ from, to, item });
    }
  }

  async deliver({ from, to, item }: Message): Promise<void> {
    await to.receive(from.id, [item]);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError) || error.status >= 500) throw error;
}

/** Returns what is shown of each item, by its name. */
async function shownOf(node: Node): Promise<Map<string, Json>> {
  const rows = await node.rows(
    `select i.origin_instance || '/' || i.origin_id as item, encode(i.shown_hash, 'hex') as hash, u.text
       from federation_item i join unit u on u.workspace_id = i.workspace_id and u.id = i.unit_id
      where i.workspace_id = :ws and u.type = 'fact' and i.shown_hash is not null
      union
     select v.origin_instance || '/' || v.origin_id, encode(v.hash, 'hex'), u.text
       from federation_version v join unit u on u.workspace_id = v.workspace_id and u.id = v.unit_id
      where v.workspace_id = :ws and u.type = 'fact' and v.verdict = 'own' and not exists (
        select from federation_item i where i.workspace_id = v.workspace_id and i.origin_instance = v.origin_instance
           and i.origin_id = v.origin_id and i.shown_hash is not null)`,
  );
  return new Map(rows.map(({ item, ...shown }: Json) => [item, shown]));
}

async function settleAll(nodes: readonly Node[]): Promise<void> {
  for (let round = 0; round < 40; round++) {
    const open = await Promise.all(
      nodes.map((node) => listFederationConflicts(node.ctx, ListFederationConflictsQuery.parse({}))),
    );
    const at = open.findIndex(({ data }) => data.length > 0);
    if (at === -1) return;
    const { origin, writer } = open[at]!.data[0]!;
    const [{ shown }] = await nodes[at]!.rows(
      `select coalesce((select shown_writer from federation_item where workspace_id = :ws and origin_id = '${origin.id}'),
                       '${nodes[at]!.id}') as shown`,
    );
    const itemA = { id: origin.id, instance: shown };
    await resolveFederationConflict(nodes[at]!.ctx, { itemA, itemB: { id: origin.id, instance: writer } });
    await exchangeAll(nodes);
  }
  assert.fail("something is still contested after people settled it 40 times");
}

async function checkAll({ nodes, known, setting }: Play): Promise<void> {
  const [first, ...others] = await Promise.all(nodes.map(registerOf));
  for (const other of others) assert.deepEqual(other, first, "the registers differ");
  for (const { id } of known.filter(({ isErased }) => isErased)) {
    for (const node of nodes) {
      const rows = await node.rows(
        `select 'unit' from unit where workspace_id = :ws and origin_id = '${id}'
          union all select 'word' from federation_version where workspace_id = :ws and origin_id = '${id}' and word is not null`,
      );
      assert.deepEqual(rows, [], `${id} was erased and is on ${node.id}`);
    }
  }
  for (const node of nodes) {
    const [{ conflicts, reviews, tasks }] = await node.rows(
      `select (select count(*)::int from federation_conflict where workspace_id = :ws and state = 'contested') as conflicts,
              (select count(*)::int from review_item where workspace_id = :ws and kind = 'federation_conflict'
                  and status = 'open' and detail ->> 'kind' is null) as reviews,
              (select count(*)::int from task where workspace_id = :ws and kind = 'conflict_review'
                  and status = 'pending') as tasks`,
    );
    assert.deepEqual([reviews, tasks], [conflicts, conflicts], `reviews and tasks of ${node.id}`);
  }
  if (!setting.isAlike) return;
  await settleAll(nodes);
  const shown = await Promise.all(nodes.map(shownOf));
  for (const { id, origin } of known.filter(({ isErased }) => !isErased)) {
    const all = shown.map((one) => one.get(`${origin.id}/${id}`));
    assert.deepEqual(all, nodes.map(() => all[0]), `${id} is shown differently`);
  }
}

Deno.test({
  ...POSTGRES,
  name: "F21 lost, doubled, late and reordered messages lead all instances to the same result",
  async fn(t) {
    let offset = 0;
    const offsets = [-20_000, 0, 20_000];
    await using exchange = await Exchange.open(["a", "b", "c"], {
      clockOf: () => {
        const ms = offsets[offset++]!;
        return () => new Date(Date.now() + ms);
      },
    });
    for (const setting of SETTINGS) {
      await t.step(setting.name, async () => {
        for (let seed = 1; seed <= SEEDS; seed++) {
          const nodes = await exchange.play(setting.count, (i) => ({
            strategy: setting.strategies[i % setting.strategies.length]!,
            weights: [100, 100, 100],
          }));
          const play = new Play(nodes, randomOf(seed * 104_729 + setting.count), setting);
          try {
            for (let step = 0; step < STEPS; step++) await play.step();
            for (const message of play.net.sort(() => play.random() - 0.5)) await play.deliver(message);
            await exchangeAll(nodes);
            await checkAll(play);
          } catch (cause) {
            throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.stack : cause}`, { cause });
          }
        }
      });
    }
  },
});
