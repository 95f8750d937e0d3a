/** An erased resource is named by no other one: whichever member, operation or export shows it. */
import assert from "node:assert/strict";
import { test } from "./_facts.ts";
import type { TestService } from "../_service.ts";
import { exportAll } from "./_transfer.ts";
import { created } from "./_world.ts";

const FACTS = "/v1/memory/facts";
const STARTED = "2026-03-02T09:00:00Z";

/** Names an id in every member that can name a unit. Returns the paths that show what names it. */
async function nameEverywhere(service: TestService, id: string, newer: string): Promise<string[]> {
  const post = (path: string, body: Record<string, unknown>) => created(service.post(path, body));
  const more = { derivedFrom: [id] };
  const paths = [
    `${FACTS}/${await post(FACTS, { statement: "The harbour closes early in winter.", ...more })}`,
    `/v1/memory/decisions/${await post("/v1/memory/decisions", {
      title: "Ferry",
      decision: "Take the ferry.",
      ...more,
      evidenceIds: [id],
    })}`,
    `/v1/memory/strategies/${await post("/v1/memory/strategies", {
      name: "Ask first",
      situation: "At sea",
      pattern: "Ask.",
      ...more,
    })}`,
    `/v1/memory/episodes/${await post("/v1/memory/episodes", {
      title: "Night",
      summary: "Ada came.",
      startedAt: STARTED,
      factIds: [id, newer],
    })}`,
    `/v1/memory/entities/${await post("/v1/memory/entities", { canonicalName: "Harbour Office", ...more })}`,
    `${FACTS}/${newer}`,
  ];
  const relation = await post("/v1/memory/relations", {
    ...{ verb: "related_to", sourceId: newer, targetId: paths[4]!.split("/").at(-1) },
    evidenceIds: [id],
  });
  return [...paths, `/v1/memory/relations/${relation}`];
}

test("an erased id is in no member of another resource, whatever the clearance, and in no export", async (service) => {
  const old = await created(service.post(FACTS, { statement: "The harbour closes at nine." }));
  const newer = await created(service.post(FACTS, { statement: "The harbour closes at eight now.", supersedes: old }));
  const paths = await nameEverywhere(service, old, newer);
  const readers = [service.key, await service.createKey({ maxSensitivity: "internal" })];
  const shown = async () =>
    (await Promise.all(readers.flatMap((key) => paths.map((path) => service.get(path, { key }))))).map(
      ({ status, body }) => {
        assert.equal(status, 200, JSON.stringify(body));
        return JSON.stringify(body);
      },
    );
  for (const body of await shown()) assert.ok(body.includes(old), body);
  assert.equal((await service.post(`/v1/facts/${old}/forget`, { mode: "erase" })).status, 200);
  for (const body of await shown()) assert.ok(!body.includes(old), body);
  const lists = await Promise.all(
    [FACTS, "/v1/memory/decisions", "/v1/memory/episodes", "/v1/memory/entities"].map((path) => service.get(path)),
  );
  for (const { body } of lists) assert.ok(!JSON.stringify(body).includes(old));
  for (const key of readers) {
    const { lines } = await exportAll(service, key);
    // A review asks whether something still holds without what was erased, and the log of erasures keeps the id.
    const naming = lines.filter((line) =>
      !["deletion", "review_item"].includes(line.kind) && JSON.stringify(line).includes(old)
    );
    assert.deepEqual(naming, []);
  }
});
