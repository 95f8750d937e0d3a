import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { addSession, addUnits, turn } from "../recall/_memory.ts";

Deno.test({
  ...POSTGRES,
  name: "a turn is recalled as soon as its write is answered",
  async fn() {
    await using service = await startService();
    const { turnIds } = await addSession(service, [
      turn("Caroline", "Hey Mel! Good to see you! How have you been?"),
      turn("Melanie", "I ran a charity race for mental health last Saturday."),
      turn("Caroline", "That is great! I adopted a guinea pig named Oscar."),
    ]);
    const reply = await service.post("/v1/memory/recall", {
      query: "Which pet did Caroline adopt?",
      include: ["trace", "neighbours"],
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.body.results[0].id, turnIds[2]);
  },
});
