/** The buttons with which a person changes a unit. */
import { useSignal } from "@preact/signals";
import type { KnowledgeUnit } from "../../../../clients/typescript/mod.ts";
import { can, isWriting } from "../../session.ts";
import { confirm } from "../../ui/dialog.tsx";
import { Button } from "../../ui/form.tsx";
import { useAction } from "../../ui/load.ts";
import { archive, erase, restore, sayPinned, setPinned } from "../../unit_changes.ts";
import { Correct } from "./correct.tsx";

/** What a person may do with a unit. A correction that was begun stays when the time for changes ends. */
export function Changes({ unit, reload }: { readonly unit: KnowledgeUnit; readonly reload: () => void }) {
  const isCorrecting = useSignal(false);
  return (
    <>
      {isWriting.value
        ? <ChangeButtons unit={unit} reload={reload} correct={() => isCorrecting.value = true} />
        : can("memory:write") && <p class="hint">Allow changes (above) to correct, pin or forget it.</p>}
      {isCorrecting.value && unit.type === "fact" && (
        <Correct
          fact={unit}
          onClose={() => isCorrecting.value = false}
          onDone={reload}
        />
      )}
    </>
  );
}

function ChangeButtons({ unit, reload, correct }: {
  readonly unit: KnowledgeUnit;
  readonly reload: () => void;
  readonly correct: () => void;
}) {
  const [run, isBusy] = useAction();
  const change = async (work: () => Promise<unknown>, done: string) => {
    await run(work, done);
    reload();
  };
  const eraseIt = async () => {
    const isSure = await confirm({
      title: "Erase it for ever?",
      text:
        "Its text, its history and its vectors are removed. This cannot be undone; archive it if you may want it back.",
      action: "Erase",
      danger: true,
    });
    if (isSure) await change(() => erase(unit, ""), "Erased.");
  };
  const isInForce = unit.status === "active" || unit.status === "contested";
  return (
    <div class="row section">
      {can("memory:write") && unit.type === "fact" && isInForce && (
        <Button
          kind="primary"
          onClick={correct}
        >
          Correct…
        </Button>
      )}
      {can("memory:write") && unit.type === "fact" && isInForce && (
        <Button
          busy={isBusy}
          onClick={() => change(() => setPinned(unit, !unit.pinned), sayPinned(!unit.pinned))}
        >
          {unit.pinned ? "Unpin" : "Pin"}
        </Button>
      )}
      {can("memory:write") && !isInForce && unit.status !== "merged" && (
        <Button
          busy={isBusy}
          onClick={() => change(() => restore(unit), "Restored.")}
        >
          Restore
        </Button>
      )}
      {can("memory:delete") && unit.status !== "archived" && (
        <Button
          busy={isBusy}
          onClick={() => change(() => archive(unit), "Archived. Recall leaves it out.")}
        >
          Archive
        </Button>
      )}
      {can("memory:delete") && <Button kind="danger" onClick={eraseIt}>Erase…</Button>}
    </div>
  );
}
