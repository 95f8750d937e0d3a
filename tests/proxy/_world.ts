/** The service as one or several processes behind the shipped proxy. docs/reference/guarantees.md T56. */
import { type Certificates, createCertificates, curl, type CurlReply, type Proxy, startProxy } from "../_proxy.ts";
import { POSTGRES } from "../_postgres.ts";
import { HAPROXY } from "../_programs.ts";
import { startService, TestService } from "../_service.ts";
import { Stage } from "../fault/_stage.ts";

/** Options of a test that needs the proxy. */
export const BEHIND = { ignore: POSTGRES.ignore || HAPROXY === undefined };

/** How many processes stand behind the proxy. */
export const COUNTS = [1, 2, 4] as const;

/** What is reached through the proxy. */
export class Behind implements AsyncDisposable {
  constructor(
    readonly proxy: Proxy,
    readonly certificates: Certificates,
    /** PEM of the authority that signed the proxy's certificate. */
    readonly authority: string,
    readonly stack: AsyncDisposableStack,
  ) {}

  get url(): string {
    return `https://127.0.0.1:${this.proxy.port}`;
  }

  curl(path: string, options: Parameters<typeof curl>[3] = {}): Promise<CurlReply> {
    return curl(this.proxy, this.certificates, path, options);
  }

  /** Whether the proxy has ever taken a process for one that is away. */
  get wasDown(): boolean {
    return /is DOWN|has no server available/.test(this.proxy.output());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stack.disposeAsync();
  }
}

async function startBehind(
  stack: AsyncDisposableStack,
  services: readonly { readonly url: string }[],
  hurry = 1,
): Promise<ConstructorParameters<typeof Behind>> {
  const certificates = stack.use(await createCertificates());
  const proxy = stack.use(await startProxy({ certificates, services, hurry, askForCertificates: false }));
  return [proxy, certificates, await Deno.readTextFile(certificates.authority), stack.move()];
}

/** Processes of their own, which can be killed. */
export class ProcessesBehind extends Behind {
  constructor(readonly stage: Stage, ...behind: ConstructorParameters<typeof Behind>) {
    super(...behind);
  }

  static async start(nodes: number, redis = false): Promise<ProcessesBehind> {
    await using stack = new AsyncDisposableStack();
    const env = { SVC_TRUSTED_PROXY_IP: "127.0.0.1" };
    const stage = stack.use(await Stage.open({ nodes, redis, env }));
    return new ProcessesBehind(stage, ...await startBehind(stack, stage.nodes));
  }
}

/** Services in this process, each with memory of its own, and the first of them as it is reached through the proxy. */
export class ServicesBehind extends Behind {
  constructor(
    readonly services: readonly TestService[],
    /** The first service past the proxy. */
    readonly directUrl: string,
    readonly client: Deno.HttpClient,
    ...behind: ConstructorParameters<typeof Behind>
  ) {
    super(...behind);
  }

  static async start(count: number, options: Parameters<typeof startService>[0] & { hurry?: number } = {}) {
    await using stack = new AsyncDisposableStack();
    const { hurry, ...rest } = options;
    const env = { SVC_TRUSTED_PROXY_IP: "127.0.0.1", ...rest.env };
    const services = [stack.use(await startService({ ...rest, env }))];
    const { database } = services[0]!;
    while (services.length < count) services.push(stack.use(await startService({ ...rest, env, database: database! })));
    const places = services.map((service) => service.listen());
    const behind = await startBehind(stack, places, hurry);
    const client = Deno.createHttpClient({ caCerts: [behind[2]] });
    behind[3].defer(() => client.close());
    return new ServicesBehind(services, places[0]!.url, client, ...behind);
  }

  /** Sends a request that names another host through the proxy. */
  readonly fetch = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const { method, headers, body, signal } = request;
    return fetch(`${this.url}${pathname}${search}`, { method, headers, body, signal, client: this.client });
  };

  /** The first service, with every request going through the proxy to whichever process it chooses. */
  get proxied(): TestService {
    const { service, workspaceId, key, database } = this.services[0]!;
    const reached = Object.create(service, { fetch: { value: this.fetch } });
    return new TestService(reached, workspaceId, key, database, new AsyncDisposableStack());
  }
}
