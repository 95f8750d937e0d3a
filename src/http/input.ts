/** Reads an operation's input from a request: from path, query, `If-Match`, body and `Idempotency-Key`. */
import { readIdempotencyKey } from "../edge/idempotency_key.ts";
import { type BodyLimits, readBytes } from "../edge/read_bytes.ts";
import { ServiceError } from "../errors.ts";
import type { Call } from "../operations/answer.ts";
import type { OperationHead } from "../operations/operation.ts";
import type { Faults } from "../schema/faults.ts";
import { readJsonBody, readOptionalJsonBody, readTypedBytes } from "./body.ts";
import type { SharedFile, SharedFiles } from "./shared_file.ts";

/** One request, as the router hands it on. */
export interface HttpRequest {
  readonly raw: Request;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, repeated ones as arrays. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** How much of the body is read, and for how long. */
  readonly bodyLimits: BodyLimits;
  /** Whether replies are checked against their schema; on in tests. */
  readonly checkReply: boolean;
  /** The OpenAPI document; it describes the endpoint that serves it, too. */
  readonly apiDocument: () => SharedFile;
  /** Sends public files. */
  readonly sharedFiles: SharedFiles;
}

/** Returns the parts of a request that `answer` needs. */
export function readRequest(
  method: string,
  operation: OperationHead,
  { raw, params, query, bodyLimits }: HttpRequest,
): Pick<Call<never>, "key" | "fingerprint" | "credential" | "given"> {
  const { headers, url } = raw;
  /** The body can be read once, so the bytes that the fingerprint has read are read again from memory. */
  let rest = raw;
  return {
    key: () => readIdempotencyKey(headers),
    // A call of the console has a cookie instead.
    credential: headers.get("authorization") ?? headers.get("cookie") ?? "",
    async fingerprint() {
      const bytes = await readBytes(raw, bodyLimits);
      const body = bytes.byteLength === 0 ? null : bytes as Uint8Array<ArrayBuffer>;
      rest = new Request(url, { method: raw.method, headers, body, signal: raw.signal });
      const { pathname, search } = new URL(url);
      return [pathname.replace(/\/$/, ""), search, headers.get("if-match"), await digestOf(bytes)];
    },
    async given(faults) {
      addNul(faults, params);
      addNul(faults, query);
      const expectedVersion = readIfMatch(headers.get("if-match"));
      if (expectedVersion !== undefined && method !== "get" && !operation.takesVersion) {
        throw new ServiceError(
          "invalid_request",
          "Cannot accept If-Match: this operation has no version to compare it with",
        );
      }
      const given = { params, query, expectedVersion };
      const { file, body } = operation;
      if (file !== undefined) return { ...given, file: () => readTypedBytes(rest, file.mediaTypes, bodyLimits) };
      if (body !== undefined) return { ...given, body: await readJsonBody(rest, bodyLimits) };
      return method === "get" ? given : { ...given, body: await readOptionalJsonBody(rest, bodyLimits) };
    },
  };
}

/**
 * Refuses NUL, the only character in paths and queries that Postgres cannot store; for bodies, their reader does this.
 */
function addNul(faults: Faults, values: Readonly<Record<string, string | string[]>>): void {
  for (const [path, value] of Object.entries(values)) {
    if ([value].flat().some((text) => text.includes("\0"))) faults.add(() => path, "must not contain NUL");
  }
}

function readIfMatch(header: string | null): number | undefined {
  if (header === null || header === "*") return undefined;
  const match = /^"(\d{1,10})"$/.exec(header);
  if (!match) throw new ServiceError("invalid_request", `Cannot read If-Match: it is not "<version>"`);
  return Number(match[1]);
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toBase64();
}
