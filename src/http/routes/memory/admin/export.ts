/** Export (v3). Interface §4.9. */
import { ExportBody } from "../../../../schema/transfer.ts";
import { rawEndpoint } from "../../../endpoint.ts";
import { EXPORT_DESCRIPTION, EXPORT_RESPONSES, replyExport } from "../../../transfer_endpoints.ts";

/** Streams a workspace as JSONL. */
export const exportMemory = rawEndpoint({
  method: "post",
  path: "/memory/admin/export",
  operationId: "exportMemory",
  summary: "Export the whole memory as JSONL",
  description: EXPORT_DESCRIPTION,
  scope: "memory:export",
  body: ExportBody,
  example: { body: { types: ["fact", "decision"] } },
  responses: EXPORT_RESPONSES,
}, (ctx, { body }) => replyExport(ctx, body));
