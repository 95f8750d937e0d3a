/** API keys under an admin's bearer. Interface §2.2 and §4.9, decisions §6 "keys, workspaces". */
import * as keys from "../../../domain/access/admin/api_keys.ts";
import { inWorkspace } from "../../../domain/common/system.ts";
import {
  ApiKey,
  ApiKeyPage,
  ApiKeyParams,
  CreateApiKeyBody,
  IssuedApiKey,
  ListApiKeysQuery,
  UpdateApiKeyBody,
} from "../../../schema/admin_key.ts";
import { endpoint } from "../../endpoint.ts";

/** Creates a key. */
export const createApiKey = endpoint({
  method: "post",
  path: "/admin/api-keys",
  operationId: "createApiKey",
  summary: "Create an API key of a workspace",
  description: "The key is in this reply and nowhere else: only its Argon2id hash is stored.",
  bearer: "admin",
  scope: "memory:admin",
  body: CreateApiKeyBody,
  status: 201,
  response: IssuedApiKey,
  versioned: true,
  repliesSecret: true,
  example: {
    body: {
      name: "assistant-1",
      workspace_id: "01890000-0000-7000-8000-000000000001",
      scopes: ["memory:read", "memory:write", "session:write"],
      cidrs: ["10.0.0.0/8"],
    },
  },
}, (ctx, { body: { workspace_id: workspaceId, ...body } }) => keys.issueApiKey(inWorkspace(ctx, workspaceId), body));

/** Lists keys, the newest first. */
export const listApiKeys = endpoint({
  method: "get",
  path: "/admin/api-keys",
  operationId: "listApiKeys",
  summary: "List API keys",
  description: "Of all workspaces or of one, without their secrets; revoked and expired ones, too.",
  bearer: "admin",
  scope: "memory:admin",
  query: ListApiKeysQuery,
  response: ApiKeyPage,
}, (ctx, { query }) => keys.pageApiKeys(ctx, query));

/** Reads a key. */
export const getApiKey = endpoint({
  method: "get",
  path: "/admin/api-keys/{id}",
  operationId: "getApiKey",
  summary: "Read an API key, without its secret",
  bearer: "admin",
  scope: "memory:admin",
  params: ApiKeyParams,
  response: ApiKey,
  versioned: true,
}, async (ctx, { params }) => keys.getApiKey(await keys.atKey(ctx, params.id), params.id));

/** Changes a key. */
export const updateApiKey = endpoint(
  {
    method: "patch",
    path: "/admin/api-keys/{id}",
    operationId: "updateApiKey",
    summary: "Change what an API key may do",
    description:
      "It counts at once, in every process. `rateLimit: null` returns to the service's own limit, `expiresAt: null` takes the expiry away. A revoked key is not changed.",
    bearer: "admin",
    scope: "memory:admin",
    params: ApiKeyParams,
    body: UpdateApiKeyBody,
    response: ApiKey,
    versioned: true,
    errors: ["invalid_transition"],
    example: { body: { scopes: ["memory:read"], maxSensitivity: "internal" } },
  },
  async (ctx, { params, body, ifMatch }) =>
    keys.updateApiKey(await keys.atKey(ctx, params.id), params.id, body, ifMatch),
);
