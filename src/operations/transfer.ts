/** Export and import of a whole workspace. */
import { beginExport } from "../domain/transfer/export.ts";
import { importBytes } from "../domain/transfer/foreign.ts";
import { ExportBody, ExportQuery, ImportQuery, ImportReport, JSONL_TYPES } from "../schema/transfer.ts";
import { WHOLE } from "./cost.ts";
import { BATCH_BYTES_MAX, fileOperation, operation } from "./operation.ts";

const EXPORT_DESCRIPTION =
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

/** Exports the memory; what is asked for stands in a body. */
export const exportMemory = fileOperation({
  id: "exportMemory",
  summary: "Export the whole memory as JSONL",
  ...EXPORT,
  body: ExportBody,
  example: { body: { types: ["fact", "decision"] } },
}, (ctx, { body }) => beginExport(ctx, body));

/** Exports the memory; what is asked for stands in the address. */
export const exportWorkspace = fileOperation({
  id: "exportWorkspace",
  summary: "Export the workspace as JSONL",
  ...EXPORT,
  query: ExportQuery,
}, (ctx, { query }) => beginExport(ctx, query));

const IMPORT_DESCRIPTION =
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

/** Imports a file into the memory. */
export const importMemory = operation({
  id: "importMemory",
  summary: "Import in bulk",
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
  reply: ImportReport,
}, (ctx, { query, file }) => importBytes(ctx, file!, query));
