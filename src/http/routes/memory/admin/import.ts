/** Import (v3). Interface §4.9. */
import { ImportQuery } from "../../../../schema/transfer.ts";
import { rawEndpoint } from "../../../endpoint.ts";
import {
  IMPORT_BODY,
  IMPORT_BYTES_MAX,
  IMPORT_DESCRIPTION,
  IMPORT_RESPONSES,
  replyImport,
} from "../../../transfer_endpoints.ts";

/** Imports a file into the memory. */
export const importMemory = rawEndpoint({
  method: "post",
  path: "/memory/admin/import",
  operationId: "importMemory",
  summary: "Import in bulk",
  description: IMPORT_DESCRIPTION,
  scope: "memory:import",
  query: ImportQuery,
  bytes: IMPORT_BODY,
  bodyBytesMax: IMPORT_BYTES_MAX,
  writesInParts: true,
  responses: IMPORT_RESPONSES,
}, (ctx, { query, bytes }) => replyImport(ctx, bytes, query));
