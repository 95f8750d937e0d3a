import { deepEqual } from "node:assert/strict";
import { choosePeers, type SrvRecord } from "./discovery.ts";

function srv(priority: number, weight: number, port: number, target: string): SrvRecord {
  return { priority, weight, port, target };
}

Deno.test("T40 records of DNS are offered in their order, each peer once, its port in its name unless it is 443", () => {
  deepEqual(
    choosePeers([srv(20, 0, 443, "A.example."), srv(10, 5, 8443, "b.example."), srv(10, 60, 443, "c.example"), {
      ...srv(30, 0, 443, "a.example"),
    }]),
    [
      { id: "instance:c.example", endpoint: "https://c.example", priority: 10, weight: 60 },
      { id: "instance:b.example:8443", endpoint: "https://b.example:8443", priority: 10, weight: 5 },
      { id: "instance:a.example", endpoint: "https://a.example", priority: 20, weight: 0 },
    ],
  );
});

Deno.test("T40 of a thousand records 32 are looked at, whatever order they come in", () => {
  const records = Array.from({ length: 1_000 }, (_, i) => srv(i, 0, 443, `p${i}.example.`));
  const ids = choosePeers(records.toReversed()).map(({ id }) => id);
  deepEqual(ids, Array.from({ length: 32 }, (_, i) => `instance:p${i}.example`));
});

const REFUSED_TARGETS = [
  ".",
  "",
  "localhost.",
  "a.localhost.",
  "onelabel.",
  "10.0.0.1",
  "127.0.0.1.",
  "1.2.3",
  "0x7f.1",
  "::1",
  "[::1]",
  "a..example.",
  "-a.example",
  "a_b.example",
  "a.example/x",
  "user@a.example",
  "a.example:1",
  "a b.example",
  "ä.example",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(130)}example`,
];

Deno.test("T40 a target that is none, an address, one label, this machine or no host name is no peer", () => {
  deepEqual(choosePeers(REFUSED_TARGETS.map((target) => srv(0, 0, 443, target))), []);
  deepEqual(choosePeers([0, -1, 65_536, 1.5].map((port) => srv(0, 0, port, "a.example"))), []);
});
