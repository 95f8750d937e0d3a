/** Access of admins to workspaces, asked for, approved by a second admin, and for a time. */
import { z } from "zod";
import { ScopeList } from "./admin_key.ts";
import { Id, ListQuery, pageOf, Sensitivity, textOf, Timestamp } from "./common.ts";
import { Scope } from "./scopes.ts";

const TTL_SECONDS_MAX = 86_400;
const REASON_MAX = 500;

export const BREAK_GLASS_STATES = ["pending", "approved", "denied", "revoked", "expired"] as const;
export const BreakGlassState = z.enum(BREAK_GLASS_STATES).meta({ id: "BreakGlassState" });
export type BreakGlassState = z.infer<typeof BreakGlassState>;

export const AdminRef = z.strictObject({ id: Id, name: z.string() }).meta({ id: "AdminRef" });
const Totp = z.string().regex(/^\d{6}$/, "must be six digits").meta({
  description: "The admin's one-time code. Each code is accepted once",
  examples: ["492039"],
});

export const BreakGlassRequest = z.strictObject({
  id: Id.meta({ description: "Send it in the header `x-svc-break-glass` to use the grant" }),
  state: BreakGlassState,
  workspaceId: Id.meta({ description: "The workspace to enter" }),
  reason: z.string(),
  scopes: z.array(Scope).meta({ description: "The grant allows operations that need one of these scopes" }),
  maxSensitivity: Sensitivity,
  ttlSeconds: z.int().min(1),
  requestedBy: AdminRef,
  createdAt: Timestamp,
  pendingUntil: Timestamp.meta({ description: "Until when another admin may approve it" }),
  approvedBy: AdminRef.nullable(),
  approvedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable().meta({ description: "Never later than 24 hours after `createdAt`" }),
  endedBy: AdminRef.nullable().meta({ description: "The admin who denied or revoked it" }),
  endedAt: Timestamp.nullable(),
  uses: z.int().min(0),
  lastUsedAt: Timestamp.nullable(),
}).meta({ id: "BreakGlassRequest", description: "A request of an admin to enter a workspace, and its state" });
export type BreakGlassRequest = z.infer<typeof BreakGlassRequest>;
export const BreakGlassPage = pageOf(BreakGlassRequest).meta({ id: "BreakGlassPage" });

export const RequestBreakGlassBody = z.strictObject({
  totp: Totp,
  workspaceId: Id,
  reason: textOf(REASON_MAX).meta({ description: "Why; the workspace reads it in its audit log" }),
  scopes: ScopeList.default(["memory:read"]),
  maxSensitivity: Sensitivity.default("confidential"),
  ttlSeconds: z.int().min(1).max(TTL_SECONDS_MAX).default(3_600).meta({
    description: "How long the grant lasts, from its approval. The configuration may allow less (`ADMIN_MAX_TTL_MS`)",
  }),
}).meta({ id: "RequestBreakGlassBody" });
export type RequestBreakGlassBody = z.infer<typeof RequestBreakGlassBody>;

export const ApproveBreakGlassBody = z.strictObject({ totp: Totp }).meta({ id: "ApproveBreakGlassBody" });
export type ApproveBreakGlassBody = z.infer<typeof ApproveBreakGlassBody>;

export const ListBreakGlassQuery = ListQuery.extend({
  workspaceId: Id.optional(),
  state: BreakGlassState.optional(),
});
export type ListBreakGlassQuery = z.infer<typeof ListBreakGlassQuery>;

export const BreakGlassParams = z.strictObject({ id: Id.meta({ description: "The request" }) });
