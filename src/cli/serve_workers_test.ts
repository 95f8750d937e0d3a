import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { readConfig } from "../config.ts";
import { countWorkers } from "./serve_workers.ts";

const POSTGRES = { DATABASE_URL: "postgres://svc_request@db/svc" };

Deno.test("as many processes as told serve, otherwise one for each core up to four, and one on the embedded database", () => {
  const count = (env: Record<string, string>, told?: number) => countWorkers(readConfig(env), told);
  assert.equal(count(POSTGRES), Math.min(4, availableParallelism()));
  assert.equal(count({ ...POSTGRES, SVC_WORKERS: "7" }), 7);
  assert.equal(count({ ...POSTGRES, SVC_WORKERS: "7" }, 3), 3);
  assert.equal(count({}), 1);
  assert.equal(count({ SVC_WORKERS: "1" }), 1);
  assert.throws(() => count({ SVC_WORKERS: "2" }), /the embedded database has one/);
  assert.throws(() => count({}, 2), /the embedded database has one/);
});
