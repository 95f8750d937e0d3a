/** Every text has a vector when its write is acknowledged, whichever write brings it. */
import assert from "node:assert/strict";
import { Exchange } from "../federation/_exchange.ts";
import { LIFECYCLE_FACES } from "../http/_lifecycle.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { addSession } from "./_memory.ts";

/** The vectors of the table are there at once; those of the encoder follow. */
const ENV = { SVC_SENTENCE_ENCODER: "table" };

/** The texts of a workspace that have no vector, present and earlier ones. */
async function listUnembedded(service: TestService, workspaceId = service.workspaceId): Promise<string[]> {
  const rows = await service.operator(workspaceId).tx((tx) =>
    tx.sql<{ text: string }[]>`
      with texts as (
        select doc_no, concat(type, ' ', text) as text from unit where workspace_id = ${tx.workspaceId}
        union select doc_no, 'an earlier version of ' || id from unit_revision where workspace_id = ${tx.workspaceId}
        union select doc_no, 'turn ' || content from turn where workspace_id = ${tx.workspaceId})
      select distinct text from texts where not exists (
        select from embedding e where e.workspace_id = ${tx.workspaceId} and e.doc_no = texts.doc_no)`
  );
  return rows.map(({ text }) => text);
}

async function say(service: TestService, method: string, path: string, body?: unknown): Promise<Reply["body"]> {
  const reply = await service.call(method, path, { body });
  assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
  assert.deepEqual(await listUnembedded(service), [], `after ${method} ${path}`);
  return reply.body;
}

const FACTS = "/v1/memory/facts", ENTITIES = "/v1/memory/entities";

/** The writes that open, rename or revise something, by what they do. */
const WRITES: Readonly<Record<string, (service: TestService) => Promise<void>>> = {
  async "facts with names that are new, other aliases, another wording, and a restatement with an alias"(service) {
    const statement = "Priscilla Okafor moved from Brightwater Foods to Hollins & Sons in Utrecht.";
    const fact = await say(service, "POST", FACTS, { statement });
    await say(service, "PATCH", `${FACTS}/${fact.id}`, { aliases: ["the move"] });
    await say(service, "PATCH", `${FACTS}/${fact.id}`, { aliases: [] });
    await say(service, "PATCH", `${FACTS}/${fact.id}`, { statement: `${statement} She lives in Delft.` });
    const again = { statement: "Backups are taken at noon." };
    await say(service, "POST", FACTS, again);
    await say(service, "POST", FACTS, { ...again, aliases: ["snapshots"] });
    await say(service, "POST", `${FACTS}/batch`, {
      facts: [{ statement: "Quentin Aldous works at Ferrymead." }, { statement: "Ines Varga works at Ferrymead." }],
    });
  },
  async "units of the other kinds, and their aliases"(service) {
    for (const { path, body, type } of LIFECYCLE_FACES) {
      const unit = await say(service, "POST", path, { ...body, aliases: [`zz${type}`] });
      if (type !== "episode") {
        await say(service, "PATCH", `${path}/${unit.id}`, { aliases: [`yy${type}`], tags: ["t"] });
      }
      await say(service, "POST", `${path}/${unit.id}/forget`, { mode: "archive" });
      await say(service, "POST", `${path}/${unit.id}/restore`, {});
    }
  },
  async "entities that are renamed, merged and separated"(service) {
    const add = (canonicalName: string) => say(service, "POST", ENTITIES, { canonicalName, entityType: "person" });
    const [one, other] = [await add("Okonkwo"), await add("Tomas Okonkwo")];
    await say(service, "PATCH", `${ENTITIES}/${one.id}`, { aliases: ["Tommy"] });
    await say(service, "POST", `${ENTITIES}/${other.id}/merge`, { sourceIds: [one.id] });
    await say(service, "POST", `${ENTITIES}/${other.id}/unmerge`, { sourceIds: [one.id] });
  },
  async "turns, and what is learnt from them"(service) {
    const { sessionId } = await addSession(service, [{
      role: "user",
      content: "I am Lena Brandt. My boat is called Petrel.",
    }]);
    assert.deepEqual(await listUnembedded(service), []);
    await say(service, "POST", `/v1/session/${sessionId}/collapse`, {});
  },
};

for (const [what, write] of Object.entries(WRITES)) {
  Deno.test({
    ...POSTGRES,
    name: `no text is without a vector when its write is acknowledged: ${what}`,
    async fn() {
      await using service = await startService({ env: ENV });
      await service.deps.embeddings.warmUp!();
      await write(service);
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "no text is without a vector when its write is acknowledged: what peers say, and what that takes the place of",
  async fn() {
    await using exchange = await Exchange.open(["a", "b"], { env: ENV });
    for (const { deps } of exchange.services) await deps.embeddings.warmUp!();
    const [a, b] = await exchange.play(2, () => ({ strategy: "theirs_wins" }));
    const pull = async () => {
      for (const [to, from] of [[b!, a!], [a!, b!]] as const) {
        await to.pull(from);
        assert.deepEqual(await listUnembedded(to.service, to.workspaceId), []);
      }
    };
    const made = await a!.createFact({ statement: "Wilhelmina Strand runs the Capri ferry for Odyssey Lines." });
    await pull();
    await a!.patchFact(made.id, { aliases: ["the boat"] });
    await pull();
    await Promise.all(
      [a!, b!].map((node, i) => node.patchFact(made.id, { statement: `The ferry leaves at ${i + 8}.` })),
    );
    await pull();
    await a!.createFact({ statement: "The pier is closed.", subject: "pier", predicate: "state", object: "closed" });
    await b!.createFact({ statement: "The pier is open.", subject: "pier", predicate: "state", object: "open" });
    await pull();
    assert.ok((await b!.rows("select 1 from unit where workspace_id = :ws")).length > 3);
  },
});
