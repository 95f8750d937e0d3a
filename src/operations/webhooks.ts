/** Webhooks: endpoints that receive a workspace's changes. */
import * as endpoints from "../domain/webhooks/endpoints.ts";
import * as log from "../domain/webhooks/log.ts";
import { ListQuery } from "../schema/common.ts";
import {
  CreateWebhookBody,
  IssuedWebhook,
  ListWebhookDeliveriesQuery,
  ReplayWebhookBody,
  RotateWebhookBody,
  UpdateWebhookBody,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryParams,
  WebhookPage,
  WebhookParams,
  WebhookReplayed,
  WebhookTested,
} from "../schema/webhook.ts";
import { operation } from "./operation.ts";

/** Creates an endpoint. */
export const createWebhook = operation({
  id: "createWebhook",
  summary: "Create a webhook",
  description:
    'Sends the changes of the workspace to a URL as they happen, signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. First the service sends the URL `webhook.verification` with `data.challenge`, and nothing else until the URL answers 2xx and repeats the challenge, as text or as `{"challenge": …}`. The service asks five times within an hour; `POST /webhooks/{id}/test` asks again.\n\nA message says which resource changed, never its content. Each change arrives at least once, always with the same `webhook-id`; the changes of one resource arrive in the order of the feed.\n\nThe key that creates a webhook answers for it, and after it each key that changes `url`, `kinds` or `maxSensitivity` or enables it. It needs `memory:read`, and `tasks:read` for changes of tasks and events. If it is revoked, expires or loses one of these rights, the service disables the webhook. Only this reply shows the secret.',
  scope: "memory:admin",
  body: CreateWebhookBody,
  status: 201,
  reply: IssuedWebhook,
  versioned: true,
  repliesSecret: true,
  errors: ["conflict", "unavailable"],
  example: {
    body: {
      url: "https://hooks.example.com/svc",
      kinds: ["fact.", "review."],
      description: "Tells the chat of the team.",
    },
  },
}, (ctx, { body }) => endpoints.createWebhook(ctx, body));

/** Lists the endpoints of a workspace. */
export const listWebhooks = operation({
  id: "listWebhooks",
  summary: "List webhooks",
  description:
    "Lists the webhooks without their secrets, the newest first by default. A key does not see webhooks whose `maxSensitivity` is above its own.",
  scope: "memory:admin",
  changes: false,
  query: ListQuery,
  reply: WebhookPage,
}, (ctx, { query }) => endpoints.listWebhooks(ctx, query));

/** Reads an endpoint. */
export const getWebhook = operation({
  id: "getWebhook",
  summary: "Read a webhook, without its secret",
  scope: "memory:admin",
  changes: false,
  params: WebhookParams,
  reply: Webhook,
  versioned: true,
}, (ctx, { params }) => endpoints.getWebhook(ctx, params.id));

/** Changes an endpoint. */
export const updateWebhook = operation({
  id: "updateWebhook",
  summary: "Change a webhook",
  description:
    "A new URL gets nothing but the challenge until it has given its consent. A disabled webhook keeps what is waiting, and sends it once it is enabled; `skipTo: now` skips it instead. New `kinds` hold for changes that are still to come.",
  scope: "memory:admin",
  params: WebhookParams,
  body: UpdateWebhookBody,
  reply: Webhook,
  versioned: true,
  example: { body: { kinds: ["fact."], status: "enabled" } },
}, (ctx, { params, body, expectedVersion }) => endpoints.updateWebhook(ctx, params.id, body, expectedVersion));

/** Deletes an endpoint. */
export const deleteWebhook = operation({
  id: "deleteWebhook",
  summary: "Delete a webhook, with the log of its deliveries",
  description: "The service sends it nothing more. The reply shows the webhook as it was.",
  scope: "memory:admin",
  params: WebhookParams,
  reply: Webhook,
  versioned: true,
}, (ctx, { params, expectedVersion }) => endpoints.deleteWebhook(ctx, params.id, expectedVersion));

/** Gives an endpoint a new secret. */
export const rotateWebhookSecret = operation({
  id: "rotateWebhookSecret",
  summary: "Give a webhook a new secret",
  description:
    "Until `overlapSeconds` are over, both secrets sign every message, the new one first. Another rotation in this time is refused with `conflict`.",
  scope: "memory:admin",
  expectsVersion: false,
  params: WebhookParams,
  body: RotateWebhookBody,
  reply: IssuedWebhook,
  versioned: true,
  repliesSecret: true,
  errors: ["conflict", "unavailable"],
  example: { body: { overlapSeconds: 3_600 } },
}, (ctx, { params, body }) => endpoints.rotateWebhookSecret(ctx, params.id, body));

/** Sends a test message to an endpoint. */
export const testWebhook = operation({
  id: "testWebhook",
  summary: "Send a webhook a test message now",
  description:
    "Sends `webhook.test` once and shows the answer. A URL that has not given its consent gets the challenge instead, and its answer is not shown. At most six times a minute.",
  scope: "memory:admin",
  // It waits for somebody else's server; no transaction may be open in the meantime.
  writesInParts: true,
  params: WebhookParams,
  reply: WebhookTested,
  errors: ["unavailable"],
}, (ctx, { params }) => log.testWebhook(ctx, params.id));

/** Lists the deliveries of an endpoint. */
export const listWebhookDeliveries = operation({
  id: "listWebhookDeliveries",
  summary: "List what a webhook was sent",
  description:
    "Lists every change that the webhook was sent or is about to be sent, the newest first by default: how many attempts there were, how the last one ended, when the next one is. Deliveries stay for `SVC_WEBHOOK_KEPT_DAYS` after they ended, dead ones three times as long. Deliveries of tasks and events are shown to keys with `tasks:read`.",
  scope: "memory:admin",
  changes: false,
  params: WebhookParams,
  query: ListWebhookDeliveriesQuery,
  reply: WebhookDeliveryPage,
}, (ctx, { params, query }) => log.listDeliveries(ctx, params.id, query));

/** Sends a delivery again. */
export const retryWebhookDelivery = operation({
  id: "retryWebhookDelivery",
  summary: "Send a delivery now",
  description:
    "A pending delivery is tried at once, but after earlier ones of the same resource; a dead one gets one further attempt.",
  scope: "memory:admin",
  params: WebhookDeliveryParams,
  reply: WebhookDelivery,
  errors: ["invalid_transition"],
}, (ctx, { params }) => log.retryDelivery(ctx, params.id, params.deliveryId));

/** Sends a stretch of the feed again. */
export const replayWebhook = operation({
  id: "replayWebhook",
  summary: "Send a webhook a part of the feed again",
  description:
    "With `states`, sends the deliveries in these states; without, every change of this part of the feed, also changes that the webhook was not sent before. Either way only what the webhook is sent today, with the same ids as before. At most 100,000 places of the feed at once.",
  scope: "memory:admin",
  params: WebhookParams,
  body: ReplayWebhookBody,
  status: 202,
  reply: WebhookReplayed,
  errors: ["invalid_transition"],
  example: { body: { since: "WyJjaGFuZ2VzIiwiYXNjIiwwXQ", states: ["dead"] } },
}, (ctx, { params, body }) => log.replayDeliveries(ctx, params.id, body));
