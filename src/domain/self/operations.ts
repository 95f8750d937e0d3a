/**
 * The operations of an edit: checked, analysed and embedded outside the transaction, then run inside one after another
 * (see `apply.ts`). They are the operations that callers have, under the rights of an agent.
 */
import type { z } from "zod";
import type { OperationContext } from "../../context.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import { checkInput } from "../../schema/field_errors.ts";
import { CreateRelationBody } from "../../schema/relation.ts";
import type { SelfEditOperation } from "../../schema/self_edit.ts";
import type { UnitType } from "../../schema/unit.ts";
import { REGISTRY, typesWhere } from "../kinds/registry.ts";
import type { Fill, PreparedAdd } from "../kinds/kind_writing.ts";
import { prepareRelations, writeRelations } from "../relations/write.ts";
import { add, type Apply, change, forget, missing, pin } from "./apply.ts";
import { fillLinks, type Linked, linkReferences, type Made, type Target } from "./references.ts";
import type { AnyUnit } from "./targets.ts";

export interface PreparedOperation {
  readonly target: Target | undefined;
  /** The target as it was read, if it existed. */
  readonly seen: AnyUnit | undefined;
  /** The names of the locks that writers of the same units take. */
  readonly names: readonly string[];
  readonly apply: Apply;
}

/** An operation that is ready, or the refusal. */
export type Ready = PreparedOperation | { readonly refusal: ServiceError };

/**
 * Prepares operations. One that cannot be carried out carries its refusal, so that the others are not held up.
 * @throws ServiceError `validation_failed` when a reference is wrong, which makes the whole edit meaningless.
 */
export async function prepareOperations(
  ctx: OperationContext,
  operations: readonly SelfEditOperation[],
): Promise<Ready[]> {
  const preparer = await Preparer.create(ctx, operations, new Map());
  await preparer.prepareAdds();
  const ready: Ready[] = [];
  for (const [index, operation] of operations.entries()) ready.push(await preparer.prepare(index, operation));
  return ready;
}

/** Prepares one operation again, after the earlier operations of its edit are done. */
export async function prepareAgain(
  ctx: OperationContext,
  operations: readonly SelfEditOperation[],
  index: number,
  made: Made,
): Promise<Ready> {
  const preparer = await Preparer.create(ctx, operations, made);
  await preparer.prepareAdds(index);
  return await preparer.prepare(index, operations[index]!);
}

class Preparer {
  readonly #adds = new Map<number, PreparedAdd | { readonly refusal: ServiceError }>();
  /** Bodies after the earlier operations, by id or place. */
  readonly #bodies = new Map<string | number, object>();

  private constructor(
    readonly ctx: OperationContext,
    readonly operations: readonly SelfEditOperation[],
    readonly linked: Linked,
    readonly found: ReadonlyMap<string, AnyUnit>,
  ) {}

  static async create(ctx: OperationContext, operations: readonly SelfEditOperation[], made: Made): Promise<Preparer> {
    const linked = linkReferences(operations);
    // Units that are made already count like any other unit.
    const targets = linked.targets.map((target): Target | undefined => {
      const known = target !== undefined && "position" in target ? made.get(target.position) : undefined;
      return known === undefined ? target : { id: known.id };
    });
    const ids = new Set(targets.flatMap((target) => target !== undefined && "id" in target ? [target.id] : []));
    const found = ids.size === 0 ? [] : await ctx.tx((tx) => findUnits(tx, [...ids]), { readOnly: true });
    return new Preparer(ctx, operations, { ...linked, targets }, new Map(found.map((unit) => [unit.id, unit])));
  }

  /**
   * Prepares all units that the edit adds, the units of each type together; with `only`, the unit of that operation.
   */
  async prepareAdds(only?: number): Promise<void> {
    const parsed: { index: number; type: UnitType; body: unknown }[] = [];
    for (const [index, operation] of this.operations.entries()) {
      if (operation.op !== "add" || (only ?? index) !== index) continue;
      const { type } = operation;
      const body = parse(REGISTRY[type].create, this.linked.bodies[index], index, "body");
      if (body instanceof ServiceError) this.#adds.set(index, { refusal: body });
      else parsed.push({ index, type, body });
    }
    for (const [type, own] of Map.groupBy(parsed, (add) => add.type)) {
      const prepared = await REGISTRY[type].writing.prepareAdds(this.ctx, own.map(({ body }) => body));
      for (const [i, { index }] of own.entries()) {
        const item = prepared[i]!;
        this.#adds.set(index, item);
        if ("body" in item) this.#bodies.set(index, item.body!);
      }
    }
  }

  async prepare(index: number, operation: SelfEditOperation): Promise<Ready> {
    try {
      const target = this.linked.targets[index];
      const seen = target !== undefined && "id" in target ? this.found.get(target.id) : undefined;
      const type = target === undefined ? undefined : this.#typeOf(target);
      const base = { target, seen };
      switch (operation.op) {
        case "add":
          return { ...base, ...this.#add(index, operation.type) };
        case "update":
          return { ...base, ...await this.#update(index, operation, target!, type) };
        case "retract":
          return { ...base, ...await this.#retract(operation, target!, type) };
        case "pin":
        case "unpin":
          return { ...base, names: [], apply: pin(target!, operation.expectedVersion, operation.op === "pin") };
        case "relate":
          return { ...base, ...this.#relate(index) };
        case "forget":
          return { ...base, names: [], apply: forget(target!, operation.expectedVersion, operation.mode) };
      }
    } catch (error) {
      if (error instanceof ServiceError) return { refusal: error };
      throw error;
    }
  }

  #typeOf(target: Target): UnitType | undefined {
    if ("id" in target) return this.found.get(target.id)?.type;
    const operation = this.operations[target.position];
    return operation?.op === "add" ? operation.type : undefined;
  }

  #add(index: number, type: UnitType): Pick<PreparedOperation, "names" | "apply"> {
    const prepared = this.#adds.get(index)!;
    if ("refusal" in prepared) throw prepared.refusal;
    return { names: prepared.names, apply: add(type, prepared, this.#fill) };
  }

  /** Replaces the references in an operation with the ids of the units that earlier operations created. */
  readonly #fill = (made: Made): Fill => (said) => fillLinks(said, this.linked.placeholders, made);

  #relate(index: number): Pick<PreparedOperation, "names" | "apply"> {
    const { op: _, ...said } = this.linked.bodies[index]!;
    const body = parse<CreateRelationBody>(CreateRelationBody, said, index, undefined);
    if (body instanceof ServiceError) throw body;
    const { placeholders } = this.linked;
    return {
      names: [],
      async apply(tx, run) {
        const items = prepareRelations(run.ctx, [fillLinks(body, placeholders, run.made)]);
        const [outcome] = await writeRelations(run.ctx, tx, items);
        if ("refusal" in outcome!) throw outcome.refusal;
        return { outcome: "applied", unit: { id: outcome!.row.id, type: "relation" } };
      },
    };
  }

  async #update(
    index: number,
    { expectedVersion }: { readonly expectedVersion?: number | undefined },
    target: Target,
    type: UnitType | undefined,
  ): Promise<Pick<PreparedOperation, "names" | "apply">> {
    // No visible unit has the id; running the step explains why.
    if (type === undefined) return { names: [], apply: missing(target) };
    const { update } = REGISTRY[type];
    if (update === null) throw new ServiceError("validation_failed", `Cannot update a unit of the type ${type}`);
    const patch = parse<object>(update, this.linked.bodies[index], index, "patch");
    if (patch instanceof ServiceError) throw patch;
    return await this.#change(target, type, patch, expectedVersion);
  }

  async #retract(
    { expectedVersion }: { readonly expectedVersion?: number | undefined },
    target: Target,
    type: UnitType | undefined,
  ): Promise<Pick<PreparedOperation, "names" | "apply">> {
    if (type === undefined) return { names: [], apply: missing(target) };
    const { retraction } = REGISTRY[type].writing;
    if (retraction !== null) return await this.#change(target, type, retraction, expectedVersion);
    const retractable = typesWhere(({ writing }) => writing.retraction !== null).map((name) => `${name}s`);
    throw new ServiceError(
      "validation_failed",
      `Cannot retract a unit of the type ${type}: only ${retractable.join(" and ")} are retracted`,
    );
  }

  /** The text of a unit comes from its whole body, after the earlier operations. */
  async #change(
    target: Target,
    type: UnitType,
    patch: object,
    expectedVersion: number | undefined,
  ): Promise<Pick<PreparedOperation, "names" | "apply">> {
    const key = "id" in target ? target.id : target.position;
    const body = this.#bodies.get(key) ?? ("id" in target ? this.found.get(target.id)!.body : undefined);
    const prepared = await REGISTRY[type].writing.prepareChange(this.ctx, patch, body);
    if (prepared.body !== undefined) this.#bodies.set(key, prepared.body);
    return { names: prepared.names, apply: change(target, expectedVersion, prepared, this.#fill) };
  }
}

/** The parsed body, or the refusal with the places of its errors. */
function parse<T>(schema: z.ZodType, said: unknown, index: number, member: string | undefined): T | ServiceError {
  const checked = checkInput(schema, said, "operations", index, ...(member === undefined ? [] : [member]));
  if (checked.faults === undefined) return checked.data as T;
  const errors = checked.faults.list();
  const message = `Cannot accept operation ${index}: ${errors[0]!.path}: ${errors[0]!.message}`;
  return new ServiceError("validation_failed", message, { errors });
}
