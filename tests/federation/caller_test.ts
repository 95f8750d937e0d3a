/** Identifying the sender of a request between instances: every lie that a token, a key or a certificate can tell. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { admitPeer, type AdmittedCaller } from "../../src/domain/federation/peers/caller.ts";
import type { PeerAccess } from "../../src/domain/federation/peers/open_caller.ts";
import { createDeps } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { removePeer } from "../../src/db/queries/federation_peers.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { readPublicKey } from "../../src/crypto/ed25519.ts";
import { ServiceError } from "../../src/errors.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { createCertificateMaker } from "../_certificates.ts";
import { b64url, claimsFor, hashOf, makePeerKeys, makeToken, storePeer, type TokenParts } from "./_peer.ts";

const A = "instance:a.example";
const B = "instance:b.example";
const ENDPOINT = "https://b.example";
const ENV = { SVC_INSTANCE_ID: B, SVC_FEDERATION_ENDPOINT: ENDPOINT };
const NOW = new Date("2026-09-21T14:13:20.000Z");
const KEYS = makePeerKeys();
const OTHER = makePeerKeys();

/** One request as a peer sends it; given members replace the valid ones. */
interface Sent extends TokenParts {
  readonly key?: string;
  readonly keys?: typeof KEYS;
  readonly method?: string;
  readonly path?: string;
  /** The body for which the token is made, and the body that arrives. */
  readonly body?: string;
  readonly arriving?: string;
  readonly headers?: Record<string, string>;
  /** Replaces the token; null: none is sent. */
  readonly token?: string | null;
  readonly admits?: PeerAccess["admits"];
}

class World {
  readonly #stack = new AsyncDisposableStack();
  constructor(readonly service: TestService, readonly key: string, readonly lines: string[]) {
    this.#stack.use(service);
  }

  static async open(env: Record<string, string> = {}, database?: TestDatabase): Promise<World> {
    const lines: string[] = [];
    const logSink = (line: string) => void lines.push(line);
    const clock = () => NOW;
    const service = await startService({ env: { SVC_LOG_LEVEL: "warn", ...ENV, ...env }, clock, logSink, database });
    const key = await service.createKey({ scopes: ["federation"], maxSensitivity: "confidential" });
    await storePeer(service.operator(), { id: A, keys: KEYS });
    return new World(service, key, lines);
  }

  path(query = ""): string {
    return `/v1/memory/federation/items?workspace=${this.service.workspaceId}${query}`;
  }

  token(sent: Sent = {}): string {
    const { method = "GET", path = this.path(), body = "", keys = KEYS } = sent;
    return makeToken({ keys, from: A, to: B, now: NOW, method, url: ENDPOINT + path, body }, sent);
  }

  /** Runs the checks that come before the body. */
  begin(sent: Sent = {}, onProven?: PeerAccess["onProven"]): Promise<AdmittedCaller> {
    const { method = "GET", path = this.path(), admits = [] } = sent;
    const token = sent.token === undefined ? this.token(sent) : sent.token;
    const headers = new Headers({
      ...(sent.key !== "" && { authorization: `Bearer ${sent.key ?? this.key}` }),
      ...(token !== null && { "x-svc-federation-token": token }),
      ...sent.headers,
    });
    return admitPeer(this.service.deps, {
      access: "federation",
      admits,
      operationId: "listFederationItems",
      headers,
      remoteAddress: "203.0.113.7",
      requestId: crypto.randomUUID(),
      signal: new AbortController().signal,
      method,
      target: path,
      ...(onProven && { onProven }),
    });
  }

  async send(sent: Sent = {}): Promise<AdmittedCaller["ctx"]> {
    const { ctx, acceptBody } = await this.begin(sent);
    await acceptBody(new TextEncoder().encode(sent.arriving ?? sent.body ?? ""));
    return ctx;
  }

  /** Returns the code of the refusal, or `ok`. */
  async outcome(sent: Sent = {}): Promise<string> {
    return await this.send(sent).then(() => "ok", (error) => {
      if (error instanceof ServiceError) return error.code;
      throw error;
    });
  }

  /** Returns which check a request's token failed, as the log names it. */
  async failed(sent: Sent): Promise<string> {
    const before = this.lines.length;
    const outcome = await this.outcome(sent);
    if (outcome !== "federation_token_invalid") return outcome;
    const line = this.lines.slice(before).find((line) => line.includes("federation.token_refused"));
    return JSON.parse(line!).check;
  }

  async audited(eventType: string): Promise<number> {
    await auditTrailOf(this.service.deps).flush();
    const [row] = await this.service.operator().tx((tx) =>
      tx.sql<[{ n: number }]>`
        select count(*)::int as n from svc_audit_log
         where workspace_id = ${tx.workspaceId} and event_type = ${eventType} and actor_type = 'peer'`
    );
    return row.n;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

Deno.test("what the tokens of peers are refused for", async (t) => {
  await using world = await World.open();
  await t.step("T26 a token is for one body, path, query, method, host and receiver", async () => {
    const body = `{"a":1,"b":2}`;
    const post = { method: "POST", body };
    const url = ENDPOINT + world.path();
    const hashes: Record<string, Sent> = {
      "another body": { ...post, arriving: `{"a":1,"b":3}` },
      "the same members in another order": { ...post, arriving: `{"b":2,"a":1}` },
      "a body where there was none": { arriving: body },
      "no body where there was one": { ...post, arriving: "" },
      "a hash in hex": { claims: { payload_hash: new Uint8Array(Buffer.from(hashOf(""), "base64url")).toHex() } },
      "a hash with padding": { claims: { payload_hash: `${hashOf("")}=` } },
      "no text as hash": { claims: { payload_hash: null } },
    };
    const addresses: Record<string, Sent> = {
      "another path": { claims: { htu: url.replace("items", "digest") } },
      "another query": { claims: { htu: `${url}&limit=1` } },
      "the query in another order": {
        path: world.path("&limit=1"),
        claims: { htu: `${ENDPOINT}/v1/memory/federation/items?limit=1&workspace=${world.service.workspaceId}` },
      },
      "another host": { claims: { htu: url.replace("b.example", "c.example") } },
      "http": { claims: { htu: url.replace("https", "http") } },
      "a fragment": { claims: { htu: `${url}#a` } },
      "credentials": { claims: { htu: url.replace("://", "://a@") } },
      "a URL that is written otherwise": { claims: { htu: url.replace("b.example", "B.example") } },
      "a number": { claims: { htu: 1 } },
    };
    const methods = { "another method": "POST", "a method in lower case": "get" };
    const receivers = { "another receiver": "instance:c.example", "several receivers": [B] };
    for (const [name, sent] of Object.entries(hashes)) assert.equal(await world.failed(sent), "payload_hash", name);
    for (const [name, sent] of Object.entries(addresses)) assert.equal(await world.failed(sent), "htu", name);
    for (const [name, htm] of Object.entries(methods)) {
      assert.equal(await world.failed({ claims: { htm } }), "htm", name);
    }
    for (const [name, aud] of Object.entries(receivers)) {
      assert.equal(await world.failed({ claims: { aud } }), "aud", name);
    }
    assert.equal(
      await world.outcome({ ...post, headers: { host: "c.example" } }),
      "ok",
      "what the request says of its host",
    );
  });
  await t.step("T27 no header of a token chooses how it is verified", async () => {
    const { privateKey: ec } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const spki = createPublicKey(KEYS.publicPem);
    const jwk = spki.export({ format: "jwk" });
    /** Makes a token with a false header, signed by the liar. */
    const forge = (header: Record<string, unknown>, signer: (text: string) => Uint8Array) => {
      const claims = claimsFor({ keys: KEYS, from: A, to: B, now: NOW, url: ENDPOINT + world.path() });
      const text = `${b64url(JSON.stringify({ kid: KEYS.kid, typ: "svc-fed+jwt", ...header }))}.${
        b64url(JSON.stringify(claims))
      }`;
      return `${text}.${b64url(signer(text))}`;
    };
    const hmac = (key: string | Uint8Array) => (text: string) => createHmac("sha256", key).update(text).digest();
    const byOther = (text: string) => sign(null, Buffer.from(text), OTHER.privateKey);
    const otherJwk = createPublicKey(OTHER.publicPem).export({ format: "jwk" });
    const tokens: Record<string, string> = {
      "no signature": forge({ alg: "none" }, () => new Uint8Array()),
      "alg none with the right signature": world.token({ header: { alg: "none" } }),
      "HS256 with the PEM as secret": forge({ alg: "HS256" }, hmac(KEYS.publicPem)),
      "HS256 with the point as secret": forge({ alg: "HS256" }, hmac(Buffer.from(jwk.x!, "base64url"))),
      ES256: forge(
        { alg: "ES256" },
        (text) => sign("sha256", Buffer.from(text), { key: ec, dsaEncoding: "ieee-p1363" }),
      ),
      "another peer's key": forge({ alg: "EdDSA" }, byOther),
      "another peer's key and kid": forge({ alg: "EdDSA", kid: OTHER.kid }, byOther),
      "its own key in the header": forge({ alg: "EdDSA", jwk: otherJwk }, byOther),
      "a jwk that would be right": world.token({ header: { jwk } }),
      "a jku": world.token({ header: { jku: "https://a.example/keys" } }),
      "an x5c": world.token({ header: { x5c: ["AAAA"] } }),
      "a crit": world.token({ header: { crit: ["b64"], b64: true } }),
      "b64 false": world.token({ header: { b64: false } }),
      "the algorithm in upper case": world.token({ header: { alg: "EDDSA" } }),
      "the algorithm by its other name": world.token({ header: { alg: "Ed25519" } }),
      "another type": world.token({ header: { typ: "JWT" } }),
      "the type of a reply": world.token({ header: { typ: "svc-fed-reply+jwt" } }),
      "no kid": world.token({ header: { kid: undefined } }),
      "a kid that is none": world.token({ header: { kid: "../../etc/passwd" } }),
      "a member twice": world.token({
        headerText: `{"alg":"none","alg":"EdDSA","kid":"${KEYS.kid}","typ":"svc-fed+jwt"}`,
      }),
      "a header that is a list": world.token({ headerText: "[]" }),
      "a byte order mark": world.token({
        headerText: `\ufeff${JSON.stringify({ alg: "EdDSA", kid: KEYS.kid, typ: "svc-fed+jwt" })}`,
      }),
      "a claim more": world.token({ claims: { nbf: 0 } }),
      "a claim twice": world.token({
        claimsText: JSON.stringify(claimsFor({ keys: KEYS, from: A, to: B, now: NOW, url: ENDPOINT + world.path() }))
          .replace("{", `{"aud":"${B}",`),
      }),
      "claims that are no object": world.token({ claimsText: "null" }),
    };
    const CHECKS: Record<string, string> = {
      "no signature": "form",
      "HS256 with the PEM as secret": "form",
      "HS256 with the point as secret": "form",
      "another peer's key": "signature",
      "another peer's key and kid": "kid",
      "a claim more": "claims",
      "a claim twice": "claims",
      "claims that are no object": "claims",
    };
    for (const [name, token] of Object.entries(tokens)) {
      assert.equal(await world.failed({ token }), CHECKS[name] ?? "header", name);
    }
  });
  await t.step(
    "T27 one token has one text: no padding, loose bits, spaces, second header or length beyond 4 KiB",
    async () => {
      const token = world.token();
      const [header = "", claims = "", signature = ""] = token.split(".");
      // The last four bits of the last character of 64 bytes carry no data.
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const loose = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.at(-1)!) + 1];
      assert.deepEqual(
        Buffer.from(loose, "base64url"),
        Buffer.from(signature, "base64url"),
        "a lenient reader takes both",
      );
      const texts: Record<string, string> = {
        padding: `${token}==`,
        "loose bits": `${header}.${claims}.${loose}`,
        "the other alphabet": `${header}.${claims}.${
          Buffer.from(signature, "base64url").toString("base64").replace(/=+$/, "")
        }`
          .replace(/\.([^./+]*)$/, ".+$1"),
        "a space inside": `${header}. ${claims}.${signature}`,
        "four parts": `${token}.${signature}`,
        "two parts": `${header}.${claims}`,
        "a short signature": `${header}.${claims}.${signature.slice(0, 40)}`,
        "two headers": `${token}, ${world.token()}`,
        "5 KiB": world.token({ claims: { jti: "a".repeat(5_000) } }),
        nothing: "",
        "another signature": world.token().split(".").with(2, signature).join("."),
      };
      for (const [name, text] of Object.entries(texts)) {
        assert.equal(await world.outcome({ token: text }), "federation_token_invalid", name);
      }
      assert.equal(await world.outcome({ token }), "ok");
    },
  );
  await t.step("T27 T31 a signature of a key of low order, which verifies any text, verifies no token", async () => {
    // R and A of order one, S zero: a lenient verifier takes it for every message.
    const identity = "0100000000000000000000000000000000000000000000000000000000000000";
    const id = "instance:weak.example";
    await storePeer(world.service.operator(), { id, signingKey: Uint8Array.fromHex(identity) });
    const der = Buffer.from(`302a300506032b6570032100${identity}`, "hex");
    const kid = (await crypto.subtle.digest("SHA-256", der).then((hash) => new Uint8Array(hash).toHex())).slice(0, 16);
    const [header, claims] = world.token({ header: { kid }, claims: { iss: id } }).split(".");
    const signature = b64url(Buffer.from(identity + "00".repeat(32), "hex"));
    assert.equal(await world.failed({ token: `${header}.${claims}.${signature}` }), "signature");
  });
  await t.step("T28 a token lives for exactly 300 seconds, with 30 for the difference of clocks", async () => {
    const now = NOW.getTime() / 1_000;
    const lived = (iat: unknown, ...exp: unknown[]) =>
      world.failed({ claims: { iat, exp: exp.length === 0 ? Number(iat) + 300 : exp[0] } });
    assert.equal(await lived(now + 30), "ok");
    assert.equal(await lived(now - 330), "ok");
    const bad: readonly [unknown, unknown][] = [
      [now, now + 299],
      [now, now + 301],
      [now, now + 31_536_000],
      [now, undefined],
      [undefined, now + 300],
      [`${now}`, now + 300],
      [now, `${now + 300}`],
      [now + 0.5, now + 300.5],
      [-300, 0],
      [null, 300],
      [1e400, 1e400],
    ];
    for (const iat of [now + 31, now - 331]) assert.equal(await lived(iat), "clock");
    for (const [iat, exp] of bad) {
      const check = iat === undefined || exp === undefined ? "claims" : "times";
      assert.equal(await lived(iat, exp), check, `${iat} ${exp}`);
    }
    for (const jti of ["a".repeat(21), "a".repeat(87), `${"a".repeat(30)} `, "ä".repeat(30), 1, undefined]) {
      assert.equal(await world.failed({ claims: { jti } }), jti === undefined ? "claims" : "jti", `${jti}`);
    }
  });
  await t.step(
    "T28 a peer whose clock is wrong is told so; any other reason for refusing a token stands in the log alone",
    async () => {
      const iat = NOW.getTime() / 1_000 + 412;
      const refusal = (sent: Sent) =>
        world.send(sent).then(() => assert.fail("accepted"), (error) => error as ServiceError);
      const late = await refusal({ claims: { iat, exp: iat + 300 } });
      assert.deepEqual(late.extra, { reason: "clock", serverTime: NOW.toISOString() });
      assert.ok(
        world.lines.some((line) => line.includes("federation.clock_skew") && line.includes(`"skewSeconds":412`)),
      );
      // Only the holder of the key learns it.
      const forged = await refusal({ claims: { iat, exp: iat + 300 }, keys: OTHER, header: { kid: KEYS.kid } });
      assert.deepEqual(forged.extra, { reason: "invalid" });
      assert.equal((await refusal({ claims: { aud: "instance:c.example" } })).message, forged.message);
      assert.ok(
        world.lines.some((line) => line.includes("federation.token_refused") && line.includes(`"check":"aud"`)),
      );
    },
  );
  await t.step("a token without a key or certificate is refused, and so is a key without the scope", async () => {
    assert.equal(await world.outcome({ key: "" }), "unauthenticated");
    const { service } = world;
    assert.equal(
      await world.outcome({ key: await service.createKey({ scopes: ["memory:read"] }) }),
      "insufficient_scope",
    );
    const narrow = await service.createKey({ scopes: ["federation"], cidrs: ["198.51.100.0/24"] });
    assert.equal(await world.outcome({ key: narrow }), "ip_not_allowed");
  });
  await t.step(
    "T26 only an operation that admits strangers takes the token of an unknown instance: for one key and body, once",
    async () => {
      const sent = { keys: OTHER, claims: { iss: "instance:new.example" } };
      assert.equal(await world.outcome(sent), "federation_token_invalid");
      const ctx = await world.send({ ...sent, admits: ["unverified", "stranger"] });
      assert.equal(ctx.federation?.kind, "stranger");
      assert.match(ctx.actor, /^key:/);
      const point = readPublicKey(OTHER.publicPem);
      const proven = async (more: Sent = {}, key = point) => {
        const { federation } = await world.send({ ...sent, admits: ["stranger"], method: "POST", body: "{}", ...more });
        assert.equal(federation?.kind, "stranger");
        if (federation?.kind === "stranger") return await federation.prove(key).catch((error) => error.code);
      };
      const token = world.token({ ...sent, method: "POST", body: "{}" });
      assert.equal(await proven({ token }, readPublicKey(KEYS.publicPem)), "federation_token_invalid");
      assert.equal(await proven({ token, arriving: "{ }" }), "federation_token_invalid");
      assert.equal(await proven({ token, method: "GET" }), "federation_token_invalid");
      assert.equal(await proven({ token }), "instance:new.example");
      assert.equal(await proven({ token }), "replay_detected");
    },
  );
  await t.step(
    "a caller that proves to be a peer gets a signed reply, also when it is refused; nobody else does",
    async () => {
      const proven: string[] = [];
      const begin = (sent: Sent) =>
        world.begin(sent, ({ instance, jti }) => void proven.push(`${instance} ${jti}`)).then(
          () => "ok",
          (error) => error.code,
        );
      const jti = "a".repeat(22);
      assert.equal(await begin({ claims: { jti, aud: "instance:c.example" } }), "federation_token_invalid");
      assert.equal(await begin({ claims: { jti } }), "ok");
      assert.deepEqual(proven, [`${A} ${jti}`, `${A} ${jti}`]);
      await begin({ claims: { jti }, keys: OTHER, header: { kid: KEYS.kid } });
      await begin({ claims: { jti, iss: "instance:c.example" } });
      assert.equal(proven.length, 2);
    },
  );
});

Deno.test("a peer is let in by its key and its token, with what its entry allows, and appears as a peer in the audit log", async () => {
  await using world = await World.open();
  const ctx = await world.send({ method: "POST", body: `{"a":1}` });
  assert.deepEqual(
    [ctx.actor, ctx.workspaceId, [...ctx.scopes], ctx.maxSensitivity, ctx.federation?.kind],
    [`peer:${A}`, world.service.workspaceId, ["federation"], "internal", "peer"],
  );
  auditTrailOf(ctx.deps).noteRequest(ctx, "ok");
  assert.equal(await world.audited("read.listFederationItems"), 1);
});

Deno.test("T25 a token counts once, also where another body comes with it or the peer is not served", async () => {
  await using world = await World.open();
  const token = world.token();
  assert.equal(await world.outcome({ token, arriving: "x" }), "federation_token_invalid");
  assert.equal(await world.outcome({ token }), "ok", "what failed an earlier check does not use the token up");
  assert.equal(await world.outcome({ token }), "replay_detected");
  assert.equal(await world.audited("federation.replay_detected"), 1);
  const page = await world.service.deps.telemetry.metrics.render();
  assert.match(page.body, new RegExp(`svc_federation_replay_detected_total\\{peer="${A}"\\} 1`));
});

Deno.test({
  ...POSTGRES,
  name: "T25 if one token is used forty times at two services without Redis, one use is accepted",
  async fn() {
    await using database = await createDatabase();
    await using world = await World.open({}, database);
    await using second = await startService({ database, env: ENV, clock: () => NOW });
    const there = new World(second, world.key, []);
    const sent: Sent = { token: world.token(), path: world.path() };
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? world : there).outcome(sent)),
    );
    await auditTrailOf(second.deps).flush();
    assert.equal(outcomes.filter((outcome) => outcome === "ok").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === "replay_detected").length, 39);
    assert.equal(await world.audited("federation.replay_detected"), 39);
    const [row] = await second.deps.db.system((sql) =>
      sql<[{ reads: boolean }]>`
        select has_table_privilege('svc_replay', 'select') or has_table_privilege('svc_instance_secret', 'select') as reads`
    );
    assert.equal(row.reads, false, "requests reach what is remembered by a function alone");
  },
});

Deno.test("T25 a token is refused as long as nobody can tell whether it was used", async () => {
  // Redis is configured, and nobody listens there: what this process remembers by itself proves nothing.
  const redis = { SVC_UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9", SVC_UPSTASH_REDIS_REST_TOKEN: "t" };
  await using world = await World.open(redis);
  assert.equal(await world.outcome(), "unavailable");
});

Deno.test("T26 an instance without an endpoint of its own compares path and query of a token with the request", async () => {
  await using world = await World.open({ SVC_FEDERATION_ENDPOINT: "" });
  const anywhere = (path: string) => ({ claims: { htu: `https://behind.example${path}` } });
  assert.equal(await world.outcome(anywhere(world.path())), "ok");
  assert.equal(await world.outcome(anywhere(world.path("&limit=1"))), "federation_token_invalid");
  assert.equal(await world.outcome({ claims: { htu: `http://b.example${world.path()}` } }), "federation_token_invalid");
});

Deno.test("T39 the issuer of a token is a peer of the key's workspace that was not removed", async () => {
  await using world = await World.open();
  const { service } = world;
  const other = await service.inNewWorkspace();
  const [C, D] = ["instance:c.example", "instance:d.example"];
  // The same peer in another workspace, with another key: neither entry affects the other.
  await storePeer(other.operator(), { id: A, keys: OTHER });
  await storePeer(other.operator(), { id: C, keys: OTHER });
  await storePeer(service.operator(), { id: D, keys: OTHER });
  assert.equal(await world.outcome(), "ok");
  assert.equal(
    await world.outcome({ keys: OTHER }),
    "federation_token_invalid",
    "the key of the other workspace's entry",
  );
  assert.equal(await world.outcome({ keys: OTHER, claims: { iss: C } }), "federation_token_invalid", "no entry here");
  assert.equal(await world.outcome({ keys: OTHER, claims: { iss: A } }), "federation_token_invalid", "another's name");
  assert.equal(
    await world.outcome({ claims: { iss: "a.example" } }),
    "federation_token_invalid",
    "no name of an instance",
  );
  assert.equal(await world.outcome({ keys: OTHER, claims: { iss: D } }), "ok");
  const theirs = await other.createKey({ workspaceId: other.workspaceId, scopes: ["federation"] });
  assert.equal(await world.failed({ key: theirs }), "kid", "a key decides the workspace");
  assert.equal(
    await world.outcome({ key: theirs, keys: OTHER, path: world.path() }),
    "not_found",
    "and the address none",
  );
  await service.operator().tx((tx) => removePeer(tx, D, "test"));
  assert.equal(await world.failed({ keys: OTHER, claims: { iss: D } }), "iss");
});

Deno.test("T43 a peer that nobody approved, or that has not shaken hands, is not served", async () => {
  await using world = await World.open();
  const operator = world.service.operator();
  await storePeer(operator, { id: A, keys: KEYS, approvedBy: undefined, isUnverified: true });
  assert.equal(await world.outcome(), "insufficient_scope");
  assert.equal(await world.outcome({ admits: ["unverified", "stranger"] }), "insufficient_scope");
  await storePeer(operator, { id: A, keys: KEYS, isUnverified: true });
  assert.equal(await world.outcome(), "insufficient_scope");
  assert.equal(await world.outcome({ admits: ["unverified"] }), "ok", "the handshake itself");
});

Deno.test("a key that was issued to a peer opens nothing without that peer's token", async () => {
  await using world = await World.open();
  const { service } = world;
  const operator = service.operator();
  const admits = ["key_holder"] as const;
  assert.equal(await world.outcome({ token: null, admits }), "ok", "a key of nobody");
  assert.equal((await world.send({ token: null, admits })).federation?.kind, "key_holder");
  assert.equal(await world.outcome({ token: null }), "federation_token_invalid", "where holders of keys are not taken");
  const row = { scopes: ["federation"], maxSensitivity: "restricted" } as const;
  const key = await service.createKey(row);
  const publicId = key.slice(9, 21);
  const [{ keyId }] = await operator.tx((tx) =>
    tx.sql<[{ keyId: string }]>`
      select key_id as "keyId" from api_key where workspace_id = ${tx.workspaceId} and public_id = ${publicId}`
  );
  await storePeer(operator, { id: A, keys: KEYS, inboundKeyId: keyId });
  assert.equal(await world.outcome({ key, token: null, admits }), "federation_token_invalid");
  assert.equal(
    await world.outcome({ key, token: null, admits, headers: { "x-svc-federation-peer": A } }),
    "federation_token_invalid",
    "naming itself is no token",
  );
  assert.equal(await world.outcome({ key }), "ok");
  await storePeer(operator, { id: "instance:d.example", keys: OTHER });
  assert.equal(
    await world.outcome({ key, keys: OTHER, claims: { iss: "instance:d.example" } }),
    "federation_token_invalid",
    "another peer's token beside it",
  );
  // A peer that signs nothing is known by its key, and names itself.
  await storePeer(operator, { id: A, inboundKeyId: keyId });
  assert.equal(await world.outcome({ key, token: null, admits }), "federation_token_invalid");
  const named = (id: string) => world.send({ key, token: null, headers: { "x-svc-federation-peer": id } });
  assert.equal((await named(A)).actor, `peer:${A}`);
  await assert.rejects(named("instance:d.example"), { code: "federation_token_invalid" });
  assert.equal(
    await world.outcome({ token: null, admits, headers: { "x-svc-federation-peer": A } }),
    "federation_token_invalid",
    "a key that is not the peer's",
  );
});

Deno.test("a peer's requests have a rate of their own in each workspace", async () => {
  await using world = await World.open({ SVC_FEDERATION_PER_MINUTE: "2" });
  const other = await world.service.inNewWorkspace();
  await storePeer(other.operator(), { id: A, keys: KEYS });
  const theirs = await other.createKey({ workspaceId: other.workspaceId, scopes: ["federation"] });
  const elsewhere = { key: theirs, path: world.path().replace(world.service.workspaceId, other.workspaceId) };
  assert.deepEqual([await world.outcome(), await world.outcome(), await world.outcome()], ["ok", "ok", "rate_limited"]);
  assert.equal(await world.outcome(elsewhere), "ok");
});

Deno.test("over HTTP a peer gets a token for the bytes and status of each reply, also of a refusal; a key holder gets none", async () => {
  await using world = await World.open({ SVC_FEDERATION_PRIVATE_KEY: OTHER.privatePem });
  const { service } = world;
  /** Returns the reply with its body as it arrived, and the claims of its token, whose signature is verified here. */
  const ask = async (sent: Sent, more: Record<string, string> = {}) => {
    const path = sent.path ?? world.path();
    const token = sent.token === null ? undefined : sent.token ?? world.token(sent);
    const response = await service.service.fetch(
      new Request(`http://127.0.0.1${path}`, {
        headers: { authorization: `Bearer ${world.key}`, ...(token && { "x-svc-federation-token": token }), ...more },
      }),
    );
    const body = new Uint8Array(await response.arrayBuffer());
    const text = response.headers.get("x-svc-federation-token");
    if (text === null) return { status: response.status, body, proven: undefined };
    const [header = "", claims = "", signature = ""] = text.split(".");
    const signed = Buffer.from(`${header}.${claims}`);
    assert.ok(verify(null, signed, createPublicKey(OTHER.publicPem), Buffer.from(signature, "base64url")));
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
    assert.deepEqual(read(header), { alg: "EdDSA", kid: OTHER.kid, typ: "svc-fed-reply+jwt" });
    return { status: response.status, body, proven: read(claims) };
  };
  const jti = "ABEiM0RVZneImaq7zN3u_w";
  const token = world.token({ claims: { jti } });
  const page = await ask({ token });
  const iat = NOW.getTime() / 1_000;
  const { jti: own, ...claims } = page.proven;
  assert.match(own, /^[A-Za-z0-9_-]{22}$/);
  const expected = { iss: B, aud: A, iat, exp: iat + 300, payload_hash: hashOf(page.body), req: jti, status: 200 };
  assert.deepEqual(claims, expected);
  const again = await ask({ token });
  assert.deepEqual([again.status, again.proven.status, again.proven.req], [401, 401, jti]);
  assert.equal(again.proven.payload_hash, hashOf(again.body));
  assert.equal(JSON.parse(new TextDecoder().decode(again.body)).code, "replay_detected");
  const wrong = await ask({ claims: { jti, aud: "instance:c.example" } });
  assert.deepEqual([wrong.status, wrong.proven.status], [401, 401]);
  const unknown = await ask({ path: world.path("&colour=red") });
  assert.deepEqual([unknown.status, unknown.proven.status], [422, 422]);
  const forged = await ask({ keys: OTHER, header: { kid: KEYS.kid } });
  assert.deepEqual([forged.status, forged.proven], [401, undefined], "nothing is signed for who proves nothing");
  const holder = await ask({ token: null });
  assert.deepEqual([holder.status, holder.proven], [200, undefined]);
  const other = world.path().replace(service.workspaceId, crypto.randomUUID());
  assert.equal((await ask({ path: other })).status, 404);
});

Deno.test("T19 T41 a client certificate that the proxy verified replaces the key, and names a peer by its pin", async () => {
  await using world = await World.open();
  const { service } = world;
  const operator = service.operator();
  await using maker = await createCertificateMaker();
  const make = async () => {
    const { cert, pin } = await maker.make({ names: "DNS:a.example", isSelfSigned: true });
    // Headers cannot hold line breaks.
    return { pem: encodeURIComponent(cert), pin };
  };
  const [own, other] = [await make(), await make()];
  await storePeer(operator, { id: A, keys: KEYS, certPin: own.pin });
  const by = (certificate: string, sent: Sent = {}) => ({
    key: "",
    headers: { "x-svc-client-cert": certificate },
    ...sent,
  });
  const ctx = await world.send(by(own.pem));
  assert.deepEqual([ctx.actor, ctx.maxSensitivity, ctx.workspaceId], [`peer:${A}`, "internal", service.workspaceId]);
  assert.equal(await world.failed(by(own.pem, { token: null, admits: ["key_holder"] })), "missing");
  assert.equal(
    await world.outcome(by(own.pem, { path: "/v1/memory/federation/items" })),
    "unauthenticated",
    "no workspace",
  );
  assert.equal(
    await world.outcome(by(own.pem, { path: `/v1/memory/federation/items?workspace=${crypto.randomUUID()}` })),
    "unauthenticated",
    "a workspace that has no such peer",
  );
  assert.equal(await world.outcome(by(own.pem, { key: "svc_live_none" })), "unauthenticated", "a key that is none");
  const refusal = await world.send(by(other.pem)).then(() => assert.fail("accepted"), (error) => error as ServiceError);
  assert.deepEqual([refusal.code, refusal.headers["connection"]], ["unauthenticated", "close"]);
  assert.equal(await world.audited("federation_cert_pin_mismatch"), 1);
  assert.equal(await world.outcome(by(other.pem, { keys: OTHER, header: { kid: KEYS.kid } })), "unauthenticated");
  assert.equal(
    await world.audited("federation_cert_pin_mismatch"),
    1,
    "what a stranger claims is not for the audit log",
  );
  // Beside a valid key the certificate must be the peer's, too.
  const beside = await world.send({ headers: { "x-svc-client-cert": other.pem } }).catch((error) =>
    error as ServiceError
  );
  assert.ok(beside instanceof ServiceError);
  assert.deepEqual([beside.code, beside.headers["connection"]], ["unauthenticated", "close"]);
  assert.equal(await world.audited("federation_cert_pin_mismatch"), 2);
  assert.equal(await world.outcome({ headers: { "x-svc-client-cert": own.pem } }), "ok");
  // The client's certificate may differ from the server's.
  await storePeer(operator, { id: A, keys: KEYS, certPin: own.pin, clientCertPin: other.pin });
  assert.equal(await world.outcome(by(other.pem)), "ok");
  assert.equal(await world.outcome(by(own.pem)), "unauthenticated");
  await storePeer(operator, { id: A, certPin: own.pin });
  assert.equal(
    (await world.send(by(own.pem, {
      token: null,
      headers: {
        "x-svc-client-cert": own.pem,
        "x-svc-federation-peer": A,
      },
    }))).actor,
    `peer:${A}`,
    "a peer that signs nothing",
  );
  await operator.tx((tx) => removePeer(tx, A, "test"));
  assert.equal(await world.outcome(by(own.pem)), "unauthenticated");
});

Deno.test("T30 an instance whose keys cannot be read signs and seals nothing, and does not start if encryption is required", async () => {
  // Nobody listens there: the parts are made without a database.
  const DATABASE_URL = "postgres://nobody@127.0.0.1:9/none";
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "pem", type: "pkcs8" });
  const x25519 = generateKeyPairSync("x25519").privateKey.export({ format: "pem", type: "pkcs8" });
  const short = Buffer.alloc(31).toString("base64");
  const bad: Record<string, string>[] = [
    { SVC_FEDERATION_PRIVATE_KEY: rsa as string },
    { SVC_FEDERATION_PRIVATE_KEY: x25519 as string },
    { SVC_FEDERATION_SYMMETRIC_KEY: short },
    { SVC_FEDERATION_SYMMETRIC_KEY: Buffer.alloc(33).toString("base64") },
    { SVC_FEDERATION_SYMMETRIC_KEY: "no base64 at all" },
  ];
  const good = {
    SVC_FEDERATION_PRIVATE_KEY: KEYS.privatePem,
    SVC_FEDERATION_SYMMETRIC_KEY: Buffer.alloc(32).toString("base64"),
  };
  for (const env of bad) {
    const lines: string[] = [];
    {
      await using deps = await createDeps(readConfig({ DATABASE_URL, ...env }), {
        logSink: (line) => void lines.push(line),
      });
      assert.deepEqual([deps.signingKey, deps.sealKey], [undefined, undefined]);
    }
    assert.ok(lines.some((line) => line.includes("federation.serve_crypto_init_failed")));
    assert.ok(!lines.join().includes(short));
    const required = readConfig({ DATABASE_URL, ...good, ...env, SVC_FEDERATION_REQUIRE_CRYPTO: "on" });
    await assert.rejects(
      createDeps(required, { logSink: () => {} }),
      /cannot be read, and SVC_FEDERATION_REQUIRE_CRYPTO is on/,
    );
  }
  const { SVC_FEDERATION_SYMMETRIC_KEY: _, ...half } = good;
  const missing = readConfig({ DATABASE_URL, ...half, SVC_FEDERATION_REQUIRE_CRYPTO: "on" });
  await assert.rejects(createDeps(missing, { logSink: () => {} }), /SVC_FEDERATION_SYMMETRIC_KEY is not set/);
});
