/** API keys as they are administered. */
import { z } from "zod";
import { Cidr } from "./cidr.ts";
import { EndInput, Id, ListQuery, pageOf, Sensitivity, Timestamp } from "./common.ts";
import { DEFAULT_SCOPES, Scope, SCOPES } from "./scopes.ts";

const CIDRS_MAX = 100;
const OVERLAP_SECONDS_MAX = 2_592_000;
const DAY_SECONDS = 86_400;

const Name = z.string().min(1).max(200).refine((text) => text.trim().length > 0, "must not be blank");
export const ScopeList = z.array(Scope).min(1).max(SCOPES.length).refine(
  (scopes) => new Set(scopes).size === scopes.length,
  "must not repeat a scope",
);
const Cidrs = z.array(Cidr).max(CIDRS_MAX).meta({
  description: "The address ranges from which the key may be used; empty: anywhere",
});
export const KeyRateLimit = z.strictObject({
  perMinute: z.int().min(0).max(1_000_000).meta({ description: "Requests per minute on average; 0 = no limit" }),
  burst: z.int().min(1).max(1_000_000).meta({ description: "Requests that may come at once" }),
}).meta({ id: "KeyRateLimit" });

export const ApiKey = z.strictObject({
  id: Id,
  version: z.int().min(1),
  publicId: z.string().meta({ description: "The 12 characters of the key after its prefix; not a secret" }),
  workspaceId: Id,
  name: z.string(),
  scopes: z.array(Scope),
  maxSensitivity: Sensitivity.meta({ description: "The key's clearance: rows above it do not exist for the key" }),
  cidrs: z.array(Cidr),
  rateLimit: KeyRateLimit.nullable().meta({ description: "Null: the limit that the service is configured with" }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  lastUsedAt: Timestamp.nullable().meta({ description: "When the key was last used, to the minute" }),
  formerValidUntil: Timestamp.nullable().meta({
    description: "Until when a replaced secret is still valid; null: none is",
  }),
}).meta({ id: "ApiKey", description: "An API key without its secret" });
export type ApiKey = z.infer<typeof ApiKey>;
export const ApiKeyPage = pageOf(ApiKey).meta({ id: "ApiKeyPage" });

export const IssuedApiKey = ApiKey.extend({
  key: z.string().meta({ description: "The key itself, `svc_live_…`. It is shown only here and stored nowhere" }),
}).meta({ id: "IssuedApiKey", description: "The key itself, which is shown only here, and its record" });
export type IssuedApiKey = z.infer<typeof IssuedApiKey>;

/** The interface says `workspace_id`, and all other members are in camel case: both names are taken. */
interface NamesWorkspace {
  readonly workspace_id?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** The workspace that an input names by either name. */
export function namedWorkspace({ workspace_id: snake, workspaceId: camel }: NamesWorkspace): string | undefined {
  return camel ?? snake;
}

function agreesOnWorkspace({ workspace_id: snake, workspaceId: camel }: NamesWorkspace): boolean {
  return snake === undefined || camel === undefined || snake === camel;
}

const ONE_WORKSPACE = { path: ["workspace_id"], message: "must be the same as workspaceId; give one of them" };

export const CreateApiKeyBody = z.strictObject({
  name: Name,
  workspaceId: Id.optional().meta({ description: "The workspace that the key is for; it never changes. Required" }),
  workspace_id: Id.optional().meta({ description: "Another name for `workspaceId`" }),
  scopes: ScopeList.default([...DEFAULT_SCOPES]).meta({
    description:
      "What the key may do. Default: all scopes except `memory:admin`, `memory:admin:cross_tenant` and `federation`. `memory:admin:cross_tenant` has an effect on admins' keys only",
  }),
  maxSensitivity: Sensitivity.default("confidential"),
  cidrs: Cidrs.default([]),
  rateLimit: KeyRateLimit.nullable().default(null),
  expiresAt: EndInput.nullable().default(null),
}).refine(agreesOnWorkspace, ONE_WORKSPACE)
  .refine((body) => namedWorkspace(body) !== undefined, { path: ["workspaceId"], message: "is required" })
  .meta({ id: "CreateApiKeyBody" });
export type CreateApiKeyBody = z.infer<typeof CreateApiKeyBody>;

export const UpdateApiKeyBody = z.strictObject({
  name: Name.optional(),
  scopes: ScopeList.optional(),
  maxSensitivity: Sensitivity.optional(),
  cidrs: Cidrs.optional(),
  rateLimit: KeyRateLimit.nullable().optional(),
  expiresAt: EndInput.nullable().optional(),
}).refine((body) => Object.keys(body).length > 0, "must change something").meta({ id: "UpdateApiKeyBody" });
export type UpdateApiKeyBody = z.infer<typeof UpdateApiKeyBody>;

export const RotateApiKeyBody = z.strictObject({
  overlapSeconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(DAY_SECONDS).meta({
    description: "How long the replaced secret, and earlier ones, stay valid at most, up to 30 days; 0 = they end now",
  }),
}).meta({ id: "RotateApiKeyBody" });
export type RotateApiKeyBody = z.infer<typeof RotateApiKeyBody>;

/** A key that a session of the console makes in its own workspace. */
export const ConsoleKeyBody = z.strictObject({
  name: Name,
  scopes: ScopeList,
  maxSensitivity: Sensitivity,
  expiresAt: EndInput.nullable(),
});
export type ConsoleKeyBody = z.infer<typeof ConsoleKeyBody>;
export const ListConsoleKeysQuery = ListQuery;
export type ListConsoleKeysQuery = z.infer<typeof ListConsoleKeysQuery>;

export const ListApiKeysQuery = ListQuery.extend({
  workspaceId: Id.optional().meta({ description: "Only keys of this workspace" }),
  workspace_id: Id.optional().meta({ description: "Another name for `workspaceId`" }),
}).refine(agreesOnWorkspace, ONE_WORKSPACE);
export type ListApiKeysQuery = z.infer<typeof ListApiKeysQuery>;

export const ApiKeyParams = z.strictObject({ id: Id.meta({ description: "The key" }) });
