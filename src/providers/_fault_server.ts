/** A real HTTP endpoint for tests, on loopback, that answers each request by a given function. */

export interface ReceivedRequest {
  readonly path: string;
  readonly search: string;
  readonly authorization: string | null;
  // deno-lint-ignore no-explicit-any -- a test reads any field of what it sent itself
  readonly body: any;
}

export interface FaultServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: ReceivedRequest[];
}

/** Serves until it is disposed; open connections are then cut. */
export function startFaultServer(
  answer: (request: ReceivedRequest, count: number, signal: AbortSignal) => Response | Promise<Response>,
): FaultServer {
  const stop = new AbortController();
  const requests: ReceivedRequest[] = [];
  const server = Deno.serve(
    {
      port: 0,
      hostname: "127.0.0.1",
      onListen() {},
      signal: stop.signal,
      onError: () => new Response(null, { status: 500 }),
    },
    async (request) => {
      const url = new URL(request.url);
      const received: ReceivedRequest = {
        path: url.pathname,
        search: url.search,
        authorization: request.headers.get("authorization"),
        body: await request.json(),
      };
      requests.push(received);
      return await answer(received, requests.length, stop.signal);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.finished;
    },
  };
}

/** A reply that never comes: it ends only with the server. */
export function blackHole(signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response(null, { status: 503 }))));
}

/** An endless body, to see that reading stops. */
export function endlessReply(): Response {
  const chunk = new TextEncoder().encode(" ".repeat(65_536));
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }), {
    headers: { "content-type": "application/json" },
  });
}

/** A connection that breaks in the middle of the body. */
export function brokenReply(beginning: string): Response {
  let sent = false;
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (sent) controller.error(new Error("broken on purpose"));
        else controller.enqueue(new TextEncoder().encode(beginning));
        sent = true;
      },
    }),
    { headers: { "content-type": "application/json", "content-length": String(beginning.length + 100) } },
  );
}
