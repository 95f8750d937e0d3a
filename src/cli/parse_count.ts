/** Reads a whole number of the command line. It has its own file, because commands for agents load little. */
import { InvalidArgumentError } from "commander";

/** Returns a reader of whole numbers from `min` to `max`. */
export function parseCount(min: number, max = 9_999_999): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d{1,7}$/.test(text) || count < min || count > max) {
      throw new InvalidArgumentError(`not a whole number from ${min} to ${max}`);
    }
    return count;
  };
}
