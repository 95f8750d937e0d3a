// deno-lint-ignore-file
import { readChatUpdates } from "../../tests/_updates.ts";
import { tellPair } from "../../tests/_chat_updates.ts";
for (const p of await readChatUpdates() as any[]) {
  const o = tellPair(p);
  for (const w of ["older", "newer"] as const) {
    const val = w === "older" ? p.outdated : p.current;
    if (!o[w].some((s: string) => s.toLowerCase().includes(val.toLowerCase()))) {
      console.log(w, "|", p[w], "\n     =>", o[w].join(" || "));
    }
  }
}
