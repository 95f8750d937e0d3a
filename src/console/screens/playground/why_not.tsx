/** Why something is not among the results. */
import { useSignal } from "@preact/signals";
import type { ExplainRecallReply, TimelineItem } from "../../../../clients/typescript/mod.ts";
import { go, isId, type ScreenProps } from "../../router.ts";
import { svc } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, TextField } from "../../ui/form.tsx";
import { useLoad } from "../../ui/load.ts";
import { Alert, Loaded } from "../../ui/states.tsx";
import { Words } from "../../ui/words.tsx";

const FOUND = 8;

export function WhyNot({ reply, query }: { readonly reply: ExplainRecallReply; readonly query: ScreenProps["query"] }) {
  const expected = useSignal(query["why"] ?? ""), sought = useSignal("");
  const ask = (id: string) => go("/playground", { ...query, why: id }, { replace: true });
  const submit = (event: Event) => {
    event.preventDefault();
    const text = expected.value.trim();
    if (isId(text)) ask(text);
    else sought.value = text;
  };
  return (
    <form class="stack" onSubmit={submit}>
      <div class="row">
        <div class="grow">
          <TextField
            label="What you expected: some of its words, or its id"
            value={expected.value}
            onInput={(text) => expected.value = text}
          />
        </div>
        <Button type="submit">Why not?</Button>
      </div>
      {sought.value !== "" && <Found words={sought.value} choose={ask} />}
      {reply.whyNot.map((one) => (
        <Alert key={one.id} tone={one.reason === "returned" || one.reason === "pinned" ? "good" : "info"}>
          <strong>{REASONS[one.reason]}</strong>
          {one.rank !== undefined && ` (rank ${one.rank})`}. {one.explanation}
        </Alert>
      ))}
    </form>
  );
}

/** What has these words, to choose from. */
function Found({ words, choose }: { readonly words: string; readonly choose: (id: string) => void }) {
  const load = useLoad(
    async (signal) => (await svc.listTimeline({ q: words, limit: FOUND, types: [...TYPES] }, { signal })).data,
    [words],
  );
  return (
    <Loaded load={load} what="what has these words">
      {(items: readonly TimelineItem[]) =>
        items.length === 0
          ? <p>Nothing that is stored has these words.</p>
          : (
            <ul class="list rows" aria-label="What has these words">
              {items.map(({ id, type, text }) => (
                <li key={id} class="row between">
                  <span class="grow">
                    <Badge>{type}</Badge> <Words text={text} lines />
                  </span>
                  <Button small onClick={() => choose(id)}>Why not this?</Button>
                </li>
              ))}
            </ul>
          )}
    </Loaded>
  );
}

const TYPES = ["turn", "fact", "decision", "strategy", "workflow", "skill", "episode"] as const;

const REASONS: Readonly<Record<ExplainRecallReply["whyNot"][number]["reason"], string>> = {
  returned: "It is among the results",
  pinned: "It is pinned, so every answer has it",
  not_found: "There is no such unit or turn",
  filtered: "A filter or a time left it out",
  not_matched: "Nothing in it fits the question",
  cut: "It fits too little",
  beyond_limit: "Better ones filled the limit",
  no_room: "There was no room for it in the tokens",
  not_named: "The question does not name it",
};
