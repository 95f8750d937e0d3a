/** Consolidation merges facts that say the same: the weaker one is archived; the stronger one takes its citations. */
import { findReverted, listFactsAfter } from "../../db/queries/consolidation.ts";
import { findUnits, lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { JobReport } from "../../schema/job.ts";
import { type ComparedStatement, findCandidates, type LikelyDuplicate } from "../kinds/facts/duplicates.ts";
import { type FactBody, type FactRow, isLive, mergeCitations } from "../kinds/facts/fields.ts";
import { namesOf } from "../kinds/facts/lock_rivals.ts";
import { gistOf } from "../kinds/facts/similarity.ts";
import type { RunningJob, StepNote } from "./running_job.ts";
import { aliasesOf, joinAliases, withAliases } from "../unit/aliases.ts";
import { analyseOnly } from "../unit/indexing.ts";
import { archival } from "../unit/archive.ts";
import { reviseUnits } from "../unit/store.ts";
import { changedUnit, plannedUnit } from "./job_units.ts";
import { chooseKept, likenessOf, saysSame, Wordings } from "./merging.ts";
import { Slices } from "../../pause.ts";

/** Facts that one job compares with others, in all and at a time. */
const FACTS_MAX = 2_000;
const FACTS_AT_ONCE = 50;
const CITATIONS_MAX = 100;
const TAGS_MAX = 50;
const SUGGESTIONS_MAX = 100;

type Found = Required<Pick<JobReport, "suggestions" | "throughDocNo">>;

/** Compares the facts that were written since the last run, the oldest first, with all others. */
export async function mergeFacts(job: RunningJob, most: number, since: number): Promise<Found> {
  const suggestions: Found["suggestions"] = [];
  const seen = new Set<string>();
  let through = since;
  for (let looked = 0; looked < FACTS_MAX;) {
    const facts = await job.ctx.tx((tx) => listFactsAfter<FactBody>(tx, through, FACTS_AT_ONCE), {
      readOnly: true,
    });
    if (facts.length === 0) break;
    const { pairs, alike } = await job.ctx.tx((tx) => findPairs(tx, facts), { readOnly: true });
    for (const { score, factId, otherId } of alike) {
      const name = [factId, otherId].toSorted().join(" ");
      if (suggestions.length < SUGGESTIONS_MAX && !seen.has(name)) suggestions.push({ factId, otherId, score });
      seen.add(name);
    }
    for (const pair of pairs) {
      // The next run compares a fact again that was not compared with all others.
      if (job.countOf("merge") >= most) return { suggestions, throughDocNo: through };
      if (job.hasDone("merge", pair)) continue;
      await job.step((tx) => mergePair(job, tx, pair));
    }
    looked += facts.length;
    through = facts.at(-1)!.docNo;
    if (facts.length < FACTS_AT_ONCE) break;
  }
  return { suggestions, throughDocNo: through };
}

type Pair = readonly [string, string];

/** Pairs of facts that say the same, and pairs that are only alike. */
async function findPairs(tx: Tx, facts: readonly FactRow[]) {
  const slices = new Slices();
  const statements: ComparedStatement[] = [];
  for (const fact of facts) {
    await slices.yieldIfDue();
    statements.push(toStatement(fact));
  }
  const candidates = await findCandidates(tx, statements);
  const ids = [...new Set(candidates.flat().map(({ known }: LikelyDuplicate) => known.id))];
  const rows = ids.length === 0 ? [] : await findUnits<FactBody>(tx, ids, { type: "fact" });
  const reverted = await findReverted(tx, [...ids, ...facts.map((fact) => fact.id)]);
  const known = new Map(rows.filter((row) => isLive(row, tx.now) && !reverted.has(row.id)).map((row) => [row.id, row]));
  const wordings = new Wordings();
  const pairs: Pair[] = [];
  const alike: { factId: string; otherId: string; score: number }[] = [];
  for (const [i, fact] of facts.entries()) {
    if (reverted.has(fact.id)) continue;
    for (const { known: { id } } of candidates[i]!) {
      await slices.yieldIfDue();
      const other = known.get(id);
      if (other === undefined || other.id === fact.id) continue;
      if (saysSame(fact, other, wordings)) pairs.push([fact.id, other.id]);
      else {
        const score = likenessOf(fact, other, wordings);
        if (score > 0) alike.push({ factId: fact.id, otherId: other.id, score: Math.round(score * 1e3) / 1e3 });
      }
    }
  }
  return { pairs, alike };
}

/** Words decide, so no vector is needed. */
function toStatement({ text, sensitivity }: FactRow): ComparedStatement {
  return { gist: gistOf(text), prepared: analyseOnly({ kind: "fact", sensitivity, text }) };
}

async function mergePair(job: RunningJob, tx: Tx, pair: Pair): Promise<StepNote | undefined> {
  const seen = await findUnits<FactBody>(tx, pair, { type: "fact" });
  if (seen.length < 2) return undefined;
  await lockNames(tx, namesOf(seen));
  const [a, b] = await findUnits<FactBody>(tx, pair, { type: "fact", lock: "update" });
  if (a === undefined || b === undefined || !isLive(a, tx.now) || !isLive(b, tx.now) || !saysSame(a, b)) {
    return undefined;
  }
  const chosen = chooseKept(a, b);
  if (chosen === undefined) return undefined;
  const [kept, merged] = chosen;
  const reason = `${merged.id} says the same as ${kept.id}, which is trusted at least as much`;
  if (job.isDryRun) {
    return { kind: "merge", reason, units: [plannedUnit(kept, "kept"), plannedUnit(merged, "merged")], undo: null };
  }
  const changes = {
    corroborationCount: kept.corroborationCount + merged.corroborationCount + 1,
    tags: [...new Set([...kept.tags, ...merged.tags])].slice(0, Math.max(TAGS_MAX, kept.tags.length)),
    entityIds: [...new Set([...kept.entityIds, ...merged.entityIds])],
    body: withAliases(
      { ...kept.body, citations: mergeCitations(kept.body.citations, merged.body.citations, CITATIONS_MAX) },
      joinAliases(aliasesOf(kept.body), aliasesOf(merged.body)),
    ),
  };
  const [archived, after] = await reviseUnits(tx, [
    archival(tx, merged, { reason: `merged into ${kept.id} by job ${job.row.id}` }),
    { unit: kept, changes, note: { event: "corroborated", reason: `took in ${merged.id} by job ${job.row.id}` } },
  ]);
  return {
    kind: "merge",
    reason,
    units: [changedUnit(kept, after!, "kept"), changedUnit(merged, archived!, "merged")],
    undo: `POST /v1/memory/admin/jobs/${job.row.id}/revert; POST /v1/facts/${merged.id}/restore brings back the one`,
  };
}
