import { deepEqual, equal, match } from "node:assert/strict";
import { judge, judgeEdge } from "./check_layers.ts";
import { type Edge, findCircles, listReexported } from "./edges.ts";
import { findFolderCircles, judgeEntrance, judgeFloors, judgePlaces } from "./rooms.ts";

const edge = (from: string, to: string, more: Partial<Edge> = {}): Edge => ({ from, to, typeOnly: false, ...more });

Deno.test("an import that the table allows passes, every other one is named", () => {
  const allowed = [
    ["domain/kinds/facts/read.ts", "db/queries/facts.ts"],
    ["domain/recall/mod.ts", "retrieval/ranker.ts"],
    ["http/stream_socket.ts", "domain/feed/watch.ts"],
    ["db/migrations.ts", "../migrations/0001_access.sql"],
    ["db/pool.ts", "npm:/postgres@3.4.9"],
    ["operations/facts.ts", "domain/kinds/facts/mod.ts"],
    ["http/routes/memory/facts.ts", "operations/facts.ts"],
    ["rpc/methods/facts.ts", "operations/facts.ts"],
    ["main.ts", "db/pool.ts"],
    ["db/scope_test.ts", "http/app.ts"],
  ];
  for (const [from, to] of allowed) equal(judgeEdge({ from, to, typeOnly: false }), undefined, `${from} → ${to}`);
  const refused = [
    ["http/routes/docs.ts", "db/database.ts"],
    ["http/routes/memory/facts.ts", "domain/kinds/facts/create.ts"],
    ["rpc/methods/facts.ts", "domain/kinds/facts/create.ts"],
    ["workers/mod.ts", "operations/facts.ts"],
    ["operations/facts.ts", "http/route.ts"],
    ["operations/facts.ts", "edge/admit.ts"],
    ["operations/facts.ts", "db/database.ts"],
    ["operations/facts.ts", "npm:hono@4.13.19"],
    ["domain/kinds/facts/mod.ts", "operations/facts.ts"],
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

Deno.test("the context may not import types of the domain", () => {
  match(
    judgeEdge(edge("context.ts", "domain/recall/hot/tier.ts", { typeOnly: true })) ?? "",
    /layer context may not import types of domain/,
  );
});

Deno.test("circles of imports are found, those of types too", () => {
  deepEqual(findCircles([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("c", "d")]), [["a", "b", "c"]]);
  deepEqual(findCircles([edge("a", "b"), edge("b", "a", { typeOnly: true })]), [["a", "b"]]);
  deepEqual(findCircles([edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")]), []);
});

Deno.test("a room imports the rooms of lower floors alone", () => {
  equal(judgeFloors(edge("domain/unit/store.ts", "domain/common/tokens.ts")), undefined);
  equal(judgeFloors(edge("domain/feed/watch.ts", "domain/unit/names/near.ts")), undefined);
  equal(judgeFloors(edge("domain/kinds/facts/write.ts", "domain/kinds/entities/read.ts")), undefined);
  equal(judgeFloors(edge("domain/unit/store_test.ts", "domain/feed/watch.ts")), undefined);
  equal(judgeFloors(edge("operations/facts.ts", "domain/feed/watch.ts")), undefined);
  match(judgeFloors(edge("domain/unit/store.ts", "domain/kinds/skills.ts")) ?? "", /unit may not .* higher floor/);
  match(
    judgeFloors(edge("domain/unit/purge.ts", "domain/kinds/facts/fields.ts", { typeOnly: true })) ?? "",
    /unit may not .* higher floor/,
  );
  match(judgeFloors(edge("domain/tasks/tasks.ts", "domain/graph/walk.ts")) ?? "", /tasks may not .* same floor/);
  const federation = (from: string, to: string) =>
    judgeFloors(edge(`domain/federation/${from}`, `domain/federation/${to}`)) ?? "";
  equal(federation("exchange/pull.ts", "applying/receive.ts"), "");
  match(federation("register/stored_items.ts", "applying/settle.ts"), /register may not .* applying, .* higher floor/);
  match(federation("decision/judge.ts", "peers/peers.ts"), /decision may not .* peers, .* same floor/);
});

Deno.test("circles of rooms, and of folders side by side in one, are found, also where no files form one", () => {
  const rooms = [
    edge("domain/tasks/a.ts", "domain/graph/b.ts"),
    edge("domain/graph/c.ts", "domain/recall/deep/d.ts", { typeOnly: true }),
    edge("domain/recall/e.ts", "domain/tasks/f.ts"),
  ];
  deepEqual(findCircles(rooms), []);
  deepEqual(findFolderCircles(rooms), [["domain/graph", "domain/recall", "domain/tasks"]]);
  deepEqual(findFolderCircles(rooms.slice(1)), []);
  const beside = [
    edge("domain/kinds/facts/a.ts", "domain/kinds/entities/b.ts"),
    edge("domain/kinds/entities/c.ts", "domain/kinds/facts/d.ts"),
  ];
  deepEqual(findFolderCircles(beside), [["domain/kinds/entities", "domain/kinds/facts"]]);
  const within = [
    edge("domain/unit/a.ts", "domain/unit/names/b.ts"),
    edge("domain/unit/names/c.ts", "domain/unit/d.ts"),
  ];
  deepEqual(findFolderCircles(within), [], "a folder and the one that it stands in belong together");
});

Deno.test("a folder with a mod.ts is entered by it alone", () => {
  const files = new Set(["retrieval/mod.ts", "retrieval/text.ts", "domain/unit/store.ts"]);
  equal(judgeEntrance(edge("domain/recall/a.ts", "retrieval/mod.ts"), files), undefined);
  equal(judgeEntrance(edge("retrieval/ranker.ts", "retrieval/text.ts"), files), undefined);
  equal(judgeEntrance(edge("domain/recall/a.ts", "domain/unit/store.ts"), files), undefined);
  equal(judgeEntrance(edge("domain/recall/_bench.ts", "retrieval/text.ts"), files), undefined);
  match(judgeEntrance(edge("domain/recall/a.ts", "retrieval/text.ts"), files) ?? "", /entered by its mod.ts/);
  const inner = new Set(["http/routes/mod.ts"]);
  match(judgeEntrance(edge("http/app.ts", "http/routes/memory/facts.ts"), inner) ?? "", /http\/routes is entered/);
});

Deno.test("nothing is exported again from another layer or room", () => {
  const judged = (from: string, to: string) => judgeEntrance(edge(from, to, { reexports: true }), new Set()) ?? "";
  equal(judged("retrieval/mod.ts", "retrieval/text.ts"), "");
  equal(judged("domain/self/mod.ts", "domain/self/edit.ts"), "");
  match(judged("domain/relations/read.ts", "db/queries/edges.ts"), /another layer/);
  match(judged("config.ts", "schema/regions.ts"), /another layer/);
  match(judged("domain/relations/read.ts", "domain/unit/relation_fields.ts"), /another room/);
  const forms = [
    'export { a } from "./x.ts";',
    'export type { A } from "./x.ts";',
    'export * from "./x.ts";',
    'export * as x from "./x.ts";',
    'export {\n  a,\n  type B,\n} from "./x.ts";',
    'import { a } from "./x.ts";\nexport { a };',
    'import type { A } from "./x.ts";\nexport type { A, B };',
  ];
  for (const form of forms) deepEqual([...listReexported(form)], ["./x.ts"], form);
  deepEqual([...listReexported('import { a } from "./x.ts";\nexport const b = a;\nexport { b };')], []);
});

Deno.test("files stand in rooms, and none beside a folder of its name", () => {
  deepEqual(judgePlaces(new Set(["app.ts", "domain/unit/store.ts", "cli/main.ts"])), []);
  match(judgePlaces(new Set(["domain/facts.ts"]))[0] ?? "", /^domain\/facts.ts: stands in no room/);
  match(judgePlaces(new Set(["domain/novelty/a.ts"]))[0] ?? "", /^domain\/novelty: stands on no floor/);
  match(
    judgePlaces(new Set(["domain/federation/a.ts"]))[0] ?? "",
    /a.ts: stands in no room of src\/domain\/federation/,
  );
  match(judgePlaces(new Set(["domain/federation/far/a.ts"]))[0] ?? "", /federation\/far: stands on no floor/);
  match(judgePlaces(new Set(["cli.ts", "cli/keys.ts"]))[0] ?? "", /^cli.ts: stands beside the folder cli/);
  match(
    judgePlaces(new Set(["domain/kinds/facts.ts", "domain/kinds/facts/read.ts"]))[0] ?? "",
    /facts.ts: stands beside the folder domain\/kinds\/facts/,
  );
});

Deno.test("the program asks for every rule", () => {
  const faults = judge([
    edge("http/app.ts", "db/database.ts"),
    edge("domain/unit/a.ts", "domain/kinds/b.ts"),
    edge("domain/kinds/b.ts", "domain/unit/a.ts"),
    edge("domain/recall/a.ts", "retrieval/text.ts", { reexports: true }),
    edge("domain/recall/a.ts", "retrieval/ranker.ts"),
  ], new Set(["retrieval/mod.ts", "domain/loose.ts"]));
  for (
    const rule of [
      /layer http may not/,
      /room unit may not/,
      /exports again/,
      /entered by its mod.ts/,
      /stands in no room/,
      /^circle of imports: domain\/kinds\/b.ts, domain\/unit\/a.ts/,
      /^circle of folders: domain\/kinds, domain\/unit/,
    ]
  ) equal(faults.filter((fault) => rule.test(fault)).length, 1, `${rule}: ${faults.join("\n")}`);
});
