/** `/v1/stream` */
import * as streams from "../../operations/stream.ts";
import { OpenStreamQuery } from "../../schema/stream.ts";
import { type Group, rawRoute, route } from "../route.ts";
import { openStreamSocket } from "../stream_socket.ts";

export const GROUP: Group = {
  name: "Live feeds",
  section: "Overviews and feeds",
  description: "Changes and health over a WebSocket, and tickets for browsers.",
};

export const createStreamTicket = route("post", "/stream/ticket", streams.createStreamTicket);

/** Opens a WebSocket. */
export const openStream = rawRoute({
  method: "get",
  path: "/stream",
  id: "openStream",
  summary: "Follow changes and health as they happen (WebSocket)",
  description: [
    "A WebSocket (RFC 6455) with one JSON text in a frame. The key goes into the Authorization header, or a one-use ticket " +
    "into `ticket`; never a key into the address. No cookie or other ambient right opens a stream, so a page of another " +
    "origin can do no more than the ticket that it was given; the Origin header says nothing and is not looked at.",
    'The client sends `{ op: "subscribe", channel, since? }`, `{ op: "unsubscribe", channel }` and `{ op: "ping" }`. The ' +
    "service answers `subscribed`, with the place at which it begins, `pong`, or `error` with a code and the message's " +
    "faults; then it sends `event` with the place right after the event as `cursor`. After an `unsubscribe` no more events " +
    "come than were sent before the answer to the next message. A message has at most 4,096 characters and counts as one " +
    "request against the key's rate limit.",
    "On `memory`, `tasks` and `events` an event is a change as in `GET /memory/changes`: each once, in order, without gaps " +
    "as far as the key may see. With `since`, the cursor of the last event that was seen, nothing is missed across " +
    "connections; without it the stream begins now. On `health` it is a health snapshot, at once and whenever it has " +
    "changed; with `since`, once the feed has gone beyond it.",
    "The service ends a stream with an `error` and a close code: 4008 `rate_limited` when the client does not keep up, 1008 " +
    "`unauthenticated` when its key was revoked or is over, or with the code of what else it may no longer, 1001 " +
    "`unavailable` when the service stops, 1003 and 1009 for frames that are binary or too long. After 4008 and 1001 the client " +
    "connects again with its cursor.",
  ].join("\n\n"),
  scope: "memory:read",
  takesTicket: true,
  query: OpenStreamQuery,
  responses: {
    101: {
      description: "The WebSocket. Its messages are `StreamClientMessage` and `StreamServerMessage`",
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/StreamMessage" } },
      },
    },
  },
}, (ctx, { raw }) => openStreamSocket(ctx, raw));
