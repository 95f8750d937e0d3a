/** The port of text generators. Only collapsing a session and optimising a playbook call one, never a read. */

export interface PromptPart {
  /** `system`: instructions. `user`: everything that a user or a tool wrote. */
  readonly role: "system" | "user";
  readonly content: string;
}

export interface GenerateOptions {
  /** Upper bound of the reply's length. */
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
  /** Asks for JSON of this JSON Schema; the reply must still be validated. */
  readonly jsonSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> } | undefined;
  /** The label of the token counter; default `generate`. */
  readonly operation?: string | undefined;
}

export interface TextGenerator {
  readonly model: string;
  /**
   * The complete generated text: one that was cut off at `maxTokens` is refused.
   * @throws GenerationError
   */
  generate(prompt: readonly PromptPart[], options: GenerateOptions): Promise<string>;
}
