/** A question as a call that an agent can make, to copy. */
import type { ExplainRecallBody } from "../../../../clients/typescript/mod.ts";
import { Copy } from "../../ui/words.tsx";
import { asCurl, asMcp, asSdk } from "./calls.ts";

export function Calls({ asked }: { readonly asked: ExplainRecallBody }) {
  const calls = [["curl", asCurl(asked)], ["SDK", asSdk(asked)], ["MCP", asMcp(asked)]] as const;
  return (
    <div class="stack">
      {calls.map(([name, text]) => (
        <div key={name}>
          <div class="row between">
            <h3>{name}</h3>
            <Copy text={text} label={`Copy as ${name}`} />
          </div>
          <pre tabIndex={0} aria-label={`The question as a call by ${name}`}>{text}</pre>
        </div>
      ))}
    </div>
  );
}
