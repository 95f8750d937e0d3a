/** `/v1/admin/keys` */
import * as api_keys from "../../../operations/api_keys.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "admin/keys",
  description: "API keys of workspaces, under an admin's bearer: rotated, revoked",
};

export const rotateApiKey = route("post", "/admin/keys/{id}/rotate", api_keys.rotateApiKey);
export const revokeApiKey = route("post", "/admin/keys/{id}/revoke", api_keys.revokeApiKey);
