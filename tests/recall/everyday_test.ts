/** Questions in other words than the facts that answer them, by every way of recall. */
import assert from "node:assert/strict";
import { create, test } from "../http/_facts.ts";
import { addSession, turn } from "./_memory.ts";

test("facts answer questions that are asked in other words, and turns of sessions do not", async (service) => {
  const car = await create(service, { statement: "I drive a blue Volvo." });
  const lead = await create(service, { statement: "Nadia leads the platform group." });
  const deploy = await create(service, { statement: "The backend goes out with ArgoCD." });
  await create(service, { statement: "The lamp in the hall is old." });
  await addSession(service, [turn("Nadia", "Yesterday I had to drive through the snow.")]);
  const asked = {
    "Which vehicle do I own?": car,
    "What is Nadia's role?": lead,
    "How do we deploy the server?": deploy,
  };
  for (const [query, { id }] of Object.entries(asked)) {
    for (const path of ["/v1/memory/recall", "/v1/memory/recall/hot"]) {
      const { results } = (await service.post(path, { query, minScore: 0 })).body;
      assert.equal(results[0]?.id, id, `${path} ${query}`);
    }
  }
  const { results } =
    (await service.post("/v1/memory/recall", { query: "Which vehicle do I own?", types: ["fact"] })).body;
  assert.deepEqual(results.map(({ id }: { id: string }) => id), [car.id]);
});
