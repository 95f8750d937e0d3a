/** `/v1/webhooks` */
import * as webhooks from "../../operations/webhooks.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "Webhooks",
  section: "Overviews and feeds",
  description: "URLs to which the service sends changes as they happen.",
};

export const createWebhook = route("post", "/webhooks", webhooks.createWebhook);
export const listWebhooks = route("get", "/webhooks", webhooks.listWebhooks);
export const getWebhook = route("get", "/webhooks/{id}", webhooks.getWebhook);
export const updateWebhook = route("patch", "/webhooks/{id}", webhooks.updateWebhook);
export const deleteWebhook = route("delete", "/webhooks/{id}", webhooks.deleteWebhook);
export const testWebhook = route("post", "/webhooks/{id}/test", webhooks.testWebhook);
export const rotateWebhookSecret = route("post", "/webhooks/{id}/secret/rotate", webhooks.rotateWebhookSecret);
export const listWebhookDeliveries = route("get", "/webhooks/{id}/deliveries", webhooks.listWebhookDeliveries);
export const retryWebhookDelivery = route(
  "post",
  "/webhooks/{id}/deliveries/{deliveryId}/retry",
  webhooks.retryWebhookDelivery,
);
export const replayWebhook = route("post", "/webhooks/{id}/replay", webhooks.replayWebhook);
