/** What the faces of export and import share. Interface §2.1 "Export", §4.9; decisions §6 "admin". */
import type { RouteConfig } from "@hono/zod-openapi";
import type { OperationContext } from "../context.ts";
import { beginExport, type ExportOptions } from "../domain/transfer/export.ts";
import { importBytes } from "../domain/transfer/foreign.ts";
import { type ImportQuery, ImportReport, JSONL_TYPES } from "../schema/transfer.ts";
import { exportBroken } from "../telemetry/events.ts";
import { BATCH_BYTES_MAX, type BytesBody } from "./endpoint.ts";
import { requestLoadOf } from "../domain/access/request_load.ts";

export const EXPORT_DESCRIPTION =
  "JSONL: a header (`format`, `version`, `workspace`, `exportedAt`, `asOf`, `clearance`), a line for each resource in " +
  "the order of dependency (for units, one for each version), and the end with the count and the SHA-256 of all bytes " +
  "before it. A file without that last line is broken off. It holds what the key may see; embeddings and the recall " +
  "index are made anew by an import. It shows the workspace at one point of the change feed, the header's `seq`; what " +
  "has no history (sessions, tasks, counts) is as it was when its page was read: if the end's `seq` is the header's, " +
  "nothing changed meanwhile. With `asOf`, it is what this service knew then: units with their history up to then, " +
  "turns and events that were recorded, review items that were open, tasks (with what they depended on) and relations as " +
  "they said then. Of a task or relation the last 1,000 versions are kept; where the one of then is not, or is above the " +
  "key's clearance, it is left out and counted in the end's `omitted`, as are chains of reasoning, edits and playbooks " +
  "that were changed since. What was erased since is not there. The audit log tells that it began, and " +
  "(`export.ended`) how many lines were shown, with the hash of the end or, of one that broke off, of what there was.";

export const EXPORT_RESPONSES: RouteConfig["responses"] = {
  200: {
    description: "The file, streamed",
    content: { [JSONL_TYPES[0]]: { schema: { type: "string", description: "JSONL" } } },
  },
};

/** How long a page waits for its turn before the file is broken off, in milliseconds: as long as others' imports may take. */
const PAGE_WAIT_MS = 600_000;

/**
 * The reply is made as it is read, each page in a turn of its own: the request's turns are given back with its head, and a
 * reader who pauses has none. A fault after its beginning breaks the connection off, and the last line is missing.
 */
export async function replyExport(ctx: OperationContext, options: ExportOptions): Promise<Response> {
  const { stopping, telemetry } = ctx.deps;
  const load = requestLoadOf(ctx.deps);
  const file = await beginExport(ctx, options);
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, stopping]);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        using _turn = await load.enterPiece(ctx, signal, { leftMs: PAGE_WAIT_MS });
        const { done, value } = await file.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        await file.return?.();
        if (!gone.signal.aborted) exportBroken(telemetry.log, { requestId: ctx.requestId, error });
        controller.error(error);
      }
    },
    async cancel() {
      gone.abort();
      await file.return?.();
    },
  }, { highWaterMark: 0 });
  const name = `svc-export-${ctx.workspaceId}.jsonl`;
  return new Response(body, {
    headers: { "content-type": JSONL_TYPES[0], "content-disposition": `attachment; filename="${name}"` },
  });
}

export const IMPORT_DESCRIPTION =
  "The file is checked first: without its last line, or with another hash, nothing is taken over (422); with " +
  "`?partial=true` a file whose end is missing is taken over as far as it goes. Then its lines " +
  "are applied in order, many in one transaction; a refused line is told in `errors` and holds up no other. Ids are kept " +
  "where they are free and mapped where something else has them; references follow. Versions keep their times, so that " +
  "`asOf` and `knownAt` answer as at the source. A repetition changes nothing, so an import that broke off is finished by " +
  "sending it again. With an `Idempotency-Key` the file of the first request is the only one that is taken under the " +
  "key from its first line on; the report is kept once the last line is written, and a repetition gets it without the " +
  "file being read again. Unless the key has `memory:admin`, attributions above `imported` " +
  "become `imported`, the key is the author, what is trusted more here is not replaced, nor are sessions, tasks and " +
  "relations that somebody else made, review items are not settled, and pins, scratchpads, worth, scores that " +
  "were changed since, times of record in the future and what a session collapsed to are not taken over: the report counts them in `withheld`. " +
  "Playbooks, self edits, chains of reasoning, votes and snapshots need `memory:admin`. Erasures need " +
  "`memory:delete`. At most 32 MiB; the command line imports files of any size.";

/** The smallest file: a header and the end. */
const EXAMPLE_HEADER = '{"kind":"header","format":"svc-export","version":1,"instance":"instance:localhost",' +
  '"workspace":"01890000-0000-7000-8000-000000000001","exportedAt":"2026-03-01T09:30:00.000Z","asOf":null,' +
  '"clearance":"confidential","types":null,"seq":0,"embeddingModel":"hashed-384"}\n';
const EXAMPLE_END = '{"kind":"end","count":0,' +
  '"sha256":"cdc074ca38e60743f8975337eaac4110b0a171a40e63f859d3fe7e1bb57165d6","seq":0,"omitted":{}}\n';

export const IMPORT_BODY: BytesBody = {
  mediaTypes: [...JSONL_TYPES, "application/json"],
  description: "The file, in UTF-8. Mem0 and Graphiti also write one JSON document",
  example: EXAMPLE_HEADER + EXAMPLE_END,
};

export const IMPORT_RESPONSES: RouteConfig["responses"] = {
  200: { description: "What became of the lines", content: { "application/json": { schema: ImportReport } } },
};

export const IMPORT_BYTES_MAX = BATCH_BYTES_MAX;

export async function replyImport(ctx: OperationContext, bytes: Uint8Array, query: ImportQuery): Promise<Response> {
  return Response.json(await importBytes(ctx, bytes, query));
}
