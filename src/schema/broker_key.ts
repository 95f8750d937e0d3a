/** Keys of brokers: apps that make a workspace for each of their users. */
import { z } from "zod";
import { KeyRateLimit, RotateApiKeyBody, ScopeList } from "./admin_key.ts";
import { Cidr } from "./cidr.ts";
import { EndInput, Id, ListQuery, pageOf, Sensitivity, Timestamp } from "./common.ts";
import { REGIONS } from "./regions.ts";
import { DEFAULT_SCOPES, Scope } from "./scopes.ts";

const CIDRS_MAX = 100;

const Name = z.string().min(1).max(200).refine((text) => text.trim().length > 0, "must not be blank").meta({
  description: "The name of the app, under which the audit log shows what its broker did; no two brokers share one",
});
const Region = z.enum(REGIONS).meta({ id: "Region", description: "It never changes" });

/** Scopes that no tenant gets: its broker could not take back what they open. */
export const NEVER_GIVEN: ReadonlySet<Scope> = new Set(["memory:admin:cross_tenant", "federation"]);
const Scopes = ScopeList.refine(
  (scopes) => !scopes.some((scope) => NEVER_GIVEN.has(scope)),
  "must not hold memory:admin:cross_tenant or federation",
).meta({
  description:
    "What the credentials of its tenants may do at most. `memory:export` also lets the broker export a tenant. Never `memory:admin:cross_tenant` or `federation`",
});
const Clearance = Sensitivity.meta({ description: "The highest clearance that a credential of a tenant may have" });
const Cidrs = z.array(Cidr).max(CIDRS_MAX).meta({
  description: "The address ranges from which the broker's key may be used; empty: anywhere",
});
const RateLimit = KeyRateLimit.nullable().meta({
  description: "The rate limit of the broker's key; null: the limit that the service is configured with",
});

export const BrokerKey = z.strictObject({
  id: Id.meta({ description: "The broker. Its tenants stay its own through every rotation" }),
  version: z.int().min(1),
  publicId: z.string().meta({ description: "The 12 characters of the key after its prefix; not a secret" }),
  name: Name,
  region: Region,
  scopes: z.array(Scope).meta({ description: "What the credentials of its tenants may do at most" }),
  maxSensitivity: Clearance,
  cidrs: z.array(Cidr),
  rateLimit: RateLimit,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  lastUsedAt: Timestamp.nullable().meta({ description: "When the key was last used, to the minute" }),
  formerValidUntil: Timestamp.nullable().meta({
    description: "Until when the replaced secret is still valid; null: it is not",
  }),
}).meta({ id: "BrokerKey", description: "The key of a broker without its secret" });
export type BrokerKey = z.infer<typeof BrokerKey>;
export const BrokerKeyPage = pageOf(BrokerKey).meta({ id: "BrokerKeyPage" });

export const IssuedBrokerKey = BrokerKey.extend({
  key: z.string().meta({ description: "The key itself, `mk_broker_…`. It is shown only here and stored nowhere" }),
}).meta({ id: "IssuedBrokerKey", description: "The key itself, which is shown only here, and its record" });
export type IssuedBrokerKey = z.infer<typeof IssuedBrokerKey>;

export const CreateBrokerKeyBody = z.strictObject({
  name: Name,
  region: Region,
  scopes: Scopes.default([...DEFAULT_SCOPES]),
  maxSensitivity: Clearance.default("confidential"),
  cidrs: Cidrs.default([]),
  rateLimit: RateLimit.default(null),
  expiresAt: EndInput.nullable().default(null),
}).meta({ id: "CreateBrokerKeyBody" });
export type CreateBrokerKeyBody = z.infer<typeof CreateBrokerKeyBody>;

export const UpdateBrokerKeyBody = z.strictObject({
  scopes: Scopes.optional(),
  maxSensitivity: Clearance.optional(),
  cidrs: Cidrs.optional(),
  rateLimit: RateLimit.optional(),
  expiresAt: EndInput.nullable().optional(),
}).refine((body) => Object.keys(body).length > 0, "must change something").meta({ id: "UpdateBrokerKeyBody" });
export type UpdateBrokerKeyBody = z.infer<typeof UpdateBrokerKeyBody>;

export const RotateBrokerKeyBody = RotateApiKeyBody.clone().meta({ id: "RotateBrokerKeyBody" });
export type RotateBrokerKeyBody = z.infer<typeof RotateBrokerKeyBody>;
export const ListBrokerKeysQuery = ListQuery;
export type ListBrokerKeysQuery = z.infer<typeof ListBrokerKeysQuery>;
export const BrokerKeyParams = z.strictObject({ id: Id.meta({ description: "The broker" }) });
