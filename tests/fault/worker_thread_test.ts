/** The thread that verifies keys dies. docs/reference/guarantees.md F22. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { checkServing } from "./_ledger.ts";

Deno.test({
  ...POSTGRES,
  name: "F22 the thread that verifies a key dies: 503 and never a hang, the next request has a new thread",
  async fn() {
    const threads: Worker[] = [];
    const Original = globalThis.Worker;
    globalThis.Worker = class extends Original {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        threads.push(this);
      }
    };
    try {
      await using service = await startService({ realHashCost: true });
      const known = await service.createKey();
      assert.equal((await service.get("/v1/session", { key: known })).status, 200);
      const fresh = await service.createKey();
      const before = threads.length;
      const verified = service.deps.argon2id.verify.bind(service.deps.argon2id);
      const begun = Promise.withResolvers<void>();
      service.deps.argon2id.verify = (...args) => {
        const running = verified(...args);
        begun.resolve();
        return running;
      };
      const cut = service.get("/v1/session", { key: fresh });
      await begun.promise;
      threads.at(-1)!.terminate();
      // A key that was verified before does not need the thread.
      assert.equal((await service.get("/v1/session", { key: known })).status, 200);
      const refused = await cut;
      assert.equal(refused.status, 503, JSON.stringify(refused.body));
      assert.equal(refused.headers.get("retry-after"), "1");
      assert.equal((await service.get("/v1/session", { key: fresh })).status, 200);
      assert.equal(threads.length, before + 1);
      await checkServing(service);
    } finally {
      globalThis.Worker = Original;
    }
  },
});
