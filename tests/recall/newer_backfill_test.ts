/** What an earlier build stored without links points to what was said later, once a worker has come to it. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService, TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { connectSuperuser } from "../http/_audit.ts";
import { scrape, valueOf } from "../http/_metrics.ts";

const FULL = "/v1/memory/recall", HOT = "/v1/memory/recall/hot";
const QUESTION = "Which dentist does Doctor Novak stand in for?";

async function tell(service: TestService, statement: string, occurredAt: string): Promise<string> {
  const body = { statement, occurredAt, attribution: "user_stated" };
  const reply = await service.post("/v1/memory/facts", body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

async function say(service: TestService, content: string, occurredAt: string): Promise<string> {
  const { body: { id } } = await service.post("/v1/session", {});
  const reply = await service.post(`/v1/session/${id}/turns`, { role: "user", content, occurredAt });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

/** The id to which a result points. */
async function pointerOf(service: TestService, path: string, query: string, id: string): Promise<string | undefined> {
  const { body } = await service.post(path, { query, minScore: 0 });
  // deno-lint-ignore no-explicit-any
  const found = body.results.find((one: any) => one.id === id);
  assert.ok(found !== undefined, JSON.stringify(body));
  return found.newer?.id;
}

/** Makes the database what the migration makes of one without links. */
async function forgetLinks(service: TestService): Promise<void> {
  await using superuser = connectSuperuser(service);
  await superuser.sql`truncate newer_link`;
  await superuser.sql`delete from newer_cursor`;
  await superuser.sql`update newer_start set doc_no = (select last_value + 1 from doc_no), at = now()`;
}

/** Counts all links, or those of some units. */
async function countLinks(service: TestService, of?: readonly string[]): Promise<number> {
  await using superuser = connectSuperuser(service);
  const [row] = of === undefined ? await superuser.sql`select count(*)::int as n from newer_link` : await superuser.sql`
      select count(*)::int as n from newer_link where older_unit = any(${of}::uuid[]) or newer_unit = any(${of}::uuid[])`;
  return row!.n;
}

Deno.test({
  ...POSTGRES,
  name:
    "texts that were there before links get them, the latest first, and every way of recall shows them, with no restart",
  async fn() {
    await using first = await startService();
    const old = await tell(first, "Doctor Novak stands in for the dentist on Elm Street", "2026-03-01T09:00:00Z");
    const said = await say(first, "the kiln of the pottery is in unit 7 behind the mill", "2026-03-01T10:00:00Z");
    for (let i = 0; i < 40; i++) {
      await tell(first, `Crate ${1000 + i} holds lamp number ${7000 + i}`, "2026-03-02T09:00:00Z");
    }
    const later = await tell(first, "Novak retired, Elm Street has no stand-in", "2026-04-01T09:00:00Z");
    const now = await say(first, "kiln moved, pottery is in unit 12 these days", "2026-04-02T09:00:00Z");
    const atWrite = await countLinks(first);
    assert.ok(atWrite > 0);
    await forgetLinks(first);

    await using service = await startService({ database: first.database! });
    const { workspaceId, key, database } = first;
    const asked = new TestService(service.service, workspaceId, key, database, new AsyncDisposableStack());
    const health = async () => (await service.get("/v1/memory/health", { key })).body.backlog.links;
    const ready = async () => (await service.get("/health/ready")).body.checks.newerLinks;
    assert.equal(await health(), 44);
    assert.equal(await ready(), "behind");
    assert.equal(valueOf(await scrape(service), "svc_newer_links_behind", {}), 1);
    for (const path of [FULL, HOT]) assert.equal(await pointerOf(asked, path, QUESTION, old), undefined, path);

    const step = () => service.step("newer_links", first.workspaceId);
    assert.equal(await step(), true, "a bounded piece");
    assert.equal(await health(), 12, "the latest first");
    await waitFor(
      "a link that was made with the later of two",
      async () => await pointerOf(asked, FULL, QUESTION, old) === later || undefined,
    );
    while (await step());
    assert.equal(await countLinks(first), atWrite, "the same as at the writes");
    for (const path of [FULL, HOT]) {
      await waitFor(
        `the pointer from ${path}`,
        async () => await pointerOf(asked, path, QUESTION, old) === later || undefined,
      );
      await waitFor(
        `the turn's pointer from ${path}`,
        async () => await pointerOf(asked, path, "Where is the kiln of the pottery?", said) === now || undefined,
      );
    }
    assert.equal(await health(), 0);
    await waitFor("readiness", async () => await ready() === undefined || undefined);
    assert.equal(await step(), false, "there is nothing more to do");

    await service.post(`/v1/facts/${later}/forget`, { mode: "erase" }, { key });
    for (const path of [FULL, HOT]) assert.equal(await pointerOf(asked, path, QUESTION, old), undefined, path);
  },
});

Deno.test({
  ...POSTGRES,
  name: "what is imported is linked as it was told, and an erasure of either side takes the links",
  async fn() {
    await using service = await startService();
    const old = await tell(service, "Doctor Novak stands in for the dentist on Elm Street", "2026-03-01T09:00:00Z");
    const later = await tell(service, "Novak retired, Elm Street has no stand-in", "2026-04-01T09:00:00Z");
    await say(service, "the kiln of the pottery is in unit 7 behind the mill", "2026-03-01T10:00:00Z");
    await say(service, "kiln moved, pottery is in unit 12 these days", "2026-04-02T09:00:00Z");
    const made = await countLinks(service);
    const exported = await service.get("/v1/export");
    assert.equal(exported.status, 200);
    const there = await service.inNewWorkspace();
    const imported = await there.call("POST", "/v1/import", {
      body: typeof exported.body === "string" ? exported.body : JSON.stringify(exported.body),
      headers: { "content-type": "application/x-ndjson" },
    });
    assert.ok(imported.status < 300, JSON.stringify(imported.body));
    assert.equal(await countLinks(service), 2 * made);
    const result = (await there.post(FULL, { query: QUESTION, minScore: 0 })).body.results;
    // deno-lint-ignore no-explicit-any
    assert.ok(result.some(({ newer }: any) => newer !== undefined), JSON.stringify(result));

    const gone = await countLinks(service, [old, later]);
    assert.ok(gone > 0);
    await service.post(`/v1/facts/${later}/forget`, { mode: "erase" });
    await service.post(`/v1/facts/${old}/forget`, { mode: "erase" });
    assert.equal(await countLinks(service), 2 * made - gone / 2, "the other workspace keeps its own");
  },
});
