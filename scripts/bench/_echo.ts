/** The reference of the measurements: reads a recall's body, validates it by the service's schema and returns it. */
import { Hono } from "hono";
import { HotRecallBody } from "../../src/schema/recall.ts";

const app = new Hono();
app.get("/healthz", (c) => c.json({ status: "ok" }));
app.post("/echo", async (c) => {
  const parsed = HotRecallBody.safeParse(await c.req.json());
  return parsed.success ? c.json(parsed.data) : c.json({ issues: parsed.error.issues }, 422);
});

export default { fetch: app.fetch } satisfies Deno.ServeDefaultExport;
