/** Tenants: the users of an app, each with a workspace of its own, which the app's broker makes. */
import { z } from "zod";
import { IssuedApiKey, ScopeList } from "./admin_key.ts";
import { ExternalId, Id, ListQuery, pageOf, Sensitivity, Timestamp } from "./common.ts";
import { REGIONS } from "./regions.ts";
import { Scope } from "./scopes.ts";

const TTL_SECONDS_MIN = 60;
const TTL_SECONDS_MAX = 86_400;

export const TENANT_STATES = ["creating", "active", "suspended", "erasing", "erased"] as const;
export const TenantState = z.enum(TENANT_STATES).meta({
  id: "TenantState",
  description:
    "`creating`: its workspace may not be there yet; opening it again makes it. `suspended`: every request in its workspace is refused. `erasing`: some of its data may still be there; erasing it again goes on. `erased`: nothing of it is left",
});

/** The app's own id of its user. */
const UserId = ExternalId.clone().meta({
  description: "The app's own id of its user, such as an account number. It decides the workspace",
  examples: ["alice"],
});

export const Tenant = z.strictObject({
  id: Id.meta({ description: "The tenant, and its workspace" }),
  version: z.int().min(1),
  externalId: ExternalId.nullable().meta({ description: "The app's own id of its user; null once it is erased" }),
  brokerId: Id.meta({ description: "The broker that made it" }),
  region: z.enum(REGIONS).meta({ id: "Region", description: "It never changes" }),
  state: TenantState,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  suspendedAt: Timestamp.nullable(),
  erasedAt: Timestamp.nullable(),
  erasedRows: z.record(z.string(), z.int().min(0)).nullable().meta({
    description: "How many rows its workspace had in which tables when its erasure began; null: it was not erased",
  }),
}).meta({ id: "Tenant", description: "A user of an app, with a workspace of its own" });
export type Tenant = z.infer<typeof Tenant>;
export const TenantPage = pageOf(Tenant).meta({ id: "TenantPage" });

export const OpenTenantBody = z.strictObject({
  externalId: UserId,
  credential: z.enum(["token", "key", "none"]).default("token").meta({
    description:
      "What to give for its workspace. `token`: a signed token, which ends by itself. `key`: a new API key each time. `none`: nothing, only the workspace",
  }),
  ttlSeconds: z.int().min(TTL_SECONDS_MIN).max(TTL_SECONDS_MAX).optional().meta({
    description: "For how long the token counts: a minute to a day; default: an hour. A key does not end by itself",
  }),
  scopes: ScopeList.optional().meta({
    description: "What the credential may do; default: all that the broker may give",
  }),
  maxSensitivity: Sensitivity.optional().meta({
    description: "The credential's clearance; default: the highest that the broker may give",
  }),
  brokerId: Id.optional().meta({
    description: "The broker on whose behalf an admin asks; required for admins. A broker's key needs none",
  }),
}).refine(({ credential, ttlSeconds }) => ttlSeconds === undefined || credential === "token", {
  path: ["ttlSeconds"],
  message: "is for tokens alone",
}).meta({ id: "OpenTenantBody" });
export type OpenTenantBody = z.infer<typeof OpenTenantBody>;

export const TenantToken = z.strictObject({
  token: z.string().meta({ description: "The token, which is sent as a key is: `Authorization: Bearer <token>`" }),
  expiresAt: Timestamp,
  scopes: z.array(Scope),
  maxSensitivity: Sensitivity,
}).meta({
  id: "TenantToken",
  description: "A signed token that opens one workspace for a while. It is stored nowhere",
});
export const OpenedTenant = z.strictObject({
  tenant: Tenant,
  created: z.boolean().meta({ description: "Whether this request made the tenant" }),
  token: TenantToken.nullable().meta({ description: "The token, if one was asked for" }),
  key: IssuedApiKey.nullable().meta({ description: "The new key, if one was asked for" }),
}).meta({ id: "OpenedTenant", description: "A tenant, and what opens its workspace" });
export type OpenedTenant = z.infer<typeof OpenedTenant>;

export const ListTenantsQuery = ListQuery.extend({
  externalId: ExternalId.optional().meta({ description: "Only the user with this id" }),
  q: z.string().min(1).max(200).optional().meta({ description: "Only users whose id begins with this text" }),
  state: TenantState.optional(),
  brokerId: Id.optional().meta({ description: "The broker whose tenants an admin asks for; required for admins" }),
});
export type ListTenantsQuery = z.infer<typeof ListTenantsQuery>;

export const TenantParams = z.strictObject({ id: Id.meta({ description: "The tenant" }) });
