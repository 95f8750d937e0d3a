/** The error reply of every endpoint: a flat `application/problem+json`. RFC 9457. */
import { z } from "@hono/zod-openapi";
import { problemOf } from "../edge/problem.ts";
import { ERROR_CODES, type ErrorCode, ServiceError } from "../errors.ts";

export const Problem = z.looseObject({
  type: z.string().meta({ description: "`urn:svc:error:<code>`" }),
  title: z.string(),
  status: z.int(),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).meta({ description: "Stable" }),
  message: z.string().meta({ description: "For people" }),
  requestId: z.string(),
  retryable: z.boolean(),
  help: z.string().meta({
    description: "Path, at this service, of the page that says what the code means and what to do: `/v1/errors/<code>`",
  }),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
}).meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** The reply for a refusal. Anything that is not a `ServiceError` has become `internal` before it gets here. */
export function toProblemResponse(error: ServiceError, requestId: string): Response {
  const body: Problem = problemOf(error, requestId);
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: { ...error.headers, "content-type": "application/problem+json", "x-request-id": requestId },
  });
}
