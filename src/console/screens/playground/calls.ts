/** A question of the playground as a call that an agent can make. */
import type { ExplainRecallBody, RecallBody } from "../../../../clients/typescript/mod.ts";
import { SERVICE } from "../../session.ts";

/** The same question without what only an explanation takes. */
function recallOf({ explainIds: _, include = [], ...asked }: ExplainRecallBody): RecallBody {
  const rest = include.filter((one) => one !== "trace");
  return { ...asked, ...(rest.length > 0 && { include: rest }) };
}

/** A command for a shell. */
export function asCurl(asked: ExplainRecallBody): string {
  const body = JSON.stringify(recallOf(asked)).replaceAll("'", `'\\''`);
  return `curl -s ${SERVICE.href}v1/memory/recall \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`;
}

/** A call of the client of this service. */
export function asSdk(asked: ExplainRecallBody): string {
  return `const svc = createClient({ url: ${JSON.stringify(SERVICE.href)}, key: process.env.SVC_KEY });
const { results } = await svc.recall(${JSON.stringify(recallOf(asked), null, 2)});`;
}

/** The arguments of the tool, which takes fewer: no times, types or tags. */
export function asMcp({ query, limit }: ExplainRecallBody): string {
  return JSON.stringify({ name: "recall", arguments: { query, ...(limit !== undefined && { limit }) } }, null, 2);
}
