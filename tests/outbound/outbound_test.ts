/** The outbound client: which servers it calls, how they prove who they are, and how much of a reply it reads. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { readConfig } from "../../src/config.ts";
import type { Outbound } from "../../src/outbound/client.ts";
import type { OutboundReply, OutboundRequest } from "../../src/outbound/request.ts";
import { Service } from "../../src/service.ts";
import { createCertificateMaker } from "../_certificates.ts";
import { DATA } from "../_data.ts";
import { type DnsAnswer, startDnsStub } from "../_dns_stub.ts";
import { waitFor, within } from "../_wait.ts";
import { createOutbound, OK, reasonOf, startTlsServer } from "./_servers.ts";

const certificates = await createCertificateMaker();
const [peer, other, selfSigned] = await Promise.all([
  certificates.make({ names: "DNS:peer.test,IP:127.0.0.1" }),
  certificates.make({ names: "DNS:other.test" }),
  certificates.make({ names: "DNS:peer.test", isSelfSigned: true }),
]);
const dns = await startDnsStub((name, type): DnsAnswer =>
  type === "A" && name === "peer.test" ? ["127.0.0.1"] : type === "A" ? "no such name" : []
);

Deno.test.afterAll(async () => {
  await dns[Symbol.asyncDispose]();
  await certificates[Symbol.asyncDispose]();
});

const world = { authority: certificates.authority, nameServer: dns.nameServer };

function ask(outbound: Outbound, port: number, more: Partial<OutboundRequest> = {}): Promise<OutboundReply> {
  return within(
    "the call ends",
    outbound.request({
      use: "webhook",
      method: "POST",
      url: `https://peer.test:${port}/hook?a=1`,
      headers: { "content-type": "application/json" },
      body: new TextEncoder().encode(`{"secret":"payload"}`),
      replyBytesMax: 1_000,
      party: "one",
      rules: { anyPort: true },
      ...more,
    }),
  );
}

Deno.test("T69 a request arrives unchanged, and the client keeps the connection for the next one", async () => {
  await using server = await startTlsServer(peer);
  const results: string[] = [];
  using outbound = createOutbound({ ...world, onResult: (use, result) => results.push(`${use} ${result}`) });
  for (let i = 0; i < 3; i++) {
    const reply = await ask(outbound, server.port);
    deepEqual([reply.status, new TextDecoder().decode(reply.body)], [200, "ok"]);
    equal(reply.certificate?.pin, peer.pin);
  }
  equal(server.opened(), 1);
  const [head, body] = server.received().split("\r\n\r\n");
  ok(head.startsWith("POST /hook?a=1 HTTP/1.1\r\n"));
  deepEqual(head.toLowerCase().split("\r\n").slice(1).sort(), [
    "accept-encoding: identity",
    "connection: keep-alive",
    "content-length: 20",
    "content-type: application/json",
    `host: peer.test:${server.port}`,
  ]);
  ok(body.startsWith(`{"secret":"payload"}`));
  deepEqual(results, Array(3).fill("webhook 2xx"));
});

Deno.test("T42 a server whose key is not the pinned one gets no byte of a request, on any connection", async () => {
  await using server = await startTlsServer(peer);
  await using self = await startTlsServer(selfSigned);
  using outbound = createOutbound(world);
  const pins = [peer.pin];
  equal(await reasonOf(ask(outbound, server.port, { pins: [other.pin] })), "pin_mismatch");
  equal(await reasonOf(ask(outbound, self.port, { pins: [other.pin] })), "pin_mismatch");
  equal(server.received() + self.received(), "", "a first request");
  // A pin takes the place of the chain.
  equal((await ask(outbound, self.port, { pins: [other.pin, selfSigned.pin] })).status, 200);
  equal(await reasonOf(ask(outbound, self.port, { party: "unpinned" })), "certificate_refused");
  // The client does not use a kept connection for other pins.
  equal((await ask(outbound, server.port, { pins })).status, 200);
  const received = server.received();
  equal(await reasonOf(ask(outbound, server.port, { pins: [other.pin] })), "pin_mismatch");
  await waitFor("the kept connection is closed", () => server.openNow() === 0);
  equal(server.received(), received);
  // The client resumes no TLS session: the server shows its current certificate on each connection.
  equal((await ask(outbound, server.port, { pins })).status, 200);
  const before = server.received();
  server.show(selfSigned);
  server.cut();
  await waitFor("the connection is cut", () => server.openNow() === 0);
  equal(await reasonOf(ask(outbound, server.port, { pins })), "pin_mismatch");
  equal(server.received(), before);
});

Deno.test("T42 a server gets no request if its certificate is for another name or out of date, or its issuer is unknown", async () => {
  await using misnamed = await startTlsServer(other);
  await using server = await startTlsServer(peer);
  using outbound = createOutbound(world);
  equal(await reasonOf(ask(outbound, misnamed.port)), "certificate_refused");
  equal(await reasonOf(ask(outbound, misnamed.port, { pins: [other.pin] })), "certificate_refused");
  using stranger = createOutbound({ nameServer: dns.nameServer });
  equal(await reasonOf(ask(stranger, server.port)), "certificate_refused");
  for (const days of [-1, 10]) {
    using elsewhen = createOutbound({ ...world, now: () => new Date(Date.now() + days * 86_400_000) });
    equal(await reasonOf(ask(elsewhen, server.port)), "certificate_refused");
    equal(await reasonOf(ask(elsewhen, server.port, { pins: [peer.pin] })), "certificate_refused");
  }
  equal(server.received() + misnamed.received(), "");
  // The certificate may be for an address instead of a name.
  equal((await ask(outbound, server.port, { url: `https://127.0.0.1:${server.port}/` })).status, 200);
});

Deno.test("T42 the client presents its certificate if a call asks for it, and to nobody else", async () => {
  await using server = await startTlsServer(peer, OK, {
    requestCert: true,
    rejectUnauthorized: true,
    ca: world.authority,
  });
  const client = { certificate: other.cert, key: other.key };
  using outbound = createOutbound({ ...world, tls: { authorities: world.authority, client } });
  equal((await ask(outbound, server.port, { presentsCertificate: true })).status, 200);
  const received = server.received();
  ok(await reasonOf(ask(outbound, server.port)) !== "none");
  equal(server.received(), received);
});

Deno.test("T40 the client connects to the address that it has checked, and looks the host up once", async () => {
  let answers: Record<string, DnsAnswer> = {};
  await using stub = await startDnsStub((name, type) => answers[`${type} ${name}`] ?? []);
  await using trap = await startTlsServer(peer, OK, { host: "127.0.0.9" });
  await using server = await startTlsServer(peer, OK, { host: "127.0.0.5", port: trap.port });
  using outbound = createOutbound({ ...world, nameServer: stub.nameServer, allowed: ["127.0.0.5/32"] });
  const asked = () => stub.asked.filter((question) => question === "A peer.test").length;
  await using changing = await startDnsStub((name, type) =>
    // The first answer is an allowed address; all later answers are not.
    type === "A" && name === "peer.test" ? (changing.asked.includes("A peer.test") ? ["127.0.0.9"] : ["127.0.0.5"]) : []
  );
  using rebound = createOutbound({ ...world, nameServer: changing.nameServer, allowed: ["127.0.0.5/32"] });
  equal((await ask(rebound, server.port)).status, 200);
  equal(changing.asked.filter((question) => question === "A peer.test").length, 1);
  // The connection is still open, but the host has another address now.
  equal(await reasonOf(ask(rebound, server.port)), "address_refused");

  answers = { "A peer.test": ["127.0.0.5", "10.0.0.1"] };
  equal(await reasonOf(ask(outbound, server.port)), "address_refused", "one of two addresses");
  answers = { "A peer.test": ["127.0.0.5"], "AAAA peer.test": ["::ffff:7f00:9"] };
  equal(await reasonOf(ask(outbound, server.port)), "address_refused", "a mapped address");
  answers = { "A peer.test": "no such name", "AAAA peer.test": "no such name" };
  equal(await reasonOf(ask(outbound, server.port)), "name_not_found");
  answers = { "A peer.test": ["127.0.0.5"] };
  const before = asked();
  equal((await ask(outbound, server.port)).status, 200);
  equal(asked(), before + 1);
  answers = { "A peer.test": "silence", "AAAA peer.test": "silence" };
  equal(await reasonOf(ask(outbound, server.port, { deadlineMs: 300 })), "timeout");
  equal(trap.opened(), 0);
});

/** A few URLs of each kind; the test reads the published list as well, where there is one. */
const REFUSED = [
  "http://peer.test/",
  "https://127.0.0.1/",
  "https://localhost/",
  "https://127.1/",
  "https://0x08080808/",
  "https://[::ffff:127.0.0.1]/",
  "https://169.254.169.254/latest/meta-data/",
  "https://[fe80::1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[::ffff:0:7f00:1]/",
  "https://[::127.0.0.1]/",
  "https://[fec0::1]/",
  "https://[fd00:ec2::254]/",
  "https://[4000::1]/",
  "https://[2001:0:7f00:1::1]/",
  "https://①②⑦.⓪.⓪.①/",
  "https://user:pass@peer.test/",
  "https://peer.test:25/",
  "https://peer.test:0/",
  "https://peer.test/#@127.0.0.1/",
  "https://peer.test\\@127.0.0.1/",
  "https://peer..test/",
  "https://peer.test./",
  "https://bücher.test/",
  "https:// peer.test/",
  "https:/peer.test/",
  "file:///etc/passwd",
  "https://",
  "",
];

Deno.test("T69 the client refuses a URL before it sends anything, unless it plainly names a host on the internet", async () => {
  const published: { refuse: string[] } | undefined = DATA &&
    JSON.parse(await Deno.readTextFile(`${DATA}/security/own/ssrf-urls.json`));
  await using stub = await startDnsStub((name, type) =>
    type !== "A" ? [] : name === "localhost" ? ["127.0.0.1"] : ["93.184.216.34"]
  );
  const results: string[] = [];
  const options = {
    nameServer: stub.nameServer,
    allowed: [],
    onResult: (_: string, result: string) => results.push(result),
  };
  using outbound = createOutbound(options);
  for (const url of [...REFUSED, ...published?.refuse ?? []]) {
    const reason = await reasonOf(ask(outbound, 0, { url, rules: {} }));
    ok(reason === "target_refused" || reason === "address_refused", `${url}: ${reason}`);
    equal(results.pop(), reason);
  }
  // The client uses http: only for addresses that the operator allows, and not for the internet.
  equal(
    await reasonOf(ask(outbound, 0, { url: "http://peer.test:8443/", rules: { allowsHttp: true } })),
    "address_refused",
  );
});

Deno.test("T69 the client uses http: for an address that the operator allows", async () => {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => new Response("plain"));
  using outbound = createOutbound({ ...world, ports: [server.addr.port] });
  const url = `http://peer.test:${server.addr.port}/`;
  const reply = await ask(outbound, 0, { url, rules: { allowsHttp: true } });
  deepEqual([reply.status, new TextDecoder().decode(reply.body), reply.certificate], [200, "plain", undefined]);
  equal(await reasonOf(ask(outbound, 0, { url, rules: {} })), "target_refused");
});

Deno.test("T69 the service does not start if it cannot use a certificate file, and names the variable", async () => {
  const DATABASE_URL = "postgres://svc:svc@127.0.0.1:9/svc";
  const empty = await Deno.makeTempFile();
  try {
    for (const file of ["/nowhere/ca.pem", empty]) {
      const config = readConfig({ DATABASE_URL, SVC_FEDERATION_CA_FILE: file });
      await rejects(Service.boot(config, { logSink: () => {} }), /SVC_FEDERATION_CA_FILE/);
    }
  } finally {
    await Deno.remove(empty);
  }
});

const HEAD = "HTTP/1.1 200 OK\r\n";
const LIES: readonly {
  what: string;
  reason: string;
  say: string;
  isEndless?: boolean;
  more?: Partial<OutboundRequest>;
}[] = [
  { what: "silence", say: "", reason: "timeout", more: { idleMs: 200 } },
  {
    what: "silence after its head",
    say: `${HEAD}content-length: 9\r\n\r\nab`,
    reason: "timeout",
    more: { idleMs: 200 },
  },
  {
    what: "a piece at a time for ever",
    say: `${HEAD}\r\n`,
    isEndless: true,
    reason: "timeout",
    more: { deadlineMs: 400, replyBytesMax: 1e12 },
  },
  { what: "an endless head", say: `${HEAD}x: `, isEndless: true, reason: "head_too_large" },
  { what: "an endless body", say: `${HEAD}\r\n`, isEndless: true, reason: "body_too_large" },
  {
    what: "ten gigabytes",
    say: `${HEAD}content-length: 10000000000\r\n\r\n`,
    isEndless: true,
    reason: "body_too_large",
  },
  { what: "compression", say: `${HEAD}content-encoding: gzip\r\ncontent-length: 2\r\n\r\nok`, reason: "encoded" },
  {
    what: "a redirect",
    say: "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n",
    reason: "redirected",
  },
  {
    what: "two lengths",
    say: `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    reason: "broken",
  },
  { what: "no HTTP", say: "SSH-2.0-OpenSSH\r\n\r\n", reason: "broken" },
];

Deno.test("T42 a server that never ends its reply, sends too much or lies costs bounded time and memory", async () => {
  using outbound = createOutbound(world);
  for (const { what, say, reason, isEndless, more } of LIES) {
    let written = 0;
    await using server = await startTlsServer(peer, (socket) => {
      if (say !== "") socket.write(say);
      const pour = () => {
        if (!isEndless || socket.destroyed) return;
        written += 10_000;
        // Other work of this process gets its turn in between.
        socket.write("x".repeat(10_000), () => setTimeout(pour, 0));
      };
      pour();
    });
    equal(await reasonOf(ask(outbound, server.port, more)), reason, what);
    await waitFor(`${what}: the connection is closed`, () => server.openNow() === 0);
    // The buffers on the way hold a few megabytes, whatever the server would send.
    ok(reason === "timeout" || written < 50_000_000, `${what}: ${written} bytes`);
  }
  for (
    const [what, end] of [["a cut in the body", `${HEAD}content-length: 9\r\n\r\nab`], ["a cut in the head", HEAD]]
  ) {
    await using server = await startTlsServer(peer, (socket) => socket.write(end, () => socket.destroy()));
    equal(await reasonOf(ask(outbound, server.port)), "broken", what);
  }
  // This server accepts connections and sends nothing, not even its part of TLS.
  const accepted: Socket[] = [];
  const mute = createServer((socket) => void accepted.push(socket));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const { port } = mute.address() as { port: number };
  equal(await reasonOf(ask(outbound, port, { deadlineMs: 300 })), "timeout");
  for (const socket of accepted) socket.destroy();
  await within("the mute server ends", new Promise<void>((resolve) => mute.close(() => resolve())));
  equal(await reasonOf(ask(outbound, port)), "connect_failed");
});

Deno.test("T42 if a connection breaks before the status, the client repeats a request only if it may, and once", async () => {
  let seen = 0;
  await using server = await startTlsServer(peer, (socket, request) => {
    seen++;
    if (seen % 2 === 1) socket.destroy();
    else OK(socket, request, 1);
  });
  using outbound = createOutbound(world);
  equal((await ask(outbound, server.port, { method: "GET", body: undefined })).status, 200);
  equal(seen, 2);
  equal(await reasonOf(ask(outbound, server.port)), "broken");
  equal(seen, 3);
  seen = 4;
  equal((await ask(outbound, server.port, { isRepeatable: true })).status, 200);
});

Deno.test("T42 a party has at most its connections; closing it ends its requests, repeats none, and leaves other parties alone", async () => {
  const held: (() => void)[] = [];
  let isHolding = true;
  await using server = await startTlsServer(peer, (socket, request, count) => {
    const answer = () => OK(socket, request, count);
    if (isHolding) held.push(answer);
    else answer();
  });
  using outbound = createOutbound(world);
  const calls = Array.from({ length: 5 }, () => ask(outbound, server.port, { isRepeatable: true }));
  const others = ask(outbound, server.port, { party: "two" });
  await waitFor("two of the party and one of the other are there", () => held.length === 3);
  equal(server.openNow(), 3);
  // If the test fails before it awaits this call, nobody else would handle its error.
  others.catch(() => {});
  isHolding = false;
  outbound.closeParty("one");
  // The caller allows repeating each of these requests, but none is repeated.
  deepEqual(await Promise.all(calls.map(reasonOf)), Array(5).fill("aborted"));
  equal(held.length, 3);
  for (const answer of held) answer();
  equal((await others).status, 200);
  const replies = await Promise.all(Array.from({ length: 5 }, () => ask(outbound, server.port)));
  deepEqual(replies.map(({ status }) => status), Array(5).fill(200));
  equal(server.opened(), 5);
  const gone = new AbortController();
  isHolding = true;
  const given = reasonOf(ask(outbound, server.port, { signal: gone.signal }));
  await waitFor("it is there", () => held.length === 4);
  gone.abort();
  equal(await given, "aborted");
});
