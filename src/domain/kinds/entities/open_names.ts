/**
 * Opens entities for names that no entity has: those of speakers and participants, of subjects and
 * objects, and sure names in facts and episodes. A name that only turns mention must occur in two
 * texts; the worker opens it.
 *
 * The entities are `agent_inferred`, with a confidence by the evidence. If several writers race for
 * one name, one opens it.
 */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import { findKnownNames } from "../../../db/queries/mentions.ts";
import type { FoundName } from "../../../language/name_finder.ts";
import type { NameType } from "../../../language/name_types.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import { ENTITY_TYPE_OTHER } from "../../../schema/entity_type.ts";
import { CreateEntityBody } from "../../../schema/entity.ts";
import { findOrCreateEntities, type PreparedEntity } from "./find_or_create.ts";
import { ENTITIES } from "./kind.ts";
import { nameKey } from "../../../language/names.ts";
import { type PreparedText, prepareNow } from "../../unit/indexing.ts";
import { leastSensitive } from "../../unit/trust.ts";
import { readUnit, type TextWithNames, type UnitToRead } from "../../unit/mentions/read.ts";

/** The confidence by the evidence for a name: a speaker surely exists; a capital in a fact is less sure. */
const CONFIDENCE = { person: 0.9, term: 0.7, named: 0.5, seen: 0.4 } as const;
export type Evidence = keyof typeof CONFIDENCE;

/** A name that is to become an entity, unless an entity has it. */
export interface NameToOpen {
  readonly name: string;
  readonly key: string;
  readonly sensitivity: Sensitivity;
  readonly evidence: Evidence;
  /** The type by the texts; absent: they name none, or different ones. */
  readonly type?: NameType | undefined;
}

/** The most entities that one transaction opens; the worker opens the rest of a larger batch. */
const OPENED_MAX = 500;

/** The names for which their texts are evidence enough, each once. */
export function listSufficient(texts: readonly TextWithNames[]): NameToOpen[] {
  const found = new Map<string, NameToOpen>();
  const clashing = new Set<string>();
  const add = ({ name, key, type }: FoundName, sensitivity: Sensitivity, evidence: Evidence) => {
    const known = found.get(key);
    if (key === "") return;
    if (known === undefined) found.set(key, { name, key, sensitivity, evidence, type });
    else {
      const best = CONFIDENCE[evidence] > CONFIDENCE[known.evidence] ? evidence : known.evidence;
      if (type !== undefined && known.type !== undefined && type !== known.type) clashing.add(key);
      const least = leastSensitive(known.sensitivity, sensitivity);
      found.set(key, {
        ...known,
        sensitivity: least,
        evidence: best,
        type: clashing.has(key) ? undefined : known.type ?? type,
      });
    }
  };
  for (const text of texts) {
    for (const name of text.stated) add(name, text.sensitivity, name.of);
    if (text.type === "turn") continue;
    // The terms of triples are among these as well, with their types.
    for (const name of text.names.names) if (name.strong) add(name, text.sensitivity, "named");
  }
  return [...found.values()];
}

/** Opens entities for the names in units that are about to be stored. */
export async function openNamesOf(ctx: OperationContext, tx: Tx, units: readonly UnitToOpen[]): Promise<void> {
  await openNames(ctx, tx, listSufficient(units.map(({ unit, prepared }) => readUnit(unit, prepared?.names))));
}

interface UnitToOpen {
  readonly unit: UnitToRead;
  /** Absent: the text is read here. */
  readonly prepared: Pick<PreparedText, "names"> | undefined;
}

/** Opens entities for names that no visible entity has. Returns how many were opened. */
export async function openNames(ctx: OperationContext, tx: Tx, names: readonly NameToOpen[]): Promise<number> {
  if (names.length === 0) return 0;
  const known = new Set((await findKnownNames(tx, names.map((name) => name.key))).map((row) => row.key));
  return await openUnknown(ctx, tx, names.filter((name) => !known.has(name.key)));
}

/** Opens entities for names that were looked up and that no entity has. @returns how many it created */
export async function openUnknown(ctx: OperationContext, tx: Tx, names: readonly NameToOpen[]): Promise<number> {
  const fresh = names.slice(0, OPENED_MAX);
  if (fresh.length === 0) return 0;
  const outcomes = await findOrCreateEntities(ctx, tx, fresh.map((name) => prepare(ctx, name)), { archived: "keep" });
  return outcomes.filter((outcome) => !("refusal" in outcome) && outcome.created).length;
}

/** Its vector is made without waiting, because a transaction is open. */
function prepare(ctx: OperationContext, { name, sensitivity, evidence, type }: NameToOpen): PreparedEntity {
  const input = CreateEntityBody.parse({
    canonicalName: name,
    entityType: evidence === "person" ? "person" : type ?? ENTITY_TYPE_OTHER,
    attribution: "agent_inferred",
    confidence: CONFIDENCE[evidence],
    metadata: { inferredFrom: evidence },
    sensitivity,
  });
  const body = ENTITIES.toBody(input, ctx.deps.clock());
  const text = { kind: "entity", sensitivity, text: ENTITIES.textOf(body) } as const;
  const prepared = prepareNow(ctx, text);
  return {
    input,
    wanted: { nameKey: nameKey(body.canonicalName), aliasKeys: [], entityType: body.entityType, sensitivity },
    unit: { input, body, status: "active", prepared },
  };
}
