/** The reply to liveness probes. */
import { z } from "@hono/zod-openapi";

const Liveness = z.strictObject({ status: z.literal("ok") }).meta({
  id: "Liveness",
  description: "The process answers",
});

export const ALIVE = {
  200: {
    description: "The process is up",
    content: { "application/json": { schema: Liveness, example: { status: "ok" } } },
  },
};
