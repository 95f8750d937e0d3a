/** HAProxy with the configuration that is shipped, in front of processes on loopback, and certificates for both ends. */
import assert from "node:assert/strict";
import { HAPROXY } from "./_programs.ts";
import { waitFor } from "./_wait.ts";

const CONFIG = new URL("../deploy/haproxy.cfg", import.meta.url).pathname;

export interface Certificates extends AsyncDisposable {
  /** The authority that clients trust, and by which client certificates are verified. */
  readonly authority: string;
  /** A client's certificate and key, by who signed it. */
  readonly client: Identity;
  readonly stranger: Identity;
  /** Certificate and key of the proxy, in one file. */
  readonly server: string;
}

/** Paths of PEM files. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], stdin: "null" }).output();
  assert.ok(success, `${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** Makes two authorities and the certificates that they sign, in a folder; disposing deletes it. */
export async function createCertificates(): Promise<Certificates> {
  const folder = await Deno.makeTempDir({ prefix: "svc-tls-" });
  const make = async (name: string, subject: string, signer?: string, extension?: string): Promise<Identity> => {
    const [certificate, key] = [`${folder}/${name}.pem`, `${folder}/${name}.key`];
    await run("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
      ...["-subj", `/CN=${subject}`, "-out", certificate, "-keyout", key],
      ...(signer === undefined ? [] : ["-CA", `${folder}/${signer}.pem`, "-CAkey", `${folder}/${signer}.key`]),
      ...(extension === undefined ? [] : ["-addext", extension]),
      ...(signer === undefined ? [] : ["-addext", "basicConstraints=critical,CA:false"]),
    ]);
    return { certificate, key };
  };
  const authority = await make("authority", "authority");
  await make("other", "another authority");
  const server = await make("server", "localhost", "authority", "subjectAltName=DNS:localhost,IP:127.0.0.1");
  const client = await make("client", "peer.test", "authority");
  const stranger = await make("stranger", "peer.test", "other");
  await Deno.writeTextFile(
    `${folder}/both.pem`,
    await Deno.readTextFile(server.certificate) + await Deno.readTextFile(server.key),
  );
  return {
    authority: authority.certificate,
    client,
    stranger,
    server: `${folder}/both.pem`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

export interface Proxy extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Its output so far. */
  output(): string;
}

export interface ProxyOptions {
  readonly certificates: Certificates;
  /** One to four processes, or addresses without one. */
  readonly services: readonly { readonly url: string }[];
  readonly askForCertificates?: boolean;
  /** Default: a free one. */
  readonly port?: number;
  /** By how much its time limits are shortened. Default 1: the file as it is. */
  readonly hurry?: number;
}

/** The file that is shipped, each of its times divided. */
async function hurriedConfig(hurry: number): Promise<string> {
  const path = await Deno.makeTempFile({ prefix: "svc-haproxy-", suffix: ".cfg" });
  const text = await Deno.readTextFile(CONFIG);
  const isTime = /^ *(timeout (client|server|tunnel)|http-request set-timeout \S+) /;
  const lines = text.split("\n").map((line) =>
    isTime.test(line) ? line.replaceAll(/\b(\d+)s\b/g, (_, seconds) => `${Number(seconds) * 1_000 / hurry}ms`) : line
  );
  await Deno.writeTextFile(path, lines.join("\n"));
  return path;
}

/** Starts the proxy and waits until it answers. */
export async function startProxy(
  { certificates, services, askForCertificates = true, port = freePort(), hurry = 1 }: ProxyOptions,
): Promise<Proxy> {
  const config = hurry === 1 ? CONFIG : await hurriedConfig(hurry);
  const places = services.map(({ url }, i) => [`PROXY_SERVICE${i === 0 ? "" : `_${i + 1}`}`, new URL(url).host]);
  const child = new Deno.Command(HAPROXY!, {
    // A warning about the configuration refuses the start.
    args: ["-f", config, "-db", "-dW"],
    env: {
      ...Object.fromEntries(places),
      PROXY_BIND: `127.0.0.1:${port}`,
      PROXY_CERTIFICATE: certificates.server,
      ...(askForCertificates && { PROXY_CLIENT_CA: certificates.authority }),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) text += piece;
  };
  const ended = Promise.all([child.status, read(child.stdout), read(child.stderr)]);
  const proxy: Proxy = {
    port,
    pid: child.pid,
    output: () => text,
    [Symbol.asyncDispose]: async () => {
      try {
        child.kill("SIGKILL");
      } catch { /* it has ended */ }
      await ended;
      if (config !== CONFIG) await Deno.remove(config);
    },
  };
  try {
    await waitFor("the proxy answers", async () => await curl(proxy, certificates, "/healthz") !== undefined);
  } catch (error) {
    await proxy[Symbol.asyncDispose]();
    throw new Error(`Cannot start the proxy: ${text}`, { cause: error });
  }
  return proxy;
}

export interface CurlReply {
  /** `1.1` or `2`. */
  readonly version: string;
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** A request through the proxy by curl. @throws AssertionError when there is no reply, with curl's own words */
export async function curl(
  { port }: Pick<Proxy, "port">,
  { authority }: Pick<Certificates, "authority">,
  path: string,
  options: { readonly key?: string; readonly as?: Identity; readonly args?: readonly string[] } = {},
): Promise<CurlReply> {
  const { key, as, args = [] } = options;
  const text = await run("curl", [
    ...["--silent", "--show-error", "--include", "--max-time", "60", "--cacert", authority],
    ...(key === undefined ? [] : ["--header", `authorization: Bearer ${key}`]),
    ...(as === undefined ? [] : ["--cert", as.certificate, "--key", as.key]),
    ...args,
    `https://127.0.0.1:${port}${path}`,
  ]);
  // The heads of informational replies come before it.
  const [, head, body] = /^(?:HTTP\/\S+ 1\d\d.*?\r\n\r\n)*(HTTP.*?)\r\n\r\n(.*)$/s.exec(text) ??
    assert.fail(`no reply: ${text}`);
  const [first, ...lines] = head!.split("\r\n");
  const [, version, status] = /^HTTP\/(\S+) (\d+)/.exec(first!)!;
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  const isJson = /[/+]json/.test(headers.get("content-type") ?? "");
  return { version: version!, status: Number(status), headers, body: isJson ? JSON.parse(body!) : body };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
