import assert from "node:assert/strict";
import { hasInvisible } from "./invisible_text.ts";

Deno.test("T47 what people do not see is told apart from what scripts and emoji are written with", () => {
  const seen = [
    "",
    "plain\r\n\ttext",
    "naïve é e\u0301 Ω 中文 한국어",
    "family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}, heart \u2764\ufe0f, flag \u{1f1e9}\u{1f1ea}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "می\u200cخواهم",
    "क्\u200dष",
    "no\u00a0break",
    "next\u0085line",
  ];
  for (const text of seen) assert.equal(hasInvisible(text), false, JSON.stringify(text));
  const hidden = [
    "tag\u{e0041}\u{e0042}",
    "\u{1f3f4}\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e0020}\u{e0061}\u{e006c}\u{e006c}\u{e007f}",
    "\u202eabc",
    "a\u2066b\u2069",
    "zero\u200bwidth",
    "\ufeffmark",
    "so\u00adft",
    "bell\u0007",
    "esc\u001b[31m",
    "c1\u009b31m",
    "selector \u{e0100}\u{e0155}",
    "\u2063invisible operator",
    "\ufff9annotation\ufffb",
  ];
  for (const text of hidden) assert.equal(hasInvisible(text), true, JSON.stringify(text));
});
