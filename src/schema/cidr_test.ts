import assert from "node:assert/strict";
import { canonicalAddress, isCidr, isInCidrs, networkOf } from "./cidr.ts";

Deno.test("T20 an address is in a range or it is not, however it is written", () => {
  const cases: [string, string, boolean][] = [
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["192.0.2.7/32", "192.0.2.7", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["2001:db8::/32", "2001:DB8:0:0:0:0:0:1", true],
    ["::/0", "::1", true],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["10.0.0.0/8", "::ffff:a01:203", true],
    ["fd00::/8", "fdff::1", true],
  ];
  for (const [range, address, expected] of cases) {
    assert.equal(isInCidrs([range], address), expected, `${address} in ${range}`);
  }
});

Deno.test("T20 what is no address lies in no range", () => {
  for (const address of [undefined, "", "010.1.2.3", "10.1", "0x0a.1.2.3", "fe80::1%eth0", "10.0.0.1:80", "unknown"]) {
    assert.equal(isInCidrs(["0.0.0.0/0", "::/0"], address), false, String(address));
  }
});

Deno.test("T20 a range with host bits, a bad prefix or another notation is refused", () => {
  for (
    const text of ["10.0.0.0/33", "10.0.0.0/", "10.0.0.1/8", "010.0.0.0/8", "10.0.0/8", "10.0.0.0/08", "::/129", "*"]
  ) {
    assert.equal(isCidr(text), false, text);
  }
  for (const text of ["10.0.0.0/8", "0.0.0.0/0", "192.0.2.7/32", "2001:db8::/32", "::1/128"]) {
    assert.ok(isCidr(text), text);
  }
});

Deno.test("an address has one canonical text", () => {
  assert.equal(canonicalAddress("::FFFF:10.0.0.5"), "10.0.0.5");
  assert.equal(canonicalAddress("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  assert.equal(canonicalAddress("fe80::1%eth0"), undefined);
});

Deno.test("the addresses of one IPv6 network count as one source", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1::2:3:4:5", "2001:db8:1:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["::2:3:4:5:6:7:8", "0:2:3:4::/64"],
    ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["unknown", "unknown"],
    ["", ""],
  ];
  for (const [address, network] of cases) assert.equal(networkOf(address), network, address);
});
