/** IngestBatch and ImportMemory. */
import { requestLoadOf } from "../../domain/access/request_load.ts";
import { type Incoming, ingest } from "../../domain/sessions/ingest.ts";
import { ServiceError } from "../../errors.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { createFacts } from "../../operations/facts.ts";
import { renamed } from "../../operations/operation.ts";
import * as transfer from "../../operations/transfer.ts";
import { invalidInput } from "../../schema/field_errors.ts";
import { IngestItem, IngestSummary, MemoryChunk } from "../../schema/rpc.ts";
import { type ImportFormat, ImportReply } from "../../schema/transfer.ts";
import { clientStream, readPlain } from "../rpc.ts";

/** The audit log records the import under its first name. */
const importWorkspace = renamed(transfer.importMemory, "importWorkspace");

/** Takes facts and turns in bulk. */
export const ingestBatch = clientStream(SvcService.method.ingestBatch, createFacts, {
  body: IngestItem,
  reply: IngestSummary,
  writesAsItReads: true,
}, ({ stream, enter }, messages) => {
  let isPaid = true;
  return ingest(itemsOf(messages), async (settle) => {
    const ctx = await enter();
    // A batch costs the same as over HTTP; admission has charged the first one.
    if (!isPaid) await stream.takeMessage(createFacts.cost.tokens);
    isPaid = false;
    using _turn = await requestLoadOf(ctx.deps).enterPiece(ctx, ctx.signal);
    await settle(ctx);
  });
});

async function* itemsOf(messages: AsyncIterable<Record<string, unknown>>): AsyncGenerator<Incoming> {
  for await (const message of messages) {
    let item: Incoming;
    try {
      item = readPlain(IngestItem, message);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      item = error;
    }
    yield item;
  }
}

/** The options of the import, which the first chunk holds. */
interface Options {
  readonly format: ImportFormat;
  readonly partial: boolean;
  readonly dryRun: boolean;
  readonly tag?: string[];
}

/** Imports a file in pieces. */
export const importMemory = clientStream(SvcService.method.importMemory, importWorkspace, {
  body: MemoryChunk,
  reply: ImportReply,
}, async ({ enter, answer }, messages) => {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let options: Options | undefined;
  for await (const message of messages) {
    const chunk = readPlain(MemoryChunk, message);
    const { format = "svc", partial = false, dryRun = false, tag } = chunk;
    for (const path of ["format", "partial", "dryRun", "tag"] as const) {
      if (chunk[path] === undefined || options === undefined) continue;
      throw invalidInput({ path, message: "must be in the first chunk" });
    }
    if (partial && format !== "svc") throw invalidInput({ path: "partial", message: "is for the format svc" });
    if (tag !== undefined && format === "svc") {
      throw invalidInput({ path: "tag", message: "is for other formats than svc" });
    }
    options ??= { format, partial, dryRun, ...(tag && { tag }) };
    chunks.push(Uint8Array.fromBase64(chunk.data ?? ""));
  }
  if (chunks.every(({ byteLength }) => byteLength === 0)) {
    throw new ServiceError("invalid_request", "Cannot import: the file is empty");
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  const query = options!;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64();
  const ctx = await enter();
  // The turn begins when the whole file has arrived, so that a slow sender holds none.
  using _turn = await requestLoadOf(ctx.deps).enterPiece(ctx, ctx.signal);
  return await answer(ctx, importWorkspace, { query, file: bytes }, [
    query.format,
    query.partial,
    digest,
    ...query.dryRun ? [true] : [],
    ...query.tag ?? [],
  ]);
});
