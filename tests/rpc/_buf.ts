/** `buf curl`: a client of the RPCs by other authors in another language, from the definition alone. */
import { join } from "node:path";
import importMap from "../../imports.json" with { type: "json" };
import { LOCKED } from "../../scripts/locked.ts";

const ROOT = join(import.meta.dirname!, "..", "..");

export interface BufCall {
  readonly url: string;
  readonly key: string;
  readonly protocol: "connect" | "grpcweb";
  /** Cleartext HTTP/2 instead of HTTP/1.1. */
  readonly http2?: boolean;
  /** Of whom the server's certificate is; the path of a PEM file. */
  readonly authority?: string;
  /** Beside the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Shows fields of implicit presence and empty lists, too. */
  readonly emitsDefaults?: boolean;
  /** One message each. */
  readonly messages: readonly unknown[];
}

/** Calls an RPC and answers its replies, or throws what the program says. */
// deno-lint-ignore no-explicit-any
export async function bufCurl(name: string, call: BufCall): Promise<any[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        ...LOCKED,
        "--quiet",
        "-A",
        importMap.imports["@bufbuild/buf"],
        "curl",
        "--schema",
        join(ROOT, "proto"),
      ],
      ...["--protocol", call.protocol, "--header", `authorization: Bearer ${call.key}`],
      ...Object.entries(call.headers ?? {}).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
      ...call.emitsDefaults ? ["--emit-defaults"] : [],
      ...call.http2 ? ["--http2-prior-knowledge"] : [],
      ...call.authority === undefined ? [] : ["--cacert", call.authority],
      ...["--data", call.messages.map((message) => JSON.stringify(message)).join("\n")],
      `${call.url}/svc.v1.SvcService/${name}`,
    ],
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(text.decode(stderr));
  // Replies follow each other, each over several lines.
  return text.decode(stdout).split(/(?<=^\})\n/m).filter((part) => part.trim() !== "").map((part) => JSON.parse(part));
}
