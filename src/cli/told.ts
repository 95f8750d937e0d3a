/** Decides which errors end a command with only their sentence, without a stack. */
import { InvalidArgumentError } from "commander";
import { ServiceError } from "../errors.ts";
import { OutboundError } from "../outbound/failure.ts";
import { SvcError } from "../../clients/typescript/mod.ts";
import { CommandError } from "./agent/error.ts";

/** Whether an error was written for the person at the terminal. */
export function isTold(error: unknown): error is Error {
  return error instanceof ServiceError || error instanceof InvalidArgumentError || error instanceof OutboundError ||
    error instanceof SvcError || error instanceof CommandError;
}
