/** A CPU profile of the service under load, by the inspector of its process: the time spent by function. */
import { note } from "./_bench.ts";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Profiles a process that was started with `--inspect=127.0.0.1:<port>` while `work` runs. */
export async function profileWhile(port: number, work: () => Promise<unknown>): Promise<CpuProfile> {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json`)).json() as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.resolve(result);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  let next = 0;
  const call = (method: string, params = {}) => {
    const reply = Promise.withResolvers<unknown>();
    waiting.set(++next, reply);
    socket.send(JSON.stringify({ id: next, method, params }));
    return reply.promise;
  };
  await call("Profiler.enable");
  await call("Profiler.setSamplingInterval", { interval: 200 });
  await call("Profiler.start");
  await work();
  const { profile } = await call("Profiler.stop") as { profile: CpuProfile };
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  return profile;
}

/** The functions with the most time of their own, and with what they call, in per cent of the busy time. */
export function rankFunctions(profile: CpuProfile, limit: number): { name: string; self: number; total: number }[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const self = new Map<string, number>(), total = new Map<string, number>();
  let busy = 0;
  profile.samples.forEach((id, i) => {
    const delta = profile.timeDeltas[i]!;
    const name = nameOf(nodes.get(id)!);
    if (name === "(idle)" || name === "(program)") return;
    busy += delta;
    self.set(name, (self.get(name) ?? 0) + delta);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) seen.add(nameOf(nodes.get(at)!));
    for (const caller of seen) total.set(caller, (total.get(caller) ?? 0) + delta);
  });
  const share = (us = 0) => Math.round(us / busy * 1_000) / 10;
  return [...total.keys()].map((name) => ({ name, self: share(self.get(name)), total: share(total.get(name)) }))
    .sort((a, b) => b.self - a.self || b.total - a.total).slice(0, limit);
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  if (url === "") return functionName;
  return `${functionName || "(anonymous)"} ${url.replace(/^.*\/(src|registry\.npmjs\.org)\//, "$1/")}:${
    lineNumber + 1
  }`;
}

/** Writes the profile for a viewer, and its top functions to stderr. */
export async function writeProfile(path: string, profile: CpuProfile): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(profile));
  for (const { name, self, total } of rankFunctions(profile, 40)) {
    note(`${self.toFixed(1).padStart(6)} % self ${total.toFixed(1).padStart(6)} % total  ${name}`);
  }
  note(`Written: ${path}`);
}
