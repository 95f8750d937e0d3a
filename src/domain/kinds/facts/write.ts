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
import { type FactRow, statementKey } from "./fields.ts";
import { FactBatch, type FactDecision } from "./fact_batch.ts";
import { DerivationGraph } from "./derivation_graph.ts";
import { lockEnded, lockLiveRivals, readSettings } from "./lock_rivals.ts";

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

export interface Refused {
  readonly refusal: ServiceError;
}

export type FactResult = Written | Refused;

type Accepted = Exclude<PreparedFact, Refused>;

/** A fact that is ready to be compared with known ones. */
export interface NewFact {
  readonly fact: FactRow;
  readonly prepared: Accepted["prepared"];
  /** The sensitivity that its author gives it; undefined: none. */
  readonly stated?: Accepted["body"]["sensitivity"];
  /** The event of its first version; default: `created`. A fact from a peer does not corroborate a known one. */
  readonly originEvent?: VersionNote;
  /** The fact that its author says it replaces. */
  readonly replaces?: FactRow | undefined;
}

/** Writes prepared facts. A refused one leaves no trace and does not hold up the others. Returns the results in order. */
export async function writeFacts(
  ctx: OperationContext,
  tx: Tx,
  items: readonly PreparedFact[],
): Promise<FactResult[]> {
  const bodies = items.flatMap((item) => "refusal" in item ? [] : [item.body]);
  const externalIds = await ExternalIds.read(tx, bodies.map((body) => body.externalId));
  const [named, cited, replaced] = await Promise.all([
    findNamed(tx, bodies),
    findCited(tx, bodies),
    findReplaced(tx, bodies),
  ]);
  const known = { named, cited, replaced };
  const slices = new Slices();
  const drafts: ({ readonly item: Accepted; readonly fact: FactRow } | Refused)[] = [];
  for (const item of items) {
    await slices.yieldIfDue();
    drafts.push("refusal" in item ? item : unlessRefused(() => ({ item, fact: toClaim(ctx, tx, item, known) })));
  }
  const saying = await findSaying(tx, drafts.flatMap((one) => "refusal" in one ? [] : [one.fact]));
  const taken = new Set<string>();
  const checked = drafts.map((one) =>
    "refusal" in one ? one : unlessRefused((): NewFact => {
      const { item: { prepared, body }, fact } = one;
      requireUnnamed(tx, fact, saying);
      externalIds.require(fact);
      const replaces = takeOnce(taken, replaced, body.supersedes);
      return { fact, prepared, stated: body.sensitivity, replaces };
    })
  );
  const written = await writeNewFacts(ctx, tx, checked.flatMap((one) => "refusal" in one ? [] : [one]));
  const results = await addStatedAliases(tx, written);
  for (const [{ fact }, { row }] of results) requireNameKept(fact, row);
  return checked.map((one) => "refusal" in one ? one : results.get(one)!);
}

/** Makes something, or returns why it is refused. */
function unlessRefused<Made>(make: () => Made): Made | Refused {
  try {
    return make();
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

/** Writes facts in their order, each against known facts and earlier ones of the batch. Returns the result of each. */
export async function writeNewFacts(
  ctx: OperationContext,
  tx: Tx,
  facts: readonly NewFact[],
): Promise<ReadonlyMap<NewFact, Written>> {
  await openNamesOf(ctx, tx, facts.map(({ fact: unit, prepared }) => ({ unit, prepared })));
  const { tracer } = ctx.deps.telemetry;
  return await tracer.span("svc.write.conflict_detection", { facts: facts.length }, () => decideAll(tx, facts));
}

/** Decides about facts in their order, and stores the decisions. */
async function decideAll(tx: Tx, facts: readonly NewFact[]): Promise<ReadonlyMap<NewFact, Written>> {
  if (facts.length === 0) return new Map();
  const applySettings = await readSettings(tx, facts.map(({ fact }) => fact));
  const claims = facts.map((given) => ({ given, claim: applySettings(given.fact) }));
  const replaced = facts.flatMap(({ replaces }) => replaces ?? []);
  const live = await lockLiveRivals(tx, [...claims.map(({ claim }) => claim), ...replaced]);
  const lost = replaced.find(({ id }) => !live.some((fact) => fact.id === id));
  if (lost !== undefined) {
    throw new ServiceError("conflict", `Cannot supersede ${lost.id}: another request has changed it in the meantime`);
  }
  const byId = new Map(live.map((fact) => [fact.id, fact]));
  const stated = claims.map((one) => ({ ...one, statement: toStatement(one.claim.text, one.given.prepared) }));
  const [candidates, mentions, restated] = await Promise.all([
    findCandidates(tx, stated.map(({ statement }) => statement)),
    findMentionsOf(tx, claims.map(({ given, claim: unit }) => ({ unit, names: given.prepared.names }))),
    readRestated(tx, claims.map(({ claim }) => claim), live),
  ]);
  const batch = new FactBatch(tx, live, restated);
  const slices = new Slices();
  const decided: { readonly given: NewFact; readonly decision: FactDecision }[] = [];
  for (const [i, { given, claim, statement }] of stated.entries()) {
    await slices.yieldIfDue();
    const { stated, originEvent, replaces } = given;
    const decision = batch.decide({
      ...{ claim, stated, originEvent, statement },
      replaces: replaces && byId.get(replaces.id),
      mentions: mentions[i]!,
      candidates: candidates[i]!,
    });
    decided.push({ given, decision });
  }
  const rows = await store(tx, batch, decided.filter(({ decision }) => decision.isNew).length);
  return new Map(
    decided.map(({ given, decision: { factId, ...decision } }) => [given, { ...decision, row: rows.get(factId)! }]),
  );
}

/** Reads which sources restated facts may rest on, and their mentions. */
async function readRestated(tx: Tx, claims: readonly FactRow[], live: readonly FactRow[]) {
  const said = Map.groupBy(live, (fact) => statementKey(fact.body));
  const restated = claims.flatMap((claim) =>
    (said.get(statementKey(claim.body)) ?? []).map((known) => ({ claim, known }))
  );
  const derivations = await DerivationGraph.read(tx, restated.flatMap(({ claim }) => claim.derivedFrom));
  const named = restated.filter(({ claim, known }) => claim.entityIds.some((id) => !known.entityIds.includes(id)));
  const rows = [...new Set(named.map(({ known }) => known))];
  const mentions = await readMentionsOf(tx, rows);
  const ended = await lockEnded(tx, claims.filter((claim) => worldTime(claim) !== null));
  return { derivations, mentions: new Map(rows.map((row, i) => [row.id, mentions[i]!])), ended };
}

/** Stores what a batch decided. Returns the facts in question as they are after all consequences. */
async function store(tx: Tx, batch: FactBatch, newFacts: number): Promise<ReadonlyMap<string, FactRow>> {
  batch.number(await allocateDocNos(tx, newFacts));
  const followUps = new FollowUps();
  const rows = await writeUnits(tx, batch.writes(), { followUps, record: () => batch.record() });
  await insertReviewItems(tx, batch.opened);
  const followed = await followUps.run(tx);
  return new Map(rows.map((row) => [row!.id, followed.current(row!)]));
}
