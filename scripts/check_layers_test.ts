import { deepEqual, equal, match } from "node:assert/strict";
import { findCircles, judgeEdge } from "./check_layers.ts";

Deno.test("an import that the table allows passes, every other one is named", () => {
  const allowed = [
    ["domain/facts.ts", "db/queries/facts.ts"],
    ["domain/recall/mod.ts", "retrieval/ranker.ts"],
    ["http/routes/docs.ts", "domain/facts.ts"],
    ["db/migrations.ts", "../migrations/0001_access.sql"],
    ["db/pool.ts", "npm:/postgres@3.4.9"],
    ["main.ts", "db/pool.ts"],
    ["db/scope_test.ts", "http/app.ts"],
  ];
  for (const [from, to] of allowed) equal(judgeEdge({ from, to, typeOnly: false }), undefined, `${from} → ${to}`);
  const refused = [
    ["http/routes/docs.ts", "db/scope.ts"],
    ["http/app.ts", "crypto/hash.ts"],
    ["http/app.ts", "rpc/service.ts"],
    ["domain/facts.ts", "http/problem.ts"],
    ["retrieval/text.ts", "db/scope.ts"],
    ["db/scope.ts", "domain/facts.ts"],
    ["kv/memory.ts", "db/scope.ts"],
    ["domain/facts.ts", "npm:/postgres@3.4.9"],
    ["domain/facts.ts", "npm:hono@4.13.19"],
    ["domain/facts.ts", "inference/_fault_server.ts"],
    ["domain/facts.ts", "../tests/_postgres.ts"],
    ["domain/facts.ts", "../migrations/0001_access.sql"],
    ["novelty/a.ts", "errors.ts"],
  ];
  for (const [from, to] of refused) {
    match(judgeEdge({ from, to, typeOnly: false }) ?? "allowed", new RegExp(`^${from}`), `${from} → ${to}`);
  }
});

Deno.test("the context may import types of the parts and no values", () => {
  equal(judgeEdge({ from: "context.ts", to: "db/scope.ts", typeOnly: true }), undefined);
  match(judgeEdge({ from: "context.ts", to: "db/scope.ts", typeOnly: false }) ?? "", /may not import values of db/);
});

Deno.test("circles of value imports are found, circles of types are not circles", () => {
  const edge = (from: string, to: string, typeOnly = false) => ({ from, to, typeOnly });
  deepEqual(findCircles([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("c", "d")]), [["a", "b", "c"]]);
  deepEqual(findCircles([edge("a", "b"), edge("b", "a", true)]), []);
  deepEqual(findCircles([edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")]), []);
});
