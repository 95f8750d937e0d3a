/** Playing a history: instances that write, edit, relate and erase, and a way between them that is not to be relied on. */
import { createContext } from "../../src/context.ts";
import { archive as archiveRow } from "../../src/domain/unit/archive.ts";
import { findUnits } from "../../src/db/queries/units.ts";
import type { IncomingItem } from "../../src/domain/federation/applying/incoming.ts";
import { receiveItems } from "../../src/domain/federation/applying/receive.ts";
import { forgetFact } from "../../src/domain/kinds/facts/lifecycle.ts";
import { REGISTRY } from "../../src/domain/kinds/registry.ts";
import { findOrCreateEntity } from "../../src/domain/kinds/entities/create.ts";
import { updateEntity } from "../../src/domain/kinds/entities/read.ts";
import { createRelation } from "../../src/domain/relations/create.ts";
import { archiveRelation, updateRelation } from "../../src/domain/relations/update.ts";
import { createUnit } from "../../src/domain/unit/create.ts";
import { forgetUnit } from "../../src/domain/unit/lifecycle.ts";
import { updateUnit } from "../../src/domain/unit/update.ts";
import { ServiceError } from "../../src/errors.ts";
import { CreateEntityBody } from "../../src/schema/entity.ts";
import { CreateRelationBody } from "../../src/schema/relation.ts";
import { ForgetBody, type UnitType } from "../../src/schema/unit.ts";
import { LIFECYCLE_FACES } from "../http/_lifecycle.ts";
import { Crash, crashingAt } from "./_crash.ts";
import type { Json, Node } from "./_exchange.ts";
import { randomOf } from "./_histories.ts";
import type { Fate, Net } from "./_net.ts";
import type { History, Step } from "./_plan.ts";
import type { Backups, Snapshot } from "./_snapshot.ts";

interface Message {
  readonly from: Node;
  readonly to: Node;
  readonly item: IncomingItem;
}

/** Something that was made, wherever it is now. */
export interface Known {
  readonly id: string;
  readonly type: UnitType | "relation";
  readonly origin: Node;
  isErased: boolean;
  /** Where it began, a backup was restored since in which it was not there, or not erased. */
  isForgotten: boolean;
  /** What a relation connects. */
  readonly ends?: readonly Known[];
}

const ITEMS_MAX = 5;
/** Beyond the last statement of a batch nothing breaks off. */
const STATEMENTS_MAX = 45;

type Random = () => number;

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!;
}

/** What no other text is like. */
function words(random: Random): string {
  return Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32).toString(36)).join(" ");
}

export class Play {
  readonly known: Known[] = [];
  readonly #late: Message[] = [];
  #made = 0;
  #backup: { snapshot: Snapshot; node: Node; known: readonly Known[]; erased: ReadonlySet<Known> } | undefined;
  isRestored = false;

  constructor(
    readonly nodes: readonly Node[],
    readonly history: History,
    readonly net: Net,
    readonly backupsOf: (node: Node) => Backups,
  ) {}

  async run(): Promise<void> {
    for (const step of this.history.steps) {
      const random = randomOf(step.seed);
      await this.#step(step, this.nodes[step.node % this.nodes.length]!, random);
      await this.#deliverSome(random);
    }
    const random = randomOf(this.history.seed);
    for (const message of this.#late.splice(0).sort(() => random() - 0.5)) await this.#deliver(message);
  }

  async #step({ kind }: Step, node: Node, random: Random): Promise<void> {
    const other = pick(random, this.nodes.filter((one) => one !== node));
    switch (kind) {
      case "create":
        return await this.#create(node, random);
      case "change":
        return await this.#change(node, random);
      case "relate":
        return await this.#relate(node, random);
      case "erase":
        return await this.#erase(random);
      case "send":
        return await this.#send(node, other, random);
      case "crash":
        return await this.#crash(node, other, random);
      case "turn":
        this.net.fateOf = () => pick<Fate>(random, ["arrives", "arrives", "arrives twice", "is lost", "reply is lost"]);
        await node.turn(other);
        this.net.fateOf = () => "arrives";
        return;
      case "repair":
        return await this.#repair(node, other, random);
      case "back up":
        return await this.#backUp(node);
      case "restore":
        return await this.#restore();
    }
  }

  #text(random: Random): string {
    return random() < 0.1 ? "The marker says the same" : `The marker of history says ${this.#made++} ${words(random)}`;
  }

  #note(known: Omit<Known, "isErased" | "isForgotten">): void {
    if (this.known.some(({ id }) => id === known.id)) return;
    this.known.push({ ...known, isErased: false, isForgotten: false });
  }

  async #create(node: Node, random: Random): Promise<void> {
    if (this.known.length >= ITEMS_MAX) return await this.#change(node, random);
    const text = this.#text(random);
    const dice = random();
    if (dice < 0.5) {
      const attribution = random() < this.history.setting.protects ? "user_stated" : "agent_stated";
      const { id } = await node.createFact({ statement: text, attribution });
      return this.#note({ id, type: "fact", origin: node });
    }
    if (dice < 0.7) {
      const body = { canonicalName: `Marker ${this.#made++} ${words(random)}`, entityType: "concept" };
      const { id } = await findOrCreateEntity(node.ctx, CreateEntityBody.parse(body));
      return this.#note({ id, type: "entity", origin: node });
    }
    const { type, body } = pick(random, LIFECYCLE_FACES);
    const { kind, create } = REGISTRY[type] as Json;
    const named = Object.keys(body)[0]!;
    const name = type === "skill" ? `marker-${this.#made++}` : text;
    const { id } = await createUnit<Json, Json, Json>(node.ctx, kind, create.parse({ ...body, [named]: name }));
    this.#note({ id, type, origin: node });
  }

  /** What is not here, or cannot be changed as it is, is not changed. */
  async #change(node: Node, random: Random): Promise<void> {
    if (this.known.length === 0) return;
    const { id, type } = pick(random, this.known);
    const isRetracted = random() < 0.15;
    await this.#changeAs(node, type, id, isRetracted, random).catch(ignoreRefusal);
  }

  async #changeAs({ ctx, ...node }: Node, type: Known["type"], id: string, isPutAway: boolean, random: Random) {
    const tags = [`t${this.#made++}`];
    if (type === "relation") {
      if (isPutAway) return void await archiveRelation(ctx, id, undefined);
      return void await updateRelation(ctx, id, { tags, weight: Math.floor(random() * 100) / 100 } as Json, undefined);
    }
    if (type === "fact") {
      const body = isPutAway ? { status: "retracted" } : { statement: this.#text(random) };
      return void await this.nodes.find((one) => one.id === node.id)!.patchFact(id, body);
    }
    if (type === "entity") return void await updateEntity(ctx, id, { tags } as Json, undefined);
    const { kind, update } = REGISTRY[type] as Json;
    if (isPutAway || update === null) {
      return void await ctx.tx(async (tx) => {
        const [row] = await findUnits(tx, [id], { lock: "update" });
        if (row !== undefined && row.status !== "archived") await archiveRow(tx, row, { reason: "put away" });
      });
    }
    await updateUnit<Json, Json, Json, Json>(ctx, kind, id, update.parse({ tags }), undefined);
  }

  async #relate(node: Node, random: Random): Promise<void> {
    const ends = this.known.filter(({ type, isErased }) => type !== "relation" && !isErased);
    if (ends.length < 2 || this.known.length > ITEMS_MAX) return await this.#change(node, random);
    const [source, target] = [pick(random, ends), pick(random, ends)];
    if (source === target) return;
    const body = { verb: "related_to", sourceId: source.id, targetId: target.id };
    const made = await createRelation(node.ctx, CreateRelationBody.parse(body)).catch(ignoreRefusal);
    if (made?.isNew) this.#note({ id: made.relation.id, type: "relation", origin: node, ends: [source, target] });
  }

  async #erase(random: Random): Promise<void> {
    const units = this.known.filter(({ type, isErased }) => type !== "relation" && !isErased);
    if (units.length === 0) return;
    const known = pick(random, units);
    await this.erase(known);
  }

  async erase(known: Known): Promise<void> {
    const { ctx } = known.origin;
    const { kind } = REGISTRY[known.type as UnitType] as Json;
    const body = ForgetBody.parse({ mode: "erase" });
    const done =
      await (known.type === "fact" ? forgetFact(ctx, known.id, body) : forgetUnit(ctx, kind, known.id, body, undefined))
        .catch(ignoreRefusal);
    // A restore may have lost it.
    if (done === undefined) return;
    known.isErased = true;
  }

  async #send(to: Node, from: Node, random: Random): Promise<void> {
    for (const item of await from.serve(to.id)) {
      if (random() < 0.3) continue;
      for (let copies = random() < 0.2 ? 2 : 1; copies > 0; copies--) this.#late.push({ from, to, item });
    }
  }

  async #crash(to: Node, from: Node, random: Random): Promise<void> {
    const items = await from.serve(to.id);
    const as = to.as(from.id);
    const ctx = createContext(crashingAt(as.deps, 1 + Math.floor(random() * STATEMENTS_MAX)), as, as);
    await receiveItems(ctx, from.id, items).catch((error) => {
      if (!(error instanceof Crash) && !(error?.cause instanceof Crash)) throw error;
    });
  }

  async #repair(node: Node, other: Node, random: Random): Promise<void> {
    const of = `workspace_id = :ws and writer = '${other.id}' and not is_deleted and verdict in ('shown', 'equal')`;
    const rows = await node.rows(`select origin_id as id from federation_version where ${of} order by origin_id`);
    // What one lost and the other's backup does not know of is known to nobody.
    if (rows.length > 0 && !this.isRestored) {
      const { id } = pick<Json>(random, rows);
      await node.rows(`delete from federation_version where ${of} and origin_id = '${id}'`);
    }
    await node.turn(other, { reconcile: true });
  }

  async #backUp(node: Node): Promise<void> {
    const snapshot = await this.backupsOf(node).take(node.workspaceId);
    const erased = new Set(this.known.filter(({ isErased }) => isErased));
    this.#backup = { snapshot, node, known: [...this.known], erased };
  }

  /** What was made there since is nobody's; what was erased there since lives there again. */
  async #restore(): Promise<void> {
    if (this.#backup === undefined) return;
    const { snapshot, node, known, erased } = this.#backup;
    await snapshot.restore();
    this.isRestored = true;
    for (const one of this.known) {
      if (one.origin === node && (!known.includes(one) || one.isErased !== erased.has(one))) one.isForgotten = true;
    }
  }

  async #deliverSome(random: Random): Promise<void> {
    while (this.#late.length > 0 && random() < 0.7) {
      const [message] = this.#late.splice(Math.floor(random() * this.#late.length), 1);
      if (random() >= 0.2) await this.#deliver(message!);
    }
  }

  async #deliver({ from, to, item }: Message): Promise<void> {
    await to.receive(from.id, [item]);
  }
}

export function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.status >= 500) throw error;
}
