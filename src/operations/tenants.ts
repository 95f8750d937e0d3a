/** Tenants: the users of an app, under its broker's key or an admin's bearer. */
import { eraseTenant as erase } from "../domain/tenants/erase.ts";
import * as tenants from "../domain/tenants/manage.ts";
import { openTenant as open } from "../domain/tenants/open.ts";
import { ListTenantsQuery, OpenedTenant, OpenTenantBody, Tenant, TenantPage, TenantParams } from "../schema/tenant.ts";
import { JSONL_TYPES } from "../schema/transfer.ts";
import { WHOLE } from "./cost.ts";
import { fileOperation, operation, Replied } from "./operation.ts";

const BROKERS = { bearer: "admin", scope: "memory:admin", takesBrokers: true } as const;

/** Finds or creates a tenant. */
export const openTenant = operation({
  id: "openTenant",
  summary: "Find or create the workspace of an app's user",
  description:
    "The app's own id of the user decides the workspace: the same id always gets the same one, also of callers at the same time (201 if this request made it). The reply holds what opens the workspace, if `credential` asks for it.",
  ...BROKERS,
  body: OpenTenantBody,
  writesInParts: true,
  status: 201,
  otherStatus: { status: 200, description: "The tenant was there already" },
  reply: OpenedTenant,
  repliesSecret: true,
  errors: ["not_found", "conflict", "workspace_suspended"],
  example: { body: { externalId: "alice", ttlSeconds: 3_600, scopes: ["memory:read", "memory:write"] } },
}, async (ctx, { body }) => {
  const opened = await open(ctx, body);
  return new Replied(opened, opened.created ? 201 : 200);
});

/** Lists tenants, the newest first. */
export const listTenants = operation({
  id: "listTenants",
  summary: "List the tenants of a broker",
  description: "Including erased ones, of which only the receipt is left.",
  ...BROKERS,
  changes: false,
  query: ListTenantsQuery,
  reply: TenantPage,
  errors: ["not_found"],
}, (ctx, { query }) => tenants.pageTenants(ctx, query));

/** Reads a tenant. */
export const getTenant = operation({
  id: "getTenant",
  summary: "Read a tenant",
  ...BROKERS,
  changes: false,
  params: TenantParams,
  reply: Tenant,
}, (ctx, { params }) => tenants.getTenant(ctx, params.id));

/** Suspends a tenant. */
export const suspendTenant = operation({
  id: "suspendTenant",
  summary: "Suspend a tenant",
  description:
    "Every process refuses every request in its workspace within a second, with `workspace_suspended`, until it is resumed. Nothing in it is changed.",
  ...BROKERS,
  writesInParts: true,
  params: TenantParams,
  reply: Tenant,
  errors: ["invalid_transition"],
}, (ctx, { params }) => tenants.suspendTenant(ctx, params.id));

/** Resumes a tenant. */
export const resumeTenant = operation({
  id: "resumeTenant",
  summary: "Resume a suspended tenant",
  ...BROKERS,
  writesInParts: true,
  params: TenantParams,
  reply: Tenant,
  errors: ["invalid_transition"],
}, (ctx, { params }) => tenants.resumeTenant(ctx, params.id));

/** Ends the tokens of a tenant. */
export const revokeTenantTokens = operation({
  id: "revokeTenantTokens",
  summary: "Revoke all tokens of a tenant",
  description:
    "Every process refuses them within a second. Tokens that are issued from now on count, and so do the tenant's keys.",
  ...BROKERS,
  writesInParts: true,
  params: TenantParams,
  reply: Tenant,
  errors: ["invalid_transition"],
}, (ctx, { params }) => tenants.revokeTenantTokens(ctx, params.id));

/** Exports a tenant. */
export const exportTenant = fileOperation({
  id: "exportTenant",
  summary: "Export everything of a tenant as JSONL",
  description:
    "The same file as `POST /v1/memory/admin/export`, up to the broker's clearance. The broker needs `memory:export` among its scopes; an admin needs a break-glass grant in the workspace, and exports there. Both audit chains, that of the service and that of the workspace, record it.",
  ...BROKERS,
  cost: WHOLE,
  params: TenantParams,
  errors: ["break_glass_required", "invalid_transition"],
  answers: { mediaType: JSONL_TYPES[0], description: "JSONL", nameOf: () => "svc-export-tenant.jsonl" },
}, (ctx, { params }) => tenants.exportTenant(ctx, params.id));

/** Erases a tenant. */
export const eraseTenant = operation({
  id: "eraseTenant",
  summary: "Erase everything of a tenant",
  description:
    "Suspends its workspace and deletes all of its rows, of every sensitivity, with its keys and the app's id of the user. The reply is the receipt, which stays readable; a repetition returns it. If the call breaks off, send it again: it goes on. The audit chain stays, whose rows hold ids and no content. A workspace that has peers is refused (`conflict`): forget its memory first, so that they are told, then remove them.",
  ...BROKERS,
  cost: WHOLE,
  writesInParts: true,
  params: TenantParams,
  reply: Tenant,
  errors: ["conflict"],
}, (ctx, { params }) => erase(ctx, params.id));
