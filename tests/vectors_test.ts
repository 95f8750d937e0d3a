/** Published vectors for what the service computes itself; they stand in `SVC_TEST_DATA`, which `.ci/run` sets. */
import assert from "node:assert/strict";
import { verifySignature } from "../src/crypto/ed25519.ts";
import { verifyConsistency, verifyInclusion } from "../src/crypto/merkle.ts";
import { CERTIFICATE, PIN } from "../src/domain/access/_certificate.ts";
import { readCaller } from "../src/domain/access/caller.ts";
import { isCidr, isInCidrs } from "../src/schema/cidr.ts";
import { DATA } from "./_data.ts";

const ignore = DATA === undefined;
if (ignore) console.warn("NOT RUN: the published vectors; set SVC_TEST_DATA to their folder");

async function read(path: string) {
  return JSON.parse(await Deno.readTextFile(`${DATA}/security/${path}`));
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* walk(path);
    else if (path.endsWith(".json")) yield path;
  }
}

const bytes = (text: string | null) => Uint8Array.fromBase64(text ?? "");

Deno.test({
  ignore,
  name: "T65 RFC 6962: every published proof is accepted or refused as its authors say",
  async fn() {
    let count = 0;
    for (const kind of ["inclusion", "consistency"]) {
      for await (const path of walk(`${DATA}/security/merkle-rfc6962/testdata/${kind}`)) {
        const v = JSON.parse(await Deno.readTextFile(path));
        const proof = (v.proof ?? []).map(bytes);
        const holds = kind === "inclusion"
          ? verifyInclusion(bytes(v.leafHash), v.leafIdx, v.treeSize, proof, bytes(v.root))
          : verifyConsistency(v.size1, bytes(v.root1), v.size2, bytes(v.root2), proof);
        // Without a first leaf nothing is proved; the authors accept it, the interface refuses it.
        const expected = !v.wantErr && !(kind === "consistency" && v.size1 === 0);
        assert.equal(holds, expected, `${path}: ${v.desc}`);
        count++;
      }
    }
    assert.equal(count, 196);
  },
});

Deno.test({
  ignore,
  name: "Wycheproof: every Ed25519 signature is accepted or refused as its authors say",
  async fn() {
    const { testGroups } = await read("wycheproof/ed25519_test.json");
    for (const { publicKey, tests } of testGroups) {
      for (const { tcId, msg, sig, result, comment } of tests) {
        const holds = verifySignature(
          Uint8Array.fromHex(sig),
          Uint8Array.fromHex(msg),
          Uint8Array.fromHex(publicKey.pk),
        );
        assert.equal(holds, result === "valid", `${tcId}: ${comment}`);
      }
    }
  },
});

Deno.test({
  ignore,
  name: "T31 CCTV: the edge cases of Ed25519 that are accepted are 212, none of a key of low order",
  async fn() {
    const cases = await read("cctv-ed25519/ed25519/ed25519vectors.json");
    let accepted = 0;
    for (const { key, sig, msg, flags } of cases) {
      if (!verifySignature(Uint8Array.fromHex(sig), new TextEncoder().encode(msg), Uint8Array.fromHex(key))) continue;
      accepted++;
      assert.ok(!(flags ?? []).includes("low_order_A"));
    }
    assert.equal(accepted, 212);
  },
});

Deno.test({
  ignore,
  name: "T20 ranges and addresses are read as the published table says",
  async fn() {
    const { valid, invalidCidr, invalidAddress } = await read("own/cidr.json");
    for (const [range, address, expected] of valid) {
      assert.ok(isCidr(range), range);
      assert.equal(isInCidrs([range], address), expected, `${address} in ${range}`);
    }
    for (const range of invalidCidr) assert.ok(!isCidr(range), range);
    for (const address of invalidAddress) assert.ok(!isInCidrs(["0.0.0.0/0", "::/0"], address), address);
  },
});

Deno.test({
  ignore,
  name: "T19 the headers of a proxy are believed as the published table says",
  async fn() {
    const { trustedProxyIp, cases } = await read("own/proxy-headers.json");
    // The table's texts stand for certificates: AAAA and BBBB for two that are real, everything else for itself.
    const real = (text: string) => text.replaceAll(/\b(AAAA|BBBB)\b/g, CERTIFICATE);
    for (const { xff, cert, trust, why } of cases) {
      const headers = new Headers({ "x-svc-client-cert": real(cert) });
      if (xff !== null) headers.set("x-forwarded-for", xff);
      const { certificatePin, certificateIgnored } = readCaller(headers, trustedProxyIp, trustedProxyIp);
      const unreadable = cert !== "AAAA" ? "unreadable" : "untrusted_source";
      assert.deepEqual(
        [certificatePin, certificateIgnored],
        trust ? [PIN, undefined] : [undefined, unreadable],
        why ?? xff,
      );
      assert.equal(readCaller(headers, "203.0.113.9", trustedProxyIp).certificatePin, undefined, "another TCP peer");
    }
  },
});
