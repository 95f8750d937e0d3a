/**
 * References of an edit's operations to units that earlier ones add: `$2` by place, `$home` by the name in an `add`.
 *
 * Ids are assigned when units are stored, so until then each has a placeholder id, which the schemas accept like any
 * id.
 */
import { type FieldError, ServiceError } from "../../errors.ts";
import { Id } from "../../schema/common.ts";
import { isReference, type SelfEditOperation } from "../../schema/self_edit.ts";

/** Members of bodies that hold ids of units. */
const LINKS = ["derivedFrom", "evidenceIds", "factIds", "entityIds"] as const;

/** Members of relations and facts that hold one id each. */
const ENDS = ["sourceId", "targetId", "supersedes"] as const;

/** The target of an operation: an existing unit, or the one that the operation at a place adds. */
export type Target = { readonly id: string } | { readonly position: number };

/** The units that operations have made so far, by place. */
export type Made = ReadonlyMap<number, { readonly id: string; readonly type: string }>;

export interface Linked {
  readonly targets: readonly (Target | undefined)[];
  /** The bodies and patches with placeholders in them, by place. */
  readonly bodies: readonly (Readonly<Record<string, unknown>> | undefined)[];
  /** Places by placeholder. */
  readonly placeholders: ReadonlyMap<string, number>;
}

/** @throws ServiceError `validation_failed` for a reference to nothing that comes before, or a name given twice. */
export function linkReferences(operations: readonly SelfEditOperation[]): Linked {
  const errors: FieldError[] = [];
  const places = new Map<string, number>();
  const placeholders = new Map<string, number>();
  const placeholderOf = new Map<number, string>();
  const find = (reference: string, path: string): number | undefined => {
    const place = places.get(reference);
    if (place === undefined) {
      errors.push({ path, message: `${reference} does not refer to an earlier add of this edit` });
    }
    return place;
  };
  const standIn = (place: number): string => {
    const known = placeholderOf.get(place);
    if (known !== undefined) return known;
    // A placeholder, which is never stored.
    const id = crypto.randomUUID();
    placeholderOf.set(place, id);
    placeholders.set(id, place);
    return id;
  };
  const targets: (Target | undefined)[] = [];
  const bodies: (Readonly<Record<string, unknown>> | undefined)[] = [];
  operations.forEach((operation, index) => {
    const path = `operations.${index}`;
    targets.push("id" in operation ? toTarget(operation.id, (text) => find(text, `${path}.id`)) : undefined);
    const member = operation.op === "add" ? ".body" : operation.op === "update" ? ".patch" : "";
    const said = saidBy(operation);
    bodies.push(
      said && mapLinks(said, (text, link) => {
        const place = isReference(text) ? find(text, `${path}${member}.${link}`) : undefined;
        return place === undefined ? text : standIn(place);
      }),
    );
    if (operation.op !== "add") return;
    places.set(`$${index + 1}`, index);
    if (operation.ref === undefined) return;
    if (places.has(`$${operation.ref}`)) errors.push({ path: `${path}.ref`, message: "was given to an earlier add" });
    places.set(`$${operation.ref}`, index);
  });
  if (errors.length > 0) {
    throw new ServiceError("validation_failed", `Cannot edit: ${errors[0]!.path}: ${errors[0]!.message}`, { errors });
  }
  return { targets, bodies, placeholders };
}

/** The part of an operation that holds ids of other units. */
function saidBy(operation: SelfEditOperation): Readonly<Record<string, unknown>> | undefined {
  if (operation.op === "add") return operation.body;
  if (operation.op === "relate") return operation;
  return operation.op === "update" ? operation.patch : undefined;
}

function toTarget(text: string, find: (reference: string) => number | undefined): Target | undefined {
  if (!isReference(text)) return { id: text };
  const position = find(text);
  return position === undefined ? undefined : { position };
}

function mapLinks<T extends object>(said: T, map: (text: string, path: string) => string): T {
  const next: Record<string, unknown> = { ...said as Record<string, unknown> };
  for (const name of LINKS) {
    const ids = next[name];
    if (!Array.isArray(ids)) continue;
    next[name] = ids.map((id, i) => typeof id === "string" ? map(id, `${name}.${i}`) : id);
  }
  for (const name of ENDS) {
    const id = next[name];
    if (typeof id === "string") next[name] = map(id, name);
  }
  return next as T;
}

/**
 * A body in which the ids of the created units replace the placeholders.
 * @throws ServiceError `conflict` when a unit that it refers to was not created.
 */
export function fillLinks<T extends object>(said: T, placeholders: ReadonlyMap<string, number>, made: Made): T {
  if (placeholders.size === 0) return said;
  return mapLinks(said, (text) => {
    const place = placeholders.get(text);
    return place === undefined ? text : requireMade(place, made).id;
  });
}

/** All ids that an operation names, except references. */
export function namedIds(operation: SelfEditOperation): string[] {
  const ids = "id" in operation ? [operation.id] : [];
  const said = saidBy(operation);
  if (said !== undefined) {
    mapLinks(said, (id) => {
      ids.push(id);
      return id;
    });
  }
  return ids.filter((id) => !isReference(id) && Id.safeParse(id).success);
}

/** @throws ServiceError `conflict` when the operation at the place made nothing. */
export function requireMade(position: number, made: Made): { readonly id: string; readonly type: string } {
  const unit = made.get(position);
  if (unit !== undefined) return unit;
  throw new ServiceError("conflict", `Cannot refer to operation $${position + 1}: it adds nothing`);
}
