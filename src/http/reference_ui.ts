/** The browser script of the API reference, carried in the program (made by `scripts/gen_docs_ui.ts`). */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import packed from "../gen/scalar_reference.js.gz.b64.txt" with { type: "text" };

let script: { readonly text: string; readonly etag: string } | undefined;

/** The script, unpacked at first use. */
export function referenceScript(): { readonly text: string; readonly etag: string } {
  if (!script) {
    const bytes = gunzipSync(Uint8Array.fromBase64(packed));
    script = {
      text: new TextDecoder().decode(bytes),
      etag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`,
    };
  }
  return script;
}
