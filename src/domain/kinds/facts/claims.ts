/** Turns a caller's statement about a new fact into its row, before conflict detection. */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import { findSessionIds } from "../../../db/queries/sessions.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { findUnits } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { CreateFactBody } from "../../../schema/fact.ts";
import { Slices } from "../../../pause.ts";
import { type PreparedText, prepareTexts } from "../../unit/indexing.ts";
import { withAliases } from "../../unit/aliases.ts";
import { newColumns } from "../../unit/new_columns.ts";
import { mayChange } from "../../unit/flow.ts";
import { mostSensitive, requireClaimable, requireClearance } from "../../unit/trust.ts";
import { requireNamed } from "../../unit/store.ts";
import { prepareGist } from "./duplicates.ts";
import { readStatedTimes } from "./stated_times.ts";
import { derivedColumns, type FactBody, type FactRow } from "./fields.ts";
import { requireReplaceable } from "./replaceable.ts";

/** What a caller states, and the columns that follow from it. */
export interface StatedBody {
  readonly body: CreateFactBody;
  readonly said: ReturnType<typeof derivedColumns>;
}

/** A fact that is ready to be written, or why it is refused. */
export type PreparedFact =
  | StatedBody & { readonly prepared: PreparedText }
  | { readonly refusal: ServiceError };

/**
 * Checks, analyses and embeds new facts, without the database. A fact that cannot be written carries its refusal, so
 * that the others of a batch are not held up.
 */
export async function prepareFacts(
  ctx: OperationContext,
  bodies: readonly CreateFactBody[],
): Promise<PreparedFact[]> {
  const refusals = bodies.map((body) => refusalOf(() => requireCreatable(ctx, body)));
  const accepted = bodies.filter((_, i) => refusals[i] === undefined);
  const texts = await prepareTexts(
    ctx,
    // The sensitivity may follow from the sources; the store sets it.
    accepted.map((body) => ({ kind: "fact", sensitivity: body.sensitivity ?? "internal", text: body.statement })),
  );
  const slices = new Slices(ctx.signal);
  const ready: PreparedFact[] = [];
  for (const [i, body] of accepted.entries()) {
    await slices.yieldIfDue();
    const prepared = texts[i]!;
    prepareGist(prepared);
    ready.push({ ...stateBody(body), prepared });
  }
  let next = 0;
  return refusals.map((refusal) => refusal === undefined ? ready[next++]! : { refusal });
}

/** Reads what a body says, so that no transaction waits for that. */
export function stateBody(body: CreateFactBody): StatedBody {
  const said = derivedColumns(withAliases({
    statement: body.statement,
    subject: body.subject ?? null,
    predicate: body.predicate ?? null,
    object: body.object ?? null,
    factType: body.factType,
    supersedes: null,
    supersededBy: null,
    citations: body.citations,
    ...(body.exclusive !== undefined && { exclusive: body.exclusive }),
    ...(body.externalId !== undefined && { externalId: body.externalId }),
  }, body.aliases ?? []));
  return { body, said };
}

/** Runs a check; returns its refusal and rethrows any other error. */
export function refusalOf(check: () => void): ServiceError | undefined {
  try {
    check();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function requireCreatable(ctx: OperationContext, body: CreateFactBody): void {
  requireClaimable(ctx, body.attribution);
  if (body.sensitivity !== undefined) requireClearance(ctx, body.sensitivity);
  requireFuture(body.expiresAt, ctx.deps.clock());
}

/** @throws ServiceError `validation_failed` when an expiry has passed already. */
export function requireFuture(expiresAt: string | null | undefined, now: Date): void {
  if (expiresAt == null || new Date(expiresAt) > now) return;
  throw new ServiceError("validation_failed", "Cannot store the fact: its expiry is in the past", {
    errors: [{ path: "expiresAt", message: "must be in the future" }],
  });
}

/**
 * The visible units that facts name as sources or entities. They are locked until the transaction ends, so that none
 * changes between this check and the write.
 */
export async function findNamed(
  tx: Tx,
  bodies: readonly { readonly derivedFrom?: readonly string[]; readonly entityIds?: readonly string[] }[],
): Promise<ReadonlyMap<string, UnitRow>> {
  const ids = new Set(bodies.flatMap((body) => [...(body.derivedFrom ?? []), ...(body.entityIds ?? [])]));
  const rows = ids.size === 0 ? [] : await findUnits(tx, [...ids], { lock: "share" });
  return new Map(rows.map((row) => [row.id, row]));
}

/** The facts that new facts are to replace, as far as they are visible. */
export async function findReplaced(
  tx: Tx,
  bodies: readonly { readonly supersedes?: string | undefined }[],
): Promise<ReadonlyMap<string, FactRow>> {
  const ids = [...new Set(bodies.flatMap(({ supersedes }) => supersedes ?? []))];
  const rows = ids.length === 0 ? [] : await findUnits<FactBody>(tx, ids, { type: "fact" });
  return new Map(rows.map((row) => [row.id, row]));
}

type Citing = { readonly citations?: CreateFactBody["citations"] };

/** The sessions that facts cite, as far as they are visible. */
export async function findCited(tx: Tx, bodies: readonly Citing[]): Promise<ReadonlySet<string>> {
  const ids = new Set(bodies.flatMap(({ citations }) => citations?.map((cited) => cited.sessionId) ?? []));
  ids.delete(undefined);
  return ids.size === 0 ? new Set() : await findSessionIds(tx, [...ids] as string[]);
}

/** @throws ServiceError `validation_failed` with the place of each citation of a session that is not visible. */
export function requireCited(cited: ReadonlySet<string>, { citations = [] }: Citing): void {
  const errors = citations.flatMap(({ sessionId }, i) =>
    sessionId === undefined || cited.has(sessionId)
      ? []
      : [{ path: `citations.${i}.sessionId`, message: "is not known" }]
  );
  if (errors.length === 0) return;
  throw new ServiceError("validation_failed", "Cannot store the fact: it cites a session that is not known", {
    errors,
  });
}

/**
 * @param sensitivity that of the fact, whose readers must not learn of a more sensitive entity
 * @throws ServiceError `validation_failed` when an id is not that of a visible entity, or one is more sensitive
 */
export function requireEntities(
  named: ReadonlyMap<string, UnitRow>,
  ids: readonly string[],
  sensitivity: Sensitivity,
): string[] {
  const entities = new Map([...named].filter(([, unit]) => unit.type === "entity"));
  const errors = requireNamed(entities, ids, "entityIds").flatMap((entity, i) =>
    mayChange(entity, { sensitivity })
      ? []
      : [{ path: `entityIds.${i}`, message: `is ${entity.sensitivity}, and the fact ${sensitivity}` }]
  );
  if (errors.length === 0) return [...new Set(ids)];
  throw new ServiceError("validation_failed", "Cannot store the fact: it names an entity that is more sensitive", {
    errors,
  });
}

/** The stored rows for everything that new facts name. */
export interface KnownRows {
  readonly named: ReadonlyMap<string, UnitRow>;
  readonly cited: ReadonlySet<string>;
  readonly replaced: ReadonlyMap<string, FactRow>;
}

/**
 * The row of a new fact. It has no document number yet.
 * @throws ServiceError `validation_failed` when it names something unknown, or would be above the caller's clearance.
 */
export function toClaim(
  ctx: OperationContext,
  tx: Tx,
  { body, said }: StatedBody,
  { named, cited, replaced }: KnownRows,
): FactRow {
  requireCited(cited, body);
  const old = body.supersedes === undefined ? undefined : replaced.get(body.supersedes);
  const sources = requireNamed(named, body.derivedFrom, "derivedFrom");
  const date = (text: string | undefined) => text === undefined ? null : new Date(text);
  const floor = mostSensitive(
    "public",
    ...[old, ...body.entityIds.map((id) => named.get(id))].flatMap((one) => one?.sensitivity ?? []),
  );
  const columns = newColumns(ctx, tx, body, { sources, evidence: [] }, floor);
  const entityIds = requireEntities(named, body.entityIds, columns.sensitivity);
  if (body.supersedes !== undefined) requireReplaceable(ctx, tx, old, columns, "supersedes");
  const isTimed = body.validFrom !== undefined || body.validTo !== undefined;
  const told = date(body.occurredAt) ?? tx.now;
  const stated = isTimed ? undefined : readStatedTimes(body.statement, said.body.claims ?? [], told);
  return {
    ...columns,
    type: "fact",
    status: "active",
    docNo: 0,
    ...said,
    validFrom: stated?.validFrom ?? date(body.validFrom),
    validTo: stated?.validTo ?? date(body.validTo),
    occurredAt: date(body.occurredAt) ?? stated?.occurredAt ?? null,
    expiresAt: date(body.expiresAt),
    entityIds,
  };
}
