/**
 * `svc mcp`: lets an MCP client that starts a program talk to the running service. It posts each line of standard input
 * and prints each reply as a line of standard output. It holds no data and never opens the database.
 */
import { type Command, InvalidArgumentError } from "commander";
import { type Credentials, readCredentials } from "./agent/credentials.ts";
import { CommandError } from "./agent/error.ts";
import type { CliParts } from "./parts.ts";

const MESSAGE_BYTES_MAX = 1_048_576;
/** The longest wait for a reply, in milliseconds. */
const REPLY_MS = 120_000;
/** The most concurrent requests; further ones wait, and so does reading. */
const UNDER_WAY_MAX = 16;

export function addMcpCommand(cli: Command, _parts: CliParts): void {
  cli.command("mcp")
    .description("speak MCP on standard input and output, for clients that start a program")
    .option("--all", "offer all tools, not only the seven that agents need most")
    .addHelpText("after", "\nSVC_URL and SVC_KEY, or the credentials file, name the running service and the key.")
    .action(async ({ all = false }: { all?: boolean }) => {
      const { url: base, key } = credentials();
      const url = new URL(`${base.endsWith("/") ? base : `${base}/`}mcp${all ? "/all" : ""}`);
      await new Bridge(url, key).run(Deno.stdin.readable, Deno.stdout.writable);
    });
}

/** Standard output belongs to the protocol, so a fault is one sentence on standard error. */
function credentials(): Credentials {
  try {
    return readCredentials();
  } catch (error) {
    throw error instanceof CommandError ? new InvalidArgumentError(error.message) : error;
  }
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly [member: string]: unknown };
  readonly result?: { readonly protocolVersion?: unknown };
  readonly message?: unknown;
}

/** Connects lines of JSON-RPC with requests to a service. */
export class Bridge {
  readonly #url: URL;
  readonly #key: string;
  /** The revision that `initialize` agreed on, which later requests name. Newer ones name theirs in each message. */
  #agreed: string | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #underWay = new Set<Promise<void>>();

  /** @param complain prints a message for the person; default: on standard error */
  constructor(url: URL, key: string, readonly complain: (text: string) => void = console.error) {
    this.#url = url;
    this.#key = key;
  }

  /** Resolves when the input has ended and the last reply was written. */
  async run(input: ReadableStream<Uint8Array>, output: WritableStream<Uint8Array>): Promise<void> {
    this.#writer = output.getWriter();
    for await (const line of readLines(input)) {
      if (line === undefined) {
        await this.#write(
          errorFor(null, -32_600, `Cannot send the message: it is larger than ${MESSAGE_BYTES_MAX} bytes`),
        );
        continue;
      }
      if (line.trim() === "") continue;
      // The request that agrees on the revision is sent before those that rely on it.
      const isFirst = line.includes('"initialize"');
      const work = this.#forward(line).finally(() => this.#underWay.delete(work));
      this.#underWay.add(work);
      if (isFirst) await work;
      while (this.#underWay.size >= UNDER_WAY_MAX) await Promise.race(this.#underWay);
    }
    await Promise.all(this.#underWay);
    await this.#writer.ready;
    this.#writer.releaseLock();
  }

  async #forward(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      return await this.#write(errorFor(null, -32_700, "Cannot read the message: it is not JSON"));
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      return await this.#write(errorFor(null, -32_600, "Cannot send the message: it is not an object"));
    }
    const { id = null } = message;
    let answer: string;
    let status: number;
    try {
      const reply = await fetch(this.#url, {
        method: "POST",
        headers: this.#headersOf(message),
        body: line,
        redirect: "error",
        signal: AbortSignal.timeout(REPLY_MS),
      });
      status = reply.status;
      answer = await reply.text();
    } catch (error) {
      const text = `Cannot reach the service at ${this.#url.origin}: is it running, and is SVC_URL right?`;
      this.complain(`${text} (${(error as Error).message})`);
      return await this.#answerError(id, text);
    }
    if (status === 401) this.complain("The service does not know the key: is SVC_KEY right, and has it expired?");
    await this.#pass(id, status, answer);
  }

  async #pass(id: unknown, status: number, answer: string): Promise<void> {
    let reply: Message | undefined;
    try {
      reply = answer === "" ? undefined : JSON.parse(answer);
    } catch {
      // Something else answers at this address, such as a proxy.
    }
    if (reply?.jsonrpc === "2.0") {
      const version = reply.result?.protocolVersion;
      if (typeof version === "string") this.#agreed = version;
      return await this.#write(JSON.stringify(reply));
    }
    if (status >= 200 && status < 300 && answer === "") return;
    const said = typeof reply?.message === "string"
      ? reply.message
      : `the service at ${this.#url.origin} answered ${status}`;
    if (status !== 401) this.complain(said);
    await this.#answerError(id, said);
  }

  /** A notification has no id, and gets no reply. */
  async #answerError(id: unknown, text: string): Promise<void> {
    if (id !== null) await this.#write(errorFor(id, -32_000, text));
  }

  #headersOf({ method, params }: Message): Headers {
    const headers = new Headers({
      authorization: `Bearer ${this.#key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    });
    const meta = params?.["_meta"] as Record<string, unknown> | undefined;
    const revision = meta?.["io.modelcontextprotocol/protocolVersion"];
    if (typeof revision === "string") {
      headers.set("mcp-protocol-version", encodeHeader(revision));
      if (typeof method === "string") headers.set("mcp-method", encodeHeader(method));
      const name = params?.["name"] ?? params?.["uri"];
      if (typeof name === "string") headers.set("mcp-name", encodeHeader(name));
    } else if (this.#agreed !== undefined && method !== "initialize") {
      headers.set("mcp-protocol-version", this.#agreed);
    }
    return headers;
  }

  #write(line: string): Promise<void> {
    return this.#writer!.write(new TextEncoder().encode(`${line}\n`));
  }
}

/** A header's value; a text that a header cannot hold is sent in Base64, as the protocol requires. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?");
  return isPlain ? value : `=?base64?${new TextEncoder().encode(value).toBase64()}?=`;
}

function errorFor(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

/** The lines of a stream; undefined in place of one that is longer than a message may be. */
async function* readLines(input: ReadableStream<Uint8Array>): AsyncGenerator<string | undefined> {
  let rest = "";
  let isTooLong = false;
  for await (const text of input.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      yield isTooLong || line.length > MESSAGE_BYTES_MAX ? undefined : line;
      isTooLong = false;
    }
    if (rest.length > MESSAGE_BYTES_MAX) {
      isTooLong = true;
      rest = "";
    }
  }
  if (isTooLong || rest !== "") yield isTooLong ? undefined : rest;
}
