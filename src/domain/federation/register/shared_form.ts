/**
 * The shared form of an item: its content and the members that its author sets, the same on every instance. Each
 * instance's own judgement (trust, worth, use) and its local version numbers are not part of it. Versions are told
 * apart by the hash of this form and not by that of the content alone, because a change such as the end of a validity
 * must be exchanged, too.
 */
import { contentHash } from "../../../crypto/hash.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { ServiceError } from "../../../errors.ts";
import {
  type ItemName,
  type ItemType,
  readReference,
  SHARED_MEMBERS,
  SharedMembers,
  type WireType,
} from "../../../schema/federation_item.ts";
import { checkInput, invalidInput } from "../../../schema/field_errors.ts";
import type { UnitType } from "../../../schema/unit.ts";
import type { DerivedColumns, TransferRules } from "../../kinds/entry.ts";
import { mapTypes, REGISTRY } from "../../kinds/registry.ts";
import { mapReferences, type ReferencePath, referencePaths } from "../../transfer/references.ts";
import { findTooLong } from "../../transfer/units.ts";
import { readRelation, RELATION_REFERENCES, type SaidRelation } from "./relation_form.ts";

/** The shared form of an item, with references in the wire form. */
export type SharedForm = Readonly<Record<string, unknown>>;

/**
 * Computes the hash of a version in lower-case hex: over its shared form, or over the fact that it is erased or
 * withdrawn.
 */
export function hashItem(type: WireType, origin: ItemName, unit: SharedForm | null, isWithdrawn = false): string {
  const { instance, id } = origin;
  return contentHash({ type, origin: { instance, id }, unit, ...(isWithdrawn && { withdrawn: true }) });
}

/** How the units of one type are exchanged; derived from the rules by which they are exported to a file. */
interface Shape {
  readonly transfer: TransferRules;
  readonly references: readonly ReferencePath[];
  /** The paths at which the body names sessions, which are not exchanged. */
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

/** Returns the ids of everything that a unit names. */
export function namedByUnit(row: UnitRow, given: readonly string[]): string[] {
  const ids: string[] = [...row.derivedFrom, ...given];
  mapReferences(row.body, SHAPES[row.type].references, (id) => (ids.push(id), id));
  return ids;
}

/**
 * Returns the shared form of a unit.
 * @param given the entities that its author named; a receiver finds those in its text by itself
 * @param write makes the reference for a local id
 */
export function unitForm(row: UnitRow, given: readonly string[], write: (id: string) => string): SharedForm {
  const { transfer, references, sessions, unordered } = SHAPES[row.type];
  let body: Record<string, unknown> = { ...row.body };
  for (const name of [...transfer.computed ?? [], ...Object.keys(transfer.unshared ?? {})]) delete body[name];
  for (const path of sessions) body = dropAt(body, path) as Record<string, unknown>;
  body = mapReferences(body, references, write) as Record<string, unknown>;
  for (const name of unordered) if (Array.isArray(body[name])) body[name] = toSet(body[name]);
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  const status = transfer.sharedState?.(row) ?? row.status;
  return {
    ...body,
    state: SEEN_AS[status] ?? status,
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

/** States by which this instance judges a unit, and how they are published: each instance judges by itself. */
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
 * Returns the items that a form names. Whoever stores the form gives each of them a local id.
 * @throws ServiceError `validation_failed` for a text that is no reference
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

/** The content of a peer's unit, as columns of `unit`. */
export interface AuthoredColumns extends DerivedColumns {
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
 * Checks a form against the schemas of its type.
 * @param read returns the local id of an item
 * @throws ServiceError `validation_failed`
 */
export function readUnitForm(type: UnitType, unit: SharedForm, read: (name: ItemName) => string): AuthoredColumns {
  const { data: common, faults } = checkInput(SharedMembers, unit, "unit");
  if (faults) throw invalidInput(faults);
  const { transfer } = SHAPES[type];
  if (!transfer.statuses.includes(common.state) || Object.hasOwn(SEEN_AS, common.state)) {
    throw invalidInput({ path: "unit.state", message: `is no state in which a ${type} travels` });
  }
  const local = mapReferences(unit, pathsOf(type), (text) => read(requireReference(text))) as SharedForm;
  const derived = transfer.derive(readBody(SHAPES[type], local));
  if (derived.text.trim() === "") throw new ServiceError("validation_failed", "Cannot store a unit without text");
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
 * Checks the form of a relation against its schema.
 * @param read returns the local id of an item
 * @throws ServiceError `validation_failed`
 */
export function readRelationForm(unit: SharedForm, read: (name: ItemName) => string): SaidRelation {
  return readRelation(mapReferences(unit, RELATION_REFERENCES, (text) => read(requireReference(text))));
}

/** Returns the members of the type, completed by the members that are not exchanged. */
function readBody({ transfer, sessions }: Shape, local: SharedForm): object {
  const { unshared = {} } = transfer;
  const told = Object.fromEntries(Object.entries(local).filter(([name]) => !SHARED_MEMBERS.has(name)));
  const untold = Object.keys(unshared).find((name) => Object.hasOwn(told, name));
  if (untold !== undefined) throw invalidInput({ path: `unit.${untold}`, message: "is not exchanged" });
  if (sessions.some((path) => hasAt(told, path))) {
    throw invalidInput({ path: "unit", message: "names a session: sessions are not exchanged" });
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
