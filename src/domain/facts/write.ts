/**
 * Writing new facts in one transaction, in order, each against what is known and against those before it.
 * Decisions §3 "Conflict detection on create and update".
 */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/scope.ts";
import { ServiceError } from "../../errors.ts";
import type { FactConflict } from "../../schema/fact.ts";
import { openNamesOf } from "../mentions/open.ts";
import { corroborateUnit, insertUnits, reviseUnit, type UnitToInsert, withoutResting } from "../units.ts";
import { findCited, findNamed, type PreparedFact, toClaim } from "./claims.ts";
import { judge, type Judgement, restates, winnerColumns } from "./conflicts.ts";
import {
  type Candidate,
  findCandidates,
  pickDuplicate,
  type Statement,
  toCandidate,
  toStatement,
} from "./duplicates.ts";
import { type FactBody, type FactRow, mergeCitations } from "./fields.ts";
import { closeRivals, lockLiveRivals, openReview, releaseContested, settleReview } from "./settle.ts";

/** What became of a fact that was stated. */
export interface Written {
  readonly row: FactRow;
  /** False: it was known already. */
  readonly isNew: boolean;
  /** The version that was in force before; 0 for a new fact. A corroboration may leave it as it is. */
  readonly versionBefore: number;
  readonly duplicateOf: string | null;
  readonly conflict: FactConflict;
}

export type Outcome = Written | { readonly refusal: ServiceError };

type Accepted = Exclude<PreparedFact, { readonly refusal: ServiceError }>;

/** The citations that a fact keeps when it is stated again and again. */
const CITATIONS_MAX = 100;
const NO_CONFLICT: FactConflict = { outcome: "none", factIds: [], reviewItemId: null };
const CORROBORATED: FactConflict = { ...NO_CONFLICT, outcome: "corroborated" };

/** Writes prepared facts. A refused one leaves no trace and does not hold up the others. */
export async function writeFacts(
  ctx: OperationContext,
  tx: Tx,
  items: readonly PreparedFact[],
): Promise<Outcome[]> {
  const accepted = items.filter((item): item is Accepted => !("refusal" in item));
  const bodies = accepted.map((item) => item.body);
  const [named, cited] = await Promise.all([findNamed(tx, bodies), findCited(tx, bodies)]);
  const claims = items.map((item): { claim: FactRow; item: Accepted } | { refusal: ServiceError } => {
    if ("refusal" in item) return item;
    try {
      return { claim: toClaim(ctx, tx, item.body, named, cited), item };
    } catch (error) {
      if (error instanceof ServiceError) return { refusal: error };
      throw error;
    }
  });
  const valid = claims.flatMap((entry) => "refusal" in entry ? [] : [entry]);
  await openNamesOf(ctx, tx, valid.map(({ claim, item }) => ({ unit: claim, prepared: item.prepared })));
  const { tracer } = ctx.deps.telemetry;
  const attributes = { facts: valid.length };
  return await tracer.span("svc.write.conflict_detection", attributes, async () => {
    const live = valid.length === 0 ? [] : await lockLiveRivals(tx, valid.map((entry) => entry.claim));
    const statements = valid.map(({ claim, item }) => toStatement(claim.text, item.prepared));
    const candidates = await findCandidates(tx, statements);
    const writer = new Writer(tx, live);
    const outcomes: Outcome[] = [];
    let next = 0;
    for (const entry of claims) {
      if ("refusal" in entry) outcomes.push(entry);
      else {
        const at = next++;
        outcomes.push(await writer.write(entry.claim, statements[at]!, candidates[at]!));
      }
    }
    await writer.finish();
    return outcomes.map((outcome) =>
      "refusal" in outcome ? outcome : { ...outcome, row: writer.latest(outcome.row.id) }
    );
  });
}

/** The state of one batch: the live facts that matter, and the new ones that are not stored yet. */
class Writer {
  readonly #tx: Tx;
  readonly #live: Map<string, FactRow>;
  readonly #rows = new Map<string, FactRow>();
  readonly #closed: FactRow[] = [];
  /** Stored together, as late as may be: one statement for many. */
  #pending: (UnitToInsert<FactBody> & { readonly unit: FactRow; readonly statement: Statement })[] = [];
  /** New facts of this batch, for finding near-duplicates among themselves. */
  readonly #added: Candidate[] = [];

  constructor(tx: Tx, live: readonly FactRow[]) {
    this.#tx = tx;
    this.#live = new Map(live.map((row) => [row.id, row]));
  }

  latest(id: string): FactRow {
    return this.#rows.get(id)!;
  }

  async write(claim: FactRow, statement: Statement, candidates: readonly Candidate[]): Promise<Written> {
    const known = this.#live.values().find((row) => restates(claim, row, this.#tx.now));
    if (known !== undefined) return await this.#corroborate(known.id, claim);
    const open = [...candidates, ...this.#added].filter(({ known }) => !this.#isClosed(known.id));
    const duplicateOf = pickDuplicate(claim, statement.gist, open);
    const judgement = judge(claim, [...this.#live.values()], this.#tx.now);
    let fact = claim;
    let conflict = NO_CONFLICT;
    if (judgement.outcome === "superseded") {
      fact = { ...claim, ...winnerColumns(claim, judgement) };
      conflict = await this.#close(fact, judgement);
    } else if (judgement.outcome === "contested") {
      fact = { ...claim, status: "contested" };
      const reviewItemId = await openReview(this.#tx, fact, judgement.rivals);
      conflict = { outcome: "contested", factIds: judgement.rivals.map((rival) => rival.id), reviewItemId };
    }
    this.#pending.push({ unit: fact, prepared: statement.prepared, statement });
    this.#added.push(toCandidate(fact, statement.gist));
    this.#keep(fact);
    return { row: fact, isNew: true, versionBefore: 0, duplicateOf, conflict };
  }

  /** Stores what is pending, and settles what the closed facts kept contested. */
  async finish(): Promise<void> {
    await this.#flush();
    if (this.#closed.length > 0) await releaseContested(this.#tx, this.#closed);
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const row of await insertUnits(this.#tx, pending)) this.#keep(row);
  }

  async #close(winner: FactRow, judgement: Judgement<FactRow>): Promise<FactConflict> {
    await this.#flush();
    const factIds = judgement.rivals.map((rival) => rival.id);
    // Storing what was pending gave some of them their document numbers.
    const rivals = factIds.map((id) => this.#live.get(id)!);
    for (const row of await closeRivals(this.#tx, winner, { ...judgement, rivals })) {
      this.#live.delete(row.id);
      this.#rows.set(row.id, row);
      this.#closed.push(row);
    }
    return { outcome: "superseded", factIds, reviewItemId: null };
  }

  /** The fact is stated again: its count grows, new citations join, a more trusted statement lends it its trust. */
  async #corroborate(id: string, claim: FactRow): Promise<Written> {
    await this.#flush();
    const known = this.#live.get(id)!;
    const versionBefore = known.version;
    const citations = mergeCitations(known.body.citations, claim.body.citations, CITATIONS_MAX);
    const entityIds = [...new Set([...known.entityIds, ...claim.entityIds])];
    const isMoreTrusted = claim.trustScore > known.trustScore;
    const isRicher = citations.length > known.body.citations.length || entityIds.length > known.entityIds.length;
    if (!isMoreTrusted && !isRicher) {
      const row = await corroborateUnit(this.#tx, known);
      this.#keep(row);
      return { row, isNew: false, versionBefore, duplicateOf: null, conflict: CORROBORATED };
    }
    const changes = {
      corroborationCount: known.corroborationCount + 1,
      entityIds,
      body: { ...known.body, citations },
      ...(isMoreTrusted && supportOf(claim)),
      // What was concluded from the fact itself may be why it is stated again.
      ...(isMoreTrusted && { derivedFrom: await withoutResting(this.#tx, id, claim.derivedFrom) }),
    };
    const reason = isMoreTrusted ? `stated again as ${claim.attribution}` : "stated again";
    const settles = known.status === "contested" && isMoreTrusted;
    const settled = settles ? await this.#settle({ ...known, ...changes }) : undefined;
    const row = await reviseUnit(this.#tx, known, { ...changes, ...settled?.changes }, {
      event: "corroborated",
      reason,
    });
    if (settled?.changes.status === "active") await settleReview(this.#tx, row, reason);
    this.#keep(row);
    return { row, isNew: false, versionBefore, duplicateOf: null, conflict: settled?.conflict ?? CORROBORATED };
  }

  /** A contested fact has gained trust: it may win now. */
  async #settle(fact: FactRow): Promise<{ changes: Partial<FactRow>; conflict: FactConflict }> {
    const judgement = judge(fact, [...this.#live.values()], this.#tx.now);
    if (judgement.outcome === "contested") return { changes: {}, conflict: CORROBORATED };
    if (judgement.outcome === "none") return { changes: { status: "active" }, conflict: CORROBORATED };
    const conflict = await this.#close(fact, judgement);
    return { changes: { ...winnerColumns(fact, judgement), status: "active" }, conflict };
  }

  #keep(row: FactRow): void {
    this.#live.set(row.id, row);
    this.#rows.set(row.id, row);
  }

  #isClosed(id: string): boolean {
    return this.#rows.get(id)?.status === "superseded";
  }
}

/** Where a fact's trust comes from: taken over whole from a statement that is trusted more. */
function supportOf(claim: FactRow) {
  const { attribution, trustScore, trustCap, derivedFrom, stale } = claim;
  return { attribution, trustScore, trustCap, derivedFrom, stale };
}
