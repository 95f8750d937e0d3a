import { deepEqual } from "node:assert/strict";
import { choosePeers } from "./discovery.ts";

const OWN = "instance:own.example";

function srv(priority: number, weight: number, port: number, host: string) {
  return { priority, weight, port, host };
}

Deno.test("T40 the peers that DNS names are offered by priority, each once, with the port in the name unless it is 443", () => {
  const records = [srv(20, 0, 443, "a.example"), srv(10, 5, 8443, "b.example"), srv(10, 60, 443, "c.example")];
  deepEqual(choosePeers([...records, srv(30, 0, 443, "a.example"), srv(0, 0, 443, "own.example")], OWN), [
    { id: "instance:c.example", endpoint: "https://c.example", priority: 10, weight: 60 },
    { id: "instance:b.example:8443", endpoint: "https://b.example:8443", priority: 10, weight: 5 },
    { id: "instance:a.example", endpoint: "https://a.example", priority: 20, weight: 0 },
  ]);
});

Deno.test("T40 of more than 32 records the first 32 by priority are offered, in whatever order they come", () => {
  const records = Array.from({ length: 60 }, (_, i) => srv(i, 0, 443, `p${i}.example`));
  const ids = choosePeers(records.toReversed(), OWN).map(({ id }) => id);
  deepEqual(ids, Array.from({ length: 32 }, (_, i) => `instance:p${i}.example`));
});

Deno.test("T40 a name that is no id of an instance is not offered", () => {
  const hosts = ["under_score.example", "A.example", "user@a.example", "a.example/x", "", "a b.example"];
  deepEqual(choosePeers(hosts.map((host) => srv(0, 0, 443, host)), OWN), []);
});
