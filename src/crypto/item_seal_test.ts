import { gcm } from "@noble/ciphers/aes.js";
import assert from "node:assert/strict";
import { openItem, readBase64, sealItem, toBase64Url } from "./item_seal.ts";

const KEY = new Uint8Array(32).fill(7);
const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("T32 what is sealed is what another library seals, and opens with its key and context alone", () => {
  const nonce = new Uint8Array(12).fill(1);
  const expected = gcm(KEY, nonce, encode("context")).encrypt(encode("text"));
  const sealed = sealItem("text", KEY, "context", nonce);
  assert.deepEqual(sealed, { nonce: toBase64Url(nonce), sealed: toBase64Url(expected) });
  assert.equal(new TextDecoder().decode(openItem(sealed, KEY, "context")), "text");
  assert.equal(openItem(sealed, KEY, "other"), undefined);
  assert.equal(openItem(sealed, new Uint8Array(32), "context"), undefined);
  assert.notEqual(sealItem("text", KEY, "context").nonce, sealItem("text", KEY, "context").nonce);
});

Deno.test("T32 a nonce of another length opens nothing, though it was sealed with it; nor does a part of a tag", () => {
  const nonce = new Uint8Array(16).fill(1);
  const sealed = gcm(KEY, nonce).encrypt(encode("text"));
  assert.equal(openItem({ nonce: toBase64Url(nonce), sealed: toBase64Url(sealed) }, KEY, ""), undefined);
  const good = sealItem("text", KEY, "");
  for (let cut = 1; cut <= 16; cut++) {
    const bytes = readBase64(good.sealed)!;
    assert.equal(openItem({ ...good, sealed: toBase64Url(bytes.subarray(0, -cut)) }, KEY, ""), undefined);
  }
});

Deno.test("base64 is read in either alphabet, padded or not, and not with bits left over", () => {
  for (const text of ["-_8", "-_8=", "+/8", "+/8="]) assert.deepEqual([...readBase64(text)!], [0xfb, 0xff]);
  for (const text of ["-_9", "a", "a b", "ä"]) assert.equal(readBase64(text), undefined, text);
});
