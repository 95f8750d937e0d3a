/**
 * Decides in memory about the facts of one batch, one by one in their order, against known facts and earlier ones of
 * the batch, as if they were written singly. Nothing is stored before all are decided.
 */
import type { Tx } from "../../../db/tx.ts";
import type { NewReviewItem } from "../../../db/queries/review_items.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { FactConflict } from "../../../schema/fact.ts";
import { listEntities, nameEntities, type UnitMentions } from "../../unit/mentions/follow.ts";
import { mayChange } from "../../unit/flow.ts";
import { recordUnit } from "../../unit/record.ts";
import { draftReviewItem, recordOpened } from "../../unit/review_item.ts";
import type { VersionNote } from "../../../db/queries/units.ts";
import { nextVersion, type UnitChanges } from "../../unit/store.ts";
import type { NewText, UnitVersion, UnitWrite } from "../../unit/write.ts";
import { judge, listOutdated, restates, restatesEnded } from "./conflicts.ts";
import { type ComparedStatement, findBest, type LikelyDuplicate, tellsApart } from "./duplicates.ts";
import { type FactBody, type FactRow, isLive } from "./fields.ts";
import { isGiven } from "./inferred.ts";
import {
  applyJudgement,
  type FactVerdict,
  joinOutdated,
  NO_CONFLICT,
  outdatingColumns,
  reasonToReplace,
  replacement,
} from "./judgement.ts";
import { LiveFacts } from "./live_facts.ts";
import { NearIndex } from "./near_index.ts";
import { joinRestated, listCarried, supportOf } from "./restated.ts";
import type { DerivationGraph } from "./derivation_graph.ts";
import { contestedItem, outdatingItem } from "./lock_rivals.ts";

const CORROBORATED: FactConflict = { ...NO_CONFLICT, outcome: "corroborated" };

/** A stated fact, with everything that the decision about it needs. */
export interface StatedFact {
  readonly claim: FactRow;
  /** The sensitivity that its author gives; undefined: none. */
  readonly stated?: Sensitivity | undefined;
  /** The event of its first version, if it came from a peer. */
  readonly originEvent?: VersionNote | undefined;
  /** The stored fact in force that its author says it replaces. */
  readonly replaces?: FactRow | undefined;
  readonly statement: ComparedStatement;
  readonly mentions: UnitMentions;
  /** Stored live facts that may say nearly the same. */
  readonly candidates: readonly LikelyDuplicate[];
}

/** The decision about a statement. The row of its fact may still change. */
export interface FactDecision {
  readonly factId: string;
  readonly isNew: boolean;
  readonly versionBefore: number;
  readonly duplicateOf: string | null;
  readonly conflict: FactConflict;
  /** The members of a statement told again that the known fact did not take. */
  readonly leftOut: readonly string[];
}

/** A fact that the batch created or changed. */
interface BatchEntry extends UnitWrite<FactBody> {
  row: FactRow;
  readonly versions: UnitVersion<FactBody>[];
  texts: readonly NewText[] | undefined;
  mentions: UnitMentions | undefined;
}

type Judged = Omit<FactVerdict, "closed">;

export class FactBatch {
  readonly #tx: Tx;
  readonly #live: LiveFacts;
  /** Superseded facts that may be stated again. */
  readonly #ended: FactRow[];
  readonly #derivations: DerivationGraph;
  /** The mentions of stored facts that are restated with further entities. */
  readonly #mentions: ReadonlyMap<string, UnitMentions>;
  readonly #entries = new Map<string, BatchEntry>();
  readonly #near = new NearIndex();
  readonly #records: (() => void)[] = [];
  readonly opened: NewReviewItem[] = [];

  constructor(
    tx: Tx,
    live: readonly FactRow[],
    known: {
      readonly derivations: DerivationGraph;
      readonly mentions: ReadonlyMap<string, UnitMentions>;
      readonly ended: readonly FactRow[];
    },
  ) {
    this.#tx = tx;
    this.#ended = [...known.ended];
    this.#live = new LiveFacts(live);
    this.#derivations = known.derivations;
    this.#mentions = known.mentions;
  }

  /** Decides about the next statement. */
  decide(stated: StatedFact): FactDecision {
    const { claim, originEvent, replaces } = stated;
    const known = this.#findRestated(claim, replaces);
    if (known !== undefined) {
      const decision = originEvent === undefined ? this.#corroborate(known, claim, stated.stated) : this.#count(known);
      return replaces === undefined ? decision : this.#replaceByKnown(decision, replaces);
    }
    if (originEvent !== undefined || replaces !== undefined) return this.#add(stated);
    // A superseded fact that is restated is only counted. It does not stand in for a peer's fact or
    // a replacing one.
    const ended = this.#ended.find((row) =>
      mayChange(claim, row) && restatesEnded(claim, row) && canTakeName(claim, row)
    );
    if (ended === undefined) return this.#add(stated);
    return { ...this.#count(this.#entries.get(ended.id)?.row ?? ended), leftOut: listCarried(claim) };
  }

  /**
   * The fact in force that a statement repeats, the least sensitive first. What is less sensitive than the statement
   * itself is not counted up: the statement becomes a fact of its own.
   */
  #findRestated(claim: FactRow, replaces: FactRow | undefined): FactRow | undefined {
    const known = this.#live.sameAs(claim).filter((row) =>
      row.id !== replaces?.id && mayChange(claim, row) && restates(claim, row, this.#tx.now)
    );
    return known.find((row) => known.every((other) => mayChange(row, other)));
  }

  /** The facts that the batch created or changed, in the order of the first change. */
  writes(): readonly UnitWrite<FactBody>[] {
    return [...this.#entries.values()];
  }

  /** Gives the new facts their document numbers. */
  number(docNos: readonly number[]): void {
    const fresh = [...this.#entries.values()].filter(({ before }) => before === undefined);
    for (const [i, entry] of fresh.entries()) {
      const docNo = docNos[i]!;
      entry.row = { ...entry.row, docNo };
      entry.texts = entry.texts?.map((text) => ({ ...text, docNo }));
      for (const [at, { row, note }] of entry.versions.entries()) entry.versions[at] = { row: { ...row, docNo }, note };
      this.#live.renew(entry.row);
    }
  }

  row(id: string): FactRow {
    return this.#entries.get(id)!.row;
  }

  /** Writes to the feed what happened, in order. */
  record(): void {
    for (const record of this.#records) record();
  }

  #add({ claim, originEvent, replaces, statement, mentions, candidates }: StatedFact): FactDecision {
    const listed = { ...claim, entityIds: listEntities(mentions) };
    const named = replaces === undefined ? listed : { ...listed, ...this.#replace(listed, replaces) };
    const duplicateOf = this.#findDuplicate(claim, statement, candidates);
    const judged = this.#judge(named, originEvent === undefined, (fact, rivals) => this.#contest(fact, rivals));
    const { changes, conflict: found, endReason } = originEvent === undefined
      ? this.#mark(named, judged, replaces)
      : judged;
    const conflict = replaces === undefined ? found : joinReplaced(found, named, replaces);
    const fact = keepReplaced({ ...named, ...changes }, replaces);
    const note = originEvent ?? { event: "created", reason: endReason };
    const { prepared } = statement;
    const texts = [{ docNo: fact.docNo, sensitivity: fact.sensitivity, prepared }];
    const entry: BatchEntry = { before: undefined, row: fact, versions: [{ row: fact, note }], texts, mentions };
    this.#entries.set(fact.id, entry);
    if (isLive(fact, this.#tx.now)) this.#live.put(fact);
    else this.#ended.push(fact);
    this.#near.add(fact.id, statement.gist);
    this.#recordVersion(entry);
    return { factId: fact.id, isNew: true, versionBefore: 0, duplicateOf, conflict, leftOut: [] };
  }

  /** Stored facts come before equally similar ones of the batch. */
  #findDuplicate(claim: FactRow, { gist }: ComparedStatement, candidates: readonly LikelyDuplicate[]): string | null {
    const isOpen = (id: string) => this.#entries.get(id)?.row.status !== "superseded";
    const stored = findBest(claim, gist, candidates.filter(({ known }) => isOpen(known.id)));
    const own = this.#near.findBest(gist, (id) => {
      const { tripleKey, body } = this.row(id);
      return isOpen(id) && !tellsApart(
        { id, tripleKey, object: body.folded.object, inferred: body.folded.inferred === true },
        claim,
      );
    });
    if (own === undefined || (stored !== undefined && stored.score >= own.score)) return stored?.id ?? null;
    return own.id;
  }

  /** Adds the facts that a fact likely outdates; a review asks about them, unless one asks about the fact already. */
  #mark(fact: FactRow, judged: Judged, replaces: FactRow | undefined): Judged {
    const { changes, conflict } = judged;
    const likely = listOutdated(fact, this.#live.about(fact), this.#tx.now);
    const outdated = joinOutdated(likely, judged.below).filter((one) => one.fact.id !== replaces?.id);
    const marked = outdatingColumns({ ...fact, ...changes }, outdated);
    if (marked === null) return judged;
    if (conflict.outcome !== "none") return { ...judged, changes: { ...changes, ...marked } };
    const facts = outdated.map((one) => one.fact);
    const item = draftReviewItem(this.#tx, outdatingItem(fact, facts));
    this.opened.push(item);
    this.#records.push(() => recordOpened(this.#tx, item));
    const factIds = facts.map(({ id }) => id);
    return {
      ...judged,
      changes: { ...changes, ...marked },
      conflict: { outcome: "outdates", factIds, reviewItemId: item.id },
    };
  }

  /**
   * Judges a fact against the live facts, closes the facts that it supersedes, and returns the changes to the fact itself.
   * @param contest opens the review of a contested fact, and returns its id
   */
  #judge(
    fact: FactRow,
    byClaims: boolean,
    contest: (fact: FactRow, rivals: readonly FactRow[]) => string | null,
  ): Judged {
    const { now } = this.#tx;
    const about = this.#live.about(fact);
    // A peer's statement ends no other fact by its wording.
    const judgement = judge(
      fact,
      byClaims ? about : about.filter(({ body }) => isGiven(body) && isGiven(fact.body)),
      now,
    );
    const { changes, closed, conflict, ...rest } = applyJudgement(fact, judgement, now);
    for (const rival of closed) {
      const row = this.#revise(rival.unit, rival.changes, rival.note);
      if (!isLive(row, now)) this.#live.remove(row);
    }
    const reviewItemId = conflict.outcome === "contested" ? contest(fact, judgement.rivals) : null;
    return { changes, conflict: { ...conflict, reviewItemId }, ...rest };
  }

  /**
   * Closes the fact that a new one replaces because its author says so, or marks it as outdated if it is less sensitive.
   * Returns the changes to the new one.
   */
  #replace(fact: FactRow, replaced: FactRow): FactVerdict["changes"] {
    const old = this.#entries.get(replaced.id)?.row ?? replaced;
    const { now } = this.#tx;
    const { changes, closed } = applyJudgement(fact, replacement(fact, old, now), now, () => reasonToReplace(fact));
    for (const { unit, changes, note } of closed) {
      // An earlier fact of the batch may have closed it.
      if (!isLive(unit, now)) continue;
      const row = this.#revise(unit, changes, note);
      if (!isLive(row, now)) this.#live.remove(row);
    }
    return changes;
  }

  /** Does the same if the fact is known already. */
  #replaceByKnown(decision: FactDecision, replaced: FactRow): FactDecision {
    const fact = this.row(decision.factId);
    const { body = fact.body } = this.#replace(fact, replaced);
    if (mayChange(replaced, fact)) {
      this.#revise(fact, { body: { ...body, supersedes: replaced.id } }, {
        event: "updated",
        reason: `stated again to replace ${replaced.id}`,
      });
    }
    return { ...decision, conflict: joinReplaced(decision.conflict, fact, replaced) };
  }

  #contest(fact: FactRow, rivals: readonly FactRow[]): string {
    const item = draftReviewItem(this.#tx, contestedItem(fact, rivals));
    this.opened.push(item);
    this.#records.push(() => recordOpened(this.#tx, item));
    return item.id;
  }

  /** Corroborates a restated fact: its count grows, new members join, a more trusted statement lends its trust. */
  #corroborate(known: FactRow, claim: FactRow, stated: Sensitivity | undefined): FactDecision {
    const { next, isRicher, leftOut: omitted } = joinRestated(known, claim, stated);
    const isMoreTrusted = claim.trustScore > known.trustScore;
    const rests = isMoreTrusted || claim.derivedFrom.every((id) => known.derivedFrom.includes(id));
    const leftOut = [...omitted, ...(rests ? [] : ["derivedFrom"])];
    if (!isMoreTrusted && !isRicher) return { ...this.#count(known), leftOut };
    const decision = { factId: known.id, isNew: false, versionBefore: known.version, duplicateOf: null, leftOut };
    const corroborationCount = known.corroborationCount + 1;
    const changes = {
      corroborationCount,
      ...next,
      ...(isMoreTrusted && supportOf(claim)),
      // The restatement may rest on units that were concluded from the fact itself.
      ...(isMoreTrusted && { derivedFrom: this.#derivations.without(known.id, claim.derivedFrom) }),
    };
    const reason = isMoreTrusted ? `stated again as ${claim.attribution}` : "stated again";
    const settles = known.status === "contested" && isMoreTrusted;
    // A contested fact that has gained trust may win now. If it does not, its review is open already.
    const settled = settles ? this.#judge({ ...known, ...changes }, true, () => null) : undefined;
    this.#revise(known, { ...changes, ...settled?.changes }, { event: "corroborated", reason });
    const isSettled = settled !== undefined && !["none", "contested"].includes(settled.conflict.outcome);
    return { ...decision, conflict: isSettled ? settled.conflict : CORROBORATED };
  }

  /** Counts a restatement that adds nothing else, so that it makes no version. */
  #count(known: FactRow): FactDecision {
    const entry = this.#entryOf(known);
    entry.row = { ...known, corroborationCount: known.corroborationCount + 1 };
    this.#live.renew(entry.row);
    const { id: factId, version, status } = known;
    this.#records.push(() => recordUnit(this.#tx, "corroborated", { ...entry.row, version, status }));
    return { factId, isNew: false, versionBefore: version, duplicateOf: null, conflict: CORROBORATED, leftOut: [] };
  }

  /** The next version of a live fact. */
  #revise(fact: FactRow, changes: UnitChanges<FactBody>, note: VersionNote): FactRow {
    const entry = this.#entryOf(fact);
    const row = nextVersion(this.#tx, fact, changes);
    entry.row = changes.entityIds === undefined ? row : { ...row, entityIds: this.#rename(entry, changes.entityIds) };
    if (changes.derivedFrom !== undefined) this.#derivations.put(fact.id, changes.derivedFrom);
    entry.versions.push({ row: entry.row, note });
    this.#live.renew(entry.row);
    this.#recordVersion(entry);
    return entry.row;
  }

  /** Changes the entities that a fact names. */
  #rename(entry: BatchEntry, entityIds: readonly string[]): readonly string[] {
    const { id, entityIds: before } = entry.row;
    if (entityIds.join() === before.join()) return before;
    entry.mentions = nameEntities(entry.mentions ?? this.#mentions.get(id)!, before, entityIds);
    return listEntities(entry.mentions);
  }

  #entryOf(fact: FactRow): BatchEntry {
    const known = this.#entries.get(fact.id);
    if (known !== undefined) return known;
    const entry: BatchEntry = { before: fact, row: fact, versions: [], texts: undefined, mentions: undefined };
    this.#entries.set(fact.id, entry);
    return entry;
  }

  #recordVersion({ versions }: BatchEntry): void {
    const at = versions.length - 1;
    // By then it has its document number.
    this.#records.push(() => recordUnit(this.#tx, versions[at]!.note.event, versions[at]!.row));
  }
}

/** A fact that has ended gets no external id: it can stand for a claim with one only if it has the same id already. */
function canTakeName(claim: FactRow, ended: FactRow): boolean {
  const { externalId } = claim.body;
  return externalId === undefined || externalId === ended.body.externalId;
}

/**
 * A fact that replaces another one because its author says so names that one, whatever else it supersedes, unless that
 * one is more sensitive.
 */
function keepReplaced(fact: FactRow, replaced: FactRow | undefined): FactRow {
  if (replaced === undefined || !mayChange(replaced, fact)) return fact;
  return { ...fact, body: { ...fact.body, supersedes: replaced.id } };
}

function joinReplaced(conflict: FactConflict, fact: FactRow, replaced: FactRow): FactConflict {
  const { id } = replaced;
  const outcome = conflict.outcome === "contested"
    ? "contested"
    : mayChange(fact, replaced) || conflict.outcome === "superseded"
    ? "superseded"
    : "outdates";
  return { ...conflict, outcome, factIds: [id, ...conflict.factIds.filter((other) => other !== id)] };
}
