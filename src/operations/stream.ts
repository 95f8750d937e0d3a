/** Live feeds over WebSocket. */
import * as tickets from "../domain/access/tickets.ts";
import { StreamTicket } from "../schema/stream.ts";
import { operation } from "./operation.ts";

/** Makes a one-use ticket. */
export const createStreamTicket = operation({
  id: "createStreamTicket",
  summary: "Create a ticket that opens a stream",
  description:
    "For browsers, which cannot send an Authorization header with a WebSocket. The page asks its own server, which holds the key, for a ticket and opens `GET /stream?ticket=…` with it. A ticket opens one stream within 30 seconds, with the rights of the key that created it; a repeated `Idempotency-Key` gives the same ticket again, used or expired as it may be.",
  scope: "memory:read",
  // It needs only the right to read, but each ticket is new.
  changes: true,
  status: 201,
  reply: StreamTicket,
  repliesSecret: true,
}, (ctx) => tickets.createStreamTicket(ctx));
