/** The 15 scopes of API keys. */
import { z } from "zod";

export const SCOPES = [
  "memory:read",
  "memory:write",
  "memory:delete",
  "memory:export",
  "memory:import",
  "memory:admin",
  "memory:admin:cross_tenant",
  "session:write",
  "tasks:read",
  "tasks:write",
  "reasoning:write",
  "self:write",
  "governance:write",
  "audit:read",
  "federation",
] as const;
export const Scope = z.enum(SCOPES).meta({ id: "Scope" });
export type Scope = z.infer<typeof Scope>;

/** What a tenant's agent needs for everything that the product is for; administration and federation are asked for. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) =>
  scope !== "memory:admin" && scope !== "memory:admin:cross_tenant" && scope !== "federation"
);
