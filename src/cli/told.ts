/** Which errors end a command with their sentence alone, without a stack. */
import { InvalidArgumentError } from "commander";
import { ServiceError } from "../errors.ts";
import { OutboundError } from "../outbound/failure.ts";

/** Whether an error was made for the person at the terminal. */
export function isTold(error: unknown): error is Error {
  return error instanceof ServiceError || error instanceof InvalidArgumentError || error instanceof OutboundError;
}
