/** Creating knowledge units of any kind. */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/scope.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitInput } from "../../schema/unit.ts";
import { freshWorth } from "../governance/worth.ts";
import { type PreparedText, prepareTexts } from "../recall/indexing.ts";
import { capOf, mostSensitive, requireClaimable, requireClearance, trustOf } from "../trust.ts";
import { insertUnits, isStanding, requireNamed, type UnitRow } from "../units.ts";
import { saidColumns, toUnit, type UnitKind } from "./kind.ts";
import { findSources } from "./support.ts";

/** A unit that is checked, analysed and embedded, and not written yet. */
export interface PreparedUnit<Body extends object> {
  readonly input: UnitInput;
  readonly body: Body;
  readonly status: string;
  readonly prepared: PreparedText;
  /** What its sensitivity is at least where its author does not say; `internal` unless told. */
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
  requireClaimable(ctx, input.attribution);
  if (input.sensitivity !== undefined) requireClearance(ctx, input.sensitivity);
  return await prepareBody(ctx, kind, input, kind.toBody(input, ctx.deps.clock()), kind.statusOf(input));
}

/** Analyses and embeds a body that is made already. */
export async function prepareBody<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create>,
  input: UnitInput,
  body: Body,
  status: string,
): Promise<PreparedUnit<Body>> {
  // The sensitivity may follow from the sources; the store sets it.
  const text = { kind: kind.type, sensitivity: input.sensitivity ?? "internal", text: kind.textOf(body) } as const;
  const [prepared] = await prepareTexts(ctx, [text]);
  return { input, body, status, prepared: prepared! };
}

/**
 * Stores a prepared unit in an open transaction.
 * @throws ServiceError `validation_failed` when it names what is not known, or would be above the caller's clearance.
 */
export async function insertUnit<Body extends object, Create extends UnitInput>(
  ctx: OperationContext,
  tx: Tx,
  kind: UnitKind<Body, Create>,
  { input, body, status, prepared, sensitivityFloor }: PreparedUnit<Body>,
): Promise<UnitRow<Body>> {
  const evidenceIds = [...new Set(kind.evidenceOf?.(body))];
  const named = await findSources(tx, [...input.derivedFrom, ...evidenceIds]);
  const sources = requireNamed(named, input.derivedFrom, "derivedFrom");
  const evidence = requireNamed(named, evidenceIds, "evidenceIds");
  await kind.checkBody?.(tx, body);
  const restsOn = [...sources, ...evidence];
  // Knowledge is at least as sensitive as what it rests on, unless its author says otherwise.
  const floor = mostSensitive("internal", sensitivityFloor ?? "internal", ...restsOn.map((unit) => unit.sensitivity));
  const sensitivity = input.sensitivity ?? floor;
  requireClearance(ctx, sensitivity);
  const trustCap = capOf(sources);
  const trustScore = trustOf(input.attribution, trustCap);
  const stale = !restsOn.every(isStanding);
  const id = uuidv7(tx.now);
  const [row] = await insertUnits<Body>(tx, [{
    prepared,
    evidenceIds,
    unit: {
      id,
      type: kind.type,
      version: 1,
      status,
      attribution: input.attribution,
      trustScore,
      trustCap,
      confidence: input.confidence,
      sensitivity,
      tags: [...new Set(input.tags)],
      metadata: input.metadata,
      worth: freshWorth(trustScore, stale).worth,
      pinned: input.pinned,
      originInstance: ctx.deps.config.instanceId,
      originId: id,
      derivedFrom: [...new Set(input.derivedFrom)],
      stale,
      tripleKey: null,
      validFrom: null,
      validTo: null,
      recordedAt: tx.now,
      retractedAt: null,
      occurredAt: null,
      expiresAt: null,
      entityIds: [],
      corroborationCount: 0,
      createdAt: tx.now,
      updatedAt: tx.now,
      createdBy: tx.actor,
      ...saidColumns(kind, body, status),
    },
  }]);
  return row!;
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
