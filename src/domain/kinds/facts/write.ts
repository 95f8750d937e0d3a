/**
 * Writes new facts in one transaction, in order, each against known facts and earlier ones of the batch. All rows in
 * question are read once, everything is decided in memory and then stored: a batch takes as many statements as one
 * fact.
 */
import type { OperationContext } from "../../../context.ts";
import { insertReviewItems } from "../../../db/queries/review_items.ts";
import type { VersionNote } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { Slices } from "../../../pause.ts";
import type { FactConflict } from "../../../schema/fact.ts";
import { openNamesOf } from "../entities/open_names.ts";
import { findMentionsOf, readMentionsOf } from "../../unit/mentions/follow.ts";
import { allocateDocNos } from "../../unit/indexing.ts";
import { FollowUps } from "../../unit/follow_ups.ts";
import { writeUnits } from "../../unit/write.ts";
import { worldTime } from "./conflicts.ts";
import { addStatedAliases } from "./stated_aliases.ts";
import { findCited, findNamed, findReplaced, type PreparedFact, toClaim } from "./claims.ts";
import { findCandidates, toStatement } from "./duplicates.ts";
import { ExternalIds, findSaying, requireNameKept, requireUnnamed } from "./external_ids.ts";
import { type FactRow, saidKey } from "./fields.ts";
import { type Decision, Ledger } from "./ledger.ts";
import { RestingGraph } from "./resting.ts";
import { lockEnded, lockLiveRivals, withSettings } from "./settle.ts";

/** The result of stating a fact. */
export interface Written {
  readonly row: FactRow;
  /** False: it was known already. */
  readonly isNew: boolean;
  /** The version that was in force before; 0 for a new fact. A corroboration may leave it as it is. */
  readonly versionBefore: number;
  readonly duplicateOf: string | null;
  readonly conflict: FactConflict;
  /** The members of a statement told again that the known fact did not take. */
  readonly leftOut: readonly string[];
}

export type Outcome = Written | { readonly refusal: ServiceError };

type Accepted = Exclude<PreparedFact, { readonly refusal: ServiceError }>;

/** A fact that is ready to be compared with known ones. */
export interface Claim {
  readonly claim: FactRow;
  readonly item: Pick<Accepted, "prepared"> & { readonly body?: Pick<Accepted["body"], "sensitivity"> };
  /** The event of its first version; default: `created`. A fact from a peer does not corroborate a known one. */
  readonly told?: VersionNote;
  /** The fact that its author says it replaces. */
  readonly replaces?: FactRow | undefined;
}

/** Writes prepared facts. A refused one leaves no trace and does not hold up the others. */
export async function writeFacts(
  ctx: OperationContext,
  tx: Tx,
  items: readonly PreparedFact[],
): Promise<Outcome[]> {
  const accepted = items.filter((item): item is Accepted => !("refusal" in item));
  const bodies = accepted.map((item) => item.body);
  const externalIds = await ExternalIds.read(tx, bodies.map((body) => body.externalId));
  const [named, cited, replaced] = await Promise.all([
    findNamed(tx, bodies),
    findCited(tx, bodies),
    findReplaced(tx, bodies),
  ]);
  const taken = new Set<string>();
  const known = { named, cited, replaced };
  const slices = new Slices();
  const drafts: (ReturnType<typeof draft> | { readonly refusal: ServiceError })[] = [];
  for (const item of items) {
    await slices.yieldIfDue();
    drafts.push("refusal" in item ? item : draft(item, () => toClaim(ctx, tx, item, known)));
  }
  const saying = await findSaying(tx, drafts.flatMap((one) => "refusal" in one ? [] : [one.claim]));
  const claims = drafts.map((one): Claim | { refusal: ServiceError } => {
    if ("refusal" in one) return one;
    const { item, claim } = one;
    try {
      requireUnnamed(tx, claim, saying);
      externalIds.require(claim);
      return { claim, item, replaces: takeOnce(taken, replaced, item.body.supersedes) };
    } catch (error) {
      if (error instanceof ServiceError) return { refusal: error };
      throw error;
    }
  });
  const valid = claims.flatMap((entry) => "refusal" in entry ? [] : [entry]);
  const stored = await addStatedAliases(tx, valid.map(({ claim }) => claim), await writeClaims(ctx, tx, valid));
  for (const [i, { row }] of stored.entries()) requireNameKept(valid[i]!.claim, row);
  const written = stored.values();
  return claims.map((entry) => "refusal" in entry ? entry : written.next().value!);
}

/** A fact as it would be stored, or why it is refused. */
function draft(item: Accepted, make: () => FactRow): { item: Accepted; claim: FactRow } | { refusal: ServiceError } {
  try {
    return { item, claim: make() };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error };
    throw error;
  }
}

/**
 * Picks the fact that a fact of a batch replaces.
 * @param taken the facts that earlier ones of the batch replace
 * @throws ServiceError `validation_failed` if it is one of them
 */
function takeOnce(
  taken: Set<string>,
  replaced: ReadonlyMap<string, FactRow>,
  id: string | undefined,
): FactRow | undefined {
  if (id === undefined) return undefined;
  if (taken.has(id)) {
    throw new ServiceError("validation_failed", "Cannot store the fact: supersedes is replaced by an earlier item", {
      errors: [{ path: "supersedes", message: "is replaced by an earlier item of the batch" }],
    });
  }
  taken.add(id);
  return replaced.get(id);
}

/** Writes facts in their order, each against known facts and earlier ones of the batch. */
export async function writeClaims(ctx: OperationContext, tx: Tx, claims: readonly Claim[]): Promise<Written[]> {
  await openNamesOf(ctx, tx, claims.map(({ claim, item }) => ({ unit: claim, prepared: item.prepared })));
  const { tracer } = ctx.deps.telemetry;
  return await tracer.span("svc.write.conflict_detection", { facts: claims.length }, () => settle(tx, claims));
}

/** Decides about claims in their order, and stores the decisions. */
async function settle(tx: Tx, stated: readonly Claim[]): Promise<Written[]> {
  if (stated.length === 0) return [];
  const claims = await withSettings(tx, stated.map(({ claim }) => claim));
  const valid = stated.map((one, i): Claim => ({ ...one, claim: claims[i]! }));
  const replaced = valid.flatMap(({ replaces }) => replaces ?? []);
  const live = await lockLiveRivals(tx, [...claims, ...replaced]);
  const lost = replaced.find(({ id }) => !live.some((fact) => fact.id === id));
  if (lost !== undefined) {
    throw new ServiceError("conflict", `Cannot supersede ${lost.id}: another request has changed it in the meantime`);
  }
  const byId = new Map(live.map((fact) => [fact.id, fact]));
  const statements = valid.map(({ claim, item }) => toStatement(claim.text, item.prepared));
  const named = valid.map(({ claim, item }) => ({ unit: claim, names: item.prepared.names }));
  const [candidates, mentions, restated] = await Promise.all([
    findCandidates(tx, statements),
    findMentionsOf(tx, named),
    readRestated(tx, valid, live),
  ]);
  const ledger = new Ledger(tx, live, restated);
  const slices = new Slices();
  const decisions: Decision[] = [];
  for (const [i, { claim, told, replaces, item }] of valid.entries()) {
    await slices.yieldIfDue();
    decisions.push(ledger.decide({
      claim,
      stated: item.body?.sensitivity,
      told,
      replaces: replaces && byId.get(replaces.id),
      statement: statements[i]!,
      mentions: mentions[i]!,
      candidates: candidates[i]!,
    }));
  }
  const rows = await store(tx, ledger, decisions);
  return decisions.map(({ factId, ...decision }): Written => ({ ...decision, row: rows.get(factId)! }));
}

/** Reads which sources restated facts may rest on, and their mentions. */
async function readRestated(tx: Tx, valid: readonly Claim[], live: readonly FactRow[]) {
  const said = Map.groupBy(live, (fact) => saidKey(fact.body));
  const restated = valid.flatMap(({ claim }) =>
    (said.get(saidKey(claim.body)) ?? []).map((known) => ({ claim, known }))
  );
  const resting = await RestingGraph.read(tx, restated.flatMap(({ claim }) => claim.derivedFrom));
  const named = restated.filter(({ claim, known }) => claim.entityIds.some((id) => !known.entityIds.includes(id)));
  const rows = [...new Set(named.map(({ known }) => known))];
  const mentions = await readMentionsOf(tx, rows);
  const ended = await lockEnded(tx, valid.flatMap(({ claim }) => worldTime(claim) === null ? [] : [claim]));
  return { resting, mentions: new Map(rows.map((row, i) => [row.id, mentions[i]!])), ended };
}

/** Stores the decisions. Returns the facts in question as they are after all consequences. */
async function store(
  tx: Tx,
  ledger: Ledger,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<string, FactRow>> {
  ledger.number(await allocateDocNos(tx, decisions.filter(({ isNew }) => isNew).length));
  const followUps = new FollowUps();
  const rows = await writeUnits(tx, ledger.writes(), { followUps, record: () => ledger.record() });
  await insertReviewItems(tx, ledger.opened);
  const followed = await followUps.run(tx);
  return new Map(rows.map((row) => [row!.id, followed.current(row!)]));
}
