import { deepEqual, equal, match } from "node:assert/strict";
import { findCircles, judgeEdge } from "./check_layers.ts";

Deno.test("an import that the table allows passes, every other one is named", () => {
  const allowed = [
    ["domain/kinds/facts/mod.ts", "db/queries/facts.ts"],
    ["domain/recall/mod.ts", "retrieval/ranker.ts"],
    ["http/routes/docs.ts", "domain/kinds/facts/mod.ts"],
    ["db/migrations.ts", "../migrations/0001_access.sql"],
    ["db/pool.ts", "npm:/postgres@3.4.9"],
    ["main.ts", "db/pool.ts"],
    ["db/scope_test.ts", "http/app.ts"],
  ];
  for (const [from, to] of allowed) equal(judgeEdge({ from, to, typeOnly: false }), undefined, `${from} → ${to}`);
  const refused = [
    ["http/routes/docs.ts", "db/database.ts"],
    ["http/app.ts", "crypto/hash.ts"],
    ["http/app.ts", "rpc/service.ts"],
    ["domain/kinds/facts/mod.ts", "http/problem.ts"],
    ["retrieval/text.ts", "db/database.ts"],
    ["db/database.ts", "domain/kinds/facts/mod.ts"],
    ["kv/memory.ts", "db/database.ts"],
    ["domain/kinds/facts/mod.ts", "npm:/postgres@3.4.9"],
    ["domain/kinds/facts/mod.ts", "npm:hono@4.13.19"],
    ["domain/kinds/facts/mod.ts", "providers/_fault_server.ts"],
    ["domain/kinds/facts/mod.ts", "../tests/_postgres.ts"],
    ["domain/kinds/facts/mod.ts", "../migrations/0001_access.sql"],
    ["novelty/a.ts", "errors.ts"],
  ];
  for (const [from, to] of refused) {
    match(judgeEdge({ from, to, typeOnly: false }) ?? "allowed", new RegExp(`^${from}`), `${from} → ${to}`);
  }
});

Deno.test("the context may import types of the parts and no values", () => {
  equal(judgeEdge({ from: "context.ts", to: "db/database.ts", typeOnly: true }), undefined);
  match(judgeEdge({ from: "context.ts", to: "db/database.ts", typeOnly: false }) ?? "", /may not import values of db/);
});

Deno.test("circles of value imports are found, circles of types are not circles", () => {
  const edge = (from: string, to: string, typeOnly = false) => ({ from, to, typeOnly });
  deepEqual(findCircles([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("c", "d")]), [["a", "b", "c"]]);
  deepEqual(findCircles([edge("a", "b"), edge("b", "a", true)]), []);
  deepEqual(findCircles([edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")]), []);
});
