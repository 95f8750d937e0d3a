import { equal, match } from "node:assert/strict";
import { refusalOfDeno } from "./version.ts";

Deno.test("a Deno that is too old is told what to do, any other is taken", () => {
  for (const old of ["1.46.3", "2.0.0", "2.5.6", "2.8.3", "2.8.0-rc.1"]) {
    match(refusalOfDeno(old) ?? "", new RegExp(`this is Deno ${old}.*deno upgrade.*npx`));
  }
  for (const fit of ["2.9.0", "2.9.6", "2.10.0", "2.9.7+abc", "3.0.0"]) equal(refusalOfDeno(fit), undefined);
  equal(refusalOfDeno(), undefined);
});
