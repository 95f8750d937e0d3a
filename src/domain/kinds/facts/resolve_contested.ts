/**
 * Carries out a person's decision about facts. Everything can be undone: the losing fact is superseded or archived,
 * both of which can be restored, and each version records who decided and why.
 */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import type { ReviewItemRow } from "../../../db/queries/review_items.ts";
import { findUnits, lockNames } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import { type MergedFact, type ResolveReviewBody, REVIEW_ACTIONS, type ReviewedUnit } from "../../../schema/review.ts";
import { aliasesOf, joinAliases, withAliases } from "../../unit/aliases.ts";
import { type PreparedText, prepareTexts } from "../../unit/indexing.ts";
import { noteOf, type ReviewEffect, type ReviewResolver } from "../../unit/review_resolver.ts";
import { mostSensitive, trustOf } from "../../unit/trust.ts";
import { archival, archive } from "../../unit/archive.ts";
import { mayChange } from "../../unit/flow.ts";
import { nests } from "../../unit/slots.ts";
import { reviseUnit, reviseUnits, type Revision, withoutResting } from "../../unit/store.ts";
import { contests, contradicts, worldTime } from "./conflicts.ts";
import {
  derivedColumns,
  type FactBody,
  type FactRow,
  isLive,
  mergeCitations,
  statementKey,
  statusAt,
} from "./fields.ts";
import { applyJudgement, supersession } from "./judgement.ts";
import { lockLiveRivals, namesOf, openNextOutdating } from "./lock_rivals.ts";

const CITATIONS_MAX = 100;

/** A decision, with its context and the text that was prepared outside the transaction. */
interface ContestedRuling {
  readonly ctx: OperationContext;
  readonly body: ResolveReviewBody;
  readonly note: string;
  /** The merged statement, prepared. */
  readonly prepared: PreparedText | undefined;
}

type CarryOut = (tx: Tx, item: ReviewItemRow, decision: ContestedRuling) => Promise<ReviewEffect>;

function resolverOf(carryOut: CarryOut, mergeNeedsText: boolean): ReviewResolver {
  return {
    actions: REVIEW_ACTIONS,
    async lock(tx, item) {
      const ids = [item.subjectId, ...(item.otherId === null ? [] : [item.otherId])];
      const facts = await findUnits<FactBody>(tx, ids, { type: "fact" });
      if (facts.length > 0) await lockNames(tx, namesOf(facts));
    },
    async prepare(ctx, item, body) {
      if (mergeNeedsText && body.action === "merge" && body.merged === undefined) {
        throw new ServiceError("validation_failed", "Cannot merge: facts that contradict each other need a new text", {
          errors: [{ path: "merged", message: "is needed to merge contested facts" }],
        });
      }
      const [prepared] = body.merged === undefined
        ? []
        : await prepareTexts(ctx, [{ kind: "fact", sensitivity: item.sensitivity, text: body.merged.statement }]);
      const decision: ContestedRuling = { ctx, body, note: noteOf(item, body), prepared };
      return (tx, locked) => carryOut(tx, locked, decision);
    },
  };
}

/** The subject contradicts active facts: it waits to be accepted, or not. */
export const CONTESTED_FACT: ReviewResolver = resolverOf(settleContested, true);
/** The subject likely outdates the other fact; both are in force. */
export const OUTDATED_FACT: ReviewResolver = resolverOf(settleOutdated, true);
/** The subject says nearly the same as the other fact. */
export const NEAR_DUPLICATE: ReviewResolver = resolverOf(settleDuplicate, false);

async function settleContested(tx: Tx, item: ReviewItemRow, decision: ContestedRuling): Promise<ReviewEffect> {
  const fact = await lockLive(tx, item.subjectId);
  if (fact.status !== "contested") throw refuse(`${fact.id} is ${fact.status}`);
  const live = await lockLiveRivals(tx, [fact]);
  const rivals = live.filter((rival) => rival.status === "active" && contests(rival, fact))
    .sort((a, b) => Number(b.id === item.otherId) - Number(a.id === item.otherId) || b.trustScore - a.trustScore);
  switch (decision.body.action) {
    case "accept_incoming":
      return await accept(tx, fact, rivals, item, decision);
    case "keep_both": {
      const note = { event: "released", reason: decision.note, reviewItemId: item.id };
      const row = await reviseUnit(tx, fact, { status: "active" }, note);
      return { outcome: "both stand", units: [toReviewed(row)] };
    }
    case "keep_local": {
      const [local] = requireRivals(rivals);
      const [lost] = await reviseUnits(tx, [defeat(tx, fact, local, item, decision)]);
      return { outcome: `superseded by ${local.id}`, units: [toReviewed(lost!)] };
    }
    case "merge": {
      const [local] = requireRivals(rivals);
      const merging = await mergeInto(tx, local, fact, decision);
      const [merged, lost] = await reviseUnits(tx, [merging, defeat(tx, fact, local, item, decision)]);
      return { outcome: `merged into ${local.id}`, units: [toReviewed(merged!), toReviewed(lost!)] };
    }
  }
}

/** The contested fact supersedes the facts that it contradicts, like one that wins by itself. */
async function accept(
  tx: Tx,
  fact: FactRow,
  rivals: readonly FactRow[],
  item: ReviewItemRow,
  { note: reason }: ContestedRuling,
): Promise<ReviewEffect> {
  // A bounded fact does not end one that lasts longer, whoever decides.
  const ended = rivals.filter((rival) => !nests(fact, rival));
  const closesAt = worldTime(fact) ?? fact.recordedAt;
  const judgement = ended.length > 0
    ? { outcome: "superseded", rivals: ended, closesAt } as const
    : { outcome: rivals.length > 0 ? "interrupts" : "none", rivals, closesAt } as const;
  const { changes, closed } = applyJudgement(fact, judgement, tx.now, () => reason);
  const accepted = { unit: fact, changes, note: { event: "accepted", reason, reviewItemId: item.id } };
  const rows = await reviseUnits(tx, [...closed, accepted]);
  return { outcome: "accepted", units: [rows.at(-1)!, ...rows.slice(0, -1)].map(toReviewed) };
}

/** The contested fact loses: it was not true at any time that it speaks of. */
function defeat(
  { now }: Tx,
  fact: FactRow,
  local: FactRow,
  item: ReviewItemRow,
  { note: reason }: ContestedRuling,
): Revision<FactBody> {
  const closesAt = worldTime(fact) ?? fact.recordedAt;
  return supersession(fact, { by: local.id, closesAt, now, reason, neverHeld: true, reviewItemId: item.id });
}

async function settleOutdated(tx: Tx, item: ReviewItemRow, decision: ContestedRuling): Promise<ReviewEffect> {
  const fact = await lockLive(tx, item.subjectId);
  const older = await lockLive(tx, item.otherId);
  const note = { reason: decision.note, reviewItemId: item.id };
  const outdates = fact.body.outdates?.filter((id) => id !== older.id) ?? [];
  const { outdates: _, ...rest } = fact.body;
  const body = outdates.length === 0 ? rest : { ...rest, outdates };
  switch (decision.body.action) {
    case "accept_incoming": {
      const closesAt = worldTime(fact) ?? fact.recordedAt;
      const closed = mayChange(fact, older)
        ? [supersession(older, { by: fact.id, closesAt, now: tx.now, ...note })]
        : [];
      // What is less sensitive stays in force, and the fact goes on to outdate it for those who may see both.
      const settled = closed.length > 0 ? body : fact.body;
      const accepted = {
        unit: fact,
        changes: { body: { ...settled, supersedes: older.id } },
        note: { event: "accepted", ...note },
      };
      const rows = await reviseUnits(tx, [...closed, accepted]);
      await openNextOutdating(tx, { ...fact, body });
      return { outcome: "accepted", units: rows.toReversed().map(toReviewed) };
    }
    case "keep_both": {
      const row = await reviseUnit(tx, fact, { body }, { event: "released", ...note });
      await openNextOutdating(tx, row);
      return { outcome: "both stand", units: [toReviewed(row)] };
    }
    case "keep_local": {
      const [lost] = await reviseUnits(tx, [defeat(tx, { ...fact, body }, older, item, decision)]);
      return { outcome: `superseded by ${older.id}`, units: [toReviewed(lost!)] };
    }
    case "merge": {
      const merging = await mergeInto(tx, older, fact, decision);
      const [merged, lost] = await reviseUnits(tx, [merging, defeat(tx, { ...fact, body }, older, item, decision)]);
      return { outcome: `merged into ${older.id}`, units: [toReviewed(merged!), toReviewed(lost!)] };
    }
  }
}

async function settleDuplicate(tx: Tx, item: ReviewItemRow, decision: ContestedRuling): Promise<ReviewEffect> {
  const fact = await lockLive(tx, item.subjectId);
  const local = await lockLive(tx, item.otherId);
  const reason = decision.note;
  switch (decision.body.action) {
    case "keep_both":
      return { outcome: "both stand", units: [] };
    // The duplicate is archived, which does not affect the standing of units that rest on it.
    case "keep_local":
      return { outcome: `archived in favour of ${local.id}`, units: [toReviewed(await archive(tx, fact, { reason }))] };
    case "accept_incoming":
      return { outcome: `${local.id} archived`, units: [toReviewed(await archive(tx, local, { reason }))] };
    case "merge": {
      const merging = await mergeInto(tx, local, fact, decision);
      const units = await reviseUnits(tx, [merging, archival(tx, fact, { reason })]);
      return { outcome: `merged into ${local.id}`, units: units.map(toReviewed) };
    }
  }
}

/** The local fact takes over what the other one adds: its citations, aliases, tags, entities, and its support. */
async function mergeInto(
  tx: Tx,
  local: FactRow,
  other: FactRow,
  decision: ContestedRuling,
): Promise<Revision<FactBody>> {
  const { ctx, body: { merged }, note, prepared } = decision;
  const citations = mergeCitations(local.body.citations, other.body.citations, CITATIONS_MAX);
  const aliases = joinAliases(aliasesOf(local.body), aliasesOf(other.body));
  if (merged !== undefined && local.attribution === "verified" && !ctx.scopes.has("memory:admin")) {
    throw new ServiceError(
      "insufficient_scope",
      "Cannot change what a verified fact says: the key lacks the scope memory:admin",
    );
  }
  const said = merged === undefined ? { body: withAliases({ ...local.body, citations }, aliases) } : derivedColumns(
    withAliases({ ...local.body, ...toTerms(local, merged), statement: merged.statement, citations }, aliases),
  );
  const next = { ...local, ...said };
  if (merged !== undefined) await requireNoOther(tx, local, other, next);
  const support = merged === undefined ? strongerSupport(local, other) : sharedSupport(local, other);
  const changes = {
    ...said,
    ...support,
    // The other fact may rest on units that rest on the local one.
    derivedFrom: await withoutResting(tx, local.id, support.derivedFrom),
    sensitivity: mostSensitive(local.sensitivity, other.sensitivity),
    tags: union(local.tags, other.tags),
    entityIds: union(local.entityIds, other.entityIds),
    pinned: local.pinned || other.pinned,
    corroborationCount: local.corroborationCount + other.corroborationCount + 1,
  };
  return { unit: local, changes, note: { event: "merged", reason: `${note} (with ${other.id})`, prepared } };
}

function toTerms(local: FactRow, merged: MergedFact) {
  const pick = (name: "subject" | "predicate" | "object") =>
    merged[name] === undefined ? local.body[name] : merged[name];
  return { subject: pick("subject"), predicate: pick("predicate"), object: pick("object") };
}

/** @throws ServiceError `conflict` when the merge would say the same as a third fact, or newly contradict one. */
async function requireNoOther(tx: Tx, local: FactRow, other: FactRow, next: FactRow): Promise<void> {
  const live = (await lockLiveRivals(tx, [next])).filter(({ id }) => id !== local.id && id !== other.id);
  const factIds = live.filter((rival) =>
    statementKey(rival.body) === statementKey(next.body) ||
    (rival.status === "active" && contests(rival, next) && !contradicts(local, rival))
  ).map(({ id }) => id);
  if (factIds.length === 0) return;
  throw new ServiceError("conflict", `Cannot merge: the new text repeats or contradicts ${factIds.join(", ")}`, {
    extra: { factIds },
  });
}

/** Both say the same, so the one that is trusted more lends its trust, as when a fact is stated again. */
function strongerSupport(local: FactRow, other: FactRow) {
  const { attribution, trustScore, trustCap, derivedFrom, stale } = other.trustScore > local.trustScore ? other : local;
  return { attribution, trustScore, trustCap, derivedFrom: without(derivedFrom, local, other), stale };
}

/** The new text rests on both, so the less trusted one bounds its trust. */
function sharedSupport(local: FactRow, other: FactRow) {
  const trustCap = Math.min(local.trustCap, other.trustScore);
  return {
    trustCap,
    trustScore: trustOf(local.attribution, trustCap),
    derivedFrom: without(union(local.derivedFrom, other.derivedFrom), local, other),
    stale: local.stale || other.stale,
  };
}

/** A merged fact does not rest on itself. */
function without(ids: readonly string[], ...facts: readonly FactRow[]): string[] {
  return ids.filter((id) => facts.every((fact) => fact.id !== id));
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}

/** @throws ServiceError `conflict` when the fact was erased, is hidden or no longer in force. */
async function lockLive(tx: Tx, id: string | null): Promise<FactRow> {
  const [fact] = id === null ? [] : await findUnits<FactBody>(tx, [id], { type: "fact", lock: "update" });
  if (fact === undefined) throw refuse("a fact that it is about is not there");
  if (!isLive(fact, tx.now)) throw refuse(`${fact.id} is ${statusAt(fact, tx.now)}`);
  return fact;
}

function requireRivals(rivals: readonly FactRow[]): readonly [FactRow, ...FactRow[]] {
  const [first, ...rest] = rivals;
  if (first === undefined) throw refuse("no active fact contradicts it any more");
  return [first, ...rest];
}

function refuse(why: string): ServiceError {
  return new ServiceError("conflict", `Cannot resolve the review item: ${why}; dismiss it or decide otherwise`);
}

function toReviewed({ id, version, status }: FactRow): ReviewedUnit {
  return { id, version, status };
}
