/** Where something was said. */
import type { ResolvedCitation } from "../../../../clients/typescript/mod.ts";
import { href } from "../../router.ts";
import { svc } from "../../session.ts";
import { useLoad } from "../../ui/load.ts";
import { Loaded } from "../../ui/states.tsx";
import { When, Words } from "../../ui/words.tsx";

/** Where it was said, with the words around it. */
export function Sources({ id }: { readonly id: string }) {
  const load = useLoad((signal) => svc.listFactCitations({ id }, { signal }), [id]);
  return (
    <Loaded load={load} what="sources">
      {({ data }) =>
        data.length === 0
          ? <p class="hint">It was stated directly; it cites no conversation.</p>
          : <ul class="list">{data.map((one) => <Source key={one.messageId} of={one} />)}</ul>}
    </Loaded>
  );
}

function Source({ of: { turn, quote, messageId } }: { readonly of: ResolvedCitation }) {
  if (turn === null) {
    return (
      <li class="card">
        <span class="quiet">message {messageId}, which is not stored</span> {quote && <Words text={quote} />}
      </li>
    );
  }
  return (
    <li class="card">
      <p class="quiet">
        <Words text={turn.name ?? turn.role} />, <When at={turn.occurredAt} as="moment" />,{" "}
        <a href={href(`/sessions/${turn.sessionId}`, { turn: turn.id })}>in its conversation</a>
      </p>
      <Words text={turn.content} />
    </li>
  );
}
