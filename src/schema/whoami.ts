/** Who a caller is, and what it may do. */
import { z } from "zod";
import { KeyRateLimit } from "./admin_key.ts";
import { AdminRef } from "./break_glass.ts";
import { Id, Sensitivity, Timestamp } from "./common.ts";
import { REGIONS } from "./regions.ts";
import { Scope } from "./scopes.ts";

const Features = z.strictObject({
  embeddings: z.boolean().meta({
    description: "Questions are also answered by meaning: by an embedding endpoint or the built-in sentence encoder",
  }),
  llm: z.boolean().meta({ description: "A language model is configured; without one, rules do its work" }),
  mcp: z.boolean().meta({ description: "The service answers MCP clients" }),
  federation: z.boolean().meta({ description: "The instance has a signing key, so it can exchange with peers" }),
  webhooks: z.boolean().meta({ description: "The service has a key for stored secrets, so it can sign deliveries" }),
}).meta({ id: "Features", description: "What this service is configured to do" });
export type Features = z.infer<typeof Features>;

export const Whoami = z.strictObject({
  actor: z.string().meta({
    description: "The caller's name in `createdBy`, in the change feed and in the audit log",
    examples: ["key:01890000-0000-7000-8000-000000000000"],
  }),
  key: z.strictObject({
    id: Id,
    publicId: z.string().meta({ description: "The 12 characters of the key after its prefix; not a secret" }),
    name: z.string(),
  }).nullable().meta({ description: "The workspace's key that was presented; null under a break-glass grant" }),
  breakGlass: z.strictObject({ id: Id, admin: AdminRef }).nullable().meta({
    description: "The grant by which an admin is in the workspace; null for a key of the workspace",
  }),
  workspace: z.strictObject({
    id: Id,
    name: z.string(),
    region: z.enum(REGIONS).meta({ description: "Its home region" }),
  }),
  scopes: z.array(Scope).meta({ description: "What the caller may do" }),
  maxSensitivity: Sensitivity.meta({
    description: "The caller's clearance: rows above it do not exist for it. The workspace's limit is counted in",
  }),
  rateLimit: KeyRateLimit.nullable().meta({
    description: "The rate limit that holds for the caller, wherever it is set; null: none does",
  }),
  expiresAt: Timestamp.nullable().meta({
    description: "When the presented secret or the grant ends; null: it does not end by itself",
  }),
  server: z.strictObject({
    version: z.string(),
    region: z.enum(REGIONS).nullable().meta({ description: "The region that this service serves; null: all" }),
  }),
  features: Features,
}).meta({ id: "Whoami", description: "Who the key is, what it may do, and within which limits" });
export type Whoami = z.infer<typeof Whoami>;
