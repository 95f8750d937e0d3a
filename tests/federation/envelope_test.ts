/**
 * What a page of a peer must be: every lie of a peer that writes pages by hand, against the functions that verify and
 * open them.
 */
import assert from "node:assert/strict";
import {
  type Expected,
  openPageItem,
  type PeerKeys,
  readEnvelope,
  verifyPage,
} from "../../src/domain/federation/protocol/envelope.ts";
import { ServiceError } from "../../src/errors.ts";
import {
  factBody,
  headerOf,
  jcs,
  type Json,
  NEXT_KEY,
  page,
  PEER,
  PEER_KEY,
  plain,
  plainPage,
  seal,
  SEAL_KEY,
  signatureOf,
  US,
  WORKSPACE,
} from "./_pages.ts";

const KEYS: PeerKeys = { signingKeys: [PEER_KEY.raw], openKeys: [SEAL_KEY] };
const NO_KEYS: PeerKeys = { signingKeys: [], openKeys: [] };
const HERE: Expected = { from: PEER, to: US, workspace: WORKSPACE, isAbroad: false };
const ABROAD: Expected = { ...HERE, isAbroad: true };
const OTHER_ID = "01990000-0000-7000-8000-0000000000f2";

/** Takes a page as pulling does. Returns the bodies that it holds. */
function take(sent: Json, keys = KEYS, expected = HERE): Json[] {
  const envelope = readEnvelope(typeof sent === "string" ? Buffer.from(sent) : Buffer.from(JSON.stringify(sent)));
  verifyPage(envelope, expected, keys);
  return envelope.items.flatMap((item) => "factId" in item ? [] : [openPageItem(envelope, item, keys).body]);
}

/** Returns the code with which a page is refused. */
function refusalOf(sent: Json, keys = KEYS, expected = HERE): string {
  try {
    take(sent, keys, expected);
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return "accepted";
}

function expectCodes(code: string, lies: Readonly<Record<string, Json>>, keys = KEYS, expected = HERE): void {
  const codes = Object.entries(lies).map(([name, lie]) => [name, refusalOf(lie, keys, expected)]);
  assert.deepEqual(codes, Object.keys(lies).map((name) => [name, code]));
}

const GOOD = factBody();
const TWO = [seal(GOOD), seal(factBody({ origin: { instance: PEER, id: OTHER_ID } }))];

Deno.test("T29 a page that the peer signed and sealed opens to what the peer said, in either alphabet of base64", () => {
  assert.deepEqual(take(page(TWO)), [GOOD, factBody({ origin: { instance: PEER, id: OTHER_ID } })]);
  const padded = seal(GOOD);
  padded.sealed = Buffer.from(padded.sealed, "base64url").toString("base64");
  assert.deepEqual(take(page([padded])), [GOOD]);
  assert.deepEqual(take(page([])), [], "the end of the pages is signed, too");
});

Deno.test("T29 a page is refused unless the peer signed exactly these items", () => {
  const { signature: _, ...unsigned } = page(TWO);
  const { keyId: __, ...nameless } = page(TWO);
  const changed = TWO.map((item, i) => i === 0 ? { ...item, version: 3 } : item);
  expectCodes("federation_verify_failed", {
    unsigned,
    nameless,
    "an empty signature": page(TWO, { signature: "" }),
    "a signature over other items": page(TWO, { signature: signatureOf([]) }),
    swapped: page(TWO.toReversed(), { signature: signatureOf(TWO) }),
    dropped: page(TWO.slice(1), { signature: signatureOf(TWO) }),
    added: page([...TWO, seal(GOOD)], { signature: signatureOf(TWO) }),
    changed: page(changed, { signature: signatureOf(TWO) }),
    "repeated within the page": page([TWO[0], TWO[0]]),
    "a nonce used twice": page([seal(GOOD, { nonce: new Uint8Array(12) }), seal(GOOD, { nonce: new Uint8Array(12) })]),
    "signed by the next key before its time": page(TWO, {
      keyId: NEXT_KEY.keyId,
      signature: signatureOf(TWO, NEXT_KEY),
    }),
    "signed by another key under the name of the peer's": page(TWO, { signature: signatureOf(TWO, NEXT_KEY) }),
    "for another peer": page(TWO, { to: "instance:c.example" }),
    "from another peer": page(TWO, { from: "instance:c.example" }),
    "of another workspace": page(TWO, { workspace: OTHER_ID }),
  });
  const both: PeerKeys = { ...KEYS, signingKeys: [PEER_KEY.raw, NEXT_KEY.raw] };
  const rotated = page(TWO, { keyId: NEXT_KEY.keyId, signature: signatureOf(TWO, NEXT_KEY) });
  assert.equal(take(rotated, both).length, 2, "within the overlap the next key counts");
});

Deno.test("T29 with both keys of the peer configured, nothing but a signed page of sealed items is taken", () => {
  const { alg: _, ...withoutAlg } = page(TWO);
  expectCodes("federation_verify_failed", {
    plain: plainPage([plain(GOOD)]),
    "plain and empty": plainPage([]),
    "plain items under a signature": page([plain(GOOD)]),
    withoutAlg,
  });
  expectCodes("validation_failed", {
    "one item unsealed": page([seal(GOOD), plain(GOOD)]),
    "another algorithm": page(TWO, { alg: "none" }),
    "a member that is not known": page(TWO, { trusted: true }),
    "another version of the format": page(TWO, { v: 2 }),
    "a member of an item that is not known": page([{ ...seal(GOOD), alg: "none" }]),
  });
});

Deno.test("T29 without the peer's keys plain items are accepted, and sealed ones are refused", () => {
  assert.deepEqual(take(plainPage([plain(GOOD)]), NO_KEYS), [GOOD]);
  expectCodes("federation_decrypt_failed", { sealed: page(TWO), "sealed and empty": page([]) }, NO_KEYS);
  expectCodes(
    "federation_verify_failed",
    { "plain under a signature": plainPage([plain(GOOD)], { signature: "AA" }) },
    NO_KEYS,
  );
  const half: PeerKeys = { signingKeys: [PEER_KEY.raw], openKeys: [] };
  expectCodes("federation_decrypt_failed", { sealed: page(TWO) }, half);
});

Deno.test("T32 an item opens as itself, with its own nonce, for this instance and workspace, or not at all", () => {
  const cut = seal(GOOD);
  cut.sealed = Buffer.from(Buffer.from(cut.sealed, "base64url").subarray(0, -1)).toString("base64url");
  const [first, second] = TWO;
  expectCodes("federation_decrypt_failed", {
    "another key": page([seal(GOOD, { key: new Uint8Array(32) })]),
    "a nonce of no bytes": page([{ ...seal(GOOD), nonce: "" }]),
    "a nonce of 8 bytes": page([{ ...seal(GOOD), nonce: "AAAAAAAAAAA" }]),
    "a nonce of 16 bytes": page([{ ...seal(GOOD), nonce: "AAAAAAAAAAAAAAAAAAAAAA" }]),
    "a tag that was cut": page([cut]),
    "nothing but a tag of zeros": page([{ ...seal(GOOD), sealed: "AAAAAAAAAAAAAAAAAAAAAA" }]),
    "the body of another item": page([{ ...first, nonce: second.nonce, sealed: second.sealed }]),
    "the body of another version": page([{ ...first, version: 3 }]),
    "the body of another type": page([{ ...first, type: "decision" }]),
    "sealed for another workspace": page([seal(GOOD, { context: { workspace: OTHER_ID } })]),
    "sealed for another peer": page([seal(GOOD, { context: { to: "instance:c.example" } })]),
    "sealed by another peer": page([seal(GOOD, { context: { from: "instance:c.example" } })]),
  });
});

Deno.test("T32 a body must have the header's id, version and hash, and the sender as its writer", () => {
  const other = factBody({ origin: { instance: PEER, id: OTHER_ID } });
  const unit = { ...GOOD.unit, statement: "Acme keeps backups for nine days." };
  expectCodes("federation_verify_failed", {
    "another hash": page([seal(GOOD, { header: { hash: "0".repeat(64) } })]),
    "another content under the same hash": page([seal({ ...GOOD, unit }, { header: headerOf(GOOD) })]),
    "another item": page([seal(other, { header: { ...headerOf(other), id: headerOf(GOOD).id } })]),
    "another version": page([seal(GOOD, { header: { version: 3 } })]),
    "a deletion that has content": page([seal(GOOD, { header: headerOf(GOOD, "fact:deleted") })]),
    "no content and no deletion": page([
      seal({ ...GOOD, unit: null }, { header: headerOf({ ...GOOD, unit: null }, "fact") }),
    ]),
    "another writer": page([seal(factBody({ writer: "instance:c.example" }))]),
    "this instance as the writer": page([seal(factBody({ writer: US }))]),
    "it has seen itself": page([seal(factBody({ seen: { [PEER]: 7 } }))]),
  });
  const gone = { ...GOOD, version: 3, unit: null };
  const withdrawn = { ...gone, withdrawn: true };
  assert.deepEqual(take(page([seal(gone)])), [gone]);
  assert.deepEqual(take(page([seal(withdrawn)])), [withdrawn]);
});

Deno.test("T33 a body has one text: what two readers could understand differently is refused", () => {
  const text = jcs(GOOD);
  const lies = {
    "a key twice": text.replace('"v":1', '"v":1,"v":1'),
    "minus zero": text.replace('"confidence":0.9', '"confidence":-0'),
    "a number out of range": text.replace('"confidence":0.9', '"confidence":1e400'),
    "a number beyond exact integers": text.replace('"version":2', '"version":9007199254740993'),
    "a lone surrogate": text.replace("Acme keeps", "\\ud800"),
    "a byte order mark": `\ufeff${text}`,
    spaces: text.replace('"v":1', '"v": 1'),
    "members in another order": JSON.stringify(GOOD),
    "depth of 65": text.replace('"metadata":{}', `"metadata":{"a":${"[".repeat(65)}${"]".repeat(65)}}`),
    "no JSON": "nothing",
  };
  const pages = Object.entries(lies).map(([name, lie]) => [name, page([seal(GOOD, { text: lie })])]);
  expectCodes("federation_verify_failed", Object.fromEntries(pages));
  const composed = factBody({ unit: { ...GOOD.unit, statement: "Café" } });
  const hash = headerOf(factBody({ unit: { ...GOOD.unit, statement: "Cafe\u0301" } }));
  expectCodes("federation_verify_failed", { "composed otherwise": page([seal(composed, { header: hash })]) });
  const odd = factBody({ unit: { ...GOOD.unit, metadata: JSON.parse('{"__proto__":{"polluted":true}}') } });
  take(page([seal(odd)]));
  assert.equal((Object.prototype as Json).polluted, undefined);
});

Deno.test("T36 invalid versions, invalid times and too many writers are refused", () => {
  const seen = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`instance:c${i}.example`, 1]));
  expectCodes("validation_failed", {
    "no version": page([seal(factBody({ version: 0 }))]),
    "a negative version": page([seal(factBody({ version: -1 }))]),
    "half a version": page([seal(factBody({ version: 1.5 }))]),
    "a text as version": page([seal(factBody({ version: "2" }))]),
    "a version beyond exact integers": page([seal(factBody({ version: 2 ** 53 }))]),
    "10,000 writers": page([seal(factBody({ seen }))]),
    "a time that is none": page([seal(factBody({ updatedAt: "yesterday" }))]),
    "a member that is not known": page([seal(factBody({ attribution: "verified" }))]),
  });
});

Deno.test("T12 from a peer in another region only a projection is accepted, and from a peer in this region none", () => {
  const facts = [{ factId: OTHER_ID, hash: "0".repeat(64), region: "eu-west-1" }];
  const projected = { alg: undefined, items: facts, signature: signatureOf(facts) };
  assert.deepEqual(take(page(facts, projected), KEYS, ABROAD), []);
  const none = { alg: undefined, items: [], signature: signatureOf([]) };
  assert.deepEqual(take(page([], none), KEYS, ABROAD), []);
  expectCodes(
    "wrong_region",
    { sealed: page(TWO), "sealed and empty": page([]), plain: plainPage([plain(GOOD)]) },
    KEYS,
    ABROAD,
  );
  expectCodes("wrong_region", { projected: page(facts, projected) });
  expectCodes(
    "federation_verify_failed",
    {
      unsigned: plainPage(facts),
      "the same fact twice": page([...facts, ...facts], {
        alg: undefined,
        signature: signatureOf([...facts, ...facts]),
      }),
    },
    KEYS,
    ABROAD,
  );
  expectCodes(
    "validation_failed",
    {
      "one member more": page([{ ...facts[0], type: "fact" }], { alg: undefined }),
    },
    KEYS,
    ABROAD,
  );
});

Deno.test("T42 a page of more than 8 MiB is not read", () => {
  assert.throws(() => readEnvelope(new Uint8Array(8_388_609)), { code: "payload_too_large" });
});
