/** Saturday and Sunday: the memory is tidied up, and moves house itself. */
import assert from "node:assert/strict";
import { runJobs } from "../../src/domain/governance/job_works.ts";
import type { Json, Week } from "./_week.ts";

const ADMIN = "/v1/memory/admin";
const FACTS = "/v1/memory/facts";

/** What helped is worth more; the gate says why it is closed; a consolidation merges what says the same and can be undone. */
export async function saturday(week: Week): Promise<void> {
  week.nextDay();
  const rome = week.made["rome"]!;
  const { data: [voted] } = await week.post("/v1/memory/governance/worth/feedback", {
    agentId: "assistant",
    signals: [{ unitId: rome, signal: "helpful" }],
  }, 200);
  assert.ok(voted.worth > voted.worthBefore);
  const first = await week.fact("The keys of the flat lie with the porter.");
  const second = await week.fact("Keys of flat lie with porter", { attribution: "user_stated" });
  await week.post("/v1/memory/governance/gate", { action: "hold", reason: "the move is today" }, 200);
  assert.deepEqual(await week.refused(`${ADMIN}/consolidate`, { force: true }), [409, "gate_closed"]);
  await week.post("/v1/memory/governance/gate", { action: "release", reason: "moved in" }, 200);
  const job = await finish(week, await week.post(`${ADMIN}/consolidate`, { force: true }, 202));
  const merge = job.steps.find((step: Json) => step.kind === "merge");
  assert.deepEqual(merge.units.map((unit: Json) => [unit.id, unit.role]), [[second.id, "kept"], [first.id, "merged"]]);
  assert.equal((await week.get("/v1/memory/governance/gate")).lastRun.jobId, job.id);
  const keys = await week.recall("Where are the keys of the flat?", { types: ["fact"] });
  assert.deepEqual(keys.filter((result) => /[Kk]eys/.test(result.text)).map((result) => result.id), [second.id]);
  await finish(week, await week.post(`${ADMIN}/jobs/${job.id}/revert`, {}, 202));
  assert.equal((await week.get(`${FACTS}/${first.id}`)).status, "active", "every step can be taken back");
  const health = await week.get("/v1/memory/health");
  assert.ok(health.lastWriteAt !== null);
  week.then["saturday"] = week.pass();
}

/** Runs the jobs that wait, as the worker does. */
async function finish(week: Week, { id }: Json): Promise<Json> {
  for (let i = 0; i < 5 && await runJobs(week.service.operator()); i++);
  const job = await week.get(`${ADMIN}/jobs/${id}`);
  assert.equal(job.state, "completed", JSON.stringify(job));
  return job;
}
