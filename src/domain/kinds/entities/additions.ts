/**
 * Adds a statement to an existing entity: aliases, attributes, drawers, tags, a more precise type.
 */
import type { OperationContext } from "../../../context.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { ServiceError } from "../../../errors.ts";
import { isCleared } from "../../../schema/common.ts";
import {
  type CreateEntityBody,
  STORED_ALIASES_MAX,
  STORED_ATTRIBUTES_BYTES_MAX,
  STORED_DRAWERS_MAX,
} from "../../../schema/entity.ts";
import { ENTITY_TYPE_OTHER } from "../../../schema/entity_type.ts";
import { saidColumns } from "../../unit/kind.ts";
import { requireVerifier } from "../../unit/update.ts";
import { type PreparedText, prepareNow } from "../../unit/indexing.ts";
import { capOf, mostSensitive, trustOf } from "../../unit/trust.ts";
import { mayChange } from "../../unit/flow.ts";
import { isStanding } from "../../unit/standing.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import type { NewUnit } from "../../unit/store.ts";
import type { EntityBody } from "./body.ts";
import { ENTITIES, tidyAliases } from "./kind.ts";

/** An entity before it is stored: a new one, or an existing one with additions. */
export type EntityDraft = NewUnit<EntityBody>;

export interface Addition {
  readonly draft: EntityDraft;
  readonly isChanged: boolean;
  /** Attributes that keep their values, because the entity is trusted more than the statement. */
  readonly kept: readonly string[];
}

/**
 * Adds a statement to an entity. If it adds anything, the entity rests on the statement's sources
 * too, and is at least as sensitive as the statement. It replaces the known value of an attribute
 * only if it is trusted at least as much as the entity.
 * @throws ServiceError `insufficient_scope` for one that is verified, `validation_failed` when it
 * becomes too large
 */
export function addStatement(
  ctx: OperationContext,
  entity: EntityDraft,
  input: CreateEntityBody,
  said: EntityBody,
  sources: readonly UnitRow[],
): Addition {
  const { body } = entity;
  const trust = trustOf(input.attribution, capOf(sources));
  const { attributes, kept } = mergeAttributes(body.attributes, said.attributes, trust >= entity.trustScore);
  const next: EntityBody = {
    ...body,
    entityType: body.entityType === ENTITY_TYPE_OTHER ? said.entityType : body.entityType,
    aliases: tidyAliases(body.canonicalName, [...body.aliases, said.canonicalName, ...said.aliases]),
    attributes,
    drawers: union(body.drawers, said.drawers),
  };
  requireSize(next);
  const columns = saidColumns(ENTITIES, next, "active");
  const tags = union(entity.tags, input.tags);
  const saysMore = columns.contentHash !== entity.contentHash;
  const isFiled = next.drawers.length > body.drawers.length || tags.length > entity.tags.length;
  if (!saysMore && !isFiled) return { draft: entity, isChanged: false, kept };
  if (saysMore) requireVerifier(ctx, entity);
  const floor = input.sensitivity ?? mostSensitive("public", ...sources.map((source) => source.sensitivity));
  return {
    draft: {
      ...entity,
      ...columns,
      tags,
      sensitivity: isCleared(floor, entity.sensitivity) ? entity.sensitivity : floor,
      ...(saysMore && sources.length > 0 && restOn(entity, sources)),
    },
    isChanged: true,
    kept,
  };
}

function restOn(entity: EntityDraft, sources: readonly UnitRow[]) {
  const trustCap = Math.min(entity.trustCap, capOf(sources));
  return {
    derivedFrom: union(entity.derivedFrom, sources.map((source) => source.id)),
    trustCap,
    trustScore: trustOf(entity.attribution, trustCap),
    stale: entity.stale || sources.some((source) => mayChange(source, entity) && !isStanding(source)),
  };
}

/**
 * Adds new attributes. `overwrites` decides whether a known one takes another value.
 * @returns the attributes, and the names of those whose other value was not taken
 */
export function mergeAttributes(
  known: Readonly<Record<string, unknown>>,
  said: Readonly<Record<string, unknown>>,
  overwrites: boolean,
): { readonly attributes: Record<string, unknown>; readonly kept: string[] } {
  const attributes: Record<string, unknown> = { ...known };
  const kept: string[] = [];
  for (const [name, value] of Object.entries(said)) {
    if (!Object.hasOwn(known, name) || overwrites) attributes[name] = value;
    else if (canonicalJson(known[name]) !== canonicalJson(value)) kept.push(name);
  }
  return { attributes, kept };
}

/** @throws ServiceError `validation_failed` */
export function requireSize({ aliases, drawers, attributes }: EntityBody): void {
  const refuse = (path: string, message: string): never => {
    throw new ServiceError("validation_failed", `Cannot store the entity: ${path} ${message}`, {
      errors: [{ path, message }],
    });
  };
  if (aliases.length > STORED_ALIASES_MAX) refuse("aliases", `would be more than ${STORED_ALIASES_MAX}`);
  if (drawers.length > STORED_DRAWERS_MAX) refuse("drawers", `would be more than ${STORED_DRAWERS_MAX}`);
  const bytes = new TextEncoder().encode(JSON.stringify(attributes)).byteLength;
  if (bytes > STORED_ATTRIBUTES_BYTES_MAX) refuse("attributes", `would be over ${STORED_ATTRIBUTES_BYTES_MAX} bytes`);
}

/** The text of an entity that is made in a transaction: prepared without waiting. */
export function analyseEntity(ctx: OperationContext, { sensitivity, text }: EntityDraft): PreparedText {
  return prepareNow(ctx, { kind: "entity", sensitivity, text });
}

export function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}
