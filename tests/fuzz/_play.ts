/** Plays requests and holds each reply against what every reply must be. */
import fc from "fast-check";
import { EXAMPLE_REQUEST, type FuzzRequest, type Operation } from "./_operations.ts";
import { MARK, type World } from "./_world.ts";

export interface Finding {
  readonly operation: string;
  readonly fault: string;
  readonly request: FuzzRequest;
  /** As it was sent, with its ids. */
  readonly sent: string;
}

export interface Played {
  readonly findings: Finding[];
  /** Replies by operation and status. */
  readonly statuses: Map<string, Map<number, number>>;
  requests: number;
}

/** Operations whose success cannot be had here, each with the reason. */
export const WITHOUT_SUCCESS: Readonly<Record<string, string>> = {
  openStream: "a WebSocket: it becomes one on a real connection, and its status is 101 then",
};

/**
 * `runs` requests for each operation, those of one seed always the same; `kept` and the hostile ones are sent before them. Of
 * each operation at least one is carried out.
 */
export async function play(
  world: World,
  operations: readonly Operation[],
  options: { readonly seed: number; readonly runs: number; readonly kept?: readonly FuzzCase[] },
): Promise<Played> {
  const played: Played = { findings: [], statuses: new Map(), requests: 0 };
  for (const [i, operation] of operations.entries()) {
    let last: { fault: string; request: FuzzRequest; sent: string } | undefined;
    const counts = new Map<number, number>();
    played.statuses.set(operation.id, counts);
    const property = fc.asyncProperty(operation.requests, async (request) => {
      const reply = await world.send(operation, request);
      played.requests++;
      counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
      const fault = faultOfReply(world, operations, operation, request, reply);
      if (fault === undefined) return;
      last = { fault, request, sent: reply.sent };
      throw new Error(fault);
    });
    const kept = (options.kept ?? []).filter((one) => one.operation === operation.id).map((one) => one.request);
    const examples = [...kept, ...operation.hostile(options.seed + i)];
    const result = await fc.check(property, {
      seed: options.seed + i,
      numRuns: options.runs + examples.length,
      examples: examples.map((request) => [request] as [FuzzRequest]),
      endOnFailure: false,
      // Smaller is nicer to read, but not at any price.
      interruptAfterTimeLimit: 60_000,
      markInterruptAsFailure: false,
    });
    if (result.failed && last) played.findings.push({ operation: operation.id, ...last });
    if ([...counts.keys()].some((status) => status < 300)) continue;
    // Nothing was carried out, of an operation that goes through once, say: what was made for it is spent. So it is seen
    // once as it is meant.
    const reply = await world.sendExample(operation);
    played.requests++;
    counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
    const fault = faultOf(world, operation, reply) ?? (reply.status < 300 ? undefined : `its example: ${reply.status}`);
    if (fault !== undefined && !(operation.id in WITHOUT_SUCCESS)) {
      played.findings.push({ operation: operation.id, fault, request: EXAMPLE_REQUEST, sent: reply.sent });
    }
  }
  return played;
}

/** A request that found a defect once. */
export interface FuzzCase {
  readonly operation: string;
  readonly found: string;
  readonly request: FuzzRequest;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** 50, and one line that says how many more there are. */
const FAULTS_TOLD_MAX = 51;

/**
 * An empty name at the end of a path leaves a slash there, which does not matter: the path is that of the collection. Its
 * operation of this method answers then, or none does: what is meant for one resource never changes another one.
 */
function faultOfReply(
  world: World,
  operations: readonly Operation[],
  operation: Operation,
  { params }: FuzzRequest,
  reply: Reply,
): string | undefined {
  const [, above, name] = /^(.*)\/\{(\w+)\}$/.exec(operation.path) ?? [];
  if (above === undefined || params[name!] !== "") return faultOf(world, operation, reply);
  const collection = operations.find(({ method, path }) => method === operation.method && path === above);
  if (collection !== undefined) return faultOf(world, collection, reply);
  return [404, 405, 422].includes(reply.status) ? undefined : `${reply.status} where the path ends without a name`;
}

function faultOf(
  world: World,
  operation: Operation,
  { status, headers, body }: Reply,
): string | undefined {
  if (status >= 500) {
    const line = world.log.findLast((one) => one.includes('"stack"')) ?? "";
    return `${status}: ${line.slice(0, 1_500)}`;
  }
  if (!operation.declares(status)) return `${status} is not declared: ${JSON.stringify(body).slice(0, 300)}`;
  const mediaType = (headers.get("content-type") ?? "").split(";")[0]!.trim();
  const fault = operation.faultOf(status, mediaType, body);
  if (fault !== undefined) return `${status}, not as declared: ${fault}`;
  const told = (body as { errors?: unknown[] } | null)?.errors?.length ?? 0;
  if (status === 422 && told > FAULTS_TOLD_MAX) return `${told} faults are told`;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.includes(MARK) ? `the mark of another workspace: ${text.slice(0, 500)}` : undefined;
}
