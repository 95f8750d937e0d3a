/** An OTLP/HTTP receiver on loopback that keeps the spans it gets. */

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly startMs: number;
  readonly endMs: number;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface Collector extends AsyncDisposable {
  /** The base URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  /** Bodies as they arrived. */
  bodies(): string;
  /** Header blocks and bodies as they arrived. */
  text(): string;
  spans(): ReceivedSpan[];
  /** All spans of one name. */
  named(name: string): ReceivedSpan[];
  childrenOf(span: ReceivedSpan): ReceivedSpan[];
}

export function startCollector(reply: () => Response | Promise<Response> = () => Response.json({})): Collector {
  const bodies: string[] = [];
  const heads: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    heads.push(JSON.stringify([...request.headers]));
    bodies.push(await request.text());
    return await reply();
  });
  const spans = () => bodies.flatMap(readSpans);
  return {
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    bodies: () => bodies.join("\n"),
    text: () => [...heads, ...bodies].join("\n"),
    spans,
    named: (name) => spans().filter((span) => span.name === name),
    childrenOf: (parent) => spans().filter((span) => span.parentSpanId === parent.spanId),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function readSpans(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body);
  // deno-lint-ignore no-explicit-any
  const raw: any[] = resourceSpans.flatMap((resource: any) => resource.scopeSpans.flatMap((scope: any) => scope.spans));
  return raw.map((span) => ({
    name: span.name,
    kind: span.kind,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || undefined,
    attributes: Object.fromEntries(
      span.attributes.map(({ key, value }: OtlpAttribute) => [key, Object.values(value)[0]]),
    ),
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
  }));
}
