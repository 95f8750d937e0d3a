/**
 * Schemas of exports and imports: the first and the last line of the file, the options and the report. The schemas of the
 * other lines are in `transfer_lines.ts`.
 *
 * An export file is JSONL in UTF-8. It has a header line, one line for each resource (or, for units, for each version of a
 * unit) in the order of `TRANSFER_KINDS`, and an end line; each ends with a line feed. The hash in the end line covers all
 * bytes before this line.
 */
import { z } from "zod";
import { Flag, Id, repeated, Sensitivity, Timestamp, TimestampInput } from "./common.ts";

export const TRANSFER_FORMAT = "svc-export";
export const TRANSFER_VERSION = 1;

/** The media types of JSONL that are understood; the first is the one that is sent. */
export const JSONL_TYPES = ["application/x-ndjson", "application/ndjson", "application/jsonl"] as const;

/** The kinds of lines in the order of dependency: what others refer to comes first where there is an order. */
export const TRANSFER_KINDS = [
  "deletion",
  "session",
  "turn",
  "entity",
  "fact",
  "episode",
  "decision",
  "strategy",
  "workflow",
  "skill",
  "relation",
  "task",
  "task_dependency",
  "event",
  "review_item",
  "gate_action",
  "worth_signal",
  "reasoning_entry",
  "reasoning_precondition",
  "reasoning_vote",
  "self_edit",
  "self_edit_operation",
  "self_edit_content",
  "procedural_playbook",
  "procedural_rule",
  "procedural_version",
  "procedural_trajectory",
  "snapshot",
] as const;
export const TransferKind = z.enum(TRANSFER_KINDS).meta({ id: "TransferKind" });
export type TransferKind = z.infer<typeof TransferKind>;

/** The first line of a file. */
export const ExportHeader = z.strictObject({
  kind: z.literal("header"),
  format: z.literal(TRANSFER_FORMAT),
  version: z.literal(TRANSFER_VERSION),
  instance: z.string().min(1).max(200).meta({ description: "The instance that wrote it" }),
  workspace: Id,
  exportedAt: Timestamp,
  asOf: Timestamp.nullable().meta({ description: "The time whose state the file holds; null: `exportedAt`" }),
  clearance: Sensitivity.meta({ description: "The file contains nothing above this sensitivity" }),
  types: z.array(z.string()).nullable().meta({ description: "The requested kinds; null: all" }),
  seq: z.int().min(0).meta({ description: "The last entry of the change feed that the file includes" }),
  embeddingModel: z.string().meta({ description: "The file contains no embeddings; an import computes them again" }),
}).meta({ id: "ExportHeader" });
export type ExportHeader = z.infer<typeof ExportHeader>;

/** The last line of a file. A file without it is broken off. */
export const ExportEnd = z.strictObject({
  kind: z.literal("end"),
  count: z.int().min(0).meta({ description: "Number of lines between the header and this one" }),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex").meta({
    description: "SHA-256 of all bytes before this line, in hex",
  }),
  seq: z.int().min(0).meta({
    description:
      "The last entry of the change feed when the export ended; equal to the header's if nothing changed in the meantime",
  }),
  omitted: z.record(z.string(), z.int().min(1)).meta({
    description:
      "With `asOf`: how many resources of each kind were left out, because they changed since and their earlier state is not known",
  }),
}).meta({ id: "ExportEnd" });
export type ExportEnd = z.infer<typeof ExportEnd>;

const AsOf = TimestampInput.meta({
  description: "Exports what this service knew at that time, with the history up to then. Not in the future",
});

export const ExportQuery = z.strictObject({
  asOf: AsOf.optional(),
  types: repeated(TransferKind, TRANSFER_KINDS.length).optional().meta({
    description: "Kinds of lines; may be repeated. Default: all",
  }),
});
export type ExportQuery = z.infer<typeof ExportQuery>;

export const ExportBody = z.strictObject({
  asOf: AsOf.optional(),
  types: z.array(TransferKind).min(1).max(TRANSFER_KINDS.length).optional().meta({
    description: "Kinds of lines. Default: all",
  }),
}).meta({ id: "ExportBody" });

export const IMPORT_FORMATS = [
  "svc",
  "mem0",
  "graphiti",
  "mcp",
  "openmemory",
  "letta",
  "zep",
  "chatgpt",
  "claude",
  "claude-code",
  "markdown",
  "hindsight",
] as const;
export const ImportFormat = z.enum(IMPORT_FORMATS).meta({
  id: "ImportFormat",
  description: "`svc`: an export of this service. `mem0`: memories of Mem0, as JSON or JSONL. `graphiti`: edges of " +
    "Graphiti or Zep, as JSON or JSONL. `mcp`: the JSONL of the MCP memory server. `openmemory`: `memories.json` or the " +
    "JSONL of an OpenMemory backup. `letta`: an agent file, or passages of archival memory. `zep`: `{ users, sessions }` " +
    "with messages and facts. `chatgpt`: `conversations.json`. `claude`: `conversations.json`, `memories.json` or " +
    "`projects.json` of claude.ai. `claude-code`: lines of transcripts. `markdown`: `{ files: [{ path, text, modifiedAt " +
    "}] }`. `hindsight`: `{ source_bank_id, documents, observations }` of a bank's archive. Conversations become " +
    "sessions with their turns, memories become facts",
});
export type ImportFormat = z.infer<typeof ImportFormat>;

export const ImportQuery = z.strictObject({
  format: ImportFormat.default("svc"),
  partial: Flag.prefault("false").meta({
    description: "Imports the part that exists of a truncated export. Otherwise such a file is refused",
  }),
  dryRun: Flag.prefault("false").meta({
    description:
      "Tries the import and undoes it: the report says what the import would do. Nothing is written but one row of the audit log. Meanwhile writers of the workspace may have to wait, on the embedded database all requests; a trial of more than 20 seconds ends with `deadline_exceeded`, and while there is one in the workspace, another is refused with `rate_limited`",
  }),
  tag: repeated(z.string().min(1).max(64), 10).optional().meta({
    description: "A tag for every fact and session of another service's file; may be repeated",
  }),
}).refine(({ format, tag }) => format !== "svc" || tag === undefined, {
  message: "is for the files of other services; an export has the tags of its source",
  path: ["tag"],
}).refine(({ format, partial }) => format === "svc" || !partial, {
  message: "is for the format svc, the only one that says where it ends",
  path: ["partial"],
});
export type ImportQuery = z.infer<typeof ImportQuery>;

/** The most errors that an import's report lists; it only counts the others. */
export const IMPORT_ERRORS_MAX = 1_000;

export const ImportCounts = z.strictObject({
  created: z.int().min(0),
  updated: z.int().min(0).meta({ description: "Newer versions of existing resources" }),
  unchanged: z.int().min(0).meta({ description: "Existed already" }),
  failed: z.int().min(0),
}).meta({ id: "ImportCounts" });
export type ImportCounts = z.infer<typeof ImportCounts>;

/** What a key without `memory:admin` does not bring in by a file. */
export const WITHHELD = [
  "attribution",
  "author",
  "collapse",
  "externalId",
  "pinned",
  "scratchpad",
  "time",
  "trust",
  "worth",
] as const;
export type Withheld = typeof WITHHELD[number];

export const ImportReport = z.strictObject({
  format: ImportFormat,
  source: z.strictObject({
    instance: z.string(),
    workspace: Id,
    exportedAt: Timestamp,
    asOf: Timestamp.nullable(),
    clearance: Sensitivity,
  }).nullable().meta({ description: "The file's header; null for other formats" }),
  complete: z.boolean().meta({ description: "False: the file was truncated, and `partial` allowed it" }),
  lines: z.int().min(0).meta({ description: "Number of lines, without the first and the last" }),
  ...ImportCounts.shape,
  mapped: z.int().min(0).meta({ description: "Resources whose id here differs from their id in the file" }),
  kinds: z.record(z.string(), ImportCounts),
  withheld: z.record(z.string(), z.int().min(1)).meta({
    description:
      "How many lines were imported without a member, because the key lacks `memory:admin`: `attribution` (above `imported`), `author`, `collapse` (what a session collapsed to), `pinned`, `scratchpad`, `time` (recorded in the future), `trust` (scores and counts since the version was written) and `worth`",
  }),
  omitted: z.record(z.string(), z.int().min(1)).meta({
    description:
      "What of another service's file was left out because it is no memory, such as tool calls and hidden messages, and how often",
  }),
  errors: z.array(z.strictObject({
    line: z.int().min(1).meta({
      description: "Line number; the header is line 1. In a document of another service: the number of the record",
    }),
    kind: z.string().nullable(),
    id: z.string().nullable(),
    code: z.string(),
    message: z.string(),
  })).meta({ description: `The first ${IMPORT_ERRORS_MAX} lines that were refused` }),
  errorsOmitted: z.int().min(0),
}).meta({ id: "ImportReport", description: "What was imported, and which lines were refused" });
export type ImportReport = z.infer<typeof ImportReport>;

/** Lines that the report of a trial shows at most, and the length of what it shows of one. */
export const IMPORT_SAMPLES_MAX = 10;
export const IMPORT_SAMPLE_CHARACTERS_MAX = 200;

export const ImportSample = z.strictObject({
  line: z.int().min(1).meta({ description: "Line number; the header is line 1" }),
  kind: TransferKind,
  id: z.string().nullable().meta({ description: "The id that it would have here" }),
  outcome: z.enum(["created", "updated", "unchanged"]),
  text: z.string().nullable().meta({
    description: `The first ${IMPORT_SAMPLE_CHARACTERS_MAX} characters of what it says; null if it has no text`,
  }),
}).meta({ id: "ImportSample" });
export type ImportSample = z.infer<typeof ImportSample>;

/** What HTTP answers: the report, and with `dryRun` what else a trial shows. */
export const ImportReply = ImportReport.extend({
  dryRun: z.literal(true).optional().meta({ description: "The service tried the import and undid it" }),
  samples: z.array(ImportSample).optional().meta({
    description:
      `With \`dryRun\`: up to ${IMPORT_SAMPLES_MAX} lines that were accepted, the first ones of each kind in turn`,
  }),
}).meta({ id: "ImportReply", description: "What was created, changed, left as it was, left out and refused" });
export type ImportReply = z.infer<typeof ImportReply>;
