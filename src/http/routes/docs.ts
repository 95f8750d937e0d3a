/** `/v1/docs`: the interactive reference, from the service itself. */
import { createHash } from "node:crypto";
import { Scalar } from "@scalar/hono-api-reference";
import { Hono } from "hono";
import { z } from "@hono/zod-openapi";
import { referenceScript } from "../reference_ui.ts";
import { type Group, rawRoute } from "../route.ts";

export const GROUP: Group = {
  name: "Documentation",
  section: "Operation",
  description: "This reference, and the OpenAPI document behind it.",
};

/**
 * The page loads nothing from, and sends nothing to, another host. The reference needs inline styles; the only inline
 * scripts that run are the one that starts it and the one before it.
 */
const contentSecurityPolicy = (inlineScripts: readonly string[]) =>
  [
    "default-src 'none'",
    `script-src 'self' ${
      inlineScripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`).join(" ")
    }`,
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
    persistAuth: true,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
  }),
);

/** The reference would keep the key on the disk, for all tabs and for ever; so it is kept for the tab alone. */
const KEEP_IN_TAB = 'Object.defineProperty(window, "localStorage", { value: window.sessionStorage });';

interface DocsPage {
  readonly html: string;
  readonly policy: string;
}

let made: Promise<DocsPage> | undefined;

async function makePage(): Promise<DocsPage> {
  const made = await (await page.request("/")).text();
  if (listInlineScripts(made).length !== 1) throw new Error("The reference page has not one inline script");
  const html = made.replace("<script", `<script>${KEEP_IN_TAB}</script>\n<script`);
  return { html, policy: contentSecurityPolicy(listInlineScripts(html)) };
}

/** The texts of the inline scripts of a page. */
function listInlineScripts(html: string): string[] {
  return html.split("<script").slice(1).flatMap((rest) => {
    const begin = rest.indexOf(">") + 1;
    const isElsewhere = rest.slice(0, begin).includes(" src=");
    return isElsewhere ? [] : [rest.slice(begin, rest.indexOf("</script>"))];
  });
}

/** The interactive reference. */
export const getDocs = rawRoute({
  method: "get",
  path: "/docs",
  id: "getDocs",
  summary: "The interactive API reference",
  description: "A page that shows this document and sends requests. It loads nothing from another host.",
  scope: "public",
  responses: { 200: { description: "A page", content: { "text/html": { schema: z.string() } } } },
}, async () => {
  const { html, policy } = await (made ??= makePage());
  return new Response(html, {
    headers: { "content-type": "text/html; charset=UTF-8", "content-security-policy": policy },
  });
});

/** The script of the reference page. */
export const getDocsScript = rawRoute(
  {
    method: "get",
    path: "/docs/reference.js",
    id: "getDocsScript",
    summary: "The script of the interactive API reference",
    description: "What `/docs` runs. The program carries it.",
    scope: "public",
    responses: { 200: { description: "JavaScript", content: { "text/javascript": { schema: z.string() } } } },
  },
  async ({ address }, { raw, sharedFiles }) =>
    sharedFiles.reply(raw, referenceScript(), {
      source: address,
      headers: { "cache-control": "public, max-age=3600, no-transform" },
    }),
);
