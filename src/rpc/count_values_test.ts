import assert from "node:assert/strict";
import { create, toBinary } from "@bufbuild/protobuf";
import { ServiceError } from "../errors.ts";
import { RecallRequestSchema, SelfEditRequestSchema } from "../gen/svc/v1/svc_pb.ts";
import { checkMessage } from "./message.ts";

const recall = (init: Parameters<typeof create<typeof RecallRequestSchema>>[1]) =>
  toBinary(RecallRequestSchema, create(RecallRequestSchema, init));

Deno.test("T52 a Protobuf message of more values than a body of JSON may have is refused before it is built", () => {
  checkMessage(RecallRequestSchema, recall({ types: Array(90_000).fill("fact") }), false);
  checkMessage(RecallRequestSchema, recall({ filters: { a: Array(45_000).fill(null) } }), false);
  for (
    const [what, bytes] of [
      ["elements of a list", recall({ types: Array(100_001).fill("fact") })],
      ["values in a member of a map", recall({ filters: { a: { b: Array(60_000).fill(null) } } })],
      // The following bytes are no message, but counting stops before them.
      ["a broken end", new Uint8Array([...recall({ types: Array(100_001).fill("") }), 0xff])],
      ["fields that it does not have", new Uint8Array(300_003).map((_, i) => [0xf8, 0x7f, 0][i % 3]!)],
    ] as const
  ) {
    assert.throws(() => checkMessage(RecallRequestSchema, bytes, false), (error) => {
      assert.ok(error instanceof ServiceError, what);
      assert.equal(error.message, "Cannot accept the message: it has more than 100000 values", what);
      assert.deepEqual([error.code, error.errors?.length], ["validation_failed", 1], what);
      return true;
    });
  }
});

Deno.test("T52 a message in a Protobuf message counts as ten values, empty as it may be", () => {
  const edit = (count: number) =>
    toBinary(SelfEditRequestSchema, create(SelfEditRequestSchema, { operations: Array(count).fill({}) }));
  checkMessage(SelfEditRequestSchema, edit(10_000), false);
  assert.throws(() => checkMessage(SelfEditRequestSchema, edit(10_001), false), {
    message: "Cannot accept the message: it has more than 100000 values",
  });
});

Deno.test("bytes that are no message are refused as such, however they are broken", () => {
  for (
    const bytes of [[0x0a], [0x3a, 5, 0x0a], [0x3a, 0xff, 0xff, 0xff, 0xff, 0xff], [0], [0x0b], [0x3a, 2, 0x0a, 9]]
  ) {
    assert.throws(
      () => checkMessage(RecallRequestSchema, new Uint8Array(bytes), false),
      (error) => error instanceof ServiceError && error.code === "invalid_request",
      String(bytes),
    );
  }
});
