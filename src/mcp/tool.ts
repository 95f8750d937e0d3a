/**
 * `tool()` binds operations to a tool of MCP. The tool adds what is specific to models: a description that says when to use
 * it, a small input, and an answer in few tokens. Scope, validation, audit, rate and costs come from the operations.
 */
import type { z } from "zod";
import { type Annotations, type DescribedTool, describeTool, type ToolWords } from "./describe_tool.ts";
import type { Given, KeyAccess, Operation, OperationHead } from "../operations/operation.ts";

export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };
/** Repeating the call changes nothing more. */
export const WRITES: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The functions for the handler of a tool: it runs operations, each checked, charged and recorded as over HTTP. */
export interface ToolCall {
  /** Whether the key has a scope. */
  may(scope: KeyAccess): boolean;
  /** The time by the service's clock. */
  readonly now: Date;
  /** @throws ServiceError as the operation does, and `rate_limited` if it costs more than the call has paid */
  run<I, O>(operation: Operation<I, O>, given: Given): Promise<Ran<O>>;
  /** Runs a read that completes the answer of an earlier operation: it costs nothing more. */
  runBeside<I, O>(operation: Operation<I, O>, given: Given): Promise<Ran<O>>;
  /**
   * Like `runBeside`, for a read that only adds words to an answer. Undefined if the key may not do it or it is
   * refused, because the earlier work stays done.
   */
  tryRun<I, O>(operation: Operation<I, O>, given: Given): Promise<Ran<O> | undefined>;
  /** The operation that forgets this unit, whatever its type is. */
  findForgetting(id: string): Promise<Operation>;
}

export interface Ran<O> {
  readonly status: number;
  /** The reply as JSON has it. */
  readonly body: O;
}

/** Each repetition of the call writes again. */
export const ADDS: Annotations = { ...WRITES, idempotentHint: false };

export interface ToolAnswer {
  /** For the model, without the line that opens every answer. */
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

interface ToolSpec<I extends z.ZodObject, O extends z.ZodObject> extends ToolWords {
  readonly input: I;
  readonly output: O;
}

/** A tool as the server lists and calls it. */
export interface Tool extends ToolSpec<z.ZodObject, z.ZodObject> {
  readonly name: string;
  /** How `tools/list` shows it. */
  readonly described: DescribedTool;
  /** The first operation that it runs: the key needs its scope, and refusals are recorded under its name. */
  readonly operation: OperationHead & { readonly scope: KeyAccess };
  readonly run: (call: ToolCall, input: never) => Promise<ToolAnswer>;
}

/** Declares a tool. `run` calls operations and puts their replies into words. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(
  name: string,
  operation: Tool["operation"],
  spec: ToolSpec<I, O>,
  run: (call: ToolCall, input: z.output<I>) => Promise<ToolAnswer & { readonly data: z.input<O> }>,
): Tool {
  return { name, operation, ...spec, described: describeTool(name, spec), run };
}
