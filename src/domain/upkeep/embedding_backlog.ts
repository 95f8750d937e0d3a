/** How many texts wait for a vector of the present model, and how many workspaces for links of their earlier texts. */
import type { Deps } from "../../context.ts";
import { countUnembedded } from "../../db/queries/health.ts";
import { countUnlinked as queryUnlinked } from "../../db/queries/newer_work.ts";
import { Source } from "../../telemetry/metric_sources.ts";
import { perService } from "../common/per_service.ts";

/** Counts the texts of all workspaces that can be reached. @throws ServiceError `unavailable` */
export async function countBacklog({ db, embeddings }: Pick<Deps, "db" | "embeddings">): Promise<number> {
  const counts = await db.each((sql) => countUnembedded(sql, embeddings.current), { readOnly: true, partial: true });
  return counts.reduce((sum, { texts }) => sum + texts, 0);
}

/** Counts the workspaces that can be reached whose earlier texts wait for their links. @throws ServiceError `unavailable` */
export async function countUnlinked({ db }: Pick<Deps, "db">): Promise<number> {
  const counts = await db.each(queryUnlinked, { readOnly: true, partial: true });
  return counts.reduce((sum, { workspaces }) => sum + workspaces, 0);
}

/** How long a count is good enough to say whether texts wait, in milliseconds. */
const FRESH_MS = 2_000;

const lastCountOf = perService((deps) => {
  const last = { texts: 0, workspaces: 0, source: new Source(count, { sourceTtlMs: FRESH_MS }) };
  async function count() {
    // Whether the database can be reached is another check.
    [last.texts, last.workspaces] = await Promise.all([
      countBacklog(deps).catch(() => 0),
      countUnlinked(deps).catch(() => 0),
    ]);
  }
  return last;
});

/** Whether texts wait. A load balancer asks often, so it is counted seldom. */
export async function isBehind(deps: Deps): Promise<{ readonly embeddings: boolean; readonly links: boolean }> {
  const last = lastCountOf(deps);
  await last.source.refresh();
  return { embeddings: last.texts > 0, links: last.workspaces > 0 };
}
