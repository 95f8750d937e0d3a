/**
 * Find-or-create: returns the entity with the given name and adds the given members to it, or
 * creates one.
 *
 * If several writers race for the same names, one makes the entity and the others find it: they
 * wait for each other on the names. A writer that finds and adds nothing waits for nobody.
 */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import { type EntityNameRow, findNames } from "../../../db/queries/entity_names.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { findUnits, lockNames } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import type { CreateEntityBody, NearEntity } from "../../../schema/entity.ts";
import { nameKey, nameKeys } from "../../../language/names.ts";
import { draftUnit, type PreparedUnit } from "../../unit/create.ts";
import { requireVerifier } from "../../unit/update.ts";
import { findSources } from "../../unit/support.ts";
import { type PreparedText, prepareTexts } from "../../unit/indexing.ts";
import { requireClaimable, requireClearance } from "../../unit/trust.ts";
import { insertUnits, requireNamed, reviseUnit } from "../../unit/store.ts";
import { addStatement, analyseEntity, type EntityDraft } from "./additions.ts";
import type { EntityBody, EntityRow } from "./body.ts";
import { ENTITIES, lockNameOf } from "./kind.ts";
import { namesOf } from "../../unit/names/names.ts";
import { newNames, reviewNear } from "./near_review.ts";
import { type MeantEntity, pickEntity } from "./resolve.ts";

/** A checked statement about an entity, also analysed in case the entity is new. */
export interface PreparedEntity {
  readonly input: CreateEntityBody;
  readonly wanted: MeantEntity;
  readonly unit: PreparedUnit<EntityBody>;
}

export interface FindOptions {
  /** What happens to archived entities that are named: made active again (default), or returned as they are. */
  readonly archived?: "restore" | "keep";
  /** Whether near names of new ones are searched and go to review (default: true). */
  readonly near?: boolean;
}

/** The outcome of a statement. */
export interface FoundRow {
  readonly row: EntityRow;
  readonly created: boolean;
  readonly restored: boolean;
  readonly matchedBy: "name" | "alias" | null;
  readonly keptAttributes: readonly string[];
  readonly nearDuplicates: readonly NearEntity[];
}

export type FindOutcome = FoundRow | { readonly refusal: ServiceError };

/**
 * Checks, analyses and embeds statements about entities, without the database. A refusal takes the place of its statement.
 */
export async function prepareEntities(
  ctx: OperationContext,
  inputs: readonly CreateEntityBody[],
): Promise<(PreparedEntity | { readonly refusal: ServiceError })[]> {
  const checked = inputs.map((input) => checkStatement(ctx, input));
  const texts = checked.flatMap((item) =>
    "refusal" in item ? [] : [
      {
        kind: "entity",
        sensitivity: item.input.sensitivity ?? "internal",
        text: ENTITIES.textOf(item.body),
      } as const,
    ]
  );
  const prepared = (await prepareTexts(ctx, texts)).values();
  return checked.map((item) => {
    if ("refusal" in item) return item;
    const { input, body, wanted } = item;
    return { input, wanted, unit: { input, body, status: "active", prepared: prepared.next().value! } };
  });
}

type Statement = Omit<PreparedEntity, "unit"> & { readonly body: EntityBody };

function checkStatement(
  ctx: OperationContext,
  input: CreateEntityBody,
): Statement | { readonly refusal: ServiceError } {
  try {
    requireClaimable(ctx, input.attribution);
    if (input.sensitivity !== undefined) requireClearance(ctx, input.sensitivity);
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error };
    throw error;
  }
  const body = ENTITIES.toBody(input, ctx.deps.clock());
  const wanted: MeantEntity = {
    nameKey: nameKey(body.canonicalName),
    aliasKeys: nameKeys(body.aliases),
    entityType: body.entityType,
    sensitivity: input.sensitivity,
  };
  return { input, body, wanted };
}

/**
 * Finds or creates entities in an open transaction, in order; each is compared with earlier ones of the batch, too. A
 * batch takes as many round trips as one entity, except for found entities that get additions.
 */
export async function findOrCreateEntities(
  ctx: OperationContext,
  tx: Tx,
  items: readonly (PreparedEntity | { readonly refusal: ServiceError })[],
  options: FindOptions = {},
): Promise<FindOutcome[]> {
  const finder = new Finder(ctx, tx, options);
  await finder.open(items.flatMap((item) => "refusal" in item ? [] : [item]));
  return await finder.finish(items.map((item) => "refusal" in item ? item : finder.decide(item)));
}

/** An entity that statements of the batch are about. */
interface EntityInBatch {
  /** Undefined: the batch creates it. */
  readonly row: EntityRow | undefined;
  draft: EntityDraft;
  /** A new entity, analysed and embedded as its first statement describes it. */
  readonly prepared: PreparedText | undefined;
  isChanged: boolean;
}

type EntityDecision = { readonly refusal: ServiceError } | {
  readonly entry: EntityInBatch;
  readonly created: boolean;
  readonly restored: boolean;
  readonly matchedBy: FoundRow["matchedBy"];
  readonly keptAttributes: readonly string[];
};

class Finder {
  readonly #ctx: OperationContext;
  readonly #tx: Tx;
  readonly #options: FindOptions;
  /** The holders of the names in question: as stored, and as this batch adds them. */
  #names: EntityNameRow[] = [];
  readonly #entries = new Map<string, EntityInBatch>();
  #sources: ReadonlyMap<string, UnitRow> = new Map();

  constructor(ctx: OperationContext, tx: Tx, options: FindOptions) {
    this.#ctx = ctx;
    this.#tx = tx;
    this.#options = options;
  }

  /** Locks what has to be written: first the names, as every writer does, then the rows. */
  async open(items: readonly PreparedEntity[]): Promise<void> {
    const keysOf = ({ wanted }: PreparedEntity) => [wanted.nameKey, ...wanted.aliasKeys];
    await this.#read(items.flatMap(keysOf));
    const open = items.filter((item) => !this.#isSettled(item));
    if (open.length === 0) return;
    await lockNames(this.#tx, open.flatMap(keysOf).map(lockNameOf));
    const ids = await this.#read(items.flatMap(keysOf));
    const written = open.flatMap((item) => pickEntity(item.wanted, this.#names)?.id ?? []);
    await this.#readRows(ids.filter((id) => written.includes(id)), "update");
    const named = open.flatMap(({ input }) => input.derivedFrom);
    if (named.length > 0) this.#sources = await findSources(this.#tx, named);
  }

  async #read(keys: readonly string[]): Promise<string[]> {
    this.#names = await findNames(this.#tx, [...new Set(keys)]);
    const ids = [...new Set(this.#names.map((name) => name.entityId))];
    await this.#readRows(ids);
    return ids;
  }

  async #readRows(ids: readonly string[], lock?: "update"): Promise<void> {
    if (ids.length === 0) return;
    const rows = await findUnits<EntityBody>(this.#tx, ids, { type: "entity", ...(lock && { lock }) });
    for (const row of rows) this.#entries.set(row.id, { row, draft: row, prepared: undefined, isChanged: false });
  }

  /** Whether the entity exists and nothing has to be written. */
  #isSettled({ wanted, input, unit }: PreparedEntity): boolean {
    const entry = this.#entries.get(pickEntity(wanted, this.#names)?.id ?? "");
    if (entry === undefined || input.derivedFrom.length > 0) return false;
    if (entry.draft.status !== "active") return this.#options.archived === "keep";
    try {
      return !addStatement(this.#ctx, entry.draft, input, unit.body, []).isChanged;
    } catch {
      // The refusal becomes its result.
      return false;
    }
  }

  /** Decides about one statement; called in the order of the statements. */
  decide(item: PreparedEntity): EntityDecision {
    try {
      const sources = requireNamed(this.#sources, item.input.derivedFrom, "derivedFrom");
      const found = pickEntity(item.wanted, this.#names);
      return found === undefined ? this.#create(item, sources) : this.#add(item, sources, found);
    } catch (error) {
      if (error instanceof ServiceError) return { refusal: error };
      throw error;
    }
  }

  #create({ unit }: PreparedEntity, sources: readonly UnitRow[]): EntityDecision {
    const { unit: draft, prepared } = draftUnit(this.#ctx, this.#tx, ENTITIES, unit, { sources, evidence: [] });
    const entry: EntityInBatch = { row: undefined, draft, prepared, isChanged: true };
    this.#entries.set(draft.id, entry);
    this.#learn(draft);
    return { entry, created: true, restored: false, matchedBy: null, keptAttributes: [] };
  }

  #add(
    { input, unit }: PreparedEntity,
    sources: readonly UnitRow[],
    { id, matchedBy }: NonNullable<ReturnType<typeof pickEntity>>,
  ): EntityDecision {
    const entry = this.#entries.get(id)!;
    const restored = entry.draft.status === "archived" && this.#options.archived !== "keep";
    const found = { entry, created: false, restored, matchedBy };
    if (entry.draft.status === "archived" && !restored) return { ...found, keptAttributes: [] };
    if (restored) requireVerifier(this.#ctx, entry.draft);
    const { draft, isChanged, kept } = addStatement(this.#ctx, entry.draft, input, unit.body, sources);
    if (isChanged || restored) {
      entry.draft = { ...draft, status: "active" };
      entry.isChanged = true;
      this.#learn(entry.draft);
    }
    return { ...found, keptAttributes: kept };
  }

  /** Lets later statements find the entity by its present names. */
  #learn(draft: EntityDraft): void {
    this.#names = [...this.#names.filter((name) => name.entityId !== draft.id), ...namesOf(draft)];
  }

  /** Stores the decisions: all new entities in one statement, changed ones one by one. */
  async finish(decisions: readonly EntityDecision[]): Promise<FindOutcome[]> {
    const entries = [...this.#entries.values()].filter((entry) => entry.isChanged);
    const fresh = entries.filter((entry) => entry.row === undefined);
    const rows = new Map<string, EntityRow>();
    const inserted = await insertUnits<EntityBody>(
      this.#tx,
      fresh.map(({ draft, prepared }) => ({ unit: draft, prepared: this.#prepared(draft, prepared) })),
    );
    for (const row of inserted) rows.set(row.id, row);
    for (const { row, draft } of entries.toSorted((a, b) => (a.draft.id < b.draft.id ? -1 : 1))) {
      if (row === undefined) continue;
      const event = row.status === "archived" ? "restored" : "extended";
      const note = { event, reason: null, prepared: this.#prepared(draft) };
      rows.set(row.id, await reviseUnit(this.#tx, row, draft, note));
    }
    const near = await this.#findNear(entries, rows);
    return decisions.map((decision): FindOutcome => {
      if ("refusal" in decision) return decision;
      const { entry, ...found } = decision;
      const { id } = entry.draft;
      return { ...found, row: rows.get(id) ?? entry.row!, nearDuplicates: near.get(id) ?? [] };
    });
  }

  /** Finds near names for the new ones; each pair goes to review. */
  async #findNear(entries: readonly EntityInBatch[], rows: ReadonlyMap<string, EntityRow>) {
    if (this.#options.near === false) return new Map<string, NearEntity[]>();
    const items = entries.map(({ row, draft }) => ({
      entity: rows.get(draft.id)!,
      names: newNames(row?.body, draft.body),
    })).filter(({ names }) => names.length > 0);
    const near = await reviewNear(this.#tx, items);
    return new Map(items.map(({ entity }, i) => [entity.id, near[i]!]));
  }

  /** A text that was made in the transaction is analysed here and embedded by the worker. */
  #prepared(draft: EntityDraft, prepared?: PreparedText): PreparedText {
    return prepared?.text === draft.text ? prepared : analyseEntity(this.#ctx, draft);
  }
}
