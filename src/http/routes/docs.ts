/** The OpenAPI document and the interactive reference, from the service itself. Interface §4.11. */
import { Scalar } from "@scalar/hono-api-reference";
import { Hono } from "hono";
import { z } from "@hono/zod-openapi";
import { rawEndpoint } from "../endpoint.ts";
import { referenceScript } from "../reference_ui.ts";

/** Nothing is loaded from, or sent to, another host; the reference needs inline styles and its own inline start-up. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const page = new Hono().get(
  "/",
  Scalar({
    url: "/v1/openapi.json",
    cdn: "/v1/docs/reference.js",
    pageTitle: "svc API reference",
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
  }),
);

/** The OpenAPI 3.1.0 document; `info.version` is the running server's version. */
export const getOpenApiDocument = rawEndpoint({
  method: "get",
  path: "/openapi.json",
  operationId: "getOpenApiDocument",
  summary: "The OpenAPI 3.1 document",
  scope: "public",
  responses: { 200: { description: "OpenAPI 3.1.0", content: { "application/json": { schema: z.looseObject({}) } } } },
}, async (_, { apiDocument }) => new Response(apiDocument(), { headers: { "content-type": "application/json" } }));

/** The interactive reference. */
export const getDocs = rawEndpoint({
  method: "get",
  path: "/docs",
  operationId: "getDocs",
  summary: "The interactive API reference",
  scope: "public",
  responses: { 200: { description: "A page", content: { "text/html": { schema: z.string() } } } },
}, async () => {
  const reply = await page.request("/");
  const headers = new Headers(reply.headers);
  headers.set("content-security-policy", CONTENT_SECURITY_POLICY);
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  return new Response(reply.body, { headers });
});

/** The script of the reference page. */
export const getDocsScript = rawEndpoint({
  method: "get",
  path: "/docs/reference.js",
  operationId: "getDocsScript",
  summary: "The script of the interactive API reference",
  scope: "public",
  responses: { 200: { description: "JavaScript", content: { "text/javascript": { schema: z.string() } } } },
}, async () => {
  const { text, etag } = referenceScript();
  return new Response(text, {
    headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "public, max-age=3600", etag },
  });
});
