/**
 * An instance that is made by hand: keys, a TLS server and a store of its own. It pairs with a service, and then says what a
 * test has it say. Its messages are made by `node:crypto` and a library of canonical JSON, never by the code under test; of
 * that it has the arithmetic of the digest alone.
 */
import { Buffer } from "node:buffer";
import { createHmac, randomUUID, sign } from "node:crypto";
import { bucketDigest, itemKey, itemLeaf, RangeTree } from "../../src/crypto/range_tree.ts";
import type { Identity } from "../_certificates.ts";
import { factBody, headerOf, jcs, type Json, page, seal, type SealOptions, signatureOf } from "./_pages.ts";
import { b64url, hashOf, makePeerKeys, makeToken, type PeerKeys, type TokenParts } from "./_peer.ts";

const TOKEN = "x-svc-federation-token";
const BASE = "/v1/memory/federation/";

/** A request of the service. */
export interface Received {
  /** Behind `/v1/memory/federation/`. */
  readonly what: string;
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly text: string;
  /** Of its token. */
  readonly jti: string;
}

/** A reply before its token is made. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
  /** What the token says in the place of what is right; null: there is no token. */
  readonly token?: TokenParts | null;
  /** Who signs the token. */
  readonly signer?: PeerKeys;
}

/** What is said in the place of the truth, to requests of one kind. A `Response` is sent as it is. */
export interface Lie {
  readonly on: "handshake" | "items" | "digest" | "messages";
  tell(truth: Answer, request: Received): Answer | Response;
}

/** Another body under the token that belongs to it. */
export function rewrite(change: (body: Json) => Json): Lie["tell"] {
  return (truth) => ({ ...truth, body: JSON.stringify(change(JSON.parse(truth.body))) });
}

export interface Sent {
  readonly status: number;
  readonly body: Json;
}

export class EvilPeer implements AsyncDisposable {
  readonly workspace = randomUUID();
  keys = makePeerKeys();
  readonly requests: Received[] = [];
  /** What it published, in order. */
  readonly bodies: Json[] = [];
  lie: Lie | undefined;
  sealKey = new Uint8Array();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #closing = new AbortController();
  #us = { id: "", endpoint: "", workspace: "", apiKey: "", url: "" };

  constructor(readonly id: string, readonly identity: Identity, readonly clock: () => Date) {
    this.#server = this.#serve(identity, 0);
  }

  get port(): number {
    return this.#server.addr.port;
  }

  #serve({ cert, key }: Identity, port: number): Deno.HttpServer<Deno.NetAddr> {
    const { signal } = this.#closing;
    const options = { hostname: "127.0.0.1", port, cert, key, signal, onListen: () => {} };
    return Deno.serve(options, (request) => this.#answer(request));
  }

  /** Shows another certificate, in the same place. */
  async show(identity: Identity): Promise<void> {
    const { port } = this;
    this.#closing.abort();
    await this.#server.finished;
    this.#closing = new AbortController();
    this.#server = this.#serve(identity, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#server.finished;
  }

  /** Takes up the invitation of a service that listens at a URL. */
  async join(text: string, url: string): Promise<Sent> {
    const invite = JSON.parse(Buffer.from(text.split(".")[1]!, "base64url").toString());
    this.#us = { ...invite, url };
    this.sealKey = Buffer.from(invite.symmetricKey, "base64");
    const said = {
      v: 1,
      type: "join",
      invite: invite.invite,
      from: this.id,
      endpoint: `https://127.0.0.1:${this.port}`,
      workspace: this.workspace,
      region: null,
      signingPublicKey: this.keys.publicPem,
      certPin: this.identity.pin,
      apiKey: `svc_live_${"a".repeat(61)}`,
    };
    const proof = createHmac("sha256", Buffer.from(invite.secret, "base64")).update(jcs(said)).digest("base64url");
    return await this.send("handshake", { ...said, proof });
  }

  /** Sends a message to the service. */
  async send(what: string, message: Json, parts: TokenParts = {}): Promise<Sent> {
    const { id, endpoint, workspace, apiKey, url } = this.#us;
    const path = `${BASE}${what}?workspace=${workspace}`;
    const body = JSON.stringify(message);
    const named = { keys: this.keys, from: this.id, to: id, now: this.clock(), method: "POST", body };
    const reply = await fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        [TOKEN]: makeToken({ ...named, url: `${endpoint}${path}` }, parts),
      },
      body,
    });
    return { status: reply.status, body: JSON.parse(await reply.text()) };
  }

  /** The head of a message to the service. */
  head(type: string): Json {
    const { id, workspace } = this.#us;
    return { v: 1, type, messageId: randomUUID(), from: this.id, to: id, workspace };
  }

  /** Publishes a fact, or what is given of it. */
  say(statement: string, more: Json = {}): Json {
    const { unit, ...rest } = factBody();
    const body = {
      ...rest,
      origin: { instance: this.id, id: randomUUID() },
      writer: this.id,
      version: 1,
      updatedAt: this.clock().toISOString(),
      unit: { ...unit, statement, subject: null, predicate: null, object: null },
      ...more,
    };
    this.bodies.push(body);
    return body;
  }

  seal(body: Json, options: SealOptions = {}): Json {
    const { id: to } = this.#us;
    const context = { from: this.id, to, workspace: this.workspace, ...options.context };
    return seal(body, { key: this.sealKey, ...options, context });
  }

  /** A page of items, signed; `changes` come after the signature. */
  page(items: Json, changes: Json = {}, signer = this.keys): Json {
    const key = {
      keyId: signer.kid,
      raw: new Uint8Array(),
      sign: (bytes: Uint8Array) => sign(null, bytes, signer.privateKey),
    };
    return page(items, {
      from: this.id,
      to: this.#us.id,
      workspace: this.workspace,
      issuedAt: this.clock().toISOString(),
      keyId: this.keys.kid,
      signature: signatureOf(items, key),
      ...changes,
    });
  }

  /** A page as it is pushed: it names the service's workspace. */
  pushed(items: Json, changes: Json = {}): Json {
    return this.page(items, { workspace: this.#us.workspace, cursor: null, ...changes });
  }

  sealPushed(body: Json): Json {
    return this.seal(body, { context: { workspace: this.#us.workspace } });
  }

  /** A message of a handshake, or an answer that is kept, signed. */
  signed(kind: "handshake" | "ack" | "claims", message: Json, signer = this.keys): Json {
    const named = { ...message, keyId: signer.kid };
    const bytes = Buffer.from(`svc-fed-${kind}-v1\n${jcs(named)}`);
    return { ...named, signature: sign(null, bytes, signer.privateKey).toString("base64url") };
  }

  async #answer(request: Request): Promise<Response> {
    const text = await request.text();
    const url = new URL(request.url);
    const [, claims = ""] = (request.headers.get(TOKEN) ?? "").split(".");
    const { jti } = JSON.parse(Buffer.from(claims, "base64url").toString());
    const what = url.pathname.slice(BASE.length);
    const received = { what, query: url.searchParams, body: text === "" ? undefined : JSON.parse(text), text, jti };
    this.requests.push(received);
    const truth: Answer = what === "items" && /^(?!c\d+$)./.test(url.searchParams.get("since") ?? "")
      ? { status: 422, body: "{}" }
      : { status: 200, body: JSON.stringify(this.#truth(received)) };
    const isLie = this.lie?.on === what && url.searchParams.get("side") !== "held";
    const told = isLie ? this.lie!.tell(truth, received) : truth;
    return told instanceof Response ? told : this.#sign(told, received);
  }

  #sign({ status, body, headers, token = {}, signer = this.keys }: Answer, { jti }: Received): Response {
    const all = new Headers({ "content-type": "application/json", ...headers });
    if (token !== null) {
      const reply = { keys: signer, from: this.id, to: this.#us.id, now: this.clock(), url: "https://x", body };
      const claims = { htm: undefined, htu: undefined, req: jti, status, ...token.claims };
      all.set(TOKEN, makeToken(reply, { ...token, header: { typ: "svc-fed-reply+jwt", ...token.header }, claims }));
    }
    return new Response([204, 304].includes(status) ? null : body, { status, headers: all });
  }

  #truth(request: Received): Json {
    switch (request.what) {
      case "handshake":
        return request.body.type === "hello" ? this.#challenge(request) : this.#welcome();
      case "items":
        return this.#items(request.query);
      case "digest":
        return this.#digest(request.query);
      default:
        return this.#take(request.body);
    }
  }

  get #parties(): Json {
    return { v: 1, from: this.id, to: this.#us.id, workspace: this.workspace };
  }

  #challenge({ text }: Received): Json {
    return this.signed("handshake", {
      ...this.#parties,
      type: "challenge",
      hello: hashOf(text),
      nonce: b64url(crypto.getRandomValues(new Uint8Array(32))),
      expiresAt: new Date(this.clock().getTime() + 60_000).toISOString(),
      region: "us-east-1",
      direction: "bidirectional",
      capabilities: ["digest-1", "push-1", "reply-token"],
      time: this.clock().toISOString(),
      youAre: { address: null, certificatePin: null },
    });
  }

  #welcome(): Json {
    return { ...this.#parties, type: "welcome", state: "ACTIVE", direction: "bidirectional" };
  }

  #items(query: URLSearchParams): Json {
    const ids = query.get("ids")?.split(",") ?? [];
    const from = Number(query.get("since")?.slice(1) ?? 0);
    const told = ids.length > 0 ? this.bodies.filter(({ origin }) => ids.includes(origin.id)) : this.bodies.slice(from);
    const items = told.map((body) => this.seal(body));
    return this.page(items, { cursor: ids.length > 0 ? null : `c${from + items.length}` });
  }

  #digest(query: URLSearchParams): Json {
    // It holds nothing of the service.
    const said = query.get("side") === "held" ? [] : this.bodies;
    const items = said.map((body) => {
      const { id, type, version, hash } = headerOf(body);
      const reference = `${body.origin.instance}/${id}`;
      const entry = { id, instance: body.origin.instance, type, version, hash };
      return { key: itemKey(reference), leaf: itemLeaf(reference, version, hash), entry };
    }).sort((one, other) => one.key < other.key ? -1 : 1);
    const buckets = [...Map.groupBy(items, ({ key }) => key.slice(0, 4))].map(([prefix, some]) => ({
      no: Number.parseInt(prefix, 16),
      count: some.length,
      digest: bucketDigest(some.map(({ leaf }) => Buffer.from(leaf, "hex"))),
    }));
    const tree = new RangeTree(buckets);
    const nodes = query.get("prefix")!.split(",").map((prefix) =>
      prefix.length === 4
        ? { prefix, items: items.filter(({ key }) => key.startsWith(prefix)).map(({ entry }) => entry) }
        : { ...tree.node(prefix), children: tree.below(prefix, Number(query.get("depth"))) }
    );
    const counted = { epoch: this.workspace, seq: items.length, total: items.length };
    return { ...this.#parties, side: query.get("side"), ...counted, nodes };
  }

  #take(message: Json): Json {
    const head = { ...this.#parties, for: message.messageId, at: this.clock().toISOString() };
    if (message.type === "CLAIM_REQUEST") return this.signed("claims", { ...head, type: "CLAIM_REPLY", claims: [] });
    if (message.type !== "ERASE_NOTIFY") return { v: 1, type: "ACCEPTED", for: message.messageId };
    const results = message.items.map(({ id, instance, version }: Json) => ({
      id,
      instance,
      version,
      outcome: "erased",
    }));
    return this.signed("ack", { ...head, type: "SYNC_ACK", results });
  }
}
