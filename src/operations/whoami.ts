/** Describes the caller. */
import * as access from "../domain/access/whoami.ts";
import { Whoami } from "../schema/whoami.ts";
import { operation } from "./operation.ts";

/** Describes a caller's own key. */
export const whoami = operation({
  id: "whoami",
  summary: "Read who is asking",
  description:
    "The key that was presented, the workspace that it opens, what it may do there, and what the service is configured to do. Every valid key may ask, whatever its scopes; so may an admin under a break-glass grant. Nothing in the reply is a secret.",
  scope: "any",
  changes: false,
  reply: Whoami,
}, (ctx) => access.whoami(ctx));
