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
