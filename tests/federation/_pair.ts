/** Two services, each with its own database and address, that reach each other by name over TLS. */
import { Buffer } from "node:buffer";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { greet } from "../../src/domain/federation/peers/greet.ts";
import { type InviteTerms, makeInvite } from "../../src/domain/federation/peers/invites.ts";
import { joinByInvite } from "../../src/domain/federation/peers/join.ts";
import { TOKEN_HEADER } from "../../src/domain/federation/peers/token.ts";
import { findPeer, type Peer } from "../../src/domain/federation/peers/peers.ts";
import { type CertificateMaker, createCertificateMaker, type Identity } from "../_certificates.ts";
import { type DnsAnswer, type DnsStub, type RecordType, startDnsStub } from "../_dns_stub.ts";
import { type StartOptions, startService, type TestService } from "../_service.ts";

export interface Front extends AsyncDisposable {
  readonly port: number;
  /** The requests that arrived, in order, as `POST /v1/…`. */
  readonly requests: string[];
  lastBody: string;
  /** The service that answers; undefined: every connection is cut. */
  service: TestService | undefined;
  /** Shows another certificate from the next connection on. */
  show(identity: Identity): void;
  /** Changes the body of a reply on its way out. */
  garble: ((body: string) => string) | undefined;
  /** Removes the token from replies. */
  dropToken: boolean;
  /** What becomes of a request on its way: it is delivered when this says so, as often as it says. One that throws is lost. */
  way: ((deliver: () => Promise<Response>, request: string) => Promise<Response>) | undefined;
  /** Told of each body in either direction. */
  onBody: ((text: string) => void) | undefined;
}

/** Starts a TLS server in front of a service, where a proxy would be. */
export async function startFront(identity: Identity): Promise<Front> {
  const open = new Set<Socket>();
  const front = {
    requests: [] as string[],
    lastBody: "",
    service: undefined,
    garble: undefined,
    dropToken: false,
    way: undefined,
    onBody: undefined,
  } as Omit<
    Front,
    "port" | "show"
  >;
  const server = createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
    front.requests.push(`${request.method} ${request.url}`);
    if (front.service === undefined) request.socket.destroy();
    else pass(front as Front, request, response).catch(() => request.socket.destroy());
  });
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(front, {
    port: (server.address() as { port: number }).port,
    show: ({ cert, key }: Identity) => server.setSecureContext({ cert, key }),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

async function pass(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request) pieces.push(piece);
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const body = Buffer.concat(pieces);
  front.lastBody = body.toString();
  const url = `https://${headers.get("host")}${request.url}`;
  const remoteAddr = { transport: "tcp", hostname: "127.0.0.1", port: request.socket.remotePort ?? 0 } as const;
  const deliver = () =>
    front.service!.service.fetch(
      new Request(url, { method: request.method!, headers, ...(body.length > 0 && { body }) }),
      { remoteAddr, completed: Promise.resolve() },
    );
  const reply = await (front.way?.(deliver, `${request.method} ${request.url}`) ?? deliver());
  const text = await reply.text();
  front.onBody?.(front.lastBody);
  front.onBody?.(text);
  const replied = Object.fromEntries([...reply.headers].filter(([name]) => name !== "content-length"));
  if (front.dropToken) delete replied[TOKEN_HEADER];
  response.writeHead(reply.status, replied);
  response.end(front.garble === undefined ? text : front.garble(text));
}

export interface Side {
  readonly id: string;
  readonly endpoint: string;
  readonly identity: Identity;
  readonly front: Front;
  /** The options of the service, to start another process of it. */
  readonly options: StartOptions;
  service: TestService;
  /** By how many milliseconds its clock is ahead of the pair's. */
  aheadMs: number;
}

export interface Pair extends AsyncDisposable {
  readonly a: Side;
  readonly b: Side;
  readonly dns: DnsStub;
  readonly certificates: CertificateMaker;
  /** The clock of both sides. */
  now: Date;
}

export interface PairOptions {
  /** What the name server answers besides the two addresses. */
  readonly answer?: (name: string, type: RecordType) => DnsAnswer | undefined;
  readonly a?: StartOptions;
  readonly b?: StartOptions;
}

/** Starts both services; neither knows the other. Workers do not run, so that a test greets when it wants to. */
export async function startPair(options: PairOptions = {}): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const certificates = stack.use(await createCertificateMaker());
  const dns = stack.use(
    await startDnsStub((name, type) =>
      options.answer?.(name, type) ?? (/^[ab]\.test$/.test(name) && type === "A" ? ["127.0.0.1"] : "no such name")
    ),
  );
  const [first, second] = [
    await certificates.make({ names: "DNS:a.test", isSelfSigned: true }),
    await certificates.make({ names: "DNS:b.test", isSelfSigned: true }),
  ];
  // The clock stands still from here on. Before this, the certificates would not be valid yet.
  const pair = { certificates, dns, now: new Date() } as Omit<Pair, "a" | "b">;
  const [frontA, frontB] = [stack.use(await startFront(first)), stack.use(await startFront(second))];
  const ports = `${frontA.port},${frontB.port}`;
  const start = async (host: string, front: Front, identity: Identity, more: StartOptions = {}): Promise<Side> => {
    const [id, endpoint] = [`instance:${host}`, `https://${host}:${front.port}`];
    const offset = { aheadMs: 0 };
    const startOptions: StartOptions = {
      clock: () => new Date(pair.now.getTime() + offset.aheadMs),
      nameServer: dns.nameServer,
      ...more,
      env: { ...envOf(id, endpoint, ports), ...more.env },
    };
    const service = stack.use(await startService(startOptions));
    front.service = service;
    const options = { ...startOptions, ...(service.database && { database: service.database }) };
    return Object.assign(offset, { id, endpoint, identity, front, options, service });
  };
  const [a, b] = [await start("a.test", frontA, first, options.a), await start("b.test", frontB, second, options.b)];
  const owned = stack.move();
  return Object.assign(pair, { a, b, [Symbol.asyncDispose]: () => owned.disposeAsync() });
}

function envOf(id: string, endpoint: string, ports: string): Record<string, string> {
  const { privateKey } = generateKeyPairSync("ed25519");
  return {
    SVC_INSTANCE_ID: id,
    SVC_FEDERATION_ENDPOINT: endpoint,
    SVC_FEDERATION_PRIVATE_KEY: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
    SVC_FEDERATION_SYMMETRIC_KEY: randomBytes(32).toString("base64"),
    SVC_SECRETS_KEY: randomBytes(32).toString("hex"),
    SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    SVC_OUTBOUND_PORTS: ports,
  };
}

export const TERMS: InviteTerms = {
  maxSensitivity: "internal",
  direction: "bidirectional",
  conflictResolution: "manual",
  trustWeight: 50,
};

/** Makes an invitation of A, as text. */
export async function invite({ a }: Pair, terms = TERMS): Promise<string> {
  const own = { certPin: a.identity.pin, clientCertPin: undefined };
  return (await makeInvite(a.service.operator(), own, terms)).text;
}

/** Pairs both sides: B accepts an invitation of A, and A greets B. Both are ACTIVE then. */
export async function pairUp(pair: Pair, terms = TERMS): Promise<void> {
  const { a, b } = pair;
  await joinByInvite(b.service.operator(), await invite(pair, terms), {
    certPin: b.identity.pin,
    clientCertPin: undefined,
  }, terms);
  await greet(a.service.operator(), { id: b.id });
}

/** Returns one side's entry of the other. */
export function entryOf(side: Side, other: Side): Promise<Peer | undefined> {
  return side.service.operator().tx((tx) => findPeer(side.service.deps, tx, other.id), { readOnly: true });
}
