/**
 * Memory for the models of the Vercel AI SDK: before a call the model gets relevant memories, and after it the exchange
 * is recorded.
 *
 * ```ts
 * const model = withMemory(openai("gpt-5"), { svc, session: "chat-4711" });
 * const { text } = await generateText({ model, prompt: "Where do I keep my backups?" });
 * ```
 * @module
 */
import type { Lists, Methods } from "./client.ts";
import { describeContext, type Said, stripMemory } from "./memory_block.ts";
import type { AddTurnBody } from "./gen/types.ts";
import { SessionHandle, type SessionName, takesNoMore } from "./session.ts";

export { stripMemory } from "./memory_block.ts";

/** The parts of a model's message that are read here. Versions of the AI SDK differ in the rest. */
export interface PromptMessage {
  readonly role: string;
  // deno-lint-ignore no-explicit-any
  readonly content: any;
}

/** The parameters of a call that are read. */
export interface PromptParams {
  // deno-lint-ignore no-explicit-any
  readonly prompt: any;
  readonly abortSignal?: AbortSignal;
}

/** A language model of the AI SDK 5 or later (`LanguageModelV2` and on). */
export interface MemoryModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: unknown;
  // deno-lint-ignore no-explicit-any
  doGenerate(options: any): PromiseLike<any>;
  // deno-lint-ignore no-explicit-any
  doStream(options: any): PromiseLike<any>;
}

/** The memory to use, and how much of it a call gets. */
export interface MemoryOptions {
  /** The client. */
  readonly svc: Methods & { readonly all: Lists };
  /**
   * The caller's name for the conversation, or a session. The exchange is recorded there. When that session is full or
   * closed, the conversation continues in a session whose name ends with `#2`, then `#3`, and so on.
   */
  readonly session: SessionName | SessionHandle;
  /**
   * The most that is added to a prompt, in tokens, approximately.
   * @default 1500
   */
  readonly maxTokens?: number;
  /**
   * How long the memory may delay a call of the model, before it and after it, in milliseconds.
   * @default 5000
   */
  readonly timeoutMs?: number;
  /**
   * Called when the memory cannot be read or written; the model is called anyway. Default: a warning on the console.
   */
  readonly onError?: (error: unknown) => void;
}

/** The middleware for `wrapLanguageModel`. */
export interface MemoryMiddleware {
  transformParams<Params extends PromptParams>(options: { readonly params: Params }): Promise<Params>;
  wrapGenerate<Result>(
    options: { readonly doGenerate: () => PromiseLike<Result>; readonly params: PromptParams },
  ): Promise<Result>;
  wrapStream<Result>(
    options: { readonly doStream: () => PromiseLike<Result>; readonly params: PromptParams },
  ): Promise<Result>;
}

/** A model of the same version of the AI SDK. */
export type WithMemory<Model> = Model extends MemoryModel ? Pick<Model, keyof MemoryModel> : never;

/** Gives a model a memory. Use the returned model instead of the given one. */
export function withMemory<Model extends MemoryModel>(
  model: Model,
  options: MemoryOptions,
): WithMemory<Model> {
  const memory = createMemoryMiddleware(options);
  const wrapped: MemoryModel = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    async doGenerate(given) {
      const params = await memory.transformParams({ params: given });
      return await memory.wrapGenerate({ doGenerate: () => model.doGenerate(params), params });
    },
    async doStream(given) {
      const params = await memory.transformParams({ params: given });
      return await memory.wrapStream({ doStream: () => model.doStream(params), params });
    },
  };
  return wrapped as WithMemory<Model>;
}

/** Makes the middleware alone, for `wrapLanguageModel({ model, middleware })` with `defaultSettingsMiddleware`. */
export function createMemoryMiddleware(options: MemoryOptions): MemoryMiddleware {
  const memory = new Memory(options);
  // The AI SDK takes the functions out of the object.
  return {
    transformParams: (given) => memory.transformParams(given),
    wrapGenerate: (given) => memory.wrapGenerate(given),
    wrapStream: (given) => memory.wrapStream(given),
  };
}

class Memory implements MemoryMiddleware {
  #session: SessionHandle;
  readonly #maxTokens: number;
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown) => void;
  /** The user's question, by the parameters that the model got. */
  readonly #asked = new WeakMap<object, string>();
  /** The block for the last question: all steps of one answer get the same. */
  #last: { readonly question: string; readonly block: string } | undefined;

  constructor({ svc, session, maxTokens = 1_500, timeoutMs = 5_000, onError = warn }: MemoryOptions) {
    this.#session = session instanceof SessionHandle ? session : new SessionHandle(svc, session);
    this.#maxTokens = maxTokens;
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  async transformParams<Params extends PromptParams>({ params }: { readonly params: Params }): Promise<Params> {
    const prompt = params.prompt as readonly PromptMessage[];
    const at = prompt.findLastIndex(({ role }) => role === "user");
    const question = at === -1 ? "" : stripMemory(textOf(prompt[at]!));
    const isFirstStep = at === prompt.length - 1;
    let block = !isFirstStep && this.#last?.question === question ? this.#last.block : undefined;
    const said = prompt.map((message) => ({ role: message.role, text: textOf(message) }));
    block ??= await this.#recall(question, said, params.abortSignal);
    this.#last = { question, block };
    const changed = block === "" || at === -1 ? { ...params } : { ...params, prompt: addBlock(prompt, at, block) };
    this.#asked.set(changed, question);
    return changed;
  }

  async wrapGenerate<Result>(
    { doGenerate, params }: { readonly doGenerate: () => PromiseLike<Result>; readonly params: PromptParams },
  ): Promise<Result> {
    const result = await doGenerate();
    const parts = (result as { readonly content?: readonly Part[] }).content ?? [];
    const text = parts.flatMap((part) => part.type === "text" ? part.text ?? "" : []).join("");
    if (!parts.some(isOpenToolCall)) await this.#record(params, text);
    return result;
  }

  async wrapStream<Result>(
    { doStream, params }: { readonly doStream: () => PromiseLike<Result>; readonly params: PromptParams },
  ): Promise<Result> {
    const result = await doStream();
    const { stream } = result as unknown as { readonly stream: ReadableStream<Part> };
    let text = "";
    let isOpen = false;
    const record = () => this.#record(params, text);
    const listener = new TransformStream<Part, Part>({
      transform(part, controller) {
        if (part.type === "text-delta") text += part.delta ?? "";
        isOpen ||= isOpenToolCall(part) || part.type === "error";
        controller.enqueue(part);
      },
      async flush() {
        if (!isOpen) await record();
      },
    });
    return { ...result, stream: stream.pipeThrough(listener) };
  }

  /** The memories about the question, as text; empty if there are none. */
  async #recall(question: string, said: readonly Said[], signal: AbortSignal | undefined): Promise<string> {
    if (question.trim() === "") return "";
    return await this.#inTime("", signal, async (options) => {
      const query = question.slice(0, QUERY_MAX);
      return describeContext(await this.#session.context({ query, maxTokens: this.#maxTokens }, options), said);
    });
  }

  /** Records only the words of the two sides: no added memories, no instructions, no results of tools. */
  async #record(params: PromptParams, answer: string): Promise<void> {
    const question = this.#asked.get(params) ?? "";
    this.#asked.delete(params);
    const turns = [
      { role: "user" as const, content: question },
      { role: "assistant" as const, content: stripMemory(answer) },
    ].filter(({ content }) => content.trim() !== "");
    // The answer is recorded even if the caller no longer wants it.
    if (turns.length > 0) await this.#inTime(undefined, undefined, (options) => this.#add(turns, options));
  }

  /** Adds turns to the session; if that is full or closed, continues in the next one. */
  async #add(turns: readonly AddTurnBody[], options: { readonly signal: AbortSignal }): Promise<void> {
    for (let tried = 1;; tried++) {
      const session = this.#session;
      try {
        return await session.add(turns, options);
      } catch (error) {
        if (!takesNoMore(error) || tried === PARTS_MAX) throw error;
        // Another answer may have moved to the next session already.
        if (this.#session === session) this.#session = session.next();
      }
    }
  }

  /** The memory is optional: if it fails or is slow, the model is called without it. */
  async #inTime<T>(
    otherwise: T,
    caller: AbortSignal | undefined,
    work: (options: { readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    caller?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort(caller?.reason);
    const timer = setTimeout(
      () => controller.abort(new Error(`it took longer than ${this.#timeoutMs} ms`)),
      this.#timeoutMs,
    );
    caller?.addEventListener("abort", abort, { once: true });
    try {
      return await work({ signal: controller.signal });
    } catch (error) {
      caller?.throwIfAborted();
      this.#onError(error);
      return otherwise;
    } finally {
      clearTimeout(timer);
      caller?.removeEventListener("abort", abort);
    }
  }
}

/** The most sessions that are tried in a row until one takes the turns. */
const PARTS_MAX = 100;
/** The most characters of a question; the service takes no longer query. */
const QUERY_MAX = 4_000;

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly delta?: string;
  readonly providerExecuted?: boolean;
}

/** Whether the model waits for a tool: then this is not its final answer. */
function isOpenToolCall({ type, providerExecuted }: Part): boolean {
  return type === "tool-call" && providerExecuted !== true;
}

function textOf({ content }: PromptMessage): string {
  if (typeof content === "string") return content;
  return (content as readonly Part[]).flatMap((part) => part.type === "text" ? part.text ?? "" : []).join("\n");
}

/** Adds the block to the user's message, before its text: a system message would turn memories into instructions. */
function addBlock(prompt: readonly PromptMessage[], at: number, block: string): PromptMessage[] {
  return prompt.map((message, i) => {
    if (i !== at) return message;
    const own = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    return { ...message, content: [{ type: "text", text: block }, ...own] };
  });
}

function warn(error: unknown): void {
  console.warn(`The memory could not be used: ${error instanceof Error ? error.message : error}`);
}
