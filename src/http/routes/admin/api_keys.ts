/** `/v1/admin/api-keys` */
import * as api_keys from "../../../operations/api_keys.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "admin/api-keys",
  description: "API keys of workspaces, under an admin's bearer: created, listed, changed",
};

export const createApiKey = route("post", "/admin/api-keys", api_keys.createApiKey);
export const listApiKeys = route("get", "/admin/api-keys", api_keys.listApiKeys);
export const getApiKey = route("get", "/admin/api-keys/{id}", api_keys.getApiKey);
export const updateApiKey = route("patch", "/admin/api-keys/{id}", api_keys.updateApiKey);
