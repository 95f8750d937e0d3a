/** Import (v2). Interface §4.9. */
import { ImportQuery } from "../../schema/transfer.ts";
import { rawEndpoint } from "../endpoint.ts";
import {
  IMPORT_BODY,
  IMPORT_BYTES_MAX,
  IMPORT_DESCRIPTION,
  IMPORT_RESPONSES,
  replyImport,
} from "../transfer_endpoints.ts";

/** Imports a file into the workspace. */
export const importWorkspace = rawEndpoint({
  method: "post",
  path: "/import",
  operationId: "importWorkspace",
  summary: "Import a file into the workspace",
  description: IMPORT_DESCRIPTION,
  scope: "memory:import",
  query: ImportQuery,
  bytes: IMPORT_BODY,
  bodyBytesMax: IMPORT_BYTES_MAX,
  writesInParts: true,
  responses: IMPORT_RESPONSES,
}, (ctx, { query, bytes }) => replyImport(ctx, bytes, query));
