/** The first screen of an empty memory: connect an agent, bring what is known elsewhere, or try it by hand. */
import { useSignal } from "@preact/signals";
import type { RecallReply } from "../../../clients/typescript/mod.ts";
import { href } from "../router.ts";
import { can, isWriting, setWriting, svc } from "../session.ts";
import { Button, TextField } from "../ui/form.tsx";
import { useAction } from "../ui/load.ts";
import { Alert } from "../ui/states.tsx";
import { Share, Words } from "../ui/words.tsx";

/** Statements that a person may replace, and a question that shares hardly a word with its answer. */
const EXAMPLES = [
  "Ada prefers mail when a backup fails.",
  "Backups are kept for ninety days since the audit.",
  "The staging database runs in Dublin.",
];
const QUESTION = "How does Ada want to be told?";

export function Welcome({ onDone }: { readonly onDone: () => void }) {
  return (
    <>
      <p>This memory is empty. There are three ways to begin:</p>
      <div class="columns">
        <section class="card" aria-labelledby="welcome-connect">
          <h2 id="welcome-connect">Connect an agent</h2>
          <p>Claude Code, Cursor, Codex, VS Code, Gemini, your own program: with an address and a key.</p>
          <a class="button primary" href={href("/connect")}>Show me how</a>
        </section>
        {can("memory:import") && (
          <section class="card" aria-labelledby="welcome-import">
            <h2 id="welcome-import">Bring what you have</h2>
            <p>
              Conversations from ChatGPT or Claude, notes, or the export of another memory. You see first what it would
              do.
            </p>
            <a class="button" href={href("/transfer")}>Choose a file</a>
          </section>
        )}
        {can("memory:write") && <Try />}
      </div>
      <p class="section">
        <Button onClick={onDone}>Go to the overview</Button>
      </p>
    </>
  );
}

/** Stores three statements, and asks a question about them. */
function Try() {
  const texts = useSignal<readonly string[]>(EXAMPLES);
  const question = useSignal(QUESTION);
  const isStored = useSignal(false);
  const reply = useSignal<RecallReply | undefined>(undefined);
  const [run, isBusy] = useAction();
  const store = () =>
    run(async () => {
      if (!isWriting.value) await setWriting(true);
      for (const statement of texts.value) if (statement.trim() !== "") await svc.createFact({ statement });
      isStored.value = true;
    }, "Stored.");
  const ask = () => run(async () => void (reply.value = await svc.recall({ query: question.value })));
  return (
    <section class="card stack" aria-labelledby="welcome-try">
      <h2 id="welcome-try">Try it</h2>
      {texts.value.map((text, i) => (
        <TextField
          key={i}
          label={`Statement ${i + 1}`}
          value={text}
          onInput={(to) => texts.value = texts.value.map((one, at) => at === i ? to : one)}
        />
      ))}
      <div>
        <Button kind="primary" busy={isBusy} onClick={store}>
          {isWriting.value ? "Store" : "Allow changes and store"}
        </Button>
      </div>
      {isStored.value && (
        <form class="stack" onSubmit={(event) => (event.preventDefault(), ask())}>
          <TextField label="Question" value={question.value} onInput={(to) => question.value = to} />
          <div>
            <Button type="submit" kind="primary" busy={isBusy}>Ask</Button>
          </div>
        </form>
      )}
      {reply.value && (reply.value.results.length === 0
        ? <Alert tone="info">Nothing in this memory answers it.</Alert>
        : (
          <ol class="list">
            {reply.value.results.map(({ id, text, score }) => (
              <li key={id}>
                <Words text={text} /> <Share of={score} label="Score" />
              </li>
            ))}
          </ol>
        ))}
    </section>
  );
}
