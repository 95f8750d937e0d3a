/** Export and import of a whole workspace. */
import { beginExport } from "../domain/transfer/export.ts";
import { importBytes } from "../domain/transfer/foreign.ts";
import { ExportBody, ExportQuery, ImportQuery, ImportReply, JSONL_TYPES } from "../schema/transfer.ts";
import { WHOLE } from "./cost.ts";
import { BATCH_BYTES_MAX, fileOperation, operation } from "./operation.ts";

const EXPORT_DESCRIPTION =
  "The file is JSONL: a header (`format`, `version`, `workspace`, `exportedAt`, `asOf`, `clearance`); a line for each resource, sources before what rests on them (for units, one line per version); and an end with the count and the SHA-256 of all bytes before it. A file without that last line is truncated. The file holds what the key may see. Embeddings and the recall index are not in it; an import makes them again.\n\nUnits are shown at one point of the change feed, the header's `seq`. Resources without history (sessions, tasks, counts) are shown as they were when their page was read: if the end's `seq` equals the header's, nothing changed in the meantime.\n\nWith `asOf` the file holds what this service knew then: units with their history up to then, turns and events recorded by then, review items open at that time, and tasks and relations as they were. The last 1,000 versions of a task or relation are kept; if the right one is missing or above the key's clearance, the resource is left out and counted in the end's `omitted`, as are chains of reasoning, edits and playbooks that were changed since. What was erased since is not in the file.\n\nThe audit log records the start of an export and, as `export.ended`, how many lines were sent, with the hash of the end, or of what was sent if the export broke off.";

const EXPORT = {
  description: EXPORT_DESCRIPTION,
  scope: "memory:export",
  cost: WHOLE,
  answers: {
    mediaType: JSONL_TYPES[0],
    description: "JSONL",
    nameOf: ({ workspaceId }: { readonly workspaceId: string }) => `svc-export-${workspaceId}.jsonl`,
  },
} as const;

/** Exports the memory; the options are in a body. */
export const exportMemory = fileOperation({
  id: "exportMemory",
  summary: "Export the whole memory as JSONL",
  ...EXPORT,
  body: ExportBody,
  example: { body: { types: ["fact", "decision"] } },
}, (ctx, { body }) => beginExport(ctx, body));

/** Exports the memory; the options are in the address. */
export const exportWorkspace = fileOperation({
  id: "exportWorkspace",
  summary: "Export the workspace as JSONL",
  ...EXPORT,
  description:
    `Deprecated: \`POST /v1/memory/admin/export\` does the same, with the options in a body.\n\n${EXPORT_DESCRIPTION}`,
  query: ExportQuery,
}, (ctx, { query }) => beginExport(ctx, query));

const IMPORT_DESCRIPTION =
  "The service checks the file first: without its last line, or with another hash, it imports nothing (422). With `?partial=true` it imports a file whose end is missing as far as it goes. Then it applies the lines in order, many in one transaction; a refused line is listed in `errors` and does not stop the others. Ids are kept if they are free and mapped otherwise; references follow. Versions keep their times, so that `asOf` and `knownAt` answer as at the source. Repeating an import changes nothing: to finish one that was interrupted, send it again. With `?dryRun=true` the service only tries the import: the report has the counts and refusals that the import would have, and samples.\n\nWith an `Idempotency-Key`, the key belongs to the first file from its first line on. The report is stored after the last line; a repetition gets it without reading the file again.\n\nWithout the scope `memory:admin`: attributions above `imported` become `imported`; the key is the author; resources that are trusted more here are not replaced, nor are sessions, tasks and relations that somebody else created; review items are not settled; and pins, scratchpads, worth, scores that were changed since, recording times in the future and what a session collapsed to are not imported (`withheld` counts them). Playbooks, self-edits, chains of reasoning, votes and snapshots need `memory:admin`. Erasures need `memory:delete`. At most 32 MiB; the command line imports files of any size.";

/** The smallest file: a header and the end. */
const EXAMPLE_HEADER = '{"kind":"header","format":"svc-export","version":1,"instance":"instance:localhost",' +
  '"workspace":"01890000-0000-7000-8000-000000000001","exportedAt":"2026-03-01T09:30:00.000Z","asOf":null,' +
  '"clearance":"confidential","types":null,"seq":0,"embeddingModel":"hashed-384"}\n';
const EXAMPLE_END = '{"kind":"end","count":0,' +
  '"sha256":"cdc074ca38e60743f8975337eaac4110b0a171a40e63f859d3fe7e1bb57165d6","seq":0,"omitted":{}}\n';

/** Imports a file into the memory. */
export const importMemory = operation({
  id: "importMemory",
  summary: "Import a file into the memory",
  description: IMPORT_DESCRIPTION,
  scope: "memory:import",
  cost: WHOLE,
  query: ImportQuery,
  file: {
    mediaTypes: [...JSONL_TYPES, "application/json"],
    description: "The file, in UTF-8. Mem0 and Graphiti also write one JSON document",
    example: EXAMPLE_HEADER + EXAMPLE_END,
  },
  bodyBytesMax: BATCH_BYTES_MAX,
  writesInParts: true,
  reply: ImportReply,
}, (ctx, { query, file }) => importBytes(ctx, file!, query));
