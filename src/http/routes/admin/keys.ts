/** What happens to an API key: rotation, revocation. Interface §4.9, decisions §6 "keys, workspaces". */
import * as keys from "../../../domain/access/admin/api_keys.ts";
import { ApiKey, ApiKeyParams, IssuedApiKey, RotateApiKeyBody } from "../../../schema/admin_key.ts";
import { endpoint } from "../../endpoint.ts";

/** Gives a key a new secret. */
export const rotateApiKey = endpoint({
  method: "post",
  path: "/admin/keys/{id}/rotate",
  operationId: "rotateApiKey",
  summary: "Give an API key a new secret",
  description:
    "The key before counts on for `overlapSeconds`, with the same rights, so that callers can be changed over; then only " +
    "the new one. Keys that earlier rotations replaced count no longer than that either: with `overlapSeconds: 0` the new " +
    "key alone counts from now on, in every process. Id, name and rights stay.",
  bearer: "admin",
  scope: "memory:admin",
  params: ApiKeyParams,
  body: RotateApiKeyBody,
  response: IssuedApiKey,
  versioned: true,
  repliesSecret: true,
  errors: ["invalid_transition"],
  example: { body: { overlapSeconds: 3_600 } },
}, async (ctx, { params, body }) => keys.rotateApiKey(await keys.atKey(ctx, params.id), params.id, body));

/** Revokes a key. */
export const revokeApiKey = endpoint({
  method: "post",
  path: "/admin/keys/{id}/revoke",
  operationId: "revokeApiKey",
  summary: "Revoke an API key",
  description: "For good, with the secrets that were rotated out. Every process refuses it within a second.",
  bearer: "admin",
  scope: "memory:admin",
  params: ApiKeyParams,
  response: ApiKey,
  versioned: true,
}, async (ctx, { params }) => keys.revokeApiKey(await keys.atKey(ctx, params.id), params.id));
