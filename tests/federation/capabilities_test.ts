/** Features of a peer are used if it announces them, and not otherwise. */
import assert from "node:assert/strict";
import { greet } from "../../src/domain/federation/peers/greet.ts";
import { POSTGRES } from "../_postgres.ts";
import { pairUp, startPair } from "./_pair.ts";
import { create, ok, rows, turn } from "./_turns.ts";

Deno.test({
  ...POSTGRES,
  name: "a peer that announces no digests and no pushing is not compared with and not pushed to, until it does",
  async fn() {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair);
    const announce = (names: readonly string[]) =>
      rows(
        a,
        `update federation_peer set direction = 'push', told = told || '{"capabilities":${JSON.stringify(names)}}'
          where workspace_id = :ws`,
      );
    await announce(["reply-token"]);
    await create(a, "The lock of Hals is new.");
    const report = await turn(a, b, { reconcile: true, mode: "both" });
    assert.deepEqual([report.sent, report.reconciled], [0, null]);
    assert.ok(!b.front.requests.some((request) => /digest|messages/.test(request)), b.front.requests.join("\n"));
    const { warnings } = await ok(a.service.get(`/v1/memory/federation/peers/${b.id}`));
    assert.ok(warnings.some((warning: string) => warning.includes("pushed")), warnings);
    await greet(a.service.operator(), { id: b.id });
    const next = await turn(a, b, { reconcile: true });
    assert.deepEqual([next.sent, next.reconciled?.equal], [1, true]);
  },
});
