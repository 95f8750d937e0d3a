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
    'Sends the changes of the workspace to a URL as they happen, signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. First the URL gets `webhook.verification` with `data.challenge`: nothing else is sent until it answers 2xx with the challenge, as text or as `{"challenge": …}`. It is asked five times within an hour; `POST /webhooks/{id}/test` asks again.\n\nA message says which resource changed, never its content. Each change arrives at least once, with the same `webhook-id` every time, those of one resource in the order of the feed. Only this reply shows the secret.',
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

/** Lists endpoints. */
export const listWebhooks = operation({
  id: "listWebhooks",
  summary: "List webhooks",
  description:
    "Without secrets, the newest first by default. Those that are sent more than the key may see are not shown.",
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
    "Another URL has to give its consent again. A disabled webhook keeps what is waiting and goes on with it when it is enabled, unless `skipTo: now` says that all of it is skipped.",
  scope: "memory:admin",
  params: WebhookParams,
  body: UpdateWebhookBody,
  reply: Webhook,
  versioned: true,
  example: { body: { kinds: ["fact."], status: "enabled" } },
}, (ctx, { params, body, expectedVersion }) => endpoints.updateWebhook(ctx, params.id, body, expectedVersion));

/** Removes an endpoint. */
export const deleteWebhook = operation({
  id: "deleteWebhook",
  summary: "Delete a webhook, with the log of its deliveries",
  description: "Nothing more is sent to it. The reply shows it as it was.",
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
    "Until `overlapSeconds` are over, every message carries a signature by either secret, the new one first. While a former secret signs there is no further one: `conflict`.",
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

/** Tries an endpoint out. */
export const testWebhook = operation({
  id: "testWebhook",
  summary: "Send a webhook a test message now",
  description:
    "Sends `webhook.test` once and shows how it was answered. A URL that has not given its consent is asked for it instead. At most six times a minute.",
  scope: "memory:admin",
  // It waits for somebody else's server, and no transaction waits with it.
  writesInParts: true,
  params: WebhookParams,
  reply: WebhookTested,
  errors: ["unavailable"],
}, (ctx, { params }) => log.testWebhook(ctx, params.id));

/** Lists deliveries. */
export const listWebhookDeliveries = operation({
  id: "listWebhookDeliveries",
  summary: "List what a webhook was sent",
  description:
    "Every change that was taken up for it, the newest first by default: how often it was tried, how that ended, when it is tried again. Delivered ones stay for `SVC_WEBHOOK_KEPT_DAYS`, dead ones three times as long.",
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
  description: "One that waits is tried at once; one that was given up gets one attempt more.",
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
    "With `states`, what the log has in these states; without, every change that the webhook receives, also one that it was not sent before. The ids are those of the first time. At most 100,000 places of the feed at once.",
  scope: "memory:admin",
  params: WebhookParams,
  body: ReplayWebhookBody,
  status: 202,
  reply: WebhookReplayed,
  errors: ["invalid_transition"],
  example: { body: { since: "WyJjaGFuZ2VzIiwiYXNjIiwwXQ", states: ["dead"] } },
}, (ctx, { params, body }) => log.replayDeliveries(ctx, params.id, body));
