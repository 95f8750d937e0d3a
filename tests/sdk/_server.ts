/** A server that answers as a test says, in place of the service and of what stands before it. */

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** What came, in order. */
  readonly requests: { readonly request: Request; readonly body: string }[];
}

/** Answers each request by `answer`, which gets its number from 0. */
export function startServer(answer: (n: number, request: Request) => Response | Promise<Response>): ScriptedServer {
  const requests: ScriptedServer["requests"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const n = requests.push({ request, body: await request.clone().text() }) - 1;
    return await answer(n, request);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A refusal as the service writes it. */
export function problem(code: string, status: number, more: Record<string, unknown> = {}, headers = {}): Response {
  return Response.json({
    ...{ type: `urn:svc:error:${code}`, title: code, status, code, message: `Cannot: ${code}`, requestId: "r-1" },
    ...{ retryable: false, ...more },
  }, { status, headers: { "content-type": "application/problem+json", ...headers } });
}
