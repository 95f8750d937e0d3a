/** A memory examines itself: it finds each planted problem, and none in a clean memory. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create, FACTS, livesIn, read, test } from "./_facts.ts";
import { outcomes, reverted } from "./_self.ts";

async function reflect(service: TestService, body: object = {}, key?: string): Promise<Reply["body"]> {
  const reply = await service.post("/v1/self/reflect", body, key === undefined ? {} : { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

interface Finding {
  readonly kind: string;
  readonly confidence: number;
  readonly evidenceIds: string[];
  readonly operations: { readonly op: string; readonly id?: string }[];
  readonly applied: number[];
}

function only(reflection: { readonly findings: Finding[] }, kind: string): Finding {
  const found = reflection.findings.filter((finding) => finding.kind === kind);
  assert.equal(found.length, 1, `${kind}: ${JSON.stringify(reflection.findings)}`);
  return found[0]!;
}

async function ask(service: TestService, ...contents: [role: string, content: string][]): Promise<string[]> {
  const session = await service.post("/v1/session", { title: "Talk" });
  const ids: string[] = [];
  for (const [role, content] of contents) {
    const turn = await service.post(`/v1/session/${session.body.id}/turns`, {
      role,
      content,
      messageId: crypto.randomUUID(),
    });
    assert.equal(turn.status, 201, JSON.stringify(turn.body));
    ids.push(turn.body.id);
  }
  return ids;
}

async function plant(service: TestService) {
  const paris = await livesIn(service, "Paris", { attribution: "user_stated" });
  const rome = await livesIn(service, "Rome", { attribution: "agent_stated" });
  const likes = await create(service, {
    statement: "Melanie likes strong black coffee very much.",
    attribution: "user_stated",
  });
  const dislikes = await create(service, { statement: "Melanie does not like strong black coffee very much." });
  const first = await create(service, { statement: "The quarterly report lists every open invoice of the branch." });
  const second = await create(service, { statement: "The quarterly report lists every open invoice of a branch." });
  const source = await create(service, { statement: "The bridge is closed." });
  const derived = await create(service, { statement: "Trams go round the harbour.", derivedFrom: [source.id] });
  await service.patch(`${FACTS}/${source.id}`, { status: "retracted" });
  const expiring = await create(service, {
    statement: "The voucher can be used.",
    expiresAt: "2026-06-03T12:00:00Z",
    pinned: true,
  });
  const due = (await service.post("/v1/memory/decisions", {
    title: "Host",
    decision: "We rent.",
    reviewAt: "2026-05-01T00:00:00Z",
  })).body;
  const [open] = await ask(service, ["user", "When does the museum close?"], ["user", "Anyway."]);
  const [unknown] = await ask(service, ["user", "Who wrote it?"], ["assistant", "I don't know."]);
  await ask(service, ["user", "What time is it?"], ["assistant", "Noon."]);
  const worthless = await create(service, { statement: "Some pigeons were seen.", attribution: "unverified" });
  await service.operator().tx((tx) =>
    tx.sql`update unit set worth = 0.05 where workspace_id = ${tx.workspaceId} and id = ${worthless.id}`
  );
  return {
    paris,
    rome,
    likes,
    dislikes,
    first,
    second,
    derived,
    expiring,
    due,
    open: open!,
    unknown: unknown!,
    worthless,
  };
}

test("a reflection finds each planted problem with its evidence, and changes nothing", async (service) => {
  const planted = await plant(service);
  const { asOfSeq } = (await service.get("/v1/self/profile")).body;
  const found = await reflect(service, { limit: 100 });
  assert.deepEqual(found.found, {
    contradiction: 2,
    near_duplicate: 1,
    stale: 1,
    low_worth: 1,
    expiring: 1,
    unanswered_question: 2,
    review_due: 1,
  });
  const ids = (kind: string) => only(found, kind).evidenceIds;
  const contradictions = found.findings.filter(({ kind }: Finding) => kind === "contradiction");
  assert.deepEqual(
    new Set(contradictions.map(({ operations }: Finding) => operations[0]!.id)),
    new Set([planted.rome.id, planted.dislikes.id]),
  );
  assert.deepEqual(new Set(ids("near_duplicate")), new Set([planted.first.id, planted.second.id]));
  assert.deepEqual(ids("stale"), [planted.derived.id]);
  assert.deepEqual(ids("low_worth"), [planted.worthless.id]);
  assert.deepEqual(ids("expiring"), [planted.expiring.id]);
  assert.deepEqual(ids("review_due"), [planted.due.id]);
  const questions = found.findings.filter(({ kind }: Finding) => kind === "unanswered_question");
  assert.deepEqual(
    new Set(questions.map(({ evidenceIds }: Finding) => evidenceIds[0])),
    new Set([planted.open, planted.unknown]),
  );
  assert.deepEqual([found.truncated, found.edit], [false, null]);
  assert.equal((await service.get("/v1/self/profile")).body.asOfSeq, asOfSeq);
  assert.deepEqual(await reflect(service, { limit: 100 }), found);
  const some = await reflect(service, { focus: ["stale"], limit: 1 });
  assert.deepEqual(some.findings.map(({ kind }: Finding) => kind), ["stale"]);
  const few = await reflect(service, { limit: 2 });
  assert.deepEqual([few.findings.length, few.truncated], [2, true]);
});

test("a clean memory has no findings", async (service) => {
  await livesIn(service, "Paris");
  await create(service, { statement: "Melanie likes tea." });
  await create(service, { statement: "Room 4 seats 12 people." });
  await create(service, { statement: "Room 5 seats 12 people." });
  await service.post("/v1/memory/decisions", { title: "Host", decision: "We rent.", reviewAt: "2027-05-01T00:00:00Z" });
  await ask(service, ["user", "What time is it?"], ["assistant", "Noon."], ["user", "Thanks."]);
  const found = await reflect(service);
  assert.deepEqual([found.findings, found.found, found.truncated], [[], {}, false]);
  assert.deepEqual(found.lookedAt, { facts: 4, turns: 3, others: 0 });
  assert.deepEqual((await reflect(service, { apply: true })).edit, null);
});

test("what is applied is an edit within an agent's rights, and can be reverted", async (service) => {
  const planted = await plant(service);
  await service.patch(`${FACTS}/${planted.dislikes.id}`, { attribution: "user_stated" });
  const found = await reflect(service, { limit: 100, apply: true, minConfidence: 0.4, agentId: "night" });
  assert.deepEqual([found.edit.source, found.edit.agentId, found.edit.status], ["reflection", "night", "in_review"]);
  const outcomeOf = (finding: Finding) => finding.applied.map((i) => outcomes(found.edit)[i]);
  for (const finding of found.findings as Finding[]) {
    const isProtected = finding.operations[0]!.id === planted.dislikes.id ||
      finding.operations[0]!.id === planted.likes.id;
    assert.deepEqual(
      outcomeOf(finding),
      finding.confidence < 0.4 ? [] : [isProtected ? "review" : "applied"],
      JSON.stringify(finding),
    );
  }
  assert.equal((await read(service, planted.rome.id)).status, "retracted");
  assert.equal((await read(service, planted.worthless.id)).status, "archived");
  assert.equal((await read(service, planted.expiring.id)).expiresAt, null);
  assert.equal((await read(service, planted.derived.id)).status, "archived");
  const again = await reflect(service, { limit: 100 });
  assert.deepEqual(again.found, { contradiction: 1, review_due: 1 });
  await reverted(service, found.edit.id);
  assert.equal((await read(service, planted.rome.id)).status, "contested");
  assert.equal((await read(service, planted.worthless.id)).status, "active");
});

test("a window leaves out what is older; what is above the clearance is not looked at", async (service, clock) => {
  await livesIn(service, "Paris", { attribution: "user_stated" });
  await livesIn(service, "Rome", { attribution: "agent_stated", sensitivity: "confidential" });
  await ask(service, ["user", "When does the museum close?"]);
  const low = await service.createKey({ maxSensitivity: "internal" });
  assert.deepEqual((await reflect(service, { focus: ["contradiction"] }, low)).findings, []);
  assert.equal((await reflect(service)).findings.length, 2);
  clock.step(10 * 86_400_000);
  assert.deepEqual((await reflect(service)).findings, []);
  assert.equal((await reflect(service, { lastHours: 300 })).findings.length, 2);
  assert.equal(
    (await reflect(service, { window: { from: "2026-06-01T00:00:00Z", to: "2026-06-02T00:00:00Z" } })).findings.length,
    2,
  );
  const refused = await service.post("/v1/self/reflect", { lastHours: 1, window: { from: "2026-06-01T00:00:00Z" } });
  assert.equal(refused.status, 422);
});
