/** The browser script of the API reference, carried in the program (made by `scripts/gen/docs_ui.ts`). */
import { gunzipSync } from "node:zlib";
import packedText from "../gen/scalar_reference.js.gz.b64.txt" with { type: "text" };
import { makeSharedFile, type SharedFile } from "./shared_file.ts";

let script: SharedFile | undefined;

/** The script, unpacked at first use. */
export function referenceScript(): SharedFile {
  if (!script) {
    const packed = Uint8Array.fromBase64(packedText);
    script = makeSharedFile("text/javascript; charset=utf-8", gunzipSync(packed), packed);
  }
  return script;
}
