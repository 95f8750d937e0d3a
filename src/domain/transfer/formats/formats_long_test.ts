/** Files of other products: no text takes more than linear time. Left out of the quick form. */
import assert from "node:assert/strict";
import { readLine } from "./claude_code.ts";
import { cutBetween } from "./document.ts";
import { HindsightReader } from "./hindsight.ts";
import { Budget, type Maker } from "./lines.ts";
import { fromLetta } from "./letta.ts";
import { markdownLines } from "./markdown.ts";

function makeMaker(source: string): Maker {
  const now = "2026-01-01T00:00:00.000Z";
  return { source, now, actor: "a", tags: [], omit: () => {}, budget: new Budget() };
}

Deno.test("what records share does not multiply", () => {
  const block = { id: "b", label: "l", value: "- one\n- two\n" };
  const agents = [{ name: "Ada", block_ids: Array(100_000).fill("b") }];
  const record = (value: Record<string, unknown>) => ({ no: 1, list: "", value });
  assert.equal(fromLetta(makeMaker("letta"), record({ agents, blocks: [block] })).length, 2);
  const many = Array.from({ length: 100_000 }, (_, i) => ({ name: `${i}`, block_ids: ["b"] }));
  const large = { ...block, value: "x".repeat(1_000_000) };
  for (const blocks of [[large], [{ ...block, value: "- one\n- two\n- three\n" }]]) {
    assert.throws(
      () => fromLetta(makeMaker("letta"), record({ agents: many, blocks })),
      { code: "payload_too_large" },
    );
  }
  const id = "x".repeat(1_000_000);
  const tags = Array.from({ length: 50_000 }, (_, i) => `t${i}`);
  const facts = Array.from({ length: 10_000 }, (_, i) => ({ text: `${i}` }));
  const reader = new HindsightReader(makeMaker("hindsight"), {});
  assert.equal(reader.read({ no: 1, list: "documents", value: { id, tags, facts } }).length, 10_000);
});

Deno.test("hostile Markdown and transcripts take no longer than their length", () => {
  const maker = makeMaker("markdown");
  const many = 300_000;
  for (
    const text of [
      "<!--".repeat(many),
      `# ${" ".repeat(many)}x`,
      `# ${"# ".repeat(many)}x`,
      `${"- ".repeat(many)}x`,
      `---\n${"a: &a [".repeat(2_000)}\n---\n`,
      `---\na: &a [1,1]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]\n---\nx`,
      `- "${"a".repeat(many)}`,
      `- ${"[[".repeat(many)}`,
      "[".repeat(many),
    ]
  ) markdownLines(maker, { path: "x.md", text });
  const content = "<system-reminder>".repeat(many);
  const line = { type: "user", uuid: "u", sessionId: "s", message: { role: "user", content } };
  assert.equal(readLine(line, () => {})?.content.length, content.length);
  assert.deepEqual(cutBetween("a<!--b-->c<!--d", "<!--", "-->"), { text: "ac<!--d", count: 1 });
  assert.throws(
    () => markdownLines(maker, { path: "x.md", text: "a\n\n".repeat(30_000) }),
    /more than 20000 paragraphs/,
  );
});
