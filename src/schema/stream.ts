/** Messages of the WebSocket, one JSON text in a frame. */
import { z } from "zod";
import { Change, Channel, Cursor } from "./change.ts";
import { Timestamp } from "./common.ts";
import { HealthSnapshot } from "./health.ts";

export const StreamClientMessage = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("subscribe"),
    channel: Channel,
    since: Cursor.optional().meta({
      description: "Sends what came after this position first. Default: only new events",
    }),
  }).meta({ id: "StreamSubscribe" }),
  z.strictObject({ op: z.literal("unsubscribe"), channel: Channel }).meta({ id: "StreamUnsubscribe" }),
  z.strictObject({ op: z.literal("ping") }).meta({ id: "StreamPing" }),
]).meta({ id: "StreamClientMessage", description: "What a client sends" });
export type StreamClientMessage = z.infer<typeof StreamClientMessage>;

export const StreamServerMessage = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("event"),
    channel: Channel,
    cursor: Cursor.meta({ description: "The position after this event, for `since`" }),
    event: z.union([Change, HealthSnapshot]).meta({
      description: "A health snapshot on the channel `health`, otherwise a change",
    }),
  }).meta({ id: "StreamEvent" }),
  z.strictObject({
    op: z.literal("subscribed"),
    channel: Channel,
    cursor: Cursor.meta({ description: "The position at which the subscription begins" }),
  }).meta({ id: "StreamSubscribed" }),
  z.strictObject({
    op: z.literal("error"),
    code: z.string().meta({ description: "The error code, as in other replies" }),
    message: z.string(),
    retryable: z.boolean(),
    channel: Channel.optional().meta({ description: "The subscription that the error refers to" }),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  }).meta({ id: "StreamError" }),
  z.strictObject({ op: z.literal("pong") }).meta({ id: "StreamPong" }),
]).meta({ id: "StreamServerMessage", description: "What the service sends" });
export type StreamServerMessage = z.infer<typeof StreamServerMessage>;

export const StreamTicket = z.strictObject({
  ticket: z.string().meta({ description: "For `GET /stream?ticket=`. It opens one stream and is shown only here" }),
  expiresAt: Timestamp,
}).meta({ id: "StreamTicket", description: "A ticket that opens one stream" });
export type StreamTicket = z.infer<typeof StreamTicket>;

export const OpenStreamQuery = z.strictObject({
  ticket: z.string().min(1).max(200).optional().meta({
    description: "A ticket from `POST /stream/ticket`, instead of the Authorization header",
  }),
});
