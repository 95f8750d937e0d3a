import assert from "node:assert/strict";
import { ServiceError } from "../../errors.ts";
import { resolveTurns, type SaidTurn } from "./same_turn.ts";

const hello: SaidTurn & { messageId: string } = { role: "user", name: "Ann", content: "Hello", messageId: "m1" };

Deno.test("a turn without a message id is always new, the same words twice are two turns", () => {
  const said = { role: "user", content: "Hello" };
  assert.deepEqual(resolveTurns([said, said], new Map()), [{ kind: "new" }, { kind: "new" }]);
});

Deno.test("a repeated message id with the same role, name and content is the same turn", () => {
  const row: SaidTurn = { role: "user", name: "Ann", content: "Hello" };
  assert.deepEqual(resolveTurns([hello], new Map([["m1", row]])), [{ kind: "stored", row }]);
  assert.deepEqual(resolveTurns([hello, hello], new Map()), [{ kind: "new" }, { kind: "repeated", index: 0 }]);
});

Deno.test("a missing name and a null name are the same", () => {
  const row: SaidTurn = { role: "user", name: null, content: "Hello" };
  const input = { role: "user", content: "Hello", messageId: "m1" };
  assert.deepEqual(resolveTurns([input], new Map([["m1", row]])), [{ kind: "stored", row }]);
});

Deno.test("a message id that stands for other words, another role or another speaker is refused where it is", () => {
  for (const other of [{ content: "Bye" }, { role: "assistant" }, { name: "Bob" }, { name: null }]) {
    const inputs = [{ ...hello, messageId: "m0" }, { ...hello, ...other }];
    const check = (error: unknown) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, "conflict");
      assert.deepEqual(error.errors?.map((fault) => fault.path), ["turns.1.messageId"]);
      return true;
    };
    assert.throws(() => resolveTurns(inputs, new Map([["m1", hello]])), check);
    assert.throws(() => resolveTurns([hello, { ...hello, ...other }], new Map()), check);
  }
});
