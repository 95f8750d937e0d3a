/** Messages of the WebSocket, one JSON text in a frame. */
import { z } from "zod";
import { Change, Channel, Cursor } from "./change.ts";
import { Timestamp } from "./common.ts";
import { HealthSnapshot } from "./health.ts";

export const StreamClientMessage = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("subscribe"),
    channel: Channel,
    since: Cursor.optional().meta({ description: "What came after this place first; without it, only what comes" }),
  }),
  z.strictObject({ op: z.literal("unsubscribe"), channel: Channel }),
  z.strictObject({ op: z.literal("ping") }),
]).meta({ id: "StreamClientMessage", description: "What a client sends" });
export type StreamClientMessage = z.infer<typeof StreamClientMessage>;

export const StreamServerMessage = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("event"),
    channel: Channel,
    cursor: Cursor.meta({ description: "The place right after it, for `since`" }),
    event: z.union([Change, HealthSnapshot]).meta({
      description: "On `health` a health snapshot, on the other channels a change",
    }),
  }),
  z.strictObject({
    op: z.literal("subscribed"),
    channel: Channel,
    cursor: Cursor.meta({ description: "The place at which it begins" }),
  }),
  z.strictObject({
    op: z.literal("error"),
    code: z.string().meta({ description: "As in the replies of other operations" }),
    message: z.string(),
    retryable: z.boolean(),
    channel: Channel.optional().meta({ description: "The subscription that it is about" }),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  }),
  z.strictObject({ op: z.literal("pong") }),
]).meta({ id: "StreamServerMessage", description: "What the service sends" });
export type StreamServerMessage = z.infer<typeof StreamServerMessage>;

export const StreamTicket = z.strictObject({
  ticket: z.string().meta({ description: "For `GET /stream?ticket=`; it opens one stream, and is shown this once" }),
  expiresAt: Timestamp,
}).meta({ id: "StreamTicket" });
export type StreamTicket = z.infer<typeof StreamTicket>;

export const OpenStreamQuery = z.strictObject({
  ticket: z.string().min(1).max(200).optional().meta({
    description: "A ticket of `POST /stream/ticket`, in the place of the Authorization header",
  }),
});
