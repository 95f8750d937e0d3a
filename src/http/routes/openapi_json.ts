/** `/v1/openapi.json` */
import { z } from "@hono/zod-openapi";
import { rawRoute } from "../route.ts";

export { GROUP } from "./docs.ts";

/** The OpenAPI 3.1.0 document; `info.version` is the running server's version. */
export const getOpenApiDocument = rawRoute(
  {
    method: "get",
    path: "/openapi.json",
    id: "getOpenApiDocument",
    summary: "The OpenAPI 3.1 document",
    description: "What generators of clients and the reference read. It describes the running version.",
    scope: "public",
    responses: {
      200: {
        description: "OpenAPI 3.1.0",
        content: {
          "application/json": {
            schema: z.looseObject({}).meta({ id: "OpenApiDocument", description: "This document" }),
          },
        },
      },
    },
  },
  async ({ address }, { raw, apiDocument, sharedFiles }) => sharedFiles.reply(raw, apiDocument(), { source: address }),
);
