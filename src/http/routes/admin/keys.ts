/** `/v1/admin/keys` */
import * as api_keys from "../../../operations/api_keys.ts";
import { route } from "../../route.ts";

export { GROUP } from "./api_keys.ts";

export const rotateApiKey = route("post", "/admin/keys/{id}/rotate", api_keys.rotateApiKey);
export const revokeApiKey = route("post", "/admin/keys/{id}/revoke", api_keys.revokeApiKey);
