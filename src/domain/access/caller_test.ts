import assert from "node:assert/strict";
import { readCaller } from "./caller.ts";
import { CERTIFICATE, PIN } from "./_certificate.ts";

const PROXY = "10.0.0.5";

function read(xff: string | null, certificate: string, peer: string | undefined, proxy: string | undefined = PROXY) {
  const headers = new Headers({ "x-svc-client-cert": certificate });
  if (xff !== null) headers.set("x-forwarded-for", xff);
  return readCaller(headers, peer, proxy);
}

Deno.test("T19 a certificate is believed when the first entry of X-Forwarded-For and the TCP peer are the proxy", () => {
  const cases: [string | null, boolean][] = [
    ["10.0.0.5", true],
    ["10.0.0.5, 198.51.100.7", true],
    ["198.51.100.7, 10.0.0.5", false],
    [null, false],
    ["", false],
    ["10.0.0.50", false],
    ["10.0.0.5:443", false],
    ["::ffff:10.0.0.5", true],
    [" 10.0.0.5 ", true],
  ];
  for (const [xff, trust] of cases) {
    assert.equal(read(xff, CERTIFICATE, PROXY).certificatePin, trust ? PIN : undefined, String(xff));
    assert.equal(read(xff, CERTIFICATE, "198.51.100.9").certificatePin, undefined, `${xff} from another peer`);
  }
});

Deno.test("T19 two certificates, or what is none, count as none; PEM, escaped PEM and DER are read", () => {
  for (const text of [`${CERTIFICATE}, ${CERTIFICATE}`, "not-a-cert", "", "AAAA", "%"]) {
    assert.equal(read(PROXY, text, PROXY).certificatePin, undefined, text);
  }
  const pem = `-----BEGIN CERTIFICATE-----\n${CERTIFICATE.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  assert.equal(read(PROXY, encodeURIComponent(pem), PROXY).certificatePin, PIN);
});

Deno.test("without a configured proxy a certificate is believed from anyone", () => {
  assert.equal(
    readCaller(new Headers({ "x-svc-client-cert": CERTIFICATE }), "198.51.100.9", undefined).certificatePin,
    PIN,
  );
});

Deno.test("T20 the address is the TCP peer's, or the last entry behind the trusted proxy, never the first", () => {
  assert.equal(read("192.0.2.1, 198.51.100.7", "", PROXY).address, "198.51.100.7");
  assert.equal(read("192.0.2.1, 198.51.100.7", "", "203.0.113.4").address, "203.0.113.4");
  assert.equal(read("192.0.2.1", "", "203.0.113.4", undefined).address, "203.0.113.4");
  assert.equal(read("192.0.2.1, nonsense", "", PROXY).address, undefined);
  assert.equal(read(null, "", PROXY).address, undefined);
});

Deno.test("T20 X-Forwarded-For is not looked at but from the trusted proxy, and there by its first and last entry alone", () => {
  const certificate: [string, string] = ["x-svc-client-cert", CERTIFICATE];
  const asked: string[] = [];
  const headers = new Headers([certificate]);
  const get = headers.get.bind(headers);
  headers.get = (name) => {
    asked.push(name);
    return get(name);
  };
  readCaller(headers, "203.0.113.4", PROXY);
  readCaller(headers, PROXY, undefined);
  assert.ok(!asked.includes("x-forwarded-for"), asked.join());

  // A text that throws when somebody splits it.
  const list = Object.assign(new String(`10.0.0.5,${"1,".repeat(30_000)} 198.51.100.7`), {
    split: () => assert.fail("the whole list was read"),
  });
  headers.get = (name) => name === "x-forwarded-for" ? list as unknown as string : get(name);
  assert.deepEqual(readCaller(headers, PROXY, PROXY), { address: "198.51.100.7", certificatePin: PIN });
  for (const long of [`1,${" ".repeat(60_000)}${PROXY}`, PROXY + "0".repeat(60_000), `${PROXY}${",".repeat(60_000)}`]) {
    assert.equal(read(long, "", PROXY).address, undefined);
  }
});
