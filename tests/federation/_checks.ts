/** What must hold after a history, when the way between the instances is whole again. */
import assert from "node:assert/strict";
import { listFederationConflicts } from "../../src/domain/federation/applying/list_conflicts.ts";
import { resolveFederationConflict } from "../../src/domain/federation/applying/resolve_conflict.ts";
import { ListFederationConflictsQuery } from "../../src/schema/federation_conflict.ts";
import { type Json, type Node, registerOf, takeTurnsUntilQuiet } from "./_exchange.ts";
import type { Known, Play } from "./_play.ts";

export async function checkAll(play: Play): Promise<void> {
  const { nodes, known, history: { setting } } = play;
  if (play.isRestored) await compareAll(nodes);
  // A person answers what is asked where a restore brought back what was erased: it is erased once more.
  for (const one of known) if (one.isForgotten && one.isErased) await play.erase(one);
  await takeTurnsUntilQuiet(nodes);
  await checkRegisters(play);
  await checkErased(play);
  for (const node of nodes) await checkQuestions(node);
  if (setting.isAlike) {
    await settleAll(nodes);
    await checkShown(play);
  }
  const [one, other] = nodes as [Node, Node];
  const { reconciled } = await one.turn(other, { reconcile: true });
  // What a restore lost at its origin is told, and stays where it is.
  const names = known.filter(({ isForgotten }) => isForgotten).map(({ id }) => id);
  const left = reconciled!.left.filter((reference) => !names.some((id) => reference.endsWith(id)));
  assert.deepEqual(left, [], "the digests differ");
}

/** As every instance does each day. */
async function compareAll(nodes: readonly Node[]): Promise<void> {
  for (const one of nodes) for (const other of nodes) if (one !== other) await one.turn(other, { reconcile: true });
}

const isKept = ({ isForgotten }: Known) => !isForgotten;
/** A relation is shown only where both ends are. */
const isShowable = (one: Known) => isKept(one) && !one.isErased && (one.ends ?? []).every(isKept);

async function checkRegisters({ nodes, known }: Play): Promise<void> {
  const ids = new Set(known.filter((one) => !isKept(one)).map(({ id }) => id));
  const registers = await Promise.all(nodes.map(registerOf));
  const kept = registers.map((rows) => rows.filter(({ item }: Json) => !ids.has(item.split("/")[1])));
  for (const other of kept) assert.deepEqual(other, kept[0], "the registers differ");
}

async function checkErased({ nodes, known }: Play): Promise<void> {
  for (const { id } of known.filter(({ isErased }) => isErased)) {
    for (const node of nodes) {
      const rows = await node.rows(
        `select 'unit' from unit where workspace_id = :ws and origin_id = '${id}'
          union all select 'word' from federation_version where workspace_id = :ws and origin_id = '${id}' and word is not null`,
      );
      assert.deepEqual(rows, [], `${id} was erased and is on ${node.id}`);
    }
  }
}

/** One review and one task for each contradiction. */
async function checkQuestions(node: Node): Promise<void> {
  const [{ conflicts, reviews, tasks }] = await node.rows(
    `select (select count(*)::int from federation_conflict where workspace_id = :ws and state = 'contested') as conflicts,
            (select count(*)::int from review_item where workspace_id = :ws and kind = 'federation_conflict'
                and status = 'open' and detail ->> 'kind' is null) as reviews,
            (select count(*)::int from task where workspace_id = :ws and kind = 'conflict_review'
                and status = 'pending') as tasks`,
  );
  assert.deepEqual([reviews, tasks], [conflicts, conflicts], `reviews and tasks of ${node.id}`);
}

async function checkShown({ nodes, known }: Play): Promise<void> {
  const shown = await Promise.all(nodes.map(shownOf));
  for (const { id, origin, type } of known.filter(isShowable)) {
    const all = shown.map((one) => one.get(`${origin.id}/${id}`));
    assert.deepEqual(all, nodes.map(() => all[0]), `the ${type} ${id} is shown differently`);
  }
}

/** What is shown of each item, by where it began. */
async function shownOf(node: Node): Promise<Map<string, Json>> {
  const rows = await node.rows(
    `select i.origin_instance || '/' || i.origin_id as item, encode(i.shown_hash, 'hex') as hash, u.text
       from federation_item i left join unit u on u.workspace_id = i.workspace_id and u.id = i.unit_id
      where i.workspace_id = :ws and i.shown_hash is not null
      union
     select v.origin_instance || '/' || v.origin_id, encode(v.hash, 'hex'), u.text
       from federation_version v left join unit u on u.workspace_id = v.workspace_id and u.id = v.unit_id
      where v.workspace_id = :ws and v.verdict = 'own' and not v.is_deleted and not exists (
        select from federation_item i where i.workspace_id = v.workspace_id and i.origin_instance = v.origin_instance
           and i.origin_id = v.origin_id and i.shown_hash is not null)`,
  );
  return new Map(rows.map(({ item, ...shown }: Json) => [item, shown]));
}

/** People settle each contradiction at some instance that has it, and the instances exchange. */
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
    await takeTurnsUntilQuiet(nodes);
  }
  assert.fail("something is still contested after people settled it 40 times");
}
