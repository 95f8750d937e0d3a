/**
 * What each client calls its events, and how an answer to each has to look. Sources: the hooks references of Claude Code
 * (code.claude.com/docs/en/hooks), Codex (`codex-rs/hooks/schema/generated`), Gemini CLI (`docs/hooks/reference.md`) and VS Code
 * (code.visualstudio.com/docs/agents/reference/hooks-reference); of Cursor cursor.com/docs/hooks.
 */

/** What a hook does at an event. */
export type HookTask = "brief" | "recall" | "record";

export interface HookClient {
  /** The events by the client's own names. */
  readonly events: Readonly<Record<string, HookTask>>;
  /** Returns what to print; `context` is the text for the model, if there is one. */
  answer(event: string, context: string | undefined): string;
}

/** The shape that Claude Code made; without context they take nothing at all as an answer. */
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
    // It parses what is printed as JSON.
    answer: (event, context) => answerSpecific(event, context) || "{}",
  },
  cursor: {
    events: { sessionStart: "brief", beforeSubmitPrompt: "recall", stop: "record", sessionEnd: "record" },
    // The context of a prompt is read by the client and is not in its reference; a client that does not know it ignores it.
    answer: (event, context) =>
      JSON.stringify({
        ...(event === "beforeSubmitPrompt" && { continue: true }),
        ...(context !== undefined && { additional_context: context }),
      }),
  },
};
