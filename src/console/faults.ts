/** What a person may do about a fault. */
import { SvcError } from "../../clients/typescript/mod.ts";

/** The next step, in words; undefined: the message says it all. */
export function sayAdvice(error: unknown): string | undefined {
  if (!(error instanceof SvcError)) return undefined;
  switch (error.code) {
    case "connection_failed":
    case "timeout":
    case "bad_reply":
      return "Look whether the service runs, and whether this machine reaches it. What is shown stays.";
    case "unavailable":
    case "deadline_exceeded":
      return "It may be starting, stopping or overloaded. Try again in a moment; if it stays so, tell its operator.";
    case "erased":
      return "It cannot be brought back.";
    case "not_found":
      return "It may have been removed meanwhile, or be above what your key may see.";
    case "version_mismatch":
      return "Somebody changed it meanwhile. Reload the page, and change it again.";
    case "insufficient_scope":
      return "Ask whoever made your key for one that may do this.";
    case "internal":
      return `If it stays so, tell the operator the number of the request: ${error.requestId ?? "not known"}.`;
    default:
      return undefined;
  }
}

/** Whether asking once more may help. */
export function mayTryAgain(error: unknown): boolean {
  return !(error instanceof SvcError) || !["erased", "not_found", "insufficient_scope"].includes(error.code);
}
