/** What the claims of a token grant, by the rules of its issuer. No I/O. */
import type { Scope } from "../../../schema/scopes.ts";
import type { AdminRule, TokenIssuerEntry, WorkspaceRule } from "../../../schema/token_issuer.ts";
import { looksLikeUuid } from "../../../schema/uuid.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** Claims that hold words apart by spaces (RFC 9068 §2.2.3; Entra and Okta call it `scp`). */
const SPACED = new Set(["scope", "scp"]);

/**
 * The texts of a claim: of a list its texts, of another value itself. A name that the token does not have as it stands is
 * followed from one object into the next, at its full stops.
 */
export function textsOf(claims: Claims, name: string): string[] {
  const value = valueOf(claims, name);
  if (typeof value === "string") return SPACED.has(name) ? value.split(" ").filter((word) => word !== "") : [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function valueOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function holds(claims: Claims, when: WorkspaceRule["when"]): boolean {
  return Object.entries(when).every(([name, wanted]) => {
    const values = new Set(textsOf(claims, name));
    return [wanted].flat().some((one) => values.has(one));
  });
}

/** A value that a rule names, or the one text of the claim that it names. */
function readValue(claims: Claims, value: string | { readonly claim: string }): string | undefined {
  if (typeof value === "string") return value;
  const texts = textsOf(claims, value.claim);
  return texts.length === 1 ? texts[0] : undefined;
}

/** The rights that a token has in one workspace. */
export interface MappedRights {
  readonly workspaceId: string;
  /** All that the rule grants. */
  readonly granted: readonly Scope[];
  /** Those of them that the token names as well; all, if the rules alone decide. */
  readonly scopes: ReadonlySet<Scope>;
  readonly maxSensitivity: WorkspaceRule["maxSensitivity"];
}

/**
 * Applies the first rule whose conditions the token meets, and no other one. Undefined: there is none, or it names a claim
 * for the workspace that holds no id.
 * @param isNarrowed whether the token's own scopes narrow those of the rule: those of access tokens do
 */
export function mapRights(
  { rules, scopeClaims }: Pick<TokenIssuerEntry, "rules" | "scopeClaims">,
  claims: Claims,
  { isNarrowed = true } = {},
): MappedRights | undefined {
  const rule = rules.find((one): one is WorkspaceRule => "workspace" in one && holds(claims, one.when));
  const workspaceId = rule && readValue(claims, rule.workspace);
  if (rule === undefined || workspaceId === undefined || !looksLikeUuid(workspaceId)) return undefined;
  const named = new Set(scopeClaims.flatMap((claim) => textsOf(claims, claim)));
  const all = !isNarrowed || scopeClaims.length === 0;
  return {
    workspaceId,
    granted: rule.scopes,
    scopes: new Set(rule.scopes.filter((scope) => all || named.has(scope))),
    maxSensitivity: rule.maxSensitivity,
  };
}

/** The name of the admin as whom a person signs in; undefined: as none. */
export function mapAdmin({ rules }: Pick<TokenIssuerEntry, "rules">, claims: Claims): string | undefined {
  const rule = rules.find((one): one is AdminRule => "admin" in one && holds(claims, one.when));
  return rule && readValue(claims, rule.admin);
}

/** The client that got the token. Issuers call it differently. */
export function clientOf(claims: Claims): string | undefined {
  return ["client_id", "azp", "cid", "appid"].map((name) => claims[name]).find((value) => typeof value === "string") as
    | string
    | undefined;
}

const NAME_CHARS_MAX = 100;

/** The name of the key by which the holder acts: `ada@example.com by claude (entra)`. */
export function nameKey(
  { name: issuer, nameClaims }: Pick<TokenIssuerEntry, "name" | "nameClaims">,
  claims: Claims,
  { subject, client }: { readonly subject: string; readonly client: string },
): string {
  const named = nameClaims.flatMap((claim) => textsOf(claims, claim)).find((text) => text.trim() !== "");
  // deno-lint-ignore no-control-regex -- a name is shown in terminals
  const plain = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ").trim().slice(0, NAME_CHARS_MAX);
  const by = client === "" || client === subject ? "" : ` by ${plain(client).slice(0, 60)}`;
  return `${plain(named ?? subject)}${by} (${issuer})`.slice(0, 200).toWellFormed();
}
