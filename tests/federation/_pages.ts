/**
 * Pages of a peer, made by hand: sealed and signed by `node:crypto`, with canonical JSON by its own library, and never
 * by our modules.
 */
import canonicalize from "canonicalize";
import { createCipheriv, createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

export const US = "instance:a.example";
export const PEER = "instance:b.example";
export const WORKSPACE = "01990000-0000-7000-8000-00000000000a";
export const FACT_ID = "01990000-0000-7000-8000-0000000000f1";

// deno-lint-ignore no-explicit-any
export type Json = any;

export interface HandKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly raw: Uint8Array;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

/** Makes the key pair of a seed of 32 bytes in hex. */
export function keyOf(seed: string): HandKey {
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    keyId: createHash("sha256").update(spki).digest("hex").slice(0, 16),
    raw: new Uint8Array(spki.subarray(-32)),
    sign: (bytes) => sign(null, bytes, key),
  };
}

export const PEER_KEY = keyOf("11".repeat(32));
export const NEXT_KEY = keyOf("22".repeat(32));
export const SEAL_KEY = new Uint8Array(32).fill(7);

export function jcs(value: Json): string {
  return canonicalize(value)!;
}

export function hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Makes the body of a fact, as a peer would. */
export function factBody(changes: Json = {}): Json {
  return {
    v: 1,
    origin: { instance: PEER, id: FACT_ID },
    writer: PEER,
    version: 2,
    updatedAt: "2026-09-21T13:00:00.000Z",
    seen: {},
    affirms: null,
    unit: {
      state: "active",
      sensitivity: "internal",
      confidence: 0.9,
      tags: ["backup"],
      metadata: {},
      validFrom: "2026-03-01T00:00:00.000Z",
      validTo: null,
      occurredAt: null,
      expiresAt: null,
      derivedFrom: [],
      entities: [],
      statement: "Acme keeps backups for ninety days.",
      subject: "Acme",
      predicate: "backup retention",
      object: "ninety days",
      factType: "fact",
      supersedes: null,
      supersededBy: null,
      citations: [],
    },
    ...changes,
  };
}

/** Makes the header of a body: id, type, version and hash. */
export function headerOf(body: Json, type = body.unit === null && !body.withdrawn ? "fact:deleted" : "fact"): Json {
  const { origin, unit, withdrawn } = body;
  const hash = hex(jcs({ type, origin, unit, ...(withdrawn && { withdrawn }) }));
  return { id: origin.id, type, version: body.version, hash };
}

export interface SealOptions {
  readonly key?: Uint8Array;
  readonly nonce?: Uint8Array;
  /** Seal these bytes instead of the canonical text. */
  readonly text?: string;
  /** Replaces members of the additional data. */
  readonly context?: Json;
  readonly header?: Json;
}

export function seal(body: Json, options: SealOptions = {}): Json {
  const header = { ...headerOf(body), ...options.header };
  const { id, type, version } = header;
  const nonce = options.nonce ?? crypto.getRandomValues(new Uint8Array(12));
  const context = { from: PEER, to: US, workspace: WORKSPACE, id, type, version, ...options.context };
  const cipher = createCipheriv("aes-256-gcm", options.key ?? SEAL_KEY, nonce).setAAD(Buffer.from(jcs(context)));
  const sealed = Buffer.concat([cipher.update(options.text ?? jcs(body), "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { ...header, nonce: Buffer.from(nonce).toString("base64url"), sealed: sealed.toString("base64url") };
}

export function signatureOf(items: Json, key: HandKey = PEER_KEY): string {
  return Buffer.from(key.sign(createHash("sha256").update(jcs(items)).digest())).toString("base64url");
}

/** Makes a signed page of items. */
export function page(items: Json, changes: Json = {}): Json {
  return {
    v: 1,
    from: PEER,
    to: US,
    workspace: WORKSPACE,
    region: null,
    issuedAt: "2026-09-21T14:13:20.000Z",
    keyId: PEER_KEY.keyId,
    alg: "Ed25519+A256GCM",
    cursor: "c1",
    items,
    signature: signatureOf(items),
    ...changes,
  };
}

/** Makes a page of plain items, neither signed nor sealed. */
export function plainPage(items: Json, changes: Json = {}): Json {
  const { keyId: _keyId, alg: _alg, signature: _signature, ...head } = page([]);
  return { ...head, items, ...changes };
}

export function plain(body: Json): Json {
  return { ...headerOf(body), body };
}
