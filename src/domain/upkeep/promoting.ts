/** Consolidation makes a strategy of at least three similar episodes. It is trusted no more than they are. */
import { listUnusedEpisodes } from "../../db/queries/consolidation.ts";
import { CreateStrategyBody } from "../../schema/strategy.ts";
import type { EpisodeBody, EpisodeRow } from "../kinds/episodes.ts";
import type { RunningJob } from "./running_job.ts";
import { insertUnit, prepareUnit } from "../unit/create.ts";
import { STRATEGIES } from "../kinds/strategies.ts";
import { changedUnit, createdUnit, plannedUnit } from "./job_units.ts";
import { findRepeated } from "./merging.ts";

/** The latest episodes that are read. */
const EPISODES_MAX = 500;
const NAME_CHARS_MAX = 200;
const PROSE_CHARS_MAX = 4_000;

export async function promoteEpisodes(job: RunningJob, most: number): Promise<void> {
  const { ctx } = job;
  const rows = await ctx.tx((tx) => listUnusedEpisodes<EpisodeBody>(tx, EPISODES_MAX), {
    readOnly: true,
  });
  const groups = findRepeated(rows.map((row) => ({
    row,
    id: row.id,
    kind: row.body.kind,
    sensitivity: row.sensitivity,
    title: row.body.title,
    outcome: row.body.outcome!,
  })));
  for (const group of groups) {
    if (job.countOf("promote") >= most) return;
    const episodes = group.map(({ row }) => row);
    const ids = episodes.map((row) => row.id);
    const reason = `${ids.length} episodes of kind ${episodes[0]!.body.kind} went alike`;
    if (job.isDryRun) {
      if (job.hasDone("promote", ids)) continue;
      await job.step(() =>
        Promise.resolve({
          kind: "promote",
          reason,
          units: episodes.map((row) => plannedUnit(row, "source")),
          undo: null,
        })
      );
      continue;
    }
    const prepared = await prepareUnit(ctx, STRATEGIES, toStrategy(episodes, job.row.id));
    await job.step(async (tx) => {
      // Another run may have promoted them first, or one of them may have been erased.
      const unused = new Set((await listUnusedEpisodes(tx, EPISODES_MAX)).map((row) => row.id));
      if (!ids.every((id) => unused.has(id))) return undefined;
      const strategy = await insertUnit(ctx, tx, STRATEGIES, prepared);
      return {
        kind: "promote",
        reason,
        units: [createdUnit(strategy), ...episodes.map((row) => changedUnit(row, row, "source"))],
        undo: `DELETE /v1/memory/strategies/${strategy.id}`,
      };
    });
  }
}

/** The latest episode gives the text; the number of repetitions is counted, not judged. */
function toStrategy(episodes: readonly EpisodeRow[], jobId: string): CreateStrategyBody {
  const [latest] = episodes;
  const { title, summary, kind, outcome } = latest!.body;
  const since = episodes.map((row) => row.body.startedAt).toSorted()[0]!;
  return CreateStrategyBody.parse({
    name: title.slice(0, NAME_CHARS_MAX),
    situation: `It happened ${episodes.length} times since ${since.slice(0, 10)} (${kind}): ${title}`.slice(
      0,
      PROSE_CHARS_MAX,
    ),
    pattern: (summary.trim() === "" ? title : summary).slice(0, PROSE_CHARS_MAX),
    outcome: outcome!.slice(0, PROSE_CHARS_MAX),
    attribution: "agent_inferred",
    confidence: Math.min(...episodes.map((row) => row.confidence)),
    sensitivity: latest!.sensitivity,
    derivedFrom: episodes.map((row) => row.id),
    metadata: { consolidation: jobId, episodes: episodes.length },
  });
}
