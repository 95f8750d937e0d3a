/** What a domain announces by SRV records, and in which order the service tries it. */
import { deepEqual, equal } from "node:assert/strict";
import { findAnnounced, orderAnnounced } from "../../src/outbound/srv.ts";
import { type DnsAnswer, startDnsStub } from "../_dns_stub.ts";
import { reasonOf } from "./_servers.ts";

const NAME = "_svc-federation._tcp.example.com";

Deno.test("T40 SRV records lead only to names, in the order of their priority; too many records are refused", async () => {
  let answer: DnsAnswer = [];
  await using dns = await startDnsStub(() => answer);
  const find = (more: { signal?: AbortSignal } = {}) => findAnnounced(NAME, { nameServer: dns.nameServer, ...more });
  answer = ["20 0 443 c.example", "10 60 8443 B.example.", "10 0 443 a.example"];
  deepEqual((await find()).map(({ host, port }) => `${host}:${port}`).sort(), [
    "a.example:443",
    "b.example:8443",
    "c.example:443",
  ]);
  equal((await find()).at(-1)!.host, "c.example");
  for (const target of [".", "localhost", "x.localhost", "10.0.0.1", "169.254.169.254", "router"]) {
    answer = [`0 0 443 ${target}`];
    deepEqual(await find(), [], target);
  }
  answer = ["0 0 0 a.example"];
  deepEqual(await find(), [], "port 0");
  answer = "no such name";
  deepEqual(await find(), []);
  answer = Array.from({ length: 1_000 }, (_, i) => `0 0 443 peer${i}.example`);
  equal(await reasonOf(find()), "dns_failed");
  answer = "silence";
  equal(await reasonOf(find({ signal: AbortSignal.timeout(300) })), "aborted");
});

Deno.test("services of the same priority are drawn according to their weights", () => {
  const of = (host: string, priority: number, weight: number) => ({ host, port: 443, priority, weight });
  const all = [of("never first", 1, 0), of("one", 1, 1), of("nine", 1, 9), of("last", 2, 100)];
  const first = (random: number) => orderAnnounced(all, () => random)[0].host;
  deepEqual([first(0), first(0.05), first(0.15), first(0.99)], ["never first", "one", "nine", "nine"]);
  equal(orderAnnounced(all, Math.random).at(-1)!.host, "last");
  equal(orderAnnounced(all, Math.random).length, 4);
});
