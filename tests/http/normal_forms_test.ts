/** Letters are the same in whichever of Unicode's normal forms a keyboard or a file system gave them. */
import assert from "node:assert/strict";
import { test } from "./_facts.ts";
import { created } from "./_world.ts";

const RECALL = "/v1/memory/recall", FACTS = "/v1/memory/facts", UNITS = "/v1/memory/units";

test("tags, agents and metadata are found in either normal form", async (service) => {
  for (const [told, asked] of [["NFC", "NFD"], ["NFD", "NFC"]] as const) {
    const [said, wanted] = [told, asked].map((form) => (text: string) => text.normalize(form)) as [
      (text: string) => string,
      (text: string) => string,
    ];
    const mark = told.toLowerCase();
    const agentId = said(`Zoë-${mark}`), tags = [said(`Übung-${mark}`), "plain"];
    const session = await created(service.post("/v1/session", { agentId }));
    const id = await created(service.post(FACTS, {
      statement: `The lamp of ${mark} is blue.`,
      tags,
      metadata: { [said("größe")]: { ort: said(`Çeşme ${mark}`) }, plain: "yes" },
      citations: [{ messageId: "m1", sessionId: session }],
    }));
    const stored = (await service.get(`${FACTS}/${id}`)).body;
    assert.deepEqual(stored.metadata, { [said("größe")]: { ort: said(`Çeşme ${mark}`) }, plain: "yes" });
    const filters = [
      { tags: [wanted(tags[0]!)] },
      { tags: [wanted(tags[0]!), "plain"], tagsMatch: "all" },
      { filters: { tags: { contains: wanted(tags[0]!) } } },
      { filters: { [wanted("metadata.größe.ort")]: { eq: wanted(`Çeşme ${mark}`) } } },
      { filters: { [wanted("metadata.größe.ort")]: { contains: wanted("Çeşme") }, "metadata.plain": { eq: "yes" } } },
      { filters: { NOT: { [wanted("metadata.größe.ort")]: { ne: wanted(`Çeşme ${mark}`) } } } },
    ];
    for (const filter of filters) {
      for (const path of [RECALL, `${RECALL}/hot`]) {
        const { status, body } = await service.post(path, { query: `lamp ${mark}`, ...filter });
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(
          body.results.map((result: { id: string }) => result.id),
          [id],
          `${path} ${JSON.stringify(filter)}`,
        );
      }
    }
    const listed = async (path: string, query: Record<string, string>) =>
      (await service.get(`${path}?${new URLSearchParams(query)}`)).body.data.map((one: { id: string }) => one.id);
    assert.deepEqual(await listed(FACTS, { tags: wanted(tags[0]!) }), [id]);
    assert.deepEqual(await listed(UNITS, { tags: wanted(tags[0]!) }), [id]);
    assert.deepEqual(await listed("/v1/session", { agentId: wanted(agentId) }), [session]);
    assert.deepEqual(await listed(UNITS, { agentId: wanted(agentId) }), [id]);
    for (
      const condition of [
        { tags: [wanted(tags[0]!)] },
        { agentId: wanted(agentId) },
        { metadata: { [wanted("größe")]: { ort: wanted(`Çeşme ${mark}`) } } },
      ]
    ) {
      const { status, body } = await service.post("/v1/memory/forget", { mode: "archive", dryRun: true, ...condition });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body.data.map((one: { id: string }) => one.id), [id], JSON.stringify(condition));
    }
  }
});

test("tags that are stored in another normal form are found, too, as an earlier build or a peer brought them", async (service) => {
  const tag = "Übung", nfd = tag.normalize("NFD");
  const id = await created(service.post(FACTS, { statement: "The lamp of the hall is green.", tags: [tag, "plain"] }));
  const session = await created(service.post("/v1/session", {}));
  const turns = [{ role: "user", content: "The lamp of the hall hums.", tags: [tag] }];
  const turn = (await service.post(`/v1/session/${session}/turns`, { turns })).body.turns[0].id;
  const task = await created(service.post("/v1/memory/tasks", { title: "Mend the lamp.", tags: [tag] }));
  await service.operator().tx((tx) =>
    Promise.all(
      ["unit", "turn", "task"].map((table) =>
        tx.sql`update ${
          tx.sql(table)
        } set tags = array_replace(tags, ${tag}, ${nfd}) where workspace_id = ${tx.workspaceId}`
      ),
    )
  );
  assert.deepEqual((await service.get(`${FACTS}/${id}`)).body.tags, [nfd, "plain"]);
  for (const asked of [tag, nfd]) {
    for (const path of [RECALL, `${RECALL}/hot`]) {
      const find = async (types: readonly string[], tags: readonly string[], tagsMatch: string) =>
        (await service.post(path, { query: "lamp of the hall", types, tags, tagsMatch })).body.results
          .map((result: { id: string }) => result.id);
      assert.deepEqual(await find(["fact"], [asked, "other"], "any"), [id], path);
      assert.deepEqual(await find(["fact"], [asked, "plain"], "all"), [id], path);
      assert.deepEqual(await find(["fact"], [asked, "other"], "all"), [], path);
      assert.deepEqual(await find(["turn"], [asked], "all"), [turn], path);
    }
    const query = new URLSearchParams({ tags: asked });
    const listed = async (path: string) =>
      (await service.get(`${path}?${query}`)).body.data.map((one: { id: string }) => one.id);
    assert.deepEqual(await listed(FACTS), [id]);
    assert.deepEqual(await listed(UNITS), [id]);
    assert.deepEqual((await listed("/v1/memory/timeline")).toSorted(), [id, turn, task].toSorted());
    const { nodes } = (await service.get(`/v1/graph?${query}`)).body;
    assert.deepEqual(nodes.map((node: { id: string }) => node.id), [id]);
    const forget = { mode: "archive", dryRun: true, tags: [asked, "plain"], tagsMatch: "all" };
    assert.equal((await service.post("/v1/memory/forget", forget)).body.data.length, 1);
  }
});
