/** `/v1/errors`: what each error code means and what to do, as pages for people. */
import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { ERROR_HELP } from "../../error_help.ts";
import { ERROR_CODES, type ErrorCode, ServiceError } from "../../errors.ts";
import { rawRoute } from "../route.ts";

export { GROUP } from "./docs.ts";

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const STYLE = "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}" +
  "code{font-size:.9em}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}a{color:#9cf}}";

/** The pages run no script and load nothing. */
const POLICY = `default-src 'none'; style-src 'sha256-${
  createHash("sha256").update(STYLE).digest("base64")
}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const escape = (text: string) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]!);

/** A sentence in which backticks mark code, as HTML. */
const toHtml = (text: string) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");

function replyPage(title: string, body: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style>\n` +
    `<h1>${title}</h1>\n${body}\n</html>`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=UTF-8",
      "content-security-policy": POLICY,
      "cache-control": "public, max-age=3600",
    },
  });
}

const PAGE = { 200: { description: "A page", content: { "text/html": { schema: z.string() } } } };

/** All codes. */
export const listErrors = rawRoute({
  method: "get",
  path: "/errors",
  id: "listErrors",
  summary: "All error codes",
  description: "A page for people: every error code with its status and a link to its help.",
  scope: "public",
  responses: PAGE,
}, async () => {
  const items = CODES.map((code) =>
    `<li><a href="/v1/errors/${code}"><code>${code}</code></a> (${ERROR_CODES[code].status}): ${
      ERROR_CODES[code].title
    }</li>`
  );
  return replyPage("Errors", `<ul>\n${items.join("\n")}\n</ul>`);
});

/** One code: when it occurs and what to do. */
export const getErrorHelp = rawRoute({
  method: "get",
  path: "/errors/{code}",
  id: "getErrorHelp",
  summary: "What an error code means and what to do",
  description: "The page that a refusal names in `help`.",
  scope: "public",
  params: z.strictObject({ code: z.string().max(40) }),
  responses: PAGE,
}, async (_, { input: { params: { code: asked } } }) => {
  const code = CODES.find((one) => one === asked);
  if (code === undefined) throw new ServiceError("not_found", "Cannot find this error code: /v1/errors lists all");
  const { status, title, connect } = ERROR_CODES[code];
  const retry = "retryable" in ERROR_CODES[code]
    ? "The same request may succeed later."
    : "The same request fails again until something changes.";
  return replyPage(
    title,
    `<p><code>${code}</code>, HTTP status ${status}, over RPC <code>${connect}</code>. ${retry}</p>\n` +
      `<h2>What it means</h2>\n<p>${toHtml(ERROR_HELP[code].means)}</p>\n` +
      `<h2>What to do</h2>\n<p>${toHtml(ERROR_HELP[code].remedy)}</p>\n<p><a href="/v1/errors">All errors</a></p>`,
  );
});
