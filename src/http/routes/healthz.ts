/** `/healthz`, beside `/v1` and without a key. */
import { ALIVE } from "../liveness.ts";
import { AT_ROOT, rawRoute } from "../route.ts";

export { GROUP } from "./health.ts";

/** Liveness, without the database. */
export const getHealthz = rawRoute({
  method: "get",
  path: "/healthz",
  id: "getHealthz",
  summary: "Liveness",
  description: "The same as `/health/live`.",
  scope: "public",
  servers: AT_ROOT,
  responses: ALIVE,
}, async () => Response.json({ status: "ok" }));
