/**
 * Calls that must compile and calls that must not: `deno check` refuses an `@ts-expect-error` below which there is no error.
 * Nothing of it runs.
 */
import type { LanguageModel } from "ai";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { withMemory } from "../../clients/typescript/ai_sdk.ts";
import { SvcStore } from "../../clients/typescript/langgraph.ts";
import {
  type Change,
  type Client,
  type ErrorCode,
  type Fact,
  type HealthSnapshot,
  type ListId,
  type RecallFilter,
  SvcError,
} from "../../clients/typescript/mod.ts";
import type { ROUTES } from "../../clients/typescript/gen/operations.ts";

declare function expectType<T>(value: T): void;
type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false;

export async function arguments_(svc: Client, id: string): Promise<void> {
  // Members of path, query and body are one argument; what has a default may be left out.
  await svc.updateFact({ id, statement: "a", reason: "b" }, { ifMatch: 3 });
  await svc.recall({ query: "a" });
  await svc.getGate();
  await svc.listFacts();
  await svc.listFacts({ pinned: true, tags: ["a"] });
  await svc.addTurns({ id, turns: [{ role: "user", content: "a" }] });
  await svc.addTurns({ id, role: "user", content: "a" });
  await svc.patchScratchpad({ id, body: { anything: [1, null] } });
  await svc.importMemory({ file: new Blob([""]), format: "svc" });
  // @ts-expect-error it has no id
  await svc.updateFact({ statement: "a" });
  // @ts-expect-error it has no query
  await svc.recall({});
  // @ts-expect-error it takes an argument
  await svc.recall();
  // @ts-expect-error there is no such member
  await svc.recall({ query: "a", limitt: 3 });
  // @ts-expect-error it is a number
  await svc.recall({ query: "a", limit: "3" });
  // @ts-expect-error a flag is no text
  await svc.listFacts({ pinned: "true" });
  // @ts-expect-error there is no such role
  await svc.addTurns({ id, role: "robot", content: "a" });
  // @ts-expect-error it reads only, and takes no Idempotency-Key
  await svc.recall({ query: "a" }, { idempotencyKey: "a" });
  // @ts-expect-error it has no version to compare
  await svc.createFact({ statement: "a" }, { ifMatch: 1 });
  // @ts-expect-error older paths are left out
  await svc.createFactV2({ statement: "a" });
}

export function filters(): void {
  const or: RecallFilter = { OR: [{ tags: { contains: "a" } }, { NOT: { "metadata.project": { eq: "b" } } }] };
  expectType<RecallFilter>({ AND: [or, { confidence: { gte: 0.5 } }] });
  // @ts-expect-error there is no such operator
  expectType<RecallFilter>({ tags: { like: "a" } });
  // @ts-expect-error it joins a list
  expectType<RecallFilter>({ OR: or });
}

export async function unions(svc: Client, id: string): Promise<void> {
  const unit = await svc.getUnit({ id });
  if (unit.type === "fact") expectType<string>(unit.statement);
  // @ts-expect-error not every unit has a statement
  unit.statement;
  const forgotten = await svc.forgetFact({ id, mode: "erase" });
  if (forgotten.mode === "archive") expectType<object>(forgotten);
  // @ts-expect-error there is no such mode
  await svc.forgetFact({ id, mode: "burn" });
  await svc.editSelf({
    ...{ reason: "a", mode: "atomic" },
    operations: [{ op: "add", type: "fact", body: { statement: "a" } }],
  });
}

export function errors(error: unknown): void {
  if (!(error instanceof SvcError)) return;
  if (error.code === "version_mismatch") expectType<"version_mismatch">(error.code);
  if (error.code === "timeout" || error.code === "connection_failed") return;
  expectType<ErrorCode | "bad_reply">(error.code);
  // @ts-expect-error there is no such code
  if (error.code === "version_missmatch") return;
  expectType<string | undefined>(error.requestId);
}

export async function lists(svc: Client): Promise<void> {
  for await (const fact of svc.all.listFacts({ tags: ["a"] })) expectType<Fact>(fact);
  // @ts-expect-error it is no list
  svc.all.recall({ query: "a" });
  // What the types call a list is what the client goes through when it runs.
  type Paged = { [Id in keyof typeof ROUTES]: Id }[keyof typeof ROUTES];
  expectType<Same<Extract<ListId, Paged>, ListId>>(true);
}

export async function streams(svc: Client): Promise<void> {
  for await (const { event } of svc.watch("memory")) expectType<Change>(event);
  for await (const { event } of svc.watch("health")) expectType<HealthSnapshot>(event);
  // @ts-expect-error there is no such channel
  svc.watch("everything");
}

export function integrations(svc: Client, model: Exclude<LanguageModel, string>): void {
  expectType<LanguageModel>(withMemory(model, { svc, session: "a" }));
  expectType<BaseStore>(new SvcStore(svc));
  // @ts-expect-error a model by name is none yet
  withMemory("gpt-5", { svc, session: "a" });
}
