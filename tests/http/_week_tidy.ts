/** Saturday and Sunday: the memory is tidied up, and moves to another workspace. */
import assert from "node:assert/strict";
import { runJobs } from "../../src/domain/upkeep/job_works.ts";
import { emptyWorkspace, exportAll, importText } from "./_transfer.ts";
import type { Json, Week } from "./_week.ts";

const ADMIN = "/v1/memory/admin";
const FACTS = "/v1/memory/facts";

/**
 * Helpful units are worth more; the gate says why it is closed; a consolidation merges equal units and can be undone.
 */
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

/** The memory moves into an empty workspace with its history; an export of Monday's state moves as well. */
export async function sunday(week: Week): Promise<void> {
  week.nextDay();
  const { service } = week;
  const source = await exportAll(service);
  const home = await emptyWorkspace(service);
  const report = await importText(service, source.text, home);
  assert.deepEqual(report.errors, []);
  const there = async (path: string) => (await service.get(path, { key: home.key })).body;
  for (const name of ["rome", "paris", "quote"]) {
    assert.deepEqual(await there(`${FACTS}/${week.made[name]}`), await week.get(`${FACTS}/${week.made[name]}`), name);
  }
  const then = await there(`${FACTS}/${week.made["paris"]}?knownAt=${week.then["monday"]}`);
  assert.equal(then.status, "active", "what was known on Monday came along");
  const chain = await there(`/v1/memory/decisions/${week.made["movers"]}/chain`);
  assert.equal(chain.currentId, week.made["borea"]);
  const found = await service.post("/v1/memory/recall", { query: "Where does Caroline live?" }, { key: home.key });
  assert.equal(found.body.results.find((result: Json) => result.type === "fact").text, "Caroline lives in Rome.");
  const again = await importText(service, source.text, home);
  assert.deepEqual([again.created, again.updated, again.errors], [0, 0, []], "twice gives the same");
  const copy = await exportAll(service, home.key);
  const linesOf = (file: { readonly lines: Json[] }) =>
    file.lines.filter((line) => ["fact", "decision"].includes(line.kind));
  assert.deepEqual(linesOf(copy), linesOf(source));

  const monday = await exportAll(service, service.key, `?asOf=${week.then["monday"]}`);
  const past = await emptyWorkspace(service);
  assert.deepEqual((await importText(service, monday.text, past)).errors, []);
  const paris = (await service.get(`${FACTS}/${week.made["paris"]}`, { key: past.key })).body;
  assert.deepEqual([paris.status, paris.object], ["active", "Paris"]);
  assert.equal((await service.get(`${FACTS}/${week.made["rome"]}`, { key: past.key })).status, 404);
}
