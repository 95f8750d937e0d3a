// deno-lint-ignore-file
import { isForeign, tellsAbroad } from "../../src/language/foreign_talk.ts";
for (const t of Deno.args) console.log(t, isForeign(t), tellsAbroad(t));
