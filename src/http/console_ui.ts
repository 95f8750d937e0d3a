/** The files of the console, carried in the program (made by `scripts/gen/console.ts`). */
import { gunzipSync } from "node:zlib";
import packedScript from "../gen/console.js.gz.b64.txt" with { type: "text" };
import styles from "../gen/console.css.txt" with { type: "text" };
import { makeSharedFile, type SharedFile } from "./shared_file.ts";

/**
 * The page runs its own script and nothing else, whatever a stored text holds: no inline script or style, no other host,
 * and no way for a script to turn a text into HTML.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export interface ConsoleFiles {
  readonly page: SharedFile;
  readonly script: SharedFile;
  readonly styles: SharedFile;
}

const encoder = new TextEncoder();
let made: ConsoleFiles | undefined;

/** The files, unpacked at first use. The page names the others by what they hold, so that browsers keep them. */
export function consoleFiles(): ConsoleFiles {
  if (made !== undefined) return made;
  const packed = Uint8Array.fromBase64(packedScript);
  const script = makeSharedFile("text/javascript; charset=utf-8", gunzipSync(packed), packed);
  const css = makeSharedFile("text/css; charset=utf-8", encoder.encode(styles));
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Memory console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="app.css?v=${versionOf(css)}">
<script type="module" src="app.js?v=${versionOf(script)}"></script>
<body><div id="app"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
  return made = { page: makeSharedFile("text/html; charset=utf-8", encoder.encode(html)), script, styles: css };
}

/** What names the state of a file in its address. */
export function versionOf({ etag }: SharedFile): string {
  return etag.slice(1, -1);
}
