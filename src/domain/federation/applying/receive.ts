/**
 * Receives items that a peer sent, after they were verified and opened. Each becomes an entry of the register, the
 * register decides which version of the item is shown, and the unit is changed accordingly. Items that come twice, late
 * or in another order lead to the same result.
 */
import { createContext, type OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import { VERSION_JUMP_MAX, writeReference } from "../../../schema/federation_item.ts";
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import { hasRoom, readRoom, retryDeferred, toRefusal } from "./deferred.ts";
import { type IncomingItem, type ItemResult, nameOf, type PreparedItem, prepareItems } from "./incoming.ts";
import { loadItems, saveKnown } from "../register/stored_items.ts";
import { type KnownItem, withShown, withUnit, withVersion } from "../register/known_item.ts";
import { withItself } from "../decision/order.ts";
import { beginPublication, lockPublication } from "../register/publish.ts";
import { apply } from "./apply.ts";
import { entering, type ItemAnswer, planItem } from "./receive_item.ts";
import { beholderIn, type DecisionInputs, readSettling } from "./decision_inputs.ts";
import { storeFirst } from "./write_adopted_unit.ts";
import { toldOf } from "./veil.ts";

/** The most items of one transaction. */
const BATCH_ITEMS = 250;
/** A batch does far more than a usual request, so it may take longer. */
const BATCH_DEADLINE_MS = 60_000;
export interface ReceiveOptions {
  /** Used instead of the strategy of the peer's entry, for the items of a job. */
  readonly strategy?: ConflictResolution;
  /** Runs in the transaction of the last items, for example to store how far a pull has come. */
  readonly atEnd?: (tx: Tx) => Promise<void>;
}

/** Items that were checked and analysed, divided among transactions. */
export type PreparedBatches = readonly (readonly PreparedItem[])[];

/**
 * Checks and analyses items of an authenticated peer, without the database.
 * @throws ServiceError `validation_failed` if the peer did not write one of them
 */
export async function prepareBatches(
  ctx: OperationContext,
  peerId: string,
  items: readonly IncomingItem[],
): Promise<PreparedBatches> {
  const other = items.find(({ body }) => body.writer !== peerId);
  if (other !== undefined || peerId === ctx.deps.config.instanceId) {
    throw new ServiceError("validation_failed", "Cannot accept the page: it holds a version of another instance");
  }
  const batches: PreparedItem[][] = [];
  for (const batch of batchesOf(items)) batches.push(await prepareItems(ctx, batch));
  return batches;
}

/** Stores the batches that `prepareBatches` made for the same peer, in order. Returns the result of each item. */
export async function storeBatches(
  ctx: OperationContext,
  peerId: string,
  batches: PreparedBatches,
  options: ReceiveOptions = {},
): Promise<ItemResult[]> {
  if (batches.length > 0) await beginPublication(ctx);
  const receiver = new Receiver(inFull(ctx, peerId), peerId, ctx.maxSensitivity, options);
  const results: ItemResult[] = [];
  for (const [i, batch] of batches.entries()) {
    results.push(...await receiver.receive(batch, i === batches.length - 1 ? options.atEnd : undefined));
  }
  if (batches.length === 0 && options.atEnd !== undefined) await receiver.receive([], options.atEnd);
  await retryDeferred(receiver.ctx, peerId, (tx) => receiver.open(tx));
  return results;
}

/**
 * Receives items of an authenticated peer, in order. Returns the result of each.
 * @throws ServiceError `validation_failed` if the peer did not write one of them; then nothing of the page is stored
 */
export async function receiveItems(
  ctx: OperationContext,
  peerId: string,
  items: readonly IncomingItem[],
  options: ReceiveOptions = {},
): Promise<ItemResult[]> {
  return await storeBatches(ctx, peerId, await prepareBatches(ctx, peerId, items), options);
}

/**
 * The context of the peer with full clearance: an item above the peer's clearance must be seen, or it could be
 * overwritten.
 */
export function inFull(ctx: OperationContext, peerId: string): OperationContext {
  const maxSensitivity = SENSITIVITIES.at(-1) as Sensitivity;
  return createContext(ctx.deps, { ...ctx, actor: `peer:${peerId}`, maxSensitivity }, ctx);
}

/** Splits items into batches, one for each transaction. Two versions of the same item are never in one batch. */
function batchesOf(items: readonly IncomingItem[]): IncomingItem[][] {
  const batches: IncomingItem[][] = [];
  let names = new Set<string>();
  for (const item of items) {
    const name = writeReference(nameOf(item));
    if (batches.length === 0 || batches.at(-1)!.length === BATCH_ITEMS || names.has(name)) {
      batches.push([]);
      names = new Set();
    }
    batches.at(-1)!.push(item);
    names.add(name);
  }
  return batches;
}

class Receiver {
  readonly #peer: string;
  readonly #clearance: Sensitivity;
  readonly #options: ReceiveOptions;

  /** @param clearance of the key with which the peer sent the items */
  constructor(readonly ctx: OperationContext, peer: string, clearance: Sensitivity, options: ReceiveOptions) {
    this.#peer = peer;
    this.#clearance = clearance;
    this.#options = options;
  }

  /**
   * Receives a batch. If an item fails the transaction, each half of the batch is tried alone, until that item stands
   * alone.
   */
  async receive(items: readonly PreparedItem[], atEnd?: (tx: Tx) => Promise<void>): Promise<ItemResult[]> {
    try {
      return await this.ctx.tx(async (tx) => {
        const results = items.length === 0 ? [] : await this.#write(tx, items);
        await atEnd?.(tx);
        return results;
      }, { deadlineMs: BATCH_DEADLINE_MS });
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal === undefined || items.length === 0) throw error;
      const [only] = items;
      if (items.length === 1 && only!.refusal !== undefined) throw error;
      if (items.length === 1) {
        const isUnstorable = !(error instanceof ServiceError);
        return await this.receive([{ ...only!, refusal, isUnstorable }], atEnd);
      }
      const half = Math.ceil(items.length / 2);
      const first = await this.receive(items.slice(0, half));
      return [...first, ...await this.receive(items.slice(half), atEnd)];
    }
  }

  async #write(tx: Tx, items: readonly PreparedItem[]): Promise<ItemResult[]> {
    const settling = await this.open(tx);
    const wanted = items.map((item) => ({ name: nameOf(item), type: item.type, unit: readableUnit(item) }));
    const known = await loadItems(this.ctx, tx, wanted);
    const room = await readRoom(this.ctx, tx, this.#peer, items.length);
    const results: ItemResult[] = [];
    const { instanceId } = this.ctx.deps.config;
    const beholder = beholderIn(settling);
    const add = (item: PreparedItem, answer: ItemAnswer, after: KnownItem) =>
      results.push(toResult(item, { ...answer, told: toldOf(answer.outcome, item, after, instanceId, beholder) }));
    let firsts: First[] = [];
    const flush = async () => {
      for (const [reference, stored] of await storeFirsts(settling, firsts)) known.set(reference, stored);
      firsts = [];
    };
    for (const item of items) {
      const reference = writeReference(nameOf(item));
      const before = known.get(reference)!;
      if (isFirstFact(item, before) && hasRoom({ ...room, conflicts: 0 })) {
        add(item, { outcome: "applied" }, before);
        firsts.push({ item, known: before });
        continue;
      }
      await flush();
      const { effects, answer } = planItem(settling, item, before, room);
      const after = await apply(settling, before, effects);
      known.set(reference, after);
      add(item, answer(after), after);
    }
    await flush();
    await saveKnown(tx, known.values());
    this.#audit(tx, results, known);
    return results;
  }

  /** Reads what a decision in this transaction needs to know. */
  async open(tx: Tx): Promise<DecisionInputs> {
    // This lock comes first, because the decision may publish a version, and is compared with published ones.
    await lockPublication(tx);
    const { strategy } = this.#options;
    return await readSettling(this.ctx, tx, this.#peer, { strategy, keyClearance: this.#clearance });
  }

  #audit(tx: Tx, results: readonly ItemResult[], known: ReadonlyMap<string, KnownItem>): void {
    const written = results.filter(({ outcome }) => outcome !== "duplicate" && outcome !== "unchanged");
    if (written.length === 0) return;
    const targets = written.map(({ instance, id }) => known.get(writeReference({ instance, id }))!.row.unitId);
    const outcomes = Object.fromEntries(
      [...Map.groupBy(written, ({ outcome }) => outcome)].map(([outcome, some]) => [outcome, some.length]),
    );
    const detail = { peer: this.#peer, outcomes };
    tx.audit({ eventType: `write.${this.ctx.operationId}`, targets, detail });
  }
}

/** The content for finding references; null if this build cannot read it. */
function readableUnit({ refusal, body }: PreparedItem) {
  return refusal === undefined ? body.unit : null;
}

interface First {
  readonly item: PreparedItem;
  readonly known: KnownItem;
}

/** Whether an item is a fact of which nothing is known here. Many of these are stored together. */
function isFirstFact({ type, isDeleted, body, refusal }: PreparedItem, known: KnownItem): boolean {
  return type === "fact" && !isDeleted && body.unit !== null && refusal === undefined && !known.isErased &&
    known.versions.size === 0 && known.shown === undefined && known.unit === undefined &&
    known.relation === undefined &&
    body.version <= VERSION_JUMP_MAX && Object.keys(body.seen).length === 0;
}

/** Stores and shows facts of which nothing was known. Returns what is known of them then, by reference. */
async function storeFirsts(settling: DecisionInputs, firsts: readonly First[]): Promise<[string, KnownItem][]> {
  if (firsts.length === 0) return [];
  const { now } = settling.tx;
  const stored = await storeFirst(
    settling,
    firsts.map(({ item: { body, text, authored }, known: { name, row } }) => (
      { name, type: "fact", content: body.unit!, text, authored, id: row.unitId }
    )),
  );
  return firsts.map(({ item, known }, i) => {
    const { unit, isStandIn } = stored[i]!;
    const { body, hash } = item;
    const there = withUnit(known, unit, isStandIn);
    const { entry, content } = entering(there, item, "shown", isStandIn ? body.unit : null, now);
    const context = withItself({ ...body, hash, updatedAt: now, isDeleted: false });
    const dot = { writer: body.writer, version: body.version };
    const shown = withShown(withVersion(there, entry, content), { hash, dot, context, settled: {}, isOwn: false });
    return [writeReference(known.name), shown];
  });
}

function toResult({ body }: PreparedItem, { told, ...outcome }: ItemAnswer): ItemResult {
  return {
    id: body.origin.id,
    instance: body.origin.instance,
    version: body.version,
    ...outcome,
    ...(told && { told }),
  };
}
