/** Export (v2). Interface §2.1 and §4.9. */
import { ExportQuery } from "../../schema/transfer.ts";
import { rawEndpoint } from "../endpoint.ts";
import { EXPORT_DESCRIPTION, EXPORT_RESPONSES, replyExport } from "../transfer_endpoints.ts";

/** Streams a workspace as JSONL. */
export const exportWorkspace = rawEndpoint({
  method: "get",
  path: "/export",
  operationId: "exportWorkspace",
  summary: "Export the workspace as JSONL",
  description: EXPORT_DESCRIPTION,
  scope: "memory:export",
  query: ExportQuery,
  responses: EXPORT_RESPONSES,
}, (ctx, { query }) => replyExport(ctx, query));
