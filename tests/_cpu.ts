/** The cost of work as processor time of this process: unlike a clock, it does not run on while other programs do. */
import { cpuUsage } from "node:process";

/** Processor time that synchronous work takes, in milliseconds. */
export function cpuMs(work: () => void): number {
  const before = cpuUsage();
  work();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1_000;
}
