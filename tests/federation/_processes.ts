/**
 * Two instances as they are deployed: each is a process with its own database, behind the shipped proxy, which asks for
 * client certificates. Neither has an API key of the other. A test can break the connections between them.
 */
import { randomBytes } from "node:crypto";
import { certificatePin } from "../../src/crypto/certificate_pin.ts";
import { ServiceProcess } from "../fault/_process.ts";
import { createDatabase } from "../_postgres.ts";
import { findFreePort } from "../_process.ts";
import { type Certificates, createCertificates, type Proxy, startProxy } from "../_proxy.ts";
import { type Relay, startRelay } from "../_relay.ts";
import { readReply, type Reply, startService } from "../_service.ts";
import { makePeerKeys, type PeerKeys } from "./_peer.ts";

export interface Instance {
  readonly id: string;
  readonly workspaceId: string;
  /** An API key of the workspace, with all scopes. */
  readonly key: string;
  /** The connection from the other instance to this one. */
  readonly way: Relay;
  readonly proxy: Proxy;
  /** Superuser's URL of its database: sees every row; to prepare rows, never for the code under test. */
  readonly superuserUrl: string;
  /** The process that serves now. */
  process: ServiceProcess;
  call(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Kills the process, and starts it again in the same place. */
  killAndStart(): Promise<void>;
}

export interface Instances extends AsyncDisposable {
  readonly a: Instance;
  readonly b: Instance;
}

interface Draft {
  readonly id: string;
  readonly workspaceId: string;
  readonly key: string;
  readonly keys: PeerKeys;
  readonly way: Relay;
  readonly proxyPort: number;
  readonly port: number;
  readonly databaseUrl: string;
  readonly superuserUrl: string;
}

/**
 * Starts both instances. The configuration of each names the other.
 * @param denoArgs further arguments of `deno run`, such as those with which the service is deployed
 */
export async function startInstances(denoArgs: readonly string[] = []): Promise<Instances> {
  await using stack = new AsyncDisposableStack();
  const certificates = stack.use(await createCertificates());
  const drafts: Draft[] = [];
  for (const name of ["a", "b"]) {
    const database = stack.use(await createDatabase());
    const service = await startService({ database, realHashCost: true });
    const { workspaceId, key } = service;
    await service[Symbol.asyncDispose]();
    const proxyPort = findFreePort();
    const way = stack.use(startRelay({ hostname: "127.0.0.1", port: proxyPort }));
    const { requestUrl: databaseUrl, superuserUrl } = database;
    const places = { way, proxyPort, port: findFreePort(), databaseUrl, superuserUrl };
    drafts.push({ id: `instance:${name}.test`, workspaceId, key, keys: makePeerKeys(), ...places });
  }
  const sealKey = randomBytes(32).toString("base64");
  const [one, two] = drafts as [Draft, Draft];
  const start = async (own: Draft, other: Draft): Promise<Instance> => {
    const env = await envOf(own, other, certificates, sealKey);
    const run = () => ServiceProcess.start(env, { port: own.port, denoArgs });
    const first = await run();
    const { url } = first;
    const instance: Instance = {
      ...own,
      process: first,
      proxy: stack.use(await startProxy({ certificates, services: [first], port: own.proxyPort })),
      async call(method: string, path: string, body?: unknown) {
        const headers = { authorization: `Bearer ${own.key}`, "content-type": "application/json" };
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        return await readReply(await fetch(`${url}${path}`, { method, headers, ...sent }));
      },
      async killAndStart() {
        await instance.process.kill();
        instance.process = await run();
      },
    };
    stack.defer(async () => await instance.process[Symbol.asyncDispose]());
    return instance;
  };
  const [a, b] = [await start(one, two), await start(two, one)];
  const owned = stack.move();
  return { a, b, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function envOf(own: Draft, other: Draft, certificates: Certificates, sealKey: string) {
  const read = (path: string) => Deno.readTextFile(path);
  const peer = {
    id: other.id,
    endpoint: `https://127.0.0.1:${other.way.port}`,
    certPin: certificatePin(await read(certificates.server)),
    clientCertPin: certificatePin(await read(certificates.client.certificate)),
    workspaces: [`${own.workspaceId}=${other.workspaceId}`],
    signingPublicKey: other.keys.publicPem,
    symmetricKey: sealKey,
    sealKey,
  };
  return {
    DATABASE_URL: own.databaseUrl,
    SVC_INSTANCE_ID: own.id,
    SVC_FEDERATION_ENDPOINT: `https://127.0.0.1:${own.way.port}`,
    SVC_FEDERATION_PRIVATE_KEY: own.keys.privatePem,
    SVC_FEDERATION_PEERS: JSON.stringify([peer]),
    SVC_FEDERATION_CLIENT_CERT_FILE: certificates.client.certificate,
    SVC_FEDERATION_CLIENT_KEY_FILE: certificates.client.key,
    SVC_FEDERATION_INTERVAL_SECONDS: "5",
    SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    SVC_OUTBOUND_PORTS: String(other.way.port),
    SVC_TRUSTED_PROXY_IP: "127.0.0.1",
    SVC_RATE_LIMIT_PER_MINUTE: "0",
  };
}
