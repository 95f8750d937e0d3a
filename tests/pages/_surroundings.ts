/** What the reader of a page has besides the service: a database server, a certificate, an export of another product. */
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js";
import { join } from "node:path";
import { NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { createCertificateMaker } from "../_certificates.ts";
import { type Block, reasonNotRun, ROOT } from "./_blocks.ts";

/** What pages write in place of what each reader has, and what it is here. */
export type Placeholders = readonly (readonly [written: string, here: string])[];

export interface Surroundings extends AsyncDisposable {
  readonly placeholders: Placeholders;
  /** Files below the home folder. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** Variables that the operator of the service has set. */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes what the blocks that are run name. */
export async function surround(blocks: readonly Block[]): Promise<Surroundings> {
  const text = blocks.filter((block) => reasonNotRun(block) === undefined).map((block) => block.text).join("\n");
  const stack = new AsyncDisposableStack();
  const placeholders: [string, string][] = [];
  const files: Record<string, Uint8Array> = {};
  const env: Record<string, string> = {};
  if (text.includes("/etc/svc/tls.pem")) {
    const maker = stack.use(await createCertificateMaker());
    const { cert, key } = await maker.make({ names: "IP:127.0.0.1" });
    const both = `${maker.authorityFile}.both`;
    await Deno.writeTextFile(both, cert + key);
    placeholders.push(["/etc/svc/tls.pem", both]);
  }
  if (text.includes("create database")) {
    const server = stack.use(await NativePostgres.start());
    const { host } = new URL(server.url());
    placeholders.push(["superuser@db", server.url()], ["@db/", `@${host}/`], ["…", "password"]);
  }
  if (text.includes("https://hooks.example.com")) {
    const server = stack.use(startReceiver());
    placeholders.push(["https://hooks.example.com", `http://127.0.0.1:${server.addr.port}`]);
    Object.assign(env, { SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8", SVC_OUTBOUND_PORTS: `${server.addr.port}` });
  }
  if (text.includes("~/Downloads/chatgpt-export.zip")) {
    const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
    const conversations = await Deno.readFile(join(ROOT, "tests/data/import/chatgpt/conversations.json"));
    await zip.add("conversations.json", new Uint8ArrayReader(conversations));
    files["Downloads/chatgpt-export.zip"] = await zip.close();
  }
  return { placeholders, files, env, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A receiver of webhooks, which sends back the challenge by which its owner shows that it wants the messages. */
function startReceiver(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { data } = await request.json();
    return Response.json({ challenge: data.challenge });
  });
}
