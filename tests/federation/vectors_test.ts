/** The published examples of federation, made by another program, compared with what this service makes and accepts. */
import assert from "node:assert/strict";
import type { Config } from "../../src/config.ts";
import type { Deps } from "../../src/context.ts";
import { canonicalJson } from "../../src/crypto/canonical_json.ts";
import { signToken } from "../../src/crypto/compact_jws.ts";
import { readPublicKey, readSigningKey } from "../../src/crypto/ed25519.ts";
import { sha256Hex } from "../../src/crypto/hash.ts";
import { sealItem } from "../../src/crypto/item_seal.ts";
import { openPageItem, readEnvelope, verifyPage } from "../../src/domain/federation/protocol/envelope.ts";
import { hashItem } from "../../src/domain/federation/register/shared_form.ts";
import {
  checkReplyToken,
  checkRequestClaims,
  isBodyOf,
  readRequestToken,
  verifyRequestSignature,
} from "../../src/domain/federation/peers/token.ts";
import type { SealedItem } from "../../src/schema/federation_item.ts";
import { DATA } from "../_data.ts";
import { WORKSPACE } from "./_pages.ts";

const ignore = DATA === undefined;
if (ignore) console.warn("NOT RUN: the vectors of federation; set SVC_TEST_DATA to their folder");

async function readVectors() {
  return JSON.parse(await Deno.readTextFile(`${DATA}/federation/vectors.json`));
}

Deno.test({
  ignore,
  name: "T32 the published item has the hash, the sealed form and the signature that another program made",
  async fn() {
    const { keys, item, envelope, tombstone, plainEnvelope } = await readVectors();
    const { body } = item;
    assert.equal(canonicalJson(body), item.canonicalBody);
    assert.equal(hashItem("fact", body.origin, body.unit), item.hash);
    assert.equal(hashItem("fact:deleted", tombstone.body.origin, null), tombstone.item.hash);
    const sealKey = Uint8Array.fromBase64(keys.symmetricKey);
    const [{ nonce, sealed }] = envelope.items;
    const bytes = Uint8Array.fromBase64(nonce, { alphabet: "base64url" });
    assert.deepEqual(sealItem(item.canonicalBody, sealKey, item.aad, bytes), { nonce, sealed });
    assert.equal(sha256Hex(canonicalJson(envelope.items)), item.itemsDigestHex);
    const der = `302e020100300506032b657004220420${keys.b.seed}`;
    const pem = `-----BEGIN PRIVATE KEY-----\n${Uint8Array.fromHex(der).toBase64()}\n-----END PRIVATE KEY-----\n`;
    const key = readSigningKey(pem);
    assert.equal(key.keyId, keys.b.kid);
    const signature = key.sign(Uint8Array.fromHex(item.itemsDigestHex));
    assert.equal(signature.toBase64({ alphabet: "base64url", omitPadding: true }), envelope.signature);
    const peer = { signingKeys: [readPublicKey(keys.b.publicPem)], openKeys: [sealKey] };
    const expected = { from: keys.b.instance, to: keys.a.instance, workspace: WORKSPACE, isAbroad: false };
    const page = readEnvelope(new TextEncoder().encode(JSON.stringify(envelope)));
    verifyPage(page, expected, peer);
    assert.deepEqual(openPageItem(page, page.items[0] as SealedItem, peer), { body, hash: item.hash });
    const plain = readEnvelope(new TextEncoder().encode(JSON.stringify({ ...plainEnvelope })));
    verifyPage(plain, expected, { signingKeys: [], openKeys: [] });
    assert.deepEqual(openPageItem(plain, plain.items[0] as SealedItem, peer).body, body);
  },
});

Deno.test("T32 the sealed form is what its page says: hash, additional data, ciphertext and signature are those of the example", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/reference/federation-wire.md", import.meta.url));
  const [, text] = /```json\n(\{\n[^]*?)```/.exec(page)!;
  const { symmetricKey, signingPublicKey, hashInput, additionalData, plaintext, envelope } = JSON.parse(text!);
  const [key, body, [item]] = [Uint8Array.fromBase64(symmetricKey), JSON.parse(plaintext), envelope.items];
  const { from, to, workspace } = envelope;
  assert.equal(canonicalJson(body), plaintext);
  assert.equal(canonicalJson({ type: item.type, origin: body.origin, unit: body.unit }), hashInput);
  assert.deepEqual([sha256Hex(hashInput), hashItem(item.type, body.origin, body.unit)], [item.hash, item.hash]);
  const { id, type, version } = item;
  assert.equal(canonicalJson({ from, to, workspace, id, type, version }), additionalData);
  const nonce = Uint8Array.fromBase64(item.nonce, { alphabet: "base64url" });
  assert.deepEqual(sealItem(plaintext, key, additionalData, nonce), { nonce: item.nonce, sealed: item.sealed });
  const read = readEnvelope(new TextEncoder().encode(JSON.stringify(envelope)));
  const keys = { signingKeys: [readPublicKey(signingPublicKey)], openKeys: [key] };
  verifyPage(read, { from, to, workspace, isAbroad: false }, keys);
  assert.deepEqual(openPageItem(read, read.items[0] as SealedItem, keys), { body, hash: item.hash });
});

Deno.test({
  ignore,
  name: "T26 the published tokens of a request and its reply are what this service makes and takes",
  async fn() {
    const { keys, requestToken, replyToken } = await readVectors();
    const now = new Date(requestToken.claims.iat * 1_000);
    const keyOf = (seed: string) => {
      const der = Uint8Array.fromHex(`302e020100300506032b657004220420${seed}`);
      return readSigningKey(`-----BEGIN PRIVATE KEY-----\n${der.toBase64()}\n-----END PRIVATE KEY-----\n`);
    };
    assert.equal(await signToken(keyOf(keys.a.seed), "svc-fed+jwt", requestToken.claims), requestToken.token);
    assert.equal(await signToken(keyOf(keys.b.seed), "svc-fed-reply+jwt", replyToken.claims), replyToken.token);
    const on = (instanceId: string) => {
      const config = { instanceId, federation: { endpoint: "https://b.example" } } as Config;
      return { config, clock: () => now } as Deps;
    };
    const read = readRequestToken(requestToken.token);
    await verifyRequestSignature(read, [readPublicKey(keys.a.publicPem)]);
    const { pathname, search } = new URL(requestToken.claims.htu);
    const checked = checkRequestClaims(on(keys.b.instance), read, { method: "GET", target: pathname + search });
    assert.equal(isBodyOf(checked, new Uint8Array()), true);
    await checkReplyToken(on(keys.a.instance), replyToken.token, {
      from: keys.b.instance,
      keys: [readPublicKey(keys.b.publicPem)],
      jti: checked.jti,
      status: 200,
      body: new TextEncoder().encode(replyToken.overBody),
    });
  },
});
