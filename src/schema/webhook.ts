/** Webhooks: endpoints that receive a workspace's changes, and their deliveries. */
import { z } from "zod";
import { ChangeKind, Cursor } from "./change.ts";
import { Id, ListQuery, pageOf, repeated, Sensitivity, Timestamp } from "./common.ts";

const URL_CHARS_MAX = 2_000;
const KINDS_MAX = 20;
const OVERLAP_SECONDS_MAX = 604_800;
const DAY_SECONDS = 86_400;

export const WEBHOOK_STATUSES = ["unverified", "enabled", "disabled"] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];
export const DELIVERY_STATES = ["pending", "delivered", "dead", "skipped"] as const;
const DeliveryState = z.enum(DELIVERY_STATES).meta({
  id: "WebhookDeliveryState",
  description:
    "`pending`: not delivered yet. `dead`: the last attempt failed. `skipped`: not sent, because the endpoint was enabled with `skipTo` or may not be sent this change any more",
});
export type DeliveryState = z.infer<typeof DeliveryState>;

const Url = z.string().min(1).max(URL_CHARS_MAX).meta({
  description:
    "An `https://` URL of a host on the internet, at a port that the operator allows. The service calls private addresses, and `http://` URLs, only within the ranges of `SVC_OUTBOUND_ALLOW_CIDRS`",
});
const Description = z.string().min(1).max(500).refine((text) => text.trim().length > 0, "must not be blank");
const Kind = ChangeKind.refine(
  (kind) => kind.includes("."),
  "must be a kind such as fact.created, or a prefix such as fact.",
);
const Kinds = z.array(Kind).max(KINDS_MAX).meta({
  description:
    "Kinds of changes to send, such as `fact.created`; a name that ends with `.`, such as `fact.`, stands for all kinds that begin with it. Empty: all",
});
const RatePerMinute = z.int().min(1).max(100_000).nullable().meta({
  description: "The service sends at most this many messages in a minute; null: no limit",
});

export const Webhook = z.strictObject({
  id: Id,
  version: z.int().min(1),
  url: z.string(),
  description: z.string().nullable(),
  kinds: z.array(z.string()),
  status: z.enum(WEBHOOK_STATUSES).meta({
    id: "WebhookStatus",
    description: "`unverified`: the URL has not repeated its challenge yet, and the service sends it nothing else",
  }),
  statusReason: z.enum(["manual", "gone", "failing", "backlog", "key"]).nullable().meta({
    description:
      "Why the webhook is disabled. `manual`: a caller disabled it. `gone`: the URL answered 410. `failing`: every attempt failed for five days. `backlog`: too much was waiting. `key`: the key that answers for it was revoked, has expired or has lost a right that the webhook needs",
  }),
  maxSensitivity: Sensitivity.meta({ description: "The service does not send changes above this sensitivity" }),
  withTasks: z.boolean().meta({
    description:
      "Whether the service sends changes of tasks and events: the key that created the webhook, and each key that took it over, had the scope `tasks:read`",
  }),
  ratePerMinute: RatePerMinute,
  publicKey: z.string().nullable().meta({
    description: "`whpk_…`: the key that verifies the `v1a` signatures; null: the service has no signing key",
  }),
  cursor: Cursor.meta({ description: "The place in the change feed up to which the service has made deliveries" }),
  verifiedAt: Timestamp.nullable(),
  failingSince: Timestamp.nullable().meta({ description: "Since when every attempt has failed" }),
  lastSuccessAt: Timestamp.nullable(),
  lastError: z.string().nullable().meta({
    description:
      "Why the last attempt failed. `host_refused`: the host has no address, or one that the service may not call; only the operator's log says which",
  }),
  throttledUntil: Timestamp.nullable().meta({
    description: "The service sends nothing until then: the receiver asked for a rest, or `ratePerMinute` is used up",
  }),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: "Webhook", description: "A webhook and its state" });
export type Webhook = z.infer<typeof Webhook>;
export const WebhookPage = pageOf(Webhook).meta({ id: "WebhookPage" });
export type WebhookPage = z.infer<typeof WebhookPage>;

export const IssuedWebhook = Webhook.extend({
  secret: z.string().meta({
    description: "`whsec_…`: the secret that verifies the `v1` signatures. No other reply shows it",
  }),
}).meta({ id: "IssuedWebhook", description: "The webhook and its secret, which is shown only here" });
export type IssuedWebhook = z.infer<typeof IssuedWebhook>;

export const CreateWebhookBody = z.strictObject({
  url: Url,
  kinds: Kinds.default([]),
  description: Description.nullable().default(null),
  maxSensitivity: Sensitivity.default("internal").meta({ description: "At most the key's clearance" }),
  ratePerMinute: RatePerMinute.default(null),
  since: Cursor.optional().meta({
    description: "The service sends the changes after this place in the feed. Default: the changes from now on",
  }),
}).meta({ id: "CreateWebhookBody" });
export type CreateWebhookBody = z.infer<typeof CreateWebhookBody>;

export const UpdateWebhookBody = z.strictObject({
  url: Url.optional().meta({ description: "A new URL gets nothing but the challenge until it has given its consent" }),
  kinds: Kinds.optional(),
  description: Description.nullable().optional(),
  status: z.enum(["enabled", "disabled"]).optional(),
  skipTo: z.literal("now").optional().meta({
    description:
      "With `status: enabled`: skips everything that is waiting. Default: the webhook goes on where it stopped",
  }),
  maxSensitivity: Sensitivity.optional(),
  ratePerMinute: RatePerMinute.optional(),
}).refine((body) => Object.keys(body).length > 0, "must change something").refine(
  (body) => body.skipTo === undefined || body.status === "enabled",
  { message: "needs status: enabled", path: ["skipTo"] },
).meta({ id: "UpdateWebhookBody" });
export type UpdateWebhookBody = z.infer<typeof UpdateWebhookBody>;

export const RotateWebhookBody = z.strictObject({
  overlapSeconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(DAY_SECONDS).meta({
    description: "How long the former secret signs as well, up to 7 days; 0: it stops now",
  }),
}).meta({ id: "RotateWebhookBody" });
export type RotateWebhookBody = z.infer<typeof RotateWebhookBody>;

export const WebhookTested = z.strictObject({
  status: z.int().nullable().meta({ description: "The status of the receiver's reply; null: it did not reply" }),
  error: z.string().nullable().meta({ description: "Why the attempt failed; null: it succeeded" }),
  durationMs: z.int().min(0),
  response: z.string().meta({
    description:
      "The beginning of the reply, up to 512 bytes, without control characters; empty as long as the URL has not given its consent",
  }),
  verified: z.boolean().meta({ description: "Whether the URL has repeated its challenge, now or before" }),
}).meta({ id: "WebhookTested", description: "What the receiver answered" });
export type WebhookTested = z.infer<typeof WebhookTested>;

export const WebhookDelivery = z.strictObject({
  id: z.string().meta({ description: "`msg_…`: the `webhook-id` of every attempt" }),
  seq: z.int().min(1),
  kind: z.string(),
  resourceType: z.string(),
  resourceId: Id,
  state: DeliveryState,
  attempts: z.int().min(0),
  nextAttemptAt: Timestamp.nullable(),
  lastAttemptAt: Timestamp.nullable(),
  lastStatus: z.int().nullable(),
  lastError: z.string().nullable(),
  durationMs: z.int().min(0).nullable().meta({ description: "How long the last attempt took" }),
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
}).meta({ id: "WebhookDelivery", description: "A message to a webhook and its attempts" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
export const WebhookDeliveryPage = pageOf(WebhookDelivery).meta({ id: "WebhookDeliveryPage" });
export type WebhookDeliveryPage = z.infer<typeof WebhookDeliveryPage>;

export const ListWebhookDeliveriesQuery = ListQuery.extend({
  state: repeated(DeliveryState, DELIVERY_STATES.length).optional(),
  kind: repeated(ChangeKind, KINDS_MAX).optional(),
  resourceId: Id.optional(),
});
export type ListWebhookDeliveriesQuery = z.infer<typeof ListWebhookDeliveriesQuery>;

export const ReplayWebhookBody = z.strictObject({
  since: Cursor.meta({ description: "Changes after this place in the feed" }),
  until: Cursor.optional().meta({
    description: "Changes up to this place, included. Default: as far as the webhook has come",
  }),
  states: z.array(DeliveryState).min(1).max(DELIVERY_STATES.length).optional().meta({
    description: "Only deliveries in these states. Default: every change that the webhook is sent",
  }),
}).meta({ id: "ReplayWebhookBody" });
export type ReplayWebhookBody = z.infer<typeof ReplayWebhookBody>;
export const WebhookReplayed = z.strictObject({ events: z.int().min(0) }).meta({
  id: "WebhookReplayed",
  description: "How many changes will be sent again",
});
export type WebhookReplayed = z.infer<typeof WebhookReplayed>;

export const WebhookParams = z.strictObject({ id: Id.meta({ description: "The endpoint" }) });
export const WebhookDeliveryParams = WebhookParams.extend({
  deliveryId: z.string().regex(/^msg_[0-9a-f]{32}$/, "must be the id of a delivery, msg_ and 32 hex digits").meta({
    description: "The delivery",
  }),
});
