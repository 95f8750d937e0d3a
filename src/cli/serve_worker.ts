/** One of several service processes. It listens on a socket that only the front can reach. */
import type { Config } from "../config.ts";
import { findWorkspaceOfKey } from "../domain/access/workspace_of_key.ts";
import { ServiceError } from "../errors.ts";
import { ASK_HEADER, PEER_HEADER } from "../front/head.ts";
import { Service } from "../service.ts";

/** Runs a worker. The first worker also runs the background loops. */
export async function serveAsWorker(config: Config, index: number, socket: string): Promise<void> {
  const service = await Service.boot(config, { workers: index === 0 ? true : "own" });
  // A terminal sends SIGINT to all processes at once. A worker ignores it and waits for the front to send SIGTERM.
  Deno.addSignalListener("SIGINT", () => {});
  service.stopOnSignals(["SIGTERM"]);
  stopWithFront(service);
  await service.listen((request, info) => answerForFront(service, request, info), { path: socket });
}

/** Answers the front's own questions, and serves requests with the caller's address in place of the front's. */
export function answerForFront(
  service: Service,
  request: Request,
  info: Deno.ServeHandlerInfo,
): Response | Promise<Response> {
  const { headers } = request;
  const [hostname = "", port = ""] = headers.get(PEER_HEADER)?.split(" ") ?? [];
  if (headers.has(ASK_HEADER)) return tellWorkspace(service, headers, hostname);
  return service.fetch(request, {
    remoteAddr: { transport: "tcp", hostname, port: Number(port) },
    // Passed on unread: Deno rejects it when a streamed reply is not delivered, and if nobody takes the rejection up,
    // it ends the process.
    get completed() {
      return info.completed;
    },
  });
}

async function tellWorkspace(service: Service, headers: Headers, address: string): Promise<Response> {
  try {
    return Response.json({ workspaceId: await findWorkspaceOfKey(service.deps, headers, address) });
  } catch (error) {
    // The service refuses the request itself later, and tells its caller why.
    if (error instanceof ServiceError) return Response.json({});
    throw error;
  }
}

async function stopWithFront(service: Service): Promise<void> {
  try {
    for await (const _ of Deno.stdin.readable);
  } finally {
    service.stopAndExit("the front has ended", 0);
  }
}
