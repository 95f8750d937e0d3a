/**
 * The shared form of an item: what it says and how its author holds it, the same on every instance that has it. Who
 * believes it how much, how often it was used and what else is this instance's own are no part of it, nor are numbers of
 * versions. Its hash, and not that of its content alone, tells two versions apart: closing a validity has to travel.
 */
import { contentHash } from "../../crypto/hash.ts";
import type { UnitRow } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import {
  type ItemName,
  type ItemType,
  readReference,
  SHARED_MEMBERS,
  SharedMembers,
  type WireType,
} from "../../schema/federation_item.ts";
import { checkInput, invalidInput } from "../../schema/field_errors.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { DerivedColumns, TransferRules } from "../kinds/entry.ts";
import { mapTypes, REGISTRY } from "../kinds/registry.ts";
import { mapReferences, type ReferencePath, referencePaths } from "../transfer/references.ts";
import { findTooLong } from "../transfer/units.ts";
import { readRelation, RELATION_REFERENCES, type SaidRelation } from "./relation_form.ts";

/** What an item says, with references as they travel. */
export type SharedForm = Readonly<Record<string, unknown>>;

/** The lower-case hex hash of a version: of what it says, or of that it is erased or withdrawn. */
export function hashItem(type: WireType, origin: ItemName, unit: SharedForm | null, isWithdrawn = false): string {
  const { instance, id } = origin;
  return contentHash({ type, origin: { instance, id }, unit, ...(isWithdrawn && { withdrawn: true }) });
}

/** How units of one type are shared; from the rules by which they travel in a file. */
interface Shape {
  readonly transfer: TransferRules;
  readonly references: readonly ReferencePath[];
  /** Sessions do not travel: where the body names them. */
  readonly sessions: readonly ReferencePath[];
  readonly unordered: readonly string[];
}

const SHAPES = mapTypes((type): Shape => {
  const { transfer } = REGISTRY[type];
  const all = referencePaths(transfer.body);
  const references = all.filter((path) => path.at(-1) !== "sessionId");
  const lists = references.filter((path) => path.length === 2 && path[1] === "*").map((path) => path[0]!);
  return {
    transfer,
    references,
    sessions: all.filter((path) => path.at(-1) === "sessionId"),
    unordered: [...lists, ...transfer.unordered ?? []],
  };
});

/** The ids of everything that a unit names. */
export function namedByUnit(row: UnitRow, given: readonly string[]): string[] {
  const ids: string[] = [...row.derivedFrom, ...given];
  mapReferences(row.body, SHAPES[row.type].references, (id) => (ids.push(id), id));
  return ids;
}

/**
 * What a unit says.
 * @param given the entities that its author named; those that its text alone names are found anew by who reads it
 * @param write a reference for an id of this instance
 */
export function unitForm(row: UnitRow, given: readonly string[], write: (id: string) => string): SharedForm {
  const { transfer, references, sessions, unordered } = SHAPES[row.type];
  let body: Record<string, unknown> = { ...row.body };
  for (const name of [...transfer.computed ?? [], ...Object.keys(transfer.unshared ?? {})]) delete body[name];
  for (const path of sessions) body = dropAt(body, path) as Record<string, unknown>;
  body = mapReferences(body, references, write) as Record<string, unknown>;
  for (const name of unordered) if (Array.isArray(body[name])) body[name] = toSet(body[name]);
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  return {
    ...body,
    state: SEEN_AS[row.status] ?? row.status,
    sensitivity: row.sensitivity,
    confidence: row.confidence,
    tags: toSet(row.tags),
    metadata: row.metadata,
    validFrom: iso(row.validFrom),
    validTo: iso(row.validTo),
    occurredAt: iso(row.occurredAt),
    expiresAt: iso(row.expiresAt),
    derivedFrom: toSet(row.derivedFrom.map(write)),
    entities: toSet(given.map(write)),
  };
}

/** States that say what this instance made of a unit: others see what they make of it. */
const SEEN_AS: Readonly<Record<string, string>> = { contested: "active", expired: "active", merged: "archived" };

function toSet(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function dropAt(value: unknown, [name, ...rest]: ReferencePath): unknown {
  if (name === undefined || value === null || typeof value !== "object") return value;
  if (name === "*") return Array.isArray(value) ? value.map((item) => dropAt(item, rest)) : value;
  const { [name]: member, ...kept } = value as Record<string, unknown>;
  if (member === undefined) return value;
  return rest.length === 0 ? kept : { ...value, [name]: dropAt(member, rest) };
}

function hasAt(value: unknown, [name, ...rest]: ReferencePath): boolean {
  if (name === undefined || value === null || typeof value !== "object") return false;
  if (name === "*") return Array.isArray(value) && value.some((item) => hasAt(item, rest));
  if (!Object.hasOwn(value, name)) return false;
  return rest.length === 0 || hasAt((value as Record<string, unknown>)[name], rest);
}

function pathsOf(type: ItemType): readonly ReferencePath[] {
  return type === "relation"
    ? RELATION_REFERENCES
    : [["derivedFrom", "*"], ["entities", "*"], ...SHAPES[type].references];
}

/**
 * The items that a form names. Whoever stores it gives each of them an id here.
 * @throws ServiceError `validation_failed` for a reference that is none
 */
export function referencesOf(type: ItemType, unit: SharedForm): ItemName[] {
  const found: ItemName[] = [];
  mapReferences(unit, pathsOf(type), (text) => (found.push(requireReference(text)), text));
  return found;
}

function requireReference(text: string): ItemName {
  const name = readReference(text);
  if (name === undefined) throw invalidInput({ path: "unit", message: "holds a reference that names no item" });
  return name;
}

/** What a unit of a peer says, as columns of `unit`. */
export interface SaidColumns extends DerivedColumns {
  readonly status: string;
  readonly sensitivity: UnitRow["sensitivity"];
  readonly confidence: number;
  readonly tags: readonly string[];
  readonly metadata: UnitRow["metadata"];
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly occurredAt: Date | null;
  readonly expiresAt: Date | null;
  readonly derivedFrom: readonly string[];
  readonly entityIds: readonly string[];
  readonly tripleKey: string | null;
  readonly body: UnitRow["body"];
  readonly evidenceIds: readonly string[];
}

/**
 * What a form says, held against the schemas of its type.
 * @param read the id that an item has here
 * @throws ServiceError `validation_failed`
 */
export function readUnitForm(type: UnitType, unit: SharedForm, read: (name: ItemName) => string): SaidColumns {
  const { data: common, faults } = checkInput(SharedMembers, unit, "unit");
  if (faults) throw invalidInput(faults);
  const { transfer } = SHAPES[type];
  if (!transfer.statuses.includes(common.state) || Object.hasOwn(SEEN_AS, common.state)) {
    throw invalidInput({ path: "unit.state", message: `is no state in which a ${type} travels` });
  }
  const local = mapReferences(unit, pathsOf(type), (text) => read(requireReference(text))) as SharedForm;
  const derived = transfer.derive(readBody(SHAPES[type], local));
  if (derived.text.trim() === "") throw new ServiceError("validation_failed", "Cannot store a unit that says nothing");
  const time = (text: string | null) => text === null ? null : new Date(text);
  return {
    status: common.state,
    sensitivity: common.sensitivity,
    confidence: common.confidence,
    tags: [...new Set(common.tags)],
    metadata: common.metadata,
    validFrom: time(common.validFrom),
    validTo: time(common.validTo),
    occurredAt: time(common.occurredAt),
    expiresAt: time(common.expiresAt),
    derivedFrom: [...new Set(local["derivedFrom"] as string[])],
    entityIds: [...new Set(local["entities"] as string[])],
    ...derived,
    tripleKey: derived.tripleKey ?? null,
    body: derived.body as UnitRow["body"],
    evidenceIds: transfer.evidenceOf?.(derived.body) ?? [],
  };
}

/**
 * What the form of a relation says, held against its schema.
 * @param read the id that an item has here
 * @throws ServiceError `validation_failed`
 */
export function readRelationForm(unit: SharedForm, read: (name: ItemName) => string): SaidRelation {
  return readRelation(mapReferences(unit, RELATION_REFERENCES, (text) => read(requireReference(text))));
}

/** The members of the type, whole: with those that no peer tells. */
function readBody({ transfer, sessions }: Shape, local: SharedForm): object {
  const { unshared = {} } = transfer;
  const told = Object.fromEntries(Object.entries(local).filter(([name]) => !SHARED_MEMBERS.has(name)));
  const untold = Object.keys(unshared).find((name) => Object.hasOwn(told, name));
  if (untold !== undefined) throw invalidInput({ path: `unit.${untold}`, message: "does not travel" });
  if (sessions.some((path) => hasAt(told, path))) {
    throw invalidInput({ path: "unit", message: "names a session: sessions do not travel" });
  }
  const instead = Object.entries(unshared).filter(([, value]) => value !== undefined);
  const without = sessions.filter((path) => path.length === 1).map(([name]) => [name, null] as const);
  const whole = { ...told, ...Object.fromEntries(instead), ...Object.fromEntries(without) };
  const { data, faults } = checkInput(transfer.body, whole, "unit");
  if (faults) throw invalidInput(faults);
  const tooLong = findTooLong(data, ["unit"]);
  if (tooLong !== undefined) throw invalidInput({ path: tooLong.path.join("."), message: tooLong.message });
  return data;
}
