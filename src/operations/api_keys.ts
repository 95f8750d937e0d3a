/** API keys under an admin's bearer. */
import * as keys from "../domain/access/admin/api_keys.ts";
import { inWorkspace } from "../domain/common/system.ts";
import {
  ApiKey,
  ApiKeyPage,
  ApiKeyParams,
  CreateApiKeyBody,
  IssuedApiKey,
  ListApiKeysQuery,
  namedWorkspace,
  RotateApiKeyBody,
  UpdateApiKeyBody,
} from "../schema/admin_key.ts";
import { operation } from "./operation.ts";

/** Creates a key. */
export const createApiKey = operation({
  id: "createApiKey",
  summary: "Create an API key of a workspace",
  description: "Only this reply shows the key: the service stores nothing but its Argon2id hash.",
  bearer: "admin",
  scope: "memory:admin",
  body: CreateApiKeyBody,
  status: 201,
  reply: IssuedApiKey,
  versioned: true,
  repliesSecret: true,
  example: {
    body: {
      name: "assistant-1",
      workspaceId: "01890000-0000-7000-8000-000000000001",
      scopes: ["memory:read", "memory:write", "session:write"],
      cidrs: ["10.0.0.0/8"],
    },
  },
}, (ctx, { body }) => keys.issueApiKey(inWorkspace(ctx, namedWorkspace(body)!), body));

/** Lists keys, the newest first. */
export const listApiKeys = operation({
  id: "listApiKeys",
  summary: "List API keys",
  description: "Keys of all workspaces or of one, without secrets, including revoked and expired ones.",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  query: ListApiKeysQuery,
  reply: ApiKeyPage,
}, (ctx, { query }) => keys.pageApiKeys(ctx, query));

/** Reads a key. */
export const getApiKey = operation({
  id: "getApiKey",
  summary: "Read an API key, without its secret",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  params: ApiKeyParams,
  reply: ApiKey,
  versioned: true,
}, async (ctx, { params }) => keys.getApiKey(await keys.atKey(ctx, params.id), params.id));

/** Changes a key. */
export const updateApiKey = operation(
  {
    id: "updateApiKey",
    summary: "Change what an API key may do",
    description:
      "The change takes effect immediately, in every process. `rateLimit: null` returns to the configured limit, `expiresAt: null` removes the expiry. A revoked key cannot be changed.",
    bearer: "admin",
    scope: "memory:admin",
    params: ApiKeyParams,
    body: UpdateApiKeyBody,
    reply: ApiKey,
    versioned: true,
    errors: ["invalid_transition"],
    example: { body: { scopes: ["memory:read"], maxSensitivity: "internal" } },
  },
  async (ctx, { params, body, expectedVersion }) =>
    keys.updateApiKey(await keys.atKey(ctx, params.id), params.id, body, expectedVersion),
);

/** Gives a key a new secret. */
export const rotateApiKey = operation({
  id: "rotateApiKey",
  summary: "Give an API key a new secret",
  description:
    "The previous key stays valid for `overlapSeconds` with the same rights, so that callers can switch; then only the new one is valid. Keys replaced by earlier rotations end at that time, too. With `overlapSeconds: 0` only the new key is valid from now on, in every process. Id, name and rights stay the same.",
  bearer: "admin",
  scope: "memory:admin",
  expectsVersion: false,
  params: ApiKeyParams,
  body: RotateApiKeyBody,
  reply: IssuedApiKey,
  versioned: true,
  repliesSecret: true,
  errors: ["invalid_transition"],
  example: { body: { overlapSeconds: 3_600 } },
}, async (ctx, { params, body }) => keys.rotateApiKey(await keys.atKey(ctx, params.id), params.id, body));

/** Revokes a key. */
export const revokeApiKey = operation({
  id: "revokeApiKey",
  summary: "Revoke an API key",
  description: "The key and all its replaced secrets end for good. Every process refuses them within a second.",
  bearer: "admin",
  scope: "memory:admin",
  expectsVersion: false,
  params: ApiKeyParams,
  reply: ApiKey,
  versioned: true,
}, async (ctx, { params }) => keys.revokeApiKey(await keys.atKey(ctx, params.id), params.id));
