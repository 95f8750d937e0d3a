/** The official clients of MCP with their OAuth, as programs on a person's machine use them, and the person's browser. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpTransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Page } from "playwright-core";

const INFO = { name: "test", version: "1.0.0" };

/** Where a program on the person's machine waits for the answer. */
export class Callback implements AsyncDisposable {
  readonly #answer = Promise.withResolvers<URLSearchParams>();
  readonly #server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname === "/callback") this.#answer.resolve(searchParams);
    return new Response("You can close this page.", { headers: { "content-type": "text/html" } });
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/callback`;
  }

  /** The answer of the authorization server, when it has come. */
  get answer(): Promise<URLSearchParams> {
    return this.#answer.promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }
}

/** What a program keeps; both versions of the client ask for the same. */
export class Provider {
  asked: URL | undefined;
  #client: unknown;
  #tokens: unknown;
  #verifier = "";

  constructor(readonly redirectUrl: string, readonly clientMetadataUrl?: string) {}

  get clientMetadata() {
    return {
      client_name: "Test agent",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }
  // deno-lint-ignore no-explicit-any
  readonly clientInformation = (): any => this.#client;
  readonly saveClientInformation = (client: unknown) => void (this.#client = client);
  // deno-lint-ignore no-explicit-any
  readonly tokens = (): any => this.#tokens;
  readonly saveTokens = (tokens: unknown) => void (this.#tokens = tokens);
  readonly invalidateCredentials = (what: string) => {
    if (what === "all" || what === "client") this.#client = undefined;
    if (what === "all" || what === "tokens") this.#tokens = undefined;
  };
  readonly redirectToAuthorization = (url: URL) => void (this.asked = url);
  readonly saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  readonly codeVerifier = () => this.#verifier;
  readonly state = () => "state-of-the-program";
  #discovered: unknown;
  readonly saveDiscoveryState = (state: unknown) => void (this.#discovered = state);
  // deno-lint-ignore no-explicit-any
  readonly discoveryState = (): any => this.#discovered;
}

/** A client that has connected, or has to be let in first. */
export interface OAuthAgent {
  /** Connects. @throws Error when it has to be let in first, or again */
  connect(): Promise<void>;
  /** Takes the answer of the authorization server. */
  finish(answer: URLSearchParams): Promise<void>;
  recall(query: string): Promise<string>;
  close(): Promise<void>;
}

// deno-lint-ignore no-explicit-any
const textOf = ({ content }: any): string => content[0].text;

/** The versions of the client, each with the address of the service and nothing else. */
export const AGENTS: Readonly<Record<string, (url: string, provider: Provider) => OAuthAgent>> = {
  "version 2": (url, authProvider) => {
    const make = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
    let transport = make();
    const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
    return {
      connect: () => client.connect(transport = make()),
      finish: (answer) => transport.finishAuth(answer),
      recall: async (query) => textOf(await client.callTool({ name: "recall", arguments: { query } })),
      close: () => client.close(),
    };
  },
  "version 1": (url, authProvider) => {
    const make = () => new HttpTransportV1(new URL(url), { authProvider });
    let transport = make();
    const client = new ClientV1(INFO);
    return {
      connect: () => client.connect((transport = make()) as never),
      finish: (answer) => transport.finishAuth(answer.get("code")!),
      recall: async (query) => textOf(await client.callTool({ name: "recall", arguments: { query } })),
      close: () => client.close(),
    };
  },
};

/** Opens what a client asks a person to open, logs in, and agrees. */
export async function agreeInBrowser(
  page: Page,
  asked: string,
  { key, may = "read and write" }: { readonly key?: string; readonly may?: string } = {},
): Promise<void> {
  await page.goto(asked);
  if (key !== undefined) {
    await page.getByLabel("Key").fill(key);
    await page.getByRole("button", { name: "Log in" }).click();
  }
  await page.getByRole("radio", { name: may }).check();
  await page.getByRole("button", { name: "Allow", exact: true }).click();
}

/** The official Python client, a program of its own. It takes one question at a time. */
export class PythonAgent implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncIterableIterator<string>;
  readonly #faults: Promise<string>;

  constructor(python: string, url: string, redirectUrl: string) {
    const args = [new URL("agent.py", import.meta.url).pathname, url, redirectUrl];
    const piped = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
    this.#child = new Deno.Command(python, { args, ...piped, env: { PYTHONDONTWRITEBYTECODE: "1" } }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    const text = this.#child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
    this.#lines = text.values();
    this.#faults = new Response(this.#child.stderr).text();
  }

  /** What it says next. @throws Error with what it wrote on standard error when it has ended */
  async hear(): Promise<Record<string, string>> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(await this.#faults);
    return JSON.parse(value);
  }

  async say(line: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(`${line}\n`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#child.status;
    await this.#lines.return?.();
  }
}

/** Cuts a text into lines. */
class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(piece, controller) {
        const lines = (rest + piece).split("\n");
        rest = lines.pop()!;
        for (const line of lines) controller.enqueue(line);
      },
    });
  }
}
