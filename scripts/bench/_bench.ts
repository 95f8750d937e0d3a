/** Shared by the measuring programs: percentiles, tables, progress on stderr, the JSON file and the machine's state. */
import { loadavg } from "node:os";

/** Milliseconds of many operations, in a form for tables and JSON. */
export interface Latency {
  readonly n: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** The smallest value that at least the share `q` of the values does not exceed (nearest rank); NaN for no values. */
export function percentile(values: readonly number[], q: number): number {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))]!;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function summarise(durationsMs: readonly number[]): Latency {
  return {
    n: durationsMs.length,
    meanMs: round(mean(durationsMs), 3),
    p50Ms: round(percentile(durationsMs, 0.5), 3),
    p95Ms: round(percentile(durationsMs, 0.95), 3),
    p99Ms: round(percentile(durationsMs, 0.99), 3),
    maxMs: round(percentile(durationsMs, 1), 3),
  };
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** A text table: the first column to the left, the others to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)).join("  ");
  return [line(cells[0]!), widths.map((width) => "-".repeat(width)).join("  "), ...cells.slice(1).map(line)].join("\n");
}

/** `p50 / p95 / p99` of a latency for a table's cells. */
export function latencyCells({ p50Ms, p95Ms, p99Ms }: Latency): string[] {
  return [p50Ms, p95Ms, p99Ms].map((ms) => ms.toFixed(2));
}

const BAR_WIDTH = 30;
const REDRAW_MS = 200;
/** Without a terminal, progress is printed this often, in milliseconds. */
const LINE_MS = 10_000;

/** A progress bar on stderr; if that is no terminal, a line every ten seconds. */
export class Progress {
  readonly #label: string;
  readonly #total: number;
  readonly #started = performance.now();
  #done = 0;
  #drawn = performance.now();

  constructor(label: string, total: number) {
    this.#label = label;
    this.#total = total;
  }

  add(count = 1): void {
    this.#done += count;
    const terminal = Deno.stderr.isTerminal();
    if (performance.now() - this.#drawn < (terminal ? REDRAW_MS : LINE_MS)) return;
    this.#drawn = performance.now();
    this.#write(terminal ? "\r" + this.#draw() : this.#draw() + "\n");
  }

  /** Draws the last state and ends its line. */
  end(): void {
    this.#write((Deno.stderr.isTerminal() ? "\r" : "") + this.#draw() + "\n");
  }

  #draw(): string {
    const seconds = (performance.now() - this.#started) / 1_000;
    const share = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
    const filled = Math.round(share * BAR_WIDTH);
    const rate = this.#done / Math.max(seconds, 1e-3);
    const left = share === 1 || rate === 0 ? "" : `, ${Math.ceil((this.#total - this.#done) / rate)} s left`;
    const bar = "█".repeat(filled) + "·".repeat(BAR_WIDTH - filled);
    return `${this.#label} ${bar} ${this.#done}/${this.#total}, ${rate.toFixed(0)}/s, ${seconds.toFixed(1)} s${left}  `;
  }

  #write(text: string): void {
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  }
}

/** A note on stderr, apart from the results on stdout. */
export function note(text: string): void {
  console.error(text);
}

/** Describes the machine of a measurement; the load shows whether it was busy. */
export function describeMachine() {
  return {
    at: new Date().toISOString(),
    deno: Deno.version.deno,
    os: `${Deno.build.os} ${Deno.osRelease()} ${Deno.build.arch}`,
    cores: navigator.hardwareConcurrency,
    memoryGiB: round(Deno.systemMemoryInfo().total / 2 ** 30, 1),
    loadBefore: loadavg().map((load) => round(load, 2)),
  };
}

/** Writes the JSON file, if one is requested. */
export async function writeJson(path: string | undefined, report: unknown): Promise<void> {
  if (path === undefined) return;
  await Deno.writeTextFile(path, JSON.stringify(report, null, 2) + "\n");
  note(`Written: ${path}`);
}

/** A whole number from the command line. @throws Error when it is not one, or is below `min`. */
export function parseCount(name: string, text: string | undefined, fallback: number, min = 1): number {
  if (text === undefined) return fallback;
  const value = Number(text.replaceAll("_", ""));
  if (!Number.isSafeInteger(value) || value < min) {
    throw new Error(`Cannot read --${name}: ${text} is no count ≥ ${min}`);
  }
  return value;
}
