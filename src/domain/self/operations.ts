/**
 * The operations of an edit: checked, analysed and embedded outside the transaction, then carried out inside (see
 * `apply.ts`), one after another. They are the operations that callers have by themselves, under the rights of an agent.
 */
import type { z } from "zod";
import type { OperationContext } from "../../context.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { CreateEntityBody } from "../../schema/entity.ts";
import type { CreateFactBody, UpdateFactBody } from "../../schema/fact.ts";
import { checkInput } from "../../schema/field_errors.ts";
import { CreateRelationBody } from "../../schema/relation.ts";
import type { SelfEditOperation } from "../../schema/self_edit.ts";
import type { UnitInput, UnitType } from "../../schema/unit.ts";
import { type PreparedFact, prepareFacts } from "../kinds/facts/claims.ts";
import { derivedColumns, type FactRow } from "../kinds/facts/fields.ts";
import { namesOf } from "../kinds/facts/settle.ts";
import { prepareFactUpdate } from "../kinds/facts/update.ts";
import { findOrCreateEntities, prepareEntities } from "../kinds/entities/mod.ts";
import { REGISTRY } from "../kinds/registry.ts";
import { type AnyKind, insertUnit, type KindPatch, prepareUnit } from "../unit/mod.ts";
import { type PreparedText, prepareTexts } from "../unit/indexing.ts";
import { prepareRelations, writeRelations } from "../relations/mod.ts";
import { requireClaimable, requireClearance } from "../unit/trust.ts";
import { addFact, type Apply, changeFact, changeUnit, forget, missing, NOT_A_FACT, pin } from "./apply.ts";
import { fillLinks, type Linked, linkReferences, type Made, type Target } from "./references.ts";
import type { AnyUnit } from "./targets.ts";

export interface PreparedOperation {
  readonly target: Target | undefined;
  /** The target as it was seen, where it was there. */
  readonly seen: AnyUnit | undefined;
  /** Under which writers of the same facts wait for each other. */
  readonly names: readonly string[];
  readonly apply: Apply;
}

/** An operation that is ready, or why it is refused. */
export type Ready = PreparedOperation | { readonly refusal: ServiceError };

/**
 * Readies operations. One that cannot be carried out has its refusal, so that the others are not held up.
 * @throws ServiceError `validation_failed` when a reference is wrong, which makes the whole edit meaningless.
 */
export async function prepareOperations(
  ctx: OperationContext,
  operations: readonly SelfEditOperation[],
): Promise<Ready[]> {
  const preparer = await Preparer.create(ctx, operations, new Map());
  await preparer.prepareNewFacts();
  const ready: Ready[] = [];
  for (const [index, operation] of operations.entries()) ready.push(await preparer.prepare(index, operation));
  return ready;
}

/** Readies one operation anew, of an edit whose earlier ones are done. */
export async function prepareAgain(
  ctx: OperationContext,
  operations: readonly SelfEditOperation[],
  index: number,
  made: Made,
): Promise<Ready> {
  const preparer = await Preparer.create(ctx, operations, made);
  await preparer.prepareNewFacts(index);
  return await preparer.prepare(index, operations[index]!);
}

class Preparer {
  readonly #facts = new Map<number, PreparedFact | { readonly refusal: ServiceError }>();
  /** Bodies as the operations before leave them, by id or place. */
  readonly #bodies = new Map<string | number, object>();

  private constructor(
    readonly ctx: OperationContext,
    readonly operations: readonly SelfEditOperation[],
    readonly linked: Linked,
    readonly found: ReadonlyMap<string, AnyUnit>,
  ) {}

  static async create(ctx: OperationContext, operations: readonly SelfEditOperation[], made: Made): Promise<Preparer> {
    const linked = linkReferences(operations);
    // What is made already is there like any other unit.
    const targets = linked.targets.map((target): Target | undefined => {
      const known = target !== undefined && "position" in target ? made.get(target.position) : undefined;
      return known === undefined ? target : { id: known.id };
    });
    const ids = new Set(targets.flatMap((target) => target !== undefined && "id" in target ? [target.id] : []));
    const found = ids.size === 0 ? [] : await ctx.tx((tx) => findUnits(tx, [...ids]), { readOnly: true });
    return new Preparer(ctx, operations, { ...linked, targets }, new Map(found.map((unit) => [unit.id, unit])));
  }

  /** Embeds the statements of all new facts in one call, or that of one operation alone. */
  async prepareNewFacts(only?: number): Promise<void> {
    const bodies: { index: number; body: CreateFactBody }[] = [];
    for (const [index, operation] of this.operations.entries()) {
      if (operation.op !== "add" || operation.type !== "fact" || (only ?? index) !== index) continue;
      const parsed = parse<CreateFactBody>(REGISTRY.fact.create, this.linked.bodies[index], index, "body");
      if (parsed instanceof ServiceError) this.#facts.set(index, { refusal: parsed });
      else bodies.push({ index, body: parsed });
    }
    const prepared = await prepareFacts(this.ctx, bodies.map(({ body }) => body));
    bodies.forEach(({ index }, i) => this.#facts.set(index, prepared[i]!));
  }

  async prepare(index: number, operation: SelfEditOperation): Promise<Ready> {
    try {
      const target = this.linked.targets[index];
      const seen = target !== undefined && "id" in target ? this.found.get(target.id) : undefined;
      const type = target === undefined ? undefined : this.#typeOf(target);
      const base = { target, seen };
      switch (operation.op) {
        case "add":
          return { ...base, ...await this.#add(index, operation.type) };
        case "update":
          return { ...base, ...await this.#update(index, operation, target!, type) };
        case "retract": {
          if (type !== undefined && type !== "fact") throw new ServiceError("validation_failed", NOT_A_FACT(type));
          const patch = { status: "retracted" } as const;
          return { ...base, names: [], apply: changeFact(target!, operation.expectedVersion, patch, undefined) };
        }
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

  async #add(index: number, type: UnitType): Promise<Pick<PreparedOperation, "names" | "apply">> {
    const { placeholders } = this.linked;
    if (type === "fact") {
      const item = this.#facts.get(index)!;
      if ("refusal" in item) throw item.refusal;
      const said = derivedColumns({ ...NO_TERMS, ...item.body });
      return {
        names: namesOf([said]),
        apply: (tx, run) => addFact(tx, run, { ...item, body: fillLinks(item.body, placeholders, run.made) }),
      };
    }
    const { create, kind } = REGISTRY[type];
    const input = parse<UnitInput>(create, this.linked.bodies[index], index, "body");
    if (input instanceof ServiceError) throw input;
    if (type === "entity") return await this.#addEntity(index, input as CreateEntityBody);
    const prepared = await prepareUnit<object, UnitInput>(this.ctx, kind!, input);
    this.#bodies.set(index, prepared.body);
    return {
      names: [],
      async apply(tx, run) {
        const row = await insertUnit(run.ctx, tx, kind!, {
          ...prepared,
          input: fillLinks(prepared.input, placeholders, run.made),
          body: fillLinks(prepared.body, placeholders, run.made),
        });
        return { outcome: "applied", unit: row };
      },
    };
  }

  /** Entities are found by their names, or made. */
  async #addEntity(index: number, input: CreateEntityBody): Promise<Pick<PreparedOperation, "names" | "apply">> {
    const [prepared] = await prepareEntities(this.ctx, [input]);
    if ("refusal" in prepared!) throw prepared.refusal;
    this.#bodies.set(index, prepared!.unit.body);
    return {
      names: [],
      async apply(tx, run) {
        const [outcome] = await findOrCreateEntities(run.ctx, tx, [prepared!]);
        if ("refusal" in outcome!) throw outcome.refusal;
        return { outcome: "applied", unit: { id: outcome!.row.id, type: "entity" } };
      },
    };
  }

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
    const { ctx, linked: { placeholders } } = this;
    // Nothing that is visible: carrying it out says why.
    if (type === undefined) return { names: [], apply: missing(target) };
    const { update, kind } = REGISTRY[type];
    if (update === null) throw new ServiceError("validation_failed", `Cannot update a unit of the type ${type}`);
    const patch = parse<UpdateFactBody & KindPatch>(update, this.linked.bodies[index], index, "patch");
    if (patch instanceof ServiceError) throw patch;
    if (kind === null) {
      const prepared = await prepareFactUpdate(ctx, patch);
      return {
        names: this.#namesAfter(target, patch),
        apply: (tx, run) =>
          changeFact(target, expectedVersion, fillLinks(patch, placeholders, run.made), prepared)(tx, run),
      };
    }
    if (patch.attribution !== undefined) requireClaimable(ctx, patch.attribution);
    if (patch.sensitivity !== undefined) requireClearance(ctx, patch.sensitivity);
    const prepared = await this.#prepareText(kind, target, patch);
    return {
      names: [],
      apply: (tx, run) =>
        changeUnit(kind, target, expectedVersion, fillLinks(patch, placeholders, run.made), prepared)(tx, run),
    };
  }

  /** The text of a unit is made of its whole body, as the operations before leave it. */
  async #prepareText(kind: AnyKind, target: Target, patch: KindPatch): Promise<PreparedText | undefined> {
    const key = "id" in target ? target.id : target.position;
    const body = this.#bodies.get(key) ?? ("id" in target ? this.found.get(target.id)!.body : undefined);
    if (body === undefined) return undefined;
    const next = kind.patchBody(body, patch, this.ctx.deps.clock());
    this.#bodies.set(key, next);
    const text = kind.textOf(next);
    const [prepared] = await prepareTexts(this.ctx, [{ kind: kind.type, sensitivity: "internal", text }]);
    return prepared;
  }

  /** The names of what a fact says after the patch, as far as it can be known before. */
  #namesAfter(target: Target, patch: UpdateFactBody): string[] {
    if (!("id" in target)) return [];
    const { body } = this.found.get(target.id) as unknown as FactRow;
    const given = Object.fromEntries(
      Object.entries(patch).filter(([name, value]) => value !== undefined && name in body),
    );
    return namesOf([derivedColumns({ ...body, ...given })]);
  }
}

const NO_TERMS = { subject: null, predicate: null, object: null, supersedes: null, supersededBy: null };

/** The parsed body, or the refusal with the places of what is wrong with it. */
function parse<T>(schema: z.ZodType, said: unknown, index: number, member: string | undefined): T | ServiceError {
  const checked = checkInput(schema, said, "operations", index, ...(member === undefined ? [] : [member]));
  if (checked.faults === undefined) return checked.data as T;
  const errors = checked.faults.list();
  const message = `Cannot accept operation ${index}: ${errors[0]!.path}: ${errors[0]!.message}`;
  return new ServiceError("validation_failed", message, { errors });
}
