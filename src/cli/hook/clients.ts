/**
 * Each client's names of its events, and the form of an answer to each. Sources: the hooks references of Claude Code
 * (code.claude.com/docs/en/hooks), Codex (`codex-rs/hooks/schema/generated`), Gemini CLI (`docs/hooks/reference.md`)
 * and VS Code (code.visualstudio.com/docs/agents/reference/hooks-reference); of Cursor cursor.com/docs/hooks.
 */

/** What a hook does at an event. */
export type HookTask = "brief" | "recall" | "record";

export interface HookClient {
  /** The events by the client's own names. */
  readonly events: Readonly<Record<string, HookTask>>;
  /** Returns the text to print; `context` is the text for the model, if there is one. */
  answer(event: string, context: string | undefined): string;
}

/** The form that Claude Code introduced; without context these clients take an empty answer. */
function answerSpecific(event: string, context: string | undefined): string {
  if (context === undefined) return "";
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: context } });
}

export const HOOK_CLIENTS: Readonly<Record<string, HookClient>> = {
  "claude-code": {
    events: { SessionStart: "brief", UserPromptSubmit: "recall", Stop: "record", SessionEnd: "record" },
    answer: answerSpecific,
  },
  codex: {
    events: { SessionStart: "brief", UserPromptSubmit: "recall", Stop: "record" },
    answer: answerSpecific,
  },
  vscode: {
    events: { SessionStart: "brief", UserPromptSubmit: "recall", Stop: "record" },
    answer: answerSpecific,
  },
  gemini: {
    events: { SessionStart: "brief", BeforeAgent: "recall", AfterAgent: "record", SessionEnd: "record" },
    // This client parses the output as JSON.
    answer: (event, context) => answerSpecific(event, context) || "{}",
  },
  cursor: {
    events: { sessionStart: "brief", beforeSubmitPrompt: "recall", stop: "record", sessionEnd: "record" },
    // The client reads the context of a prompt, although its reference does not mention it; other versions ignore it.
    answer: (event, context) =>
      JSON.stringify({
        ...(event === "beforeSubmitPrompt" && { continue: true }),
        ...(context !== undefined && { additional_context: context }),
      }),
  },
};
