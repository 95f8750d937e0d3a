/** Knowledge in and out: a file of another memory, looked at before it is taken in; and everything as a file. */
import { useSignal } from "@preact/signals";
import type { ImportFormat, ImportReply } from "../../../clients/typescript/mod.ts";
import type { ScreenProps } from "../router.ts";
import { can, isWriting, sayFault, svc } from "../session.ts";
import { Button, Select } from "../ui/form.tsx";
import { useAction } from "../ui/load.ts";
import { Alert } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { Words } from "../ui/words.tsx";
import { download } from "../download.ts";

const FORMATS: Readonly<Record<ImportFormat, string>> = {
  svc: "This service's own export",
  chatgpt: "ChatGPT conversations",
  claude: "Claude conversations",
  "claude-code": "Claude Code transcripts",
  markdown: "Markdown notes",
  mem0: "Mem0",
  openmemory: "OpenMemory",
  graphiti: "Graphiti",
  zep: "Zep",
  letta: "Letta agent file",
  hindsight: "Hindsight",
  mcp: "MCP server-memory",
};

export function Transfer(_: ScreenProps) {
  return (
    <>
      <h1>Import and export</h1>
      <div class="columns">
        {can("memory:import") && <Import />}
        {can("memory:export") && <Export />}
      </div>
    </>
  );
}

function Import() {
  const file = useSignal<File | undefined>(undefined), format = useSignal<ImportFormat>("svc");
  const reply = useSignal<ImportReply | undefined>(undefined);
  const [run, isBusy] = useAction();
  const send = (dryRun: boolean) =>
    run(async () => {
      reply.value = undefined;
      const content = await contentOf(file.value!, format.value);
      reply.value = await svc.importMemory({ format: format.value, file: content, ...(dryRun && { dryRun }) });
    });
  return (
    <section class="card stack">
      <h2>Import</h2>
      <div class="field">
        <label for="import-file">File</label>
        <input
          id="import-file"
          type="file"
          onChange={(event) => (file.value = event.currentTarget.files?.[0], reply.value = undefined)}
        />
      </div>
      <Select
        label="From"
        options={Object.entries(FORMATS).map(([value, label]) => ({ value, label }))}
        value={format.value}
        onChange={(to) => (format.value = to as ImportFormat, reply.value = undefined)}
      />
      {!isWriting.value && <p class="hint">Allow changes (above) to look at a file and import it.</p>}
      <div class="row">
        <Button
          kind="primary"
          busy={isBusy}
          disabled={file.value === undefined || !isWriting.value}
          onClick={() => send(true)}
        >
          Preview
        </Button>
        {reply.value?.dryRun && (
          <Button busy={isBusy} disabled={!isWriting.value} onClick={() => send(false)}>Import</Button>
        )}
      </div>
      {reply.value && <Report of={reply.value} />}
    </section>
  );
}

/** What the service reads of a file: notes go with their names, everything else as it is. */
async function contentOf(file: File, format: ImportFormat): Promise<Blob | string> {
  return format === "markdown" ? JSON.stringify({ files: [{ path: file.name, text: await file.text() }] }) : file;
}

function Report({ of: { dryRun, created, updated, unchanged, failed, kinds, errors, errorsOmitted } }: {
  readonly of: ImportReply;
}) {
  const would = dryRun ? "would be " : "";
  return (
    <>
      <Alert tone={failed > 0 ? "warn" : "good"}>
        {created.toLocaleString()} {would}created, {updated.toLocaleString()} {would}changed,{" "}
        {unchanged.toLocaleString()} already known, {failed.toLocaleString()} not understood.
      </Alert>
      <p class="quiet">
        {Object.entries(kinds)
          .map(([kind, { created, updated, unchanged, failed }]) =>
            `${kind}: ${(created + updated + unchanged + failed).toLocaleString()}`
          )
          .join(", ")}
      </p>
      {errors.length > 0 && (
        <Table
          caption="what was not understood"
          rows={errors}
          keyOf={({ line, code, id }) => `${line} ${code} ${id}`}
          columns={[
            { head: "Line", isNumber: true, cell: ({ line }) => line },
            { head: "Why", isWide: true, cell: ({ message }) => <Words text={message} /> },
          ]}
        />
      )}
      {errorsOmitted > 0 && <p class="quiet">{errorsOmitted.toLocaleString()} more.</p>}
    </>
  );
}

function Export() {
  const isBusy = useSignal(false);
  const take = async () => {
    isBusy.value = true;
    try {
      const stream = await svc.exportMemory({});
      download(`memory-${new Date().toISOString().slice(0, 10)}.jsonl`, await new Response(stream).blob());
    } catch (error) {
      toast(sayFault(error), { tone: "bad" });
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <section class="card stack">
      <h2>Export</h2>
      <p>
        Everything that this key may see, with its history, as lines of JSON. Another instance imports it; the last line
        has the hash of all others.
      </p>
      <div>
        <Button busy={isBusy.value} onClick={take}>Download</Button>
      </div>
    </section>
  );
}
