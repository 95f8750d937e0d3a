/** Prompts, which clients offer as slash commands. */
import { ServiceError } from "../errors.ts";
import { getSelfProfile } from "../operations/self.ts";
import type { Scope } from "../schema/scopes.ts";
import type { Call } from "./call.ts";
import { BUDGET_TOKENS, DATA_LINE } from "./text.ts";

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly write: (call: Call) => Promise<string>;
}

const PROMPTS: readonly Prompt[] = [
  {
    name: "briefing",
    title: "What does the memory know?",
    description: "Puts a briefing from the memory into the conversation",
    scope: "memory:read",
    async write(call) {
      const { body: { text } } = await call.run(getSelfProfile, { query: { maxTokens: String(BUDGET_TOKENS) } });
      return `${DATA_LINE}\n${text}`;
    },
  },
  {
    name: "save_session",
    title: "Keep this conversation",
    description: "Records this conversation and what is worth knowing of it",
    scope: "session:write",
    write: () =>
      Promise.resolve(
        "Keep this conversation: call `record` with all of its turns so far, word for word, each with a messageId, under one name for `session`, and with `done: true`. Then say in one sentence what was kept.",
      ),
  },
];

export function listPrompts(call: Call) {
  return PROMPTS.filter(({ scope }) => call.may(scope)).map(({ name, title, description }) => ({
    name,
    title,
    description,
  }));
}

/** @throws ServiceError `not_found`, also for a prompt that the key may not use */
export async function readPrompt(call: Call, name: string) {
  const prompt = PROMPTS.find((one) => one.name === name && call.may(one.scope));
  if (prompt === undefined) throw new ServiceError("not_found", "Cannot find the prompt");
  const text = await prompt.write(call);
  return {
    description: prompt.description,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  };
}
