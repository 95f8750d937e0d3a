/** Creates knowledge units of any kind. */
import type { OperationContext } from "../../context.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { ServiceError } from "../../errors.ts";
import type { ItemError, UnitInput } from "../../schema/unit.ts";
import { type PreparedText, prepareTexts } from "./indexing.ts";
import { newColumns, type Support } from "./new_columns.ts";
import { requireClaimable, requireClearance } from "./trust.ts";
import { insertUnits, requireNamed, type UnitToInsert } from "./store.ts";
import { bodyOf, saidColumns, toUnit, type UnitKind } from "./kind.ts";
import { findSources } from "./support.ts";

/** A unit that is checked, analysed and embedded, but not written yet. */
export interface PreparedUnit<Body extends object> {
  readonly input: UnitInput;
  readonly body: Body;
  readonly status: string;
  readonly prepared: PreparedText;
  /** Its least sensitivity if its author states none; default: `internal`. */
  readonly sensitivityFloor?: Sensitivity;
}

/**
 * Checks, analyses and embeds a new unit, without the database.
 * @throws ServiceError `validation_failed`, `insufficient_scope`
 */
export async function prepareUnit<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create>,
  input: Create,
): Promise<PreparedUnit<Body>> {
  return await prepareBody(ctx, kind, input, toCheckedBody(ctx, kind, input), kind.statusOf(input));
}

function toCheckedBody<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create>,
  input: Create,
): Body {
  requireClaimable(ctx, input.attribution);
  if (input.sensitivity !== undefined) requireClearance(ctx, input.sensitivity);
  return bodyOf(kind, input, ctx.deps.clock());
}

/** Analyses and embeds a body that exists already. */
export async function prepareBody<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create>,
  input: UnitInput,
  body: Body,
  status: string,
): Promise<PreparedUnit<Body>> {
  const [prepared] = await prepareTexts(ctx, [toText(kind, input, body)]);
  return { input, body, status, prepared: prepared! };
}

/** The sensitivity may follow from the sources; the store sets it. */
function toText<Body extends object>(kind: Pick<UnitKind<Body>, "type" | "textOf">, input: UnitInput, body: Body) {
  return { kind: kind.type, sensitivity: input.sensitivity ?? "internal", text: kind.textOf(body) } as const;
}

/**
 * Stores a prepared unit in an open transaction.
 * @throws ServiceError `validation_failed` when it names something unknown, or would be above the caller's clearance.
 */
export async function insertUnit<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  tx: Tx,
  kind: UnitKind<Body, Create>,
  prepared: PreparedUnit<Body>,
): Promise<UnitRow<Body>> {
  if (kind.namesOf !== undefined) await lockNames(tx, kind.namesOf(prepared.body));
  const named = await findSources(tx, sourceIdsOf(kind, prepared));
  const unit = await toNewUnit(ctx, tx, kind, prepared, named);
  await kind.beforeInsert?.(ctx, tx, [unit]);
  const [row] = await insertUnits<Body>(tx, [unit]);
  return row!;
}

function sourceIdsOf<Body extends object>(kind: UnitKind<Body>, { input, body }: PreparedUnit<Body>): string[] {
  return [...input.derivedFrom, ...kind.evidenceOf?.(body) ?? []];
}

/** The row of a new unit. @throws ServiceError as `insertUnit` does */
async function toNewUnit<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  tx: Tx,
  kind: UnitKind<Body, Create>,
  prepared: PreparedUnit<Body>,
  named: ReadonlyMap<string, UnitRow>,
): Promise<UnitToInsert<Body>> {
  const { input, body } = prepared;
  const evidenceIds = [...new Set(kind.evidenceOf?.(body))];
  const sources = requireNamed(named, input.derivedFrom, "derivedFrom");
  const evidence = requireNamed(named, evidenceIds, "evidenceIds");
  await kind.checkBody?.(tx, body);
  return draftUnit(ctx, tx, kind, prepared, { sources, evidence });
}

/**
 * The row of a prepared unit.
 * @throws ServiceError `validation_failed` when it would be above the caller's clearance.
 */
export function draftUnit<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  tx: Tx,
  kind: UnitKind<Body, Create>,
  { input, body, status, prepared, sensitivityFloor }: PreparedUnit<Body>,
  support: Support,
): UnitToInsert<Body> {
  return {
    prepared,
    evidenceIds: support.evidence.map((unit) => unit.id),
    unit: {
      ...newColumns(ctx, tx, input, support, sensitivityFloor),
      type: kind.type,
      status,
      tripleKey: null,
      validFrom: null,
      validTo: null,
      occurredAt: null,
      expiresAt: null,
      entityIds: [],
      ...saidColumns(kind, body, status),
    },
  };
}

/**
 * Creates a unit.
 * @throws ServiceError `validation_failed`, `insufficient_scope`
 */
export async function createUnit<Unit, Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create>,
  input: Create,
): Promise<Unit> {
  const prepared = await prepareUnit(ctx, kind, input);
  return toUnit<Unit>(await ctx.tx((tx) => insertUnit(ctx, tx, kind, prepared)));
}

/** Batches do far more than a request's usual work. */
const BATCH_DEADLINE_MS = 60_000;

/** The outcome of one unit of a batch. */
export type BatchItem<Unit> =
  | { readonly status: 201; readonly unit: Unit }
  | { readonly status: number; readonly error: ItemError };

/** Checks, analyses and embeds new units together, without the database. Returns each prepared unit or its refusal. */
export async function prepareUnits<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create>,
  inputs: readonly Create[],
): Promise<(PreparedUnit<Body> | ServiceError)[]> {
  const bodies = await Promise.all(inputs.map((input) => orRefusal(() => toCheckedBody(ctx, kind, input))));
  const accepted = inputs.flatMap((input, i) => {
    const body = bodies[i]!;
    return body instanceof ServiceError ? [] : [{ input, body, status: kind.statusOf(input) }];
  });
  const texts = await prepareTexts(ctx, accepted.map(({ input, body }) => toText(kind, input, body)));
  let next = 0;
  return bodies.map((body) => body instanceof ServiceError ? body : { ...accepted[next]!, prepared: texts[next++]! });
}

/** Creates up to 500 units in one transaction, in order; a refused one is left out and carries its reason. */
export async function createUnits<Unit, Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create>,
  inputs: readonly Create[],
): Promise<BatchItem<Unit>[]> {
  const prepared = await prepareUnits(ctx, kind, inputs);
  const outcomes = prepared.every((item) => item instanceof ServiceError)
    ? prepared
    : await ctx.tx((tx) => insertPrepared(ctx, tx, kind, prepared), { deadlineMs: BATCH_DEADLINE_MS });
  return outcomes.map((outcome) =>
    outcome instanceof ServiceError
      ? { status: outcome.status, error: toItemError(outcome) }
      : { status: 201, unit: toUnit<Unit>(outcome) }
  );
}

/** Stores the prepared units in one statement. Returns a row or a refusal for each. */
export async function insertPrepared<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  tx: Tx,
  kind: UnitKind<Body, Create>,
  items: readonly (PreparedUnit<Body> | ServiceError)[],
): Promise<(UnitRow<Body> | ServiceError)[]> {
  const valid = items.flatMap((item) => item instanceof ServiceError ? [] : [item]);
  const named = await findSources(tx, valid.flatMap((item) => sourceIdsOf(kind, item)));
  const units: (UnitToInsert<Body> | ServiceError)[] = [];
  for (const item of items) {
    units.push(item instanceof ServiceError ? item : await orRefusal(() => toNewUnit(ctx, tx, kind, item, named)));
  }
  const accepted = units.flatMap((unit) => unit instanceof ServiceError ? [] : [unit]);
  if (accepted.length > 0) await kind.beforeInsert?.(ctx, tx, accepted);
  const rows = await insertUnits(tx, accepted);
  let next = 0;
  return units.map((unit) => unit instanceof ServiceError ? unit : rows[next++]!);
}

/** Returns what `make` returns, or its refusal; rethrows any other error. */
async function orRefusal<T>(make: () => T | Promise<T>): Promise<T | ServiceError> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** A refusal as the item of a batch shows it. */
export function toItemError({ code, message, errors }: ServiceError): ItemError {
  return { code, message, ...(errors && { errors: [...errors] }) };
}
