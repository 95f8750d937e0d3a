/** `/v1/admin/break-glass` */
import * as break_glass from "../../../operations/break_glass.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Break-glass",
  section: "Administration",
  description: "An admin asks for access to a workspace, a second admin approves it, for a limited time.",
};

export const requestBreakGlass = route("post", "/admin/break-glass", break_glass.requestBreakGlass);
export const listBreakGlass = route("get", "/admin/break-glass", break_glass.listBreakGlass);
export const getBreakGlass = route("get", "/admin/break-glass/{id}", break_glass.getBreakGlass);
export const approveBreakGlass = route("post", "/admin/break-glass/{id}/approve", break_glass.approveBreakGlass);
export const denyBreakGlass = route("post", "/admin/break-glass/{id}/deny", break_glass.denyBreakGlass);
export const revokeBreakGlass = route("post", "/admin/break-glass/{id}/revoke", break_glass.revokeBreakGlass);
