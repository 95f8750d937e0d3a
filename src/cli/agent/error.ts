/** Ends a failed command for agents: a sentence on standard error, and an exit code by the kind of failure. */
import { SvcError } from "../../../clients/typescript/mod.ts";
import { plain, plainJson } from "./text.ts";

/** The exit codes; any other failure is 1. */
const EXIT_CODES = { bad_input: 2, not_found: 3, no_access: 4, retry_later: 5, failed: 1 } as const;

export type FailureKind = keyof typeof EXIT_CODES;

/** A failure that the command line itself has found. */
export class CommandError extends Error {
  constructor(readonly kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** Returns the kind of failure of an error. */
export function kindOf(error: unknown): FailureKind {
  if (error instanceof CommandError) return error.kind;
  // The client refuses an impossible address or key.
  if (error instanceof TypeError && error.message.startsWith("Cannot create a client")) return "bad_input";
  if (!(error instanceof SvcError)) return "failed";
  const { status, code } = error;
  if (status === 401 || status === 403) return "no_access";
  if (status === 404 || status === 410) return "not_found";
  if (error.retryable || code === "connection_failed" || code === "timeout") return "retry_later";
  return code === "validation_failed" || (status >= 400 && status < 500) ? "bad_input" : "failed";
}

/** Prints a failure on standard error and sets the exit code. */
export function endWith(error: unknown, asJson: boolean): void {
  const kind = kindOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (asJson) {
    const { code = kind, requestId, errors } = error as Partial<SvcError>;
    console.error(plainJson({ error: { code, kind, message, requestId, errors } }, 0));
  } else {
    console.error(plain(message));
    if (error instanceof SvcError) {
      for (const { path, message } of error.errors) console.error(plain(`  ${path}: ${message}`));
    }
  }
  Deno.exitCode = EXIT_CODES[kind];
}

/** The exit code of a command that was called wrongly. */
export const EXIT_BAD_INPUT: number = EXIT_CODES.bad_input;
