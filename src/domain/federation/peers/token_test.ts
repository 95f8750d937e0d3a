import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import type { Config } from "../../../config.ts";
import type { Deps } from "../../../context.ts";
import { TokenFault } from "../../../crypto/compact_jws.ts";
import { readSigningKey } from "../../../crypto/ed25519.ts";
import {
  checkReplyToken,
  checkRequestClaims,
  type IncomingReply,
  isBodyOf,
  mintReplyToken,
  mintRequestToken,
  readRequestToken,
  verifyRequestSignature,
} from "./token.ts";

const [A, B] = ["instance:a.example", "instance:b.example"];
const NOW = new Date("2026-09-21T14:13:20.000Z");
const URL_OF_PAGE =
  "https://b.example/v1/memory/federation/items?workspace=01990000-0000-7000-8000-00000000000a&limit=200";

/** Reads a signing key from its seed. The seeds are those of the first two test vectors of RFC 8032. */
function keyOf(seed: string) {
  const der = Uint8Array.fromHex(`302e020100300506032b657004220420${seed}`);
  return readSigningKey(`-----BEGIN PRIVATE KEY-----\n${der.toBase64()}\n-----END PRIVATE KEY-----\n`);
}
const KEY_A = keyOf("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
const KEY_B = keyOf("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");

/** The parts of a service that make and check tokens. */
function side(instanceId: string, signingKey: Deps["signingKey"], now = NOW): Deps {
  const config = { instanceId, federation: { endpoint: "https://b.example" } } as Config;
  return { config, signingKey, clock: () => now } as Deps;
}
const ON_A = side(A, KEY_A);
const ON_B = side(B, KEY_B);
const BODY = new TextEncoder().encode(`{"v":1}`);

Deno.test("the token that one instance makes for a request is the one that the other takes for it", async () => {
  const { token, jti } = await mintRequestToken(ON_A, { to: B, method: "POST", url: URL_OF_PAGE, body: BODY });
  const read = readRequestToken(token);
  equal(read.iss, A);
  await verifyRequestSignature(read, [KEY_B.publicKey, KEY_A.publicKey]);
  const { pathname, search } = new URL(URL_OF_PAGE);
  const checked = checkRequestClaims(ON_B, read, { method: "POST", target: pathname + search });
  deepEqual([checked.iss, checked.jti, checked.secondsLeft], [A, jti, 330]);
  equal(isBodyOf(checked, BODY), true);
  equal(isBodyOf(checked, new Uint8Array()), false);
  match(jti, /^[A-Za-z0-9_-]{22}$/);
  const again = await mintRequestToken(ON_A, { to: B, method: "POST", url: URL_OF_PAGE, body: BODY });
  notEqual(again.jti, jti);
  await rejects(mintRequestToken(side(A, undefined), { to: B, method: "GET", url: URL_OF_PAGE, body: "" }), {
    code: "unavailable",
  });
});

Deno.test("T26 the token of a reply must be the called instance's, for this request, status and body", async () => {
  const jti = "ABEiM0RVZneImaq7zN3u_w";
  const token = (await mintReplyToken(ON_B, { instance: A, jti }, 200, BODY))!;
  const reply: IncomingReply = { from: B, keys: [KEY_B.publicKey], jti, status: 200, body: BODY };
  await checkReplyToken(ON_A, token, reply);
  const failed = (on: Deps, text: string, changes: Partial<IncomingReply> = {}) =>
    checkReplyToken(on, text, { ...reply, ...changes }).then(() => "none", (error) => {
      if (error instanceof TokenFault) return error.check;
      throw error;
    });
  equal(await failed(ON_A, token, { jti: "a".repeat(22) }), "req");
  equal(await failed(ON_A, token, { status: 401 }), "status");
  equal(await failed(ON_A, token, { body: new TextEncoder().encode(`{"v":2}`) }), "payload_hash");
  equal(await failed(ON_A, token, { from: "instance:c.example" }), "iss");
  equal(await failed(ON_A, token, { keys: [KEY_A.publicKey] }), "kid");
  equal(await failed(ON_A, token, { keys: [] }), "kid");
  equal(await failed(side("instance:c.example", undefined), token), "aud");
  equal(await failed(side(A, KEY_A, new Date(NOW.getTime() + 331_000)), token), "clock");
  equal(await failed(ON_A, token.slice(0, -1) + (token.endsWith("A") ? "Q" : "A")), "signature");
  const { token: request } = await mintRequestToken(side(B, KEY_B), {
    to: A,
    method: "GET",
    url: URL_OF_PAGE,
    body: "",
  });
  equal(await failed(ON_A, request), "header", "a token of a request is none of a reply");
  equal(await mintReplyToken(side(B, undefined), { instance: A, jti }, 200, BODY), undefined);
});
