/** `/v1/admin/api-keys` */
import * as api_keys from "../../../operations/api_keys.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "API keys",
  section: "Administration",
  description: "Keys of workspaces: create, list, change, rotate, revoke. Needs an admin's bearer.",
};

export const createApiKey = route("post", "/admin/api-keys", api_keys.createApiKey);
export const listApiKeys = route("get", "/admin/api-keys", api_keys.listApiKeys);
export const getApiKey = route("get", "/admin/api-keys/{id}", api_keys.getApiKey);
export const updateApiKey = route("patch", "/admin/api-keys/{id}", api_keys.updateApiKey);
