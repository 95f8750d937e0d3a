/** The wire of Connect and gRPC-Web. */
import type { Mutation } from "./mutation.ts";

const WIRE = { test: "tests/rpc/wire_test.ts", filter: "what no client sends" };
const PEERS_STREAM = { test: "tests/federation/stream_test.ts", filter: "what a stream is not opened with" };
const PEERS_ENDS = { test: "tests/federation/stream_test.ts", filter: "T43 an open stream ends" };
const CLIENTS = { test: "tests/rpc/clients_test.ts", filter: "connect-es and connect-web" };

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "rpc: no second message where there is one",
    file: "src/rpc/body.ts",
    defence: "if (count === limits.messagesMax) throw tooMany(limits.messagesMax);",
    instead: "",
    ...WIRE,
  },
  {
    name: "rpc: no message where there is one",
    file: "src/rpc/body.ts",
    defence: "if (messages === 0 && limits.messagesMax === 1) {",
    instead: "if (messages < 0) {",
    ...WIRE,
  },
  {
    name: "rpc: flags that no request has",
    file: "src/rpc/body.ts",
    defence: "if ((flags & ~COMPRESSED) !== 0) {",
    instead: "if (flags < 0) {",
    ...WIRE,
  },
  {
    name: "rpc: a compressed message without an encoding",
    file: "src/rpc/body.ts",
    defence: "if ((flags & COMPRESSED) !== 0 && !isCompressed) {",
    instead: "if (flags < 0) {",
    ...WIRE,
  },
  {
    name: "rpc: the caller's timeout ends the reading of one message",
    file: "src/rpc/call.ts",
    defence: "signal: this.#stream?.signal ?? this.signal,",
    instead: "signal: this.#stream?.signal,",
    ...WIRE,
  },
  {
    name: "rpc: the reading of a bare message ends at its signal",
    file: "src/edge/read_bytes.ts",
    defence: `signal?.addEventListener("abort", onAbort);`,
    instead: "",
    ...WIRE,
  },
  {
    name: "rpc: a timeout of nothing",
    file: "src/rpc/call.ts",
    defence: "if (timeoutMs === 0) throw late();",
    instead: "",
    ...WIRE,
  },
  {
    name: "rpc: a long timeout is shortened",
    file: "src/rpc/head.ts",
    defence: "Math.min(timeoutMs, timeoutMaxOf(rpc))",
    instead: "timeoutMs",
    test: "src/rpc/head_test.ts",
    filter: "a caller's timeout",
  },
  {
    name: "rpc: what is accepted is named",
    file: "src/rpc/head.ts",
    defence: "  headers.set(protocol.acceptEncodingName, GZIP.name);\n",
    instead: "",
    ...WIRE,
  },
  {
    name: "rpc: the compression of a GET",
    file: "src/rpc/head.ts",
    defence: `query.get("compression")`,
    instead: "null",
    ...WIRE,
  },
  {
    name: "rpc: the version of the protocol",
    file: "src/rpc/head.ts",
    defence: "if (!protocol.isGrpcWeb && !isVersionOne(headers, query)) {",
    instead: "if (protocol === undefined) {",
    ...WIRE,
  },
  {
    name: "rpc: quotes and spaces in a content type",
    file: "src/rpc/head.ts",
    defence: `const type = readMediaType(contentType ?? "");`,
    instead:
      "const type = contentType === null ? undefined : { essence: contentType, parameters: new Map<string, string>() };",
    ...WIRE,
  },
  {
    name: "rpc: what a caller did wrong is no error's line",
    file: "src/telemetry/log.ts",
    defence: "if (request.status >= 500 && !isCallersFault) log.error",
    instead: "if (request.status >= 500) log.error",
    ...WIRE,
  },
  {
    name: "rpc: a conversation's broken frame is told in the audit log",
    file: "src/rpc/call.ts",
    defence: "if (!isTold) this.noteRefused(error);",
    instead: "if (limits.messagesMax === 1) this.noteRefused(error);",
    ...WIRE,
  },
  {
    name: "rpc: a caller who hangs up is no error's line",
    file: "src/rpc/app.ts",
    defence: "      call.leave(reason);\n",
    instead: "",
    ...CLIENTS,
  },
  {
    name: "rpc: a reply in the compression of its request",
    file: "src/rpc/head.ts",
    defence: "if (isCompressed && !kept.has(protocol.acceptEncodingName)) kept.set(",
    instead: "if (isCompressed && kept.has(protocol.acceptEncodingName)) kept.set(",
    ...WIRE,
  },
  {
    name: "rpc: the token of a message is over the message, counts once, and its peer is served",
    file: "src/domain/federation/stream_messages.ts",
    defence: "  await admitted.acceptBody(bytesOf(said));\n",
    instead: "",
    ...PEERS_STREAM,
  },
  {
    name: "rpc: all messages of a stream are of whoever opened it",
    file: "src/domain/federation/stream_messages.ts",
    defence: "if (!isSameCaller(ctx, admitted.ctx)) {",
    instead: "if (ctx === admitted.ctx) {",
    ...PEERS_STREAM,
  },
  {
    name: "rpc: a refusal about who sends it ends the stream",
    file: "src/rpc/methods/federation.ts",
    defence: "if (refusal !== undefined && ENDS_STREAM.has(refusal.code)) throw refusal;",
    instead: "",
    ...PEERS_STREAM,
  },
  {
    name: "rpc: a message of a peer is charged to the rate of its key",
    file: "src/rpc/methods/federation.ts",
    defence: "if (stream.credential !== undefined) await stream.takeMessage(cost.tokens);",
    instead: "",
    ...PEERS_STREAM,
  },
  {
    name: "rpc: the rate of a peer is not that of its key",
    file: "src/domain/feed/open_stream.ts",
    defence: "this.#payer ?? actor",
    instead: "actor",
    ...PEERS_STREAM,
  },
  {
    name: "rpc: the stream of a peer ends with its entry",
    file: "src/rpc/methods/federation.ts",
    defence: `followed?.signal.addEventListener("abort", end, { once: true });`,
    instead: "",
    ...PEERS_ENDS,
  },
  {
    name: "rpc: a certificate is the peer's at each message",
    file: "src/domain/federation/stream_messages.ts",
    defence: "if (isGood) return found;",
    instead: "if (isGood || found) return found;",
    ...PEERS_ENDS,
  },
];
