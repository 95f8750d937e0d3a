/** The tokens of common issuers, as those look, under the entries that docs/guides/oauth.md gives for them. */
import assert from "node:assert/strict";
import { entryOf, PUBLIC_URL, startIssuer, trusting } from "../_issuer.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/guides/oauth.md", import.meta.url));

/** The entries of the page, with its address of the service and its workspace replaced. */
function entryFrom(name: string, issuer: string, workspace: string): Record<string, unknown> {
  const blocks = [...PAGE.matchAll(/^```json\n(.*?)^```/gms)].map(([, text]) => JSON.parse(text!)).flat();
  const entry = blocks.find((block) => block.name === name);
  const text = JSON.stringify({ ...entry, issuer });
  return JSON.parse(text.replaceAll("01890000-0000-7000-8000-000000000001", workspace));
}

interface Shape {
  readonly what: string;
  readonly entry: string;
  readonly path: string;
  readonly head?: Record<string, unknown>;
  readonly claims: (workspace: string) => Record<string, unknown>;
  /** The scopes and the name of the key, or the refusal. */
  readonly gives: readonly [scopes: string, key: string] | RegExp;
}

/** What `TestIssuer` puts into tokens, and these issuers do not. */
const BARE = { client_id: undefined, scope: undefined };
const ENTRA_APP = "5b0c9c1e-8f5a-4a39-9d0b-6d1f4c8a7e22";
const KEYCLOAK = {
  ...BARE,
  jti: "onrtac:d58f5dc8-fd8f-462b-8a19-716f8f83985b",
  aud: [PUBLIC_URL, "account"],
  sub: "36fa0f91-f94d-4a0c-afed-6b7d952e47da",
  typ: "Bearer",
  azp: "claude",
  sid: "2a88c258-f73a-4103-b862-e1fbd8f4e04e",
  acr: "1",
  "allowed-origins": ["https://app.example"],
  realm_access: { roles: ["offline_access", "default-roles-staff", "memory-writer"] },
  resource_access: { account: { roles: ["manage-account"] } },
  scope: "openid email profile",
  email_verified: true,
  preferred_username: "ada",
  email: "ada@example.com",
};
const AUTH0 = {
  ...BARE,
  aud: [PUBLIC_URL, "https://acme.eu.auth0.com/userinfo"],
  sub: "auth0|64b7f1c2a9d3e80012345678",
  azp: "k3Vn8wQpY2",
  scope: "openid profile memory:read offline_access",
};
const ENTRA = {
  ...BARE,
  aud: ENTRA_APP,
  aio: "AXQAi/8WAAAA",
  azp: "0c1a7d4e-1111-4222-8333-944455556666",
  azpacr: "1",
  name: "Ada Lovelace",
  oid: "b3a1f7d2-0000-4000-8000-aaaaaaaaaaaa",
  preferred_username: "ada@acme.example",
  rh: "0.AXcA",
  roles: ["Memory.Write"],
  scp: "access_as_user",
  sub: "Zk3Q0d5yVnX0m3T2pJ6rFqS1",
  tid: "7a1d4f0e-3c52-4f6e-9a54-0d0f8b6c2e11",
  uti: "x9QpE",
  ver: "2.0",
};
const OKTA = {
  ...BARE,
  ver: 1,
  jti: "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE",
  cid: "0oabucvyc38HLL1ef0h7",
  uid: "00ub0oNGTSWTBKOLGLNR",
  auth_time: 1_700_000_000,
  scp: ["offline_access", "openid", "memory:read"],
  sub: "ada@acme.example",
  groups: ["Everyone", "Memory Writers"],
};

const SHAPES: readonly Shape[] = [
  {
    what: "a person's token of Keycloak",
    entry: "keycloak",
    path: "/realms/staff",
    head: { typ: "JWT" },
    claims: () => KEYCLOAK,
    gives: ["memory:read,memory:write,session:write", "ada by claude (keycloak)"],
  },
  {
    what: "a token of Keycloak without the role",
    entry: "keycloak",
    path: "/realms/staff",
    head: { typ: "JWT" },
    claims: () => ({ ...KEYCLOAK, realm_access: { roles: ["offline_access"] } }),
    gives: ["memory:read", "ada by claude (keycloak)"],
  },
  {
    what: "a token of a service account of Keycloak, of versions that put the nonce into access tokens",
    entry: "keycloak",
    path: "/realms/staff",
    head: { typ: "JWT" },
    claims: () => ({ ...KEYCLOAK, azp: "nightly", preferred_username: "service-account-nightly", nonce: "n" }),
    gives: ["memory:read,memory:write,session:write", "service-account-nightly by nightly (keycloak)"],
  },
  {
    what: "an ID token of Keycloak",
    entry: "keycloak",
    path: "/realms/staff",
    head: { typ: "JWT" },
    claims: () => ({ ...KEYCLOAK, typ: "ID", at_hash: "x" }),
    gives: /present that, not an ID token/,
  },
  {
    what: "a token of Keycloak for its account page",
    entry: "keycloak",
    path: "/realms/staff",
    head: { typ: "JWT" },
    claims: () => ({ ...KEYCLOAK, aud: "account" }),
    gives: /is for another service/,
  },
  {
    what: "a person's token of Auth0 with the profile of Auth0",
    entry: "auth0",
    path: "/",
    head: { typ: "JWT" },
    claims: (workspace) => ({ ...AUTH0, "https://memory.example/workspace": workspace }),
    gives: ["memory:read", "auth0|64b7f1c2a9d3e80012345678 by k3Vn8wQpY2 (auth0)"],
  },
  {
    what: "a person's token of Auth0 with the profile of RFC 9068 and permissions",
    entry: "auth0",
    path: "/",
    claims: (workspace) => ({
      ...AUTH0,
      azp: undefined,
      client_id: "k3Vn8wQpY2",
      scope: "openid",
      permissions: ["memory:read", "memory:write"],
      "https://memory.example/workspace": workspace,
    }),
    gives: ["memory:read,memory:write", "auth0|64b7f1c2a9d3e80012345678 by k3Vn8wQpY2 (auth0)"],
  },
  {
    what: "a machine's token of Auth0",
    entry: "auth0",
    path: "/",
    head: { typ: "JWT" },
    claims: (workspace) => ({
      ...AUTH0,
      aud: PUBLIC_URL,
      sub: "k3Vn8wQpY2@clients",
      gty: "client-credentials",
      scope: "memory:write",
      "https://memory.example/workspace": workspace,
    }),
    gives: ["memory:write", "k3Vn8wQpY2@clients by k3Vn8wQpY2 (auth0)"],
  },
  {
    what: "a person's token of Entra, version 2",
    entry: "entra",
    path: "/7a1d4f0e-3c52-4f6e-9a54-0d0f8b6c2e11/v2.0",
    head: { typ: "JWT" },
    claims: () => ENTRA,
    gives: ["memory:read,memory:write", "ada@acme.example by 0c1a7d4e-1111-4222-8333-944455556666 (entra)"],
  },
  {
    what: "an application's token of Entra, without a scope and a person",
    entry: "entra",
    path: "/7a1d4f0e-3c52-4f6e-9a54-0d0f8b6c2e11/v2.0",
    head: { typ: "JWT" },
    claims: () => ({
      ...ENTRA,
      ...{ scp: undefined, name: undefined, preferred_username: undefined, idtyp: "app", roles: ["Memory.Read"] },
      sub: ENTRA.oid,
    }),
    gives: ["memory:read", `${ENTRA.oid} by 0c1a7d4e-1111-4222-8333-944455556666 (entra)`],
  },
  {
    what: "an ID token of Entra for the same application",
    entry: "entra",
    path: "/7a1d4f0e-3c52-4f6e-9a54-0d0f8b6c2e11/v2.0",
    head: { typ: "JWT" },
    claims: () => ({ ...ENTRA, azp: undefined, azpacr: undefined, scp: undefined, nonce: "n" }),
    gives: /present that, not an ID token/,
  },
  {
    what: "a token of Entra for somebody without a role",
    entry: "entra",
    path: "/7a1d4f0e-3c52-4f6e-9a54-0d0f8b6c2e11/v2.0",
    head: { typ: "JWT" },
    claims: () => ({ ...ENTRA, roles: undefined }),
    gives: /no rule of the issuer entra gives Zk3Q0d5yVnX0m3T2pJ6rFqS1/,
  },
  {
    what: "a person's token of Okta, which names no type",
    entry: "okta",
    path: "/oauth2/default",
    head: { typ: undefined },
    claims: () => OKTA,
    gives: ["memory:read", "ada@acme.example by 0oabucvyc38HLL1ef0h7 (okta)"],
  },
  {
    what: "a machine's token of Okta",
    entry: "okta",
    path: "/oauth2/default",
    head: { typ: undefined },
    claims: () => ({ ...OKTA, uid: undefined, sub: OKTA.cid, scp: ["memory:write"] }),
    gives: ["memory:write", "0oabucvyc38HLL1ef0h7 (okta)"],
  },
  {
    what: "an ID token of Okta",
    entry: "okta",
    path: "/oauth2/default",
    head: { typ: undefined },
    claims: () => ({ ...OKTA, cid: undefined, scp: undefined, jti: "ID.x", amr: ["pwd"], idp: "0oa", at_hash: "x" }),
    gives: /present that, not an ID token/,
  },
];

Deno.test({
  name:
    "T76 the tokens of Keycloak, Auth0, Entra and Okta give what the guide's entries say, and their ID tokens nothing",
  ...POSTGRES,
  async fn() {
    await using service = await startService({ env: trusting() });
    const { workspaceId: workspace, database } = service;
    for (const path of new Set(SHAPES.map((shape) => shape.path))) {
      await using issuer = await startIssuer(path);
      const shapes = SHAPES.filter((shape) => shape.path === path);
      const entry = entryFrom(shapes[0]!.entry, issuer.url, workspace);
      assert.deepEqual(Object.keys(entryOf(issuer, workspace)).filter((member) => !(member in entry)), []);
      await using trusted = await startService({ database, env: trusting(entry) });
      await issuer.addKey("RS256");
      for (const { what, claims, head, gives } of shapes) {
        const token = await issuer.sign(claims(workspace), { head });
        const { body } = await trusted.get("/v1/whoami", { key: token });
        if (gives instanceof RegExp) assert.match(body.message ?? `${what} is taken`, gives, what);
        else assert.deepEqual([body.scopes?.join(), body.key?.name], gives, `${what}: ${JSON.stringify(body)}`);
      }
    }
  },
});
