/** Break-glass: access of admins to workspaces. */
import * as breakGlass from "../domain/access/admin/break_glass.ts";
import {
  ApproveBreakGlassBody,
  BreakGlassPage,
  BreakGlassParams,
  BreakGlassRequest,
  ListBreakGlassQuery,
  RequestBreakGlassBody,
} from "../schema/break_glass.ts";
import { operation } from "./operation.ts";

/** Asks for access to a workspace. */
export const requestBreakGlass = operation({
  id: "requestBreakGlass",
  summary: "Ask for access to a workspace",
  description:
    "The request stays `pending` for up to an hour, until another admin approves it. Then the admin who asked calls the workspace's operations with their own `mk_admin_` key and the header `x-svc-break-glass: <id>`, within `scopes` and `maxSensitivity`. Request, approval and every use are in the audit logs of the workspace and of the service.",
  bearer: "admin",
  scope: "memory:admin:cross_tenant",
  body: RequestBreakGlassBody,
  status: 201,
  reply: BreakGlassRequest,
  errors: ["totp_invalid"],
  example: {
    body: {
      totp: "492039",
      workspaceId: "01890000-0000-7000-8000-000000000001",
      reason: "Ticket 4711: recall finds nothing since the import",
      scopes: ["memory:read"],
      ttlSeconds: 1_800,
    },
  },
}, (ctx, { body }) => breakGlass.requestBreakGlass(ctx, body));

/** Lists requests, the newest first. */
export const listBreakGlass = operation({
  id: "listBreakGlass",
  summary: "List requests for access to workspaces",
  bearer: "admin",
  scope: "memory:admin:cross_tenant",
  changes: false,
  query: ListBreakGlassQuery,
  reply: BreakGlassPage,
}, (ctx, { query }) => breakGlass.listBreakGlass(ctx, query));

/** Reads a request. */
export const getBreakGlass = operation({
  id: "getBreakGlass",
  summary: "Read a request for access to a workspace",
  bearer: "admin",
  scope: "memory:admin:cross_tenant",
  changes: false,
  params: BreakGlassParams,
  reply: BreakGlassRequest,
}, (ctx, { params }) => breakGlass.getBreakGlass(ctx, params.id));

/** Grants access. */
export const approveBreakGlass = operation({
  id: "approveBreakGlass",
  summary: "Approve another admin's request",
  description:
    "Needs a one-time code of the approving admin. The grant lasts `ttlSeconds` from now, and ends a day after the request at the latest.",
  bearer: "admin",
  scope: "memory:admin:cross_tenant",
  params: BreakGlassParams,
  body: ApproveBreakGlassBody,
  reply: BreakGlassRequest,
  errors: ["totp_invalid", "self_approval", "invalid_transition"],
  example: { body: { totp: "492039" } },
}, (ctx, { params, body }) => breakGlass.approveBreakGlass(ctx, params.id, body));

/** Refuses a request. */
export const denyBreakGlass = operation({
  id: "denyBreakGlass",
  summary: "Deny a pending request",
  bearer: "admin",
  scope: "memory:admin:cross_tenant",
  params: BreakGlassParams,
  reply: BreakGlassRequest,
  errors: ["invalid_transition"],
}, (ctx, { params }) => breakGlass.denyBreakGlass(ctx, params.id));

/** Revokes access. */
export const revokeBreakGlass = operation({
  id: "revokeBreakGlass",
  summary: "Withdraw a request, or revoke a grant",
  description: "Takes effect immediately. An admin may also revoke their own.",
  bearer: "admin",
  scope: "memory:admin:cross_tenant",
  params: BreakGlassParams,
  reply: BreakGlassRequest,
  errors: ["invalid_transition"],
}, (ctx, { params }) => breakGlass.revokeBreakGlass(ctx, params.id));
