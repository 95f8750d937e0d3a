/** The client: what it never does twice, never sends elsewhere, never records. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "one Idempotency-Key for all tries of the client",
    file: "src/sdk/http.ts",
    defence: "{ ...init, signal: limit.signal }",
    instead:
      '{ ...init, headers: { ...init.headers as object, "idempotency-key": crypto.randomUUID() }, signal: limit.signal }',
    test: "tests/sdk/calls_test.ts",
    filter: "a change whose connection breaks off",
  },
  {
    name: "members of a path that lead to another operation",
    file: "src/sdk/request.ts",
    defence: "if (/^\\.{1,2}$/.test(text) || !text.isWellFormed())",
    instead: "if (!text.isWellFormed())",
    test: "tests/sdk/calls_test.ts",
    filter: "a member of a path",
  },
  {
    name: "the client follows no redirect",
    file: "src/sdk/request.ts",
    defence: 'redirect: "manual"',
    instead: 'redirect: "follow"',
    test: "tests/sdk/calls_test.ts",
    filter: "what is not the service",
  },
  {
    name: "a watch goes on where it was",
    file: "src/sdk/stream.ts",
    defence: "[tried, wasOpen, since] = [0, true, message.cursor];",
    instead: "[tried, wasOpen] = [0, true];",
    test: "tests/sdk/stream_test.ts",
    filter: "a watch yields each change once",
  },
  {
    name: "what memory added to a prompt is not recorded",
    file: "src/sdk/ai_sdk.ts",
    defence: '{ role: "assistant" as const, content: stripMemory(answer) }',
    instead: '{ role: "assistant" as const, content: answer }',
    test: "tests/sdk/ai_sdk_test.ts",
    filter: "what was added is never recorded",
  },
  {
    name: "a conversation goes on when its session is full",
    file: "src/sdk/ai_sdk.ts",
    defence: "if (!takesNoMore(error) || tried === PARTS_MAX) throw error;",
    instead: "if (!takesNoMore(error) || tried >= 1) throw error;",
    test: "tests/sdk/ai_sdk_test.ts",
    filter: "when its session is full or closed",
  },
  {
    name: "the time of one caller does not bound the others of a session",
    file: "src/sdk/session.ts",
    defence: '(error instanceof SvcError && error.code === "timeout")',
    instead: '(error instanceof SvcError && error.code === "unavailable")',
    test: "tests/sdk/session_test.ts",
    filter: "a caller with little time",
  },
];
