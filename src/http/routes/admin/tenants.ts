/** `/v1/admin/tenants` */
import * as tenants from "../../../operations/tenants.ts";
import { download } from "../../download.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Tenants",
  section: "Administration",
  description:
    "The users of an app, each with a workspace of its own. The app's broker finds or creates, suspends, exports and erases them by its own id of the user. Needs a broker's key, or an admin's bearer.",
};

export const openTenant = route("post", "/admin/tenants", tenants.openTenant);
export const listTenants = route("get", "/admin/tenants", tenants.listTenants);
export const getTenant = route("get", "/admin/tenants/{id}", tenants.getTenant);
export const suspendTenant = route("post", "/admin/tenants/{id}/suspend", tenants.suspendTenant);
export const resumeTenant = route("post", "/admin/tenants/{id}/resume", tenants.resumeTenant);
export const revokeTenantTokens = route("post", "/admin/tenants/{id}/revoke-tokens", tenants.revokeTenantTokens);
export const exportTenant = download("get", "/admin/tenants/{id}/export", tenants.exportTenant);
export const eraseTenant = route("post", "/admin/tenants/{id}/erase", tenants.eraseTenant);
