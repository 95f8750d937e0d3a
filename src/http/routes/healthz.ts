/** `/healthz`, beside `/v1` and without a key. */
import { ALIVE } from "../liveness.ts";
import { AT_ROOT, type Group, rawRoute } from "../route.ts";

export const GROUP: Group = { name: "healthz", description: "Liveness" };

/** Liveness, without the database. */
export const getHealthz = rawRoute({
  method: "get",
  path: "/healthz",
  id: "getHealthz",
  summary: "Liveness",
  scope: "public",
  servers: AT_ROOT,
  responses: ALIVE,
}, async () => Response.json({ status: "ok" }));
