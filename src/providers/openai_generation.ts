/** Text generation by an OpenAI-compatible `/chat/completions` endpoint. */
import { z } from "zod";
import { CircuitBreaker } from "../circuit_breaker.ts";
import type { GenerateOptions, PromptPart, TextGenerator } from "./generation.ts";
import { OpenAiClient, type OpenAiProviderOptions } from "./openai_client.ts";
import { GenerationError } from "./provider_error.ts";

/** `url` is `SVC_LLM_URL`; `cooldownMs` is 10,000 by default. */
export interface OpenAiGenerationOptions extends OpenAiProviderOptions {
  /** The deadline of one attempt, in milliseconds; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Default 2: a generation takes long, and its caller can do without it. */
  readonly attemptsMax?: number | undefined;
}

/** The features of an endpoint, which differ; each refusal turns one of them off. */
interface Dialect {
  readonly tokensField: "max_tokens" | "max_completion_tokens";
  readonly temperature: boolean;
  readonly json: "json_schema" | "json_object" | "none";
}

const Reply = z.object({
  choices: z.array(z.object({
    finish_reason: z.string().nullish(),
    message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
  })).min(1),
  usage: z.object({ total_tokens: z.number().nonnegative().optional() }).nullish(),
});

export class OpenAiGeneration implements TextGenerator {
  readonly model: string;
  readonly #options: OpenAiGenerationOptions;
  readonly #client: OpenAiClient;
  readonly #breaker: CircuitBreaker;
  /** The last dialect that the endpoint understood. */
  #dialect: Dialect = { tokensField: "max_tokens", temperature: true, json: "json_schema" };

  /** @throws ServiceError `validation_failed` when the URL or the key cannot be used. */
  constructor(options: OpenAiGenerationOptions) {
    this.model = options.model;
    this.#options = options;
    this.#client = new OpenAiClient("chat/completions", GenerationError, options);
    const cooldownMs = options.cooldownMs ?? 10_000;
    this.#breaker = new CircuitBreaker({ failuresMax: 4, cooldownMs, cooldownMsMax: 120_000 });
  }

  async generate(prompt: readonly PromptPart[], options: GenerateOptions): Promise<string> {
    const messages = prompt.map(({ role, content }) => ({ role, content: content.toWellFormed() }));
    let dialect = this.#dialect;
    for (;;) {
      const body = writeBody(this.model, messages, dialect, options);
      const reply = await this.#client.post(body, (reply) => this.#readReply(reply, options), {
        timeoutMs: this.#options.timeoutMs ?? 30_000,
        attemptsMax: this.#options.attemptsMax ?? 2,
        replyBytesMax: 65_536 + options.maxTokens * 64,
        breaker: this.#breaker,
        signal: options.signal,
      });
      if (reply.kind === "ok") {
        this.#dialect = dialect;
        return reply.value;
      }
      const plainer = takeBack(dialect, reply.body, body);
      if (plainer === null) {
        throw new GenerationError("rejected", `Cannot generate a text: the endpoint refuses it with ${reply.status}`);
      }
      dialect = plainer;
    }
  }

  #readReply(reply: unknown, options: GenerateOptions): string {
    const parsed = Reply.safeParse(reply);
    if (!parsed.success) {
      throw new GenerationError("malformed", "Cannot read the generation: the reply has an unexpected shape");
    }
    const { choices: [choice], usage } = parsed.data;
    const content = choice?.message.content ?? "";
    const tokens = usage?.total_tokens ?? Math.ceil(content.length / 4);
    this.#options.onTokens?.(this.model, options.operation ?? "generate", tokens);
    if (choice?.message.refusal || choice?.finish_reason === "content_filter") {
      throw new GenerationError("refused", "Cannot use the generation: the model declined to answer");
    }
    if (choice?.finish_reason === "length") {
      throw new GenerationError("cut_off", `Cannot use the generation: it is cut off at ${options.maxTokens} tokens`);
    }
    if (content.trim() === "") throw new GenerationError("malformed", "Cannot use the generation: it is empty");
    return content;
  }
}

function writeBody(
  model: string,
  messages: readonly PromptPart[],
  dialect: Dialect,
  options: GenerateOptions,
): Record<string, unknown> {
  const body: Record<string, unknown> = { model, messages, [dialect.tokensField]: options.maxTokens };
  if (dialect.temperature) body.temperature = 0;
  if (options.jsonSchema && dialect.json === "json_schema") {
    const { name, schema } = options.jsonSchema;
    body.response_format = { type: dialect.json, json_schema: { name, schema, strict: true } };
  } else if (options.jsonSchema && dialect.json === "json_object") {
    body.response_format = { type: dialect.json };
  }
  return body;
}

/** The dialect without the parameter that a refusal names; if it names none, the JSON format is the likeliest. */
function takeBack(dialect: Dialect, refusal: string, sent: Readonly<Record<string, unknown>>): Dialect | null {
  if ("max_tokens" in sent && refusal.includes("max_completion_tokens")) {
    return { ...dialect, tokensField: "max_completion_tokens" };
  }
  if ("temperature" in sent && refusal.includes("temperature")) return { ...dialect, temperature: false };
  if (!("response_format" in sent)) return null;
  return { ...dialect, json: dialect.json === "json_schema" ? "json_object" : "none" };
}
