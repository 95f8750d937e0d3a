/** Issuers of tokens (OAuth 2.0 authorization servers) as the configuration names them, and what their claims grant. */
import { z } from "zod";
import { ServiceError } from "../errors.ts";
import { Id, Sensitivity } from "./common.ts";
import { parseJsonText } from "./json_text.ts";
import { Scope } from "./scopes.ts";

const ISSUERS_MAX = 20;
const RULES_MAX = 500;
const CHARS_MAX = 500_000;

/** Algorithms with a public key; with any other one, whoever can check a token could make it. */
export const TOKEN_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "Ed25519",
  "EdDSA",
] as const;

/** What no token can do: act as another instance, or as an admin in any workspace. */
const NOT_BY_TOKEN: readonly Scope[] = ["federation", "memory:admin:cross_tenant"];

/** The name of a claim; one that no token has by this name is looked for inside of others: `realm_access.roles`. */
const Claim = z.string().min(1).max(200);
const Text = z.string().min(1).max(500);
const Texts = z.array(Text).min(1).max(200);

const When = z.record(Claim, z.union([Text, Texts])).refine(
  (conditions) => Object.keys(conditions).length <= 10,
  "must have at most 10 conditions",
);

const WorkspaceRule = z.strictObject({
  /** Claims that the token must have, each with one of these values; none: every token of the issuer. */
  when: When.default({}),
  /** The workspace, or the claim that holds its id. */
  workspace: z.union([Id, z.strictObject({ claim: Claim })]),
  /** The most that a token may do. */
  scopes: z.array(Scope).min(1).refine(
    (scopes) => !scopes.some((scope) => NOT_BY_TOKEN.includes(scope)),
    `must not hold ${NOT_BY_TOKEN.join(" or ")}: no token can have it`,
  ),
  maxSensitivity: Sensitivity.default("internal"),
});

/** Who signs in to the console as a named admin; tokens are no admins. */
const AdminRule = z.strictObject({
  when: When.refine((conditions) => Object.keys(conditions).length > 0, "must name a claim: not everybody is an admin"),
  /** The name of the admin, or the claim that holds it. */
  admin: z.union([z.string().min(1).max(200), z.strictObject({ claim: Claim })]),
});

const IssuerUrl = z.string().max(500).refine(
  (text) => /^https?:/.test(text) && URL.canParse(text) && !/[?#@\s]/.test(text),
  "must be the issuer's URL, exactly as its tokens have it in iss",
);

export const TokenIssuerEntry = z.strictObject({
  /** Names it in logs, in the names of keys, and on the button of the console. */
  name: z.string().regex(/^[a-z][a-z0-9-]{0,29}$/, "must have up to 30 of a-z, 0-9 and -, the first a letter"),
  issuer: IssuerUrl,
  /** Where its keys are; default: what its metadata says. */
  jwksUri: IssuerUrl.optional(),
  /** Further values of `aud` that stand for this service; its own addresses always do. */
  audiences: Texts.default([]),
  algorithms: z.array(z.enum(TOKEN_ALGORITHMS)).min(1).default([...TOKEN_ALGORITHMS]),
  /** `at+jwt`: only tokens that call themselves access tokens in their head (RFC 9068). */
  tokenType: z.enum(["at+jwt", "any"]).default("any"),
  /** Tokens that were issued for longer are refused. */
  lifetimeSecondsMax: z.int().min(60).max(2_592_000).default(86_400),
  /** The claims whose scopes narrow what a rule grants; empty: the rules alone decide. */
  scopeClaims: z.array(Claim).max(10).default(["scope", "scp"]),
  /** The claims that name the person or the agent; the first that the token has counts. */
  nameClaims: z.array(Claim).max(10).default(["preferred_username", "email", "upn", "name"]),
  /** The scopes for which clients ask the issuer, as the metadata of this service tells them. */
  requestScopes: Texts.optional(),
  rules: z.array(z.union([WorkspaceRule, AdminRule])).min(1).max(RULES_MAX),
  /** How people sign in to the console by this issuer. Default: they do not. */
  signIn: z.strictObject({
    clientId: Text,
    clientSecret: z.string().min(1).max(1_000).optional(),
    scopes: Texts.default(["openid", "profile", "email"]),
    /** What the button says after "Sign in with"; default: the issuer's name. */
    label: z.string().min(1).max(60).optional(),
  }).optional(),
});
export type TokenIssuerEntry = z.output<typeof TokenIssuerEntry>;
export type WorkspaceRule = z.output<typeof WorkspaceRule>;
export type AdminRule = z.output<typeof AdminRule>;

/** `SVC_OAUTH_ISSUERS`: a JSON array of entries. */
export const tokenIssuerList = z.string().max(CHARS_MAX).transform((text, issues) => {
  try {
    return parseJsonText(text);
  } catch (error) {
    // The reader names the place of the fault and never shows the text.
    const reason = error instanceof ServiceError ? error.message : "it cannot be read";
    issues.addIssue({ code: "custom", message: `is not JSON: ${reason}` });
    return z.NEVER;
  }
}).pipe(
  z.array(TokenIssuerEntry).max(ISSUERS_MAX).refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    "names two issuers the same",
  ).refine(
    (list) => new Set(list.map(({ issuer }) => issuer)).size === list.length,
    "has an issuer twice",
  ),
);
