/** Keys as people see them: what each may do in words, and where a session makes and ends them. */
import type { ApiKey, ApiKeyPage, IssuedApiKey, Scope, Sensitivity } from "../../clients/typescript/mod.ts";
import { admin, callConsole, svc } from "./session.ts";

/** What each scope allows. `memory:admin:cross_tenant` is not among them: it counts for admins' keys alone. */
export const SCOPES: readonly (readonly [scope: Scope, words: string])[] = [
  ["memory:read", "read and recall what is known"],
  ["memory:write", "remember and correct"],
  ["memory:delete", "forget and erase"],
  ["session:write", "record conversations"],
  ["tasks:read", "read tasks"],
  ["tasks:write", "create and finish tasks"],
  ["reasoning:write", "keep its reasoning"],
  ["self:write", "edit its own playbooks"],
  ["governance:write", "say what was helpful"],
  ["memory:import", "import"],
  ["memory:export", "export everything"],
  ["audit:read", "read the audit log and what others recalled"],
  ["memory:admin", "look after the workspace: jobs, webhooks, figures"],
  ["federation", "exchange knowledge with other services"],
];

const AGENT: readonly Scope[] = [
  ...["memory:read", "memory:write", "memory:delete", "session:write", "tasks:read", "tasks:write"] as const,
  ...["reasoning:write", "self:write", "governance:write"] as const,
];

/** Sets of scopes that go together, by what the key is for. */
export const SETS = [
  { id: "agent", label: "An agent: recalls, remembers, corrects and forgets", short: "an agent's work", scopes: AGENT },
  { id: "reader", label: "Reads only", short: "reads only", scopes: ["memory:read", "tasks:read"] },
  {
    id: "person",
    label: "A person: an agent's work, import, export and the audit log",
    short: "a person's work",
    scopes: [...AGENT, "memory:import", "memory:export", "audit:read"],
  },
] as const satisfies readonly { id: string; label: string; short: string; scopes: readonly Scope[] }[];

/** The ceilings, the lowest first. */
export const CEILINGS: readonly { readonly value: Sensitivity; readonly label: string }[] = [
  { value: "public", label: "public: what everybody may know" },
  { value: "internal", label: "internal: what colleagues may know" },
  { value: "confidential", label: "confidential: all but what is restricted" },
  { value: "restricted", label: "restricted: everything" },
];

/** What scopes allow, in a few words. */
export function sayScopes(scopes: readonly Scope[]): string {
  const known = SCOPES.filter(([scope]) => scopes.includes(scope)).map(([scope]) => scope);
  if (known.length === SCOPES.length) return "everything";
  const within = SETS.filter((one) => one.scopes.every((scope) => known.includes(scope)));
  const set = within.findLast((one) => one.id !== "reader" || known.length === one.scopes.length);
  const rest = wordsOf(known.filter((scope) => !set?.scopes.some((one) => one === scope)));
  return [...set === undefined ? [] : [set.short], ...rest].join(", ");
}

/** What each of the scopes allows. */
export function wordsOf(scopes: readonly Scope[]): readonly string[] {
  return SCOPES.filter(([scope]) => scopes.includes(scope)).map(([, words]) => words);
}

export interface NewKey {
  readonly name: string;
  /** The workspace; a session of one workspace makes keys of that one alone. */
  readonly workspaceId: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt: string | null;
}

const isAdmins = () => admin.value !== null;

/** Lists keys, newest first: of the session's workspace; for an admin, of `workspaceId` or of all workspaces. */
export function listKeys(
  { workspaceId, cursor }: { readonly workspaceId?: string; readonly cursor?: string | undefined },
  signal: AbortSignal,
): Promise<ApiKeyPage> {
  const page = { limit: 100, ...(cursor && { cursor }) };
  if (isAdmins()) return svc.listApiKeys({ ...page, ...(workspaceId && { workspaceId }) }, { signal });
  return callConsole("GET", `/keys?${new URLSearchParams({ limit: "100", ...(cursor && { cursor }) })}`);
}

/** Makes a key; only the reply has its secret. */
export function createKey({ workspaceId, scopes, ...key }: NewKey): Promise<IssuedApiKey> {
  if (isAdmins()) return svc.createApiKey({ ...key, scopes: [...scopes], workspaceId });
  return callConsole("POST", "/keys", { ...key, scopes });
}

/** Gives a key a new secret; the one before counts for some more seconds. */
export function rotateKey(id: string, overlapSeconds: number): Promise<IssuedApiKey> {
  if (isAdmins()) return svc.rotateApiKey({ id, overlapSeconds });
  return callConsole("POST", `/keys/${id}/rotate`, { overlapSeconds });
}

/** Ends a key for good. */
export function revokeKey(id: string): Promise<ApiKey> {
  return isAdmins() ? svc.revokeApiKey({ id }) : callConsole("POST", `/keys/${id}/revoke`, {});
}

/** When a key was last used; null: never. */
export async function readLastUse(id: string, signal: AbortSignal): Promise<string | null> {
  if (isAdmins()) return (await svc.getApiKey({ id }, { signal })).lastUsedAt;
  return (await listKeys({}, signal)).data.find((key) => key.id === id)?.lastUsedAt ?? null;
}
