import assert from "node:assert/strict";
import { toStatementForm } from "./statement_form.ts";

Deno.test("the same words in another dress are the same statement", () => {
  const pairs = [
    ["Mara prefers tea.", "mara prefers Tea"],
    ["The user likes dark mode!", "the user likes  dark mode …"],
    ["“Carpe diem” is Ivo’s motto.", '"Carpe diem" is Ivo\'s motto'],
    ["«Привет» сказал Олег.", '"привет" сказал олег'],
    ["Café\u200b Luna opens at nine.", "Cafe\u0301 Luna opens at nine"],
    ["図書館は九時に開く。", "図書館は九時に開く"],
    ["STRASSE 5 is closed.", "Straße 5 is closed."],
  ];
  for (const [a, b] of pairs) assert.equal(toStatementForm(a!), toStatementForm(b!), `${a} / ${b}`);
});

Deno.test("other words, a question and the capitals of an identifier make another statement", () => {
  const pairs = [
    ["Is Mara tall?", "Is Mara tall."],
    ["The token is aB3x.", "The token is Ab3x."],
    ["Call getUser first.", "Call GetUser first."],
    ["Mara is tall.", "Mara is not tall."],
    ["resume", "résumé"],
    ["The fee is 1.5.", "The fee is 15."],
  ];
  for (const [a, b] of pairs) assert.notEqual(toStatementForm(a!), toStatementForm(b!), `${a} / ${b}`);
});
