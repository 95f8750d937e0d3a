/** Signing in to the console by an issuer: whom it lets in as whom, and what does not get in. docs/reference/guarantees.md T78. */
import assert from "node:assert/strict";
import * as admins from "../../src/domain/access/admin/admins.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { SYSTEM_WORKSPACE } from "../../src/domain/common/system.ts";
import { systemOperator } from "../_admin.ts";
import { entryOf, startIssuer, type TestIssuer, trusting } from "../_issuer.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { connectSuperuser, readLog } from "./_audit.ts";
import { logIn, openedBy, PAGE, SESSION } from "./_console.ts";

const SIGN_IN = "/console/api/sign-in";
const signIn = { clientId: "console", clientSecret: "the secret of the console", label: "Acme" };
const READERS = {
  when: { groups: "readers" },
  workspace: { claim: "workspace" },
  scopes: ["memory:read", "audit:read"],
};
const ADMINS = { when: { groups: "admins", amr: "mfa" }, admin: { claim: "preferred_username" } };

interface World extends AsyncDisposable {
  readonly issuer: TestIssuer;
  readonly service: TestService;
}

async function world(clock?: () => Date): Promise<World> {
  const stack = new AsyncDisposableStack();
  const issuer = stack.use(await startIssuer());
  const env = trusting(entryOf(issuer, "", { signIn, rules: [ADMINS, READERS] }));
  const service = stack.use(await startService({ env, ...(clock && { clock }) }));
  issuer.person = { sub: "ada", groups: ["readers"], workspace: service.workspaceId, preferred_username: "ada" };
  return { issuer, service, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface Begun {
  readonly cookie: string;
  readonly location: URL;
}

async function begin(service: TestService): Promise<Begun> {
  const { status, body, headers } = await service.post(SIGN_IN, { issuer: "test" }, { key: null, headers: PAGE });
  assert.equal(status, 200, JSON.stringify(body));
  return { cookie: headers.get("set-cookie")!.split(";")[0]!, location: new URL(body.location) };
}

/** The person agrees at the issuer. @returns the query with which the browser comes back */
async function agree({ location }: Begun): Promise<string> {
  const { headers } = await fetch(location, { redirect: "manual" });
  return new URL(headers.get("location")!).search.slice(1);
}

function complete(service: TestService, signedIn: string, cookie?: string): Promise<Reply> {
  return service.post(SESSION, { signedIn }, { key: null, headers: { ...PAGE, ...(cookie && { cookie }) } });
}

async function signInto(service: TestService): Promise<Reply> {
  const begun = await begin(service);
  return await complete(service, await agree(begun), begun.cookie);
}

/** The session of a reply that opened one. */
function sessionOf(service: TestService, { headers, body }: Reply) {
  return openedBy(service, headers.getSetCookie().find((one) => one.startsWith("__Host-svc_console="))!, body.proof);
}

Deno.test({
  name: "T78 who signs in by an issuer gets a session with the rights of the rule, by a key of its own",
  ...POSTGRES,
  async fn() {
    await using all = await world();
    const { service, issuer } = all;
    const list = await service.get(SIGN_IN, { key: null, headers: PAGE });
    assert.deepEqual(list.body, { data: [{ name: "test", label: "Acme" }] });
    const { location, cookie } = await begin(service);
    assert.equal(location.origin, issuer.origin);
    const { state, nonce, code_challenge, ...asked } = Object.fromEntries(location.searchParams);
    assert.deepEqual(asked, {
      response_type: "code",
      client_id: "console",
      redirect_uri: "http://svc.test/console/",
      scope: "openid profile email",
      code_challenge_method: "S256",
    });
    for (const random of [state, nonce, code_challenge]) assert.match(random!, /^[\w-]{43}$/);
    assert.ok(!cookie.includes(state!) && !cookie.includes(nonce!), "what the browser keeps is sealed");
    const opened = await signInto(service);
    assert.equal(opened.status, 201, JSON.stringify(opened.body));
    const cookies = opened.headers.getSetCookie();
    assert.equal(cookies.length, 2);
    for (const one of cookies) {
      assert.match(one, /^__Host-svc_\w+=.*; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    }
    assert.match(cookies[1]!, /^__Host-svc_sign_in=; .*Max-Age=0$/);
    const session = sessionOf(service, opened);
    const { body: me } = await session.send("GET", "/console/api/v1/whoami");
    assert.deepEqual([me.scopes, me.maxSensitivity, me.key.name], [
      ["memory:read", "audit:read"],
      "internal",
      "ada by the console (test)",
    ]);
    const again = sessionOf(service, await signInto(service));
    assert.equal((await again.send("GET", "/console/api/v1/whoami")).body.actor, me.actor, "one person is one key");
    assert.notEqual(again.cookie, session.cookie);
    assert.equal((await session.send("DELETE", SESSION)).status, 200);
    assert.equal((await session.send("GET", "/console/api/v1/whoami")).status, 401);
    await auditTrailOf(service.deps).flush();
    await using db = connectSuperuser(service);
    const row = (await readLog(db.sql, service.workspaceId)).find(({ event_type }) =>
      event_type === "console_session.created"
    );
    assert.deepEqual((row!.detail as Record<string, unknown>)["signedIn"], { issuer: issuer.url, subject: "ada" });
    // The console's secret goes to the issuer's token endpoint alone, as RFC 6749 says.
    const sent = issuer.received.filter((text) => text.includes(btoa("console:the+secret+of+the+console")));
    assert.ok(sent.length > 0 && sent.every((text) => text.startsWith(`POST ${issuer.url}/token`)));
  },
});

Deno.test({
  name: "T78 an issuer's rule lets a named admin in, and nobody who is none; disabling the admin ends the session",
  ...POSTGRES,
  async fn() {
    await using all = await world();
    const { service, issuer } = all;
    await admins.createAdmin(systemOperator(service), "ada");
    issuer.person = { ...issuer.person, groups: ["admins"], amr: ["pwd", "mfa"] };
    const opened = await signInto(service);
    assert.equal(opened.status, 201, JSON.stringify(opened.body));
    assert.equal(opened.body.admin.name, "ada");
    const session = sessionOf(service, opened);
    assert.equal((await session.send("GET", "/console/api/v1/admin/workspaces")).status, 200);
    assert.equal((await session.send("GET", "/console/api/v1/whoami")).status, 403, "a workspace takes a grant");
    await auditTrailOf(service.deps).flush();
    await using db = connectSuperuser(service);
    const row = (await readLog(db.sql, SYSTEM_WORKSPACE)).findLast(({ event_type }) =>
      event_type === "console_session.created"
    );
    const detail = row!.detail as Record<string, unknown>;
    assert.deepEqual([detail["signedIn"], detail["admin"]], [{ issuer: issuer.url, subject: "ada" }, "ada"]);
    await admins.disableAdmin(systemOperator(service), "ada");
    assert.equal((await session.send("GET", "/console/api/v1/admin/workspaces")).status, 401);
    assert.match((await signInto(service)).body.message, /no admin of the name that the rule gives/);
    // Without a second factor the rule does not hold, and no other one does.
    issuer.person = { ...issuer.person, amr: ["pwd"] };
    const none = await signInto(service);
    assert.deepEqual([none.status, /no rule of the issuer test gives ada a workspace here/.test(none.body.message)], [
      403,
      true,
    ]);
    // What lets a person into the console lets no token in.
    issuer.person = { ...issuer.person, amr: ["mfa"] };
    const token = await issuer.sign({ ...issuer.person, scope: "memory:read" });
    assert.equal((await service.get("/v1/admin/workspaces", { key: token })).status, 401);
    assert.equal((await service.get("/v1/whoami", { key: token })).status, 403);
  },
});

Deno.test({
  name:
    "T78 an answer counts in the browser that asked, for what it asked, and once: no forged, borrowed, repeated or late one",
  ...POSTGRES,
  async fn() {
    let ms = 0;
    await using all = await world(() => new Date(Date.now() + ms));
    const { service, issuer } = all;
    const refuses = async (what: string, answer: Promise<Reply>) => {
      const { status, body, headers } = await answer;
      assert.deepEqual([status, body.code], [401, "unauthenticated"], what);
      assert.match(body.message, /the sign-in was not completed; begin it again/, what);
      assert.match(headers.get("set-cookie")!, /^__Host-svc_sign_in=; /, what);
      // Failures count for a minute.
      ms += 61_000;
    };
    const mine = await begin(service), theirs = await begin(service);
    const [own, other] = [await agree(mine), await agree(theirs)];
    await refuses("another's answer in my browser", complete(service, other, mine.cookie));
    await refuses("an answer in a browser that asked nothing", complete(service, own));
    await refuses("a cookie that nobody sealed", complete(service, own, "__Host-svc_sign_in=AAAA"));
    await refuses("two cookies", complete(service, own, `${mine.cookie}; ${mine.cookie}`));
    const third = await begin(service), fourth = await begin(service);
    const code = new URLSearchParams(await agree(fourth)).get("code")!;
    const injected = new URLSearchParams(await agree(third));
    injected.set("code", code);
    await refuses("another's code with my state", complete(service, injected.toString(), third.cookie));
    const fifth = await begin(service);
    const stateless = new URLSearchParams(await agree(fifth));
    stateless.delete("state");
    await refuses("no state", complete(service, stateless.toString(), fifth.cookie));
    const denied = await begin(service);
    const state = denied.location.searchParams.get("state")!;
    await refuses(
      "a person who does not agree",
      complete(service, `error=access_denied&state=${state}`, denied.cookie),
    );
    issuer.takesCodesAgain = true;
    const once = await begin(service), answer = await agree(once);
    const both = await Promise.all([complete(service, answer, once.cookie), complete(service, answer, once.cookie)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 401], "the same answer at the same time");
    ms += 61_000;
    await refuses("the same answer again", complete(service, answer, once.cookie));
    const late = await begin(service), lateAnswer = await agree(late);
    ms += 601_000;
    await refuses("an answer after ten minutes", complete(service, lateAnswer, late.cookie));
  },
});

Deno.test({
  name: "T78 an ID token counts if it is of this issuer, for this console and this sign-in, signed by the issuer's key",
  ...POSTGRES,
  async fn() {
    await using all = await world();
    const { service, issuer } = all;
    const stranger = await issuer.addKey("ES256", { isKnown: false });
    const now = Math.floor(Date.now() / 1_000);
    const unsigned = (claims: Record<string, unknown>) => {
      const encode = (value: unknown) =>
        btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
      return Promise.resolve(`${encode({ alg: "none" })}.${encode({ ...issuer.claims(), ...claims })}.`);
    };
    const faults: [string, Record<string, unknown>, TestIssuer["signId"]?][] = [
      ["another sign-in's nonce", { nonce: "another" }],
      ["no nonce", { nonce: undefined }],
      ["for another client", { aud: "another" }],
      ["for several, on behalf of another", { aud: ["console", "another"], azp: "another" }],
      ["of another issuer", { iss: "https://id.example" }],
      ["over", { iat: now - 1_000, exp: now - 500 }],
      ["of nobody", { sub: undefined }],
      ["none", {}, () => Promise.resolve(undefined)],
      ["unsigned", {}, unsigned],
      ["signed by a stranger", {}, (claims) => issuer.sign(claims, { key: stranger, head: { typ: "JWT" } })],
      [
        "signed by a stranger under the issuer's name for a key",
        {},
        (claims) => issuer.sign(claims, { key: stranger, head: { typ: "JWT", kid: issuer.keys[0]!.kid } }),
      ],
    ];
    for (const [n, [what, claims, sign]] of faults.entries()) {
      issuer.idClaims = claims;
      issuer.signId = sign;
      const begun = await begin(service);
      const answer = await agree(begun);
      // Each from an address of its own, so that none is refused for the failures before.
      const request = new Request(`http://svc.test${SESSION}`, {
        method: "POST",
        headers: { ...PAGE, cookie: begun.cookie, "content-type": "application/json" },
        body: JSON.stringify({ signedIn: answer }),
      });
      const remoteAddr = { transport: "tcp", hostname: `192.0.2.${n + 1}`, port: 1 } as const;
      const { status } = await service.service.fetch(request, { remoteAddr, completed: Promise.resolve() });
      assert.equal(status, 401, what);
    }
    issuer.idClaims = {};
    issuer.signId = undefined;
    assert.equal((await signInto(service)).status, 201);
  },
});

Deno.test({
  name: "T78 a sign-in leads nowhere but to the issuer and back, is begun by the console's page alone, and is bounded",
  ...POSTGRES,
  async fn() {
    await using all = await world();
    const { service, issuer } = all;
    const pages: Record<string, string>[] = [{}, { ...PAGE, "sec-fetch-site": "cross-site" }, {
      "sec-fetch-site": "same-origin",
    }];
    for (const headers of pages) {
      assert.equal((await service.post(SIGN_IN, { issuer: "test" }, { key: null, headers })).status, 403);
      assert.equal((await service.get(SIGN_IN, { key: null, headers })).status, 403);
      assert.equal((await service.post(SESSION, { signedIn: "code=a&state=b" }, { key: null, headers })).status, 403);
    }
    const begun = (body: unknown) => service.post(SIGN_IN, body, { key: null, headers: PAGE });
    assert.equal((await begun({ issuer: "other" })).status, 404);
    assert.equal((await begun({ issuer: "test", location: "https://evil.example" })).status, 422);
    // A session that is open is no part of it: a new one takes its place.
    const before = await logIn(service);
    const first = await begin(service);
    const cookies = `${first.cookie}; ${before.cookie}`;
    const opened = await complete(service, await agree(first), cookies);
    assert.notEqual(sessionOf(service, opened).cookie, before.cookie);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const { cookie, location } = await begin(service);
      const state = location.searchParams.get("state");
      statuses.push((await complete(service, `code=guess&state=${state}`, cookie)).status);
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
    for (const endpoint of ["javascript:alert(1)", "data:text/html,x", "ftp://id.example", undefined]) {
      issuer.answers.set(
        "/.well-known/openid-configuration",
        () => Response.json({ ...issuer.metadata(), authorization_endpoint: endpoint }),
      );
      await using fresh = await startService({ env: trusting(entryOf(issuer, "", { signIn, rules: [READERS] })) });
      const { status } = await fresh.post(SIGN_IN, { issuer: "test" }, { key: null, headers: PAGE });
      assert.equal(status, 503, String(endpoint));
    }
    await using without = await startService();
    assert.deepEqual((await without.get(SIGN_IN, { key: null, headers: PAGE })).body, { data: [] });
  },
});
