/**
 * The variables that requests carry through Hono, and the one place where errors become replies.
 */
import type { Context, MiddlewareHandler } from "hono";
import type { Deps } from "../context.ts";
import { observe, type Observed, toRefusal } from "../edge/observe.ts";
import { refuseWideQuery } from "../edge/query_limits.ts";
import { refuseHost } from "../edge/refuse_host.ts";
import { toProblemResponse } from "./problem.ts";

export interface ObservedEnv {
  Bindings: Partial<Deno.ServeHandlerInfo>;
  Variables: { observed: Observed };
}

export function observeHono(deps: Deps): MiddlewareHandler<ObservedEnv> {
  return async (c, next) => {
    const response = await observe(deps, c.req.raw, c.env, async (observed) => {
      c.set("observed", observed);
      // Checked before routing, so that such a refusal costs the same on every path.
      refuseHost(c.req.raw);
      refuseWideQuery(c.req.raw.url);
      await next();
      return c.res;
    });
    // Proving a reply reads its bytes and makes a new reply of them.
    if (response !== c.res) c.res = response;
  };
}

/** Hono's error handler. */
export function replyToError(deps: Deps): (error: unknown, c: Context<ObservedEnv>) => Response {
  return (error, c) => {
    const { observed } = c.var;
    return toProblemResponse(toRefusal(deps, observed, error, c.req.raw.signal), observed.requestId);
  };
}
