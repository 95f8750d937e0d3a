/** `svc record`: the transcript of a conversation, in any format that the hooks read, as turns of a session. */
import { basename } from "node:path";
import type { Command } from "commander";
import { type Recorded, recordTranscript } from "../hook/record.ts";
import { openProgress } from "../progress.ts";
import { agentCommand, run } from "./command.ts";
import { CommandError } from "./error.ts";
import { oneLine } from "./text.ts";

interface RecordOptions {
  readonly json?: true;
  readonly client: string;
  readonly session?: string;
  readonly done?: true;
}

export function addRecordCommand(cli: Command): void {
  agentCommand(
    cli,
    "record <transcript>",
    "record the transcript of a conversation; recording it again adds what is new",
  )
    .option(
      "--client <name>",
      "whose conversation it is; with the session's name it makes the session's external id",
      "claude-code",
    )
    .option("--session <name>", "name of the session; default: the file's name without its ending")
    .option("--done", "the conversation is over: make facts and an episode of it")
    .action((path: string, options: RecordOptions) =>
      run(options, async ({ svc, show }) => {
        const session = options.session ?? basename(path).replace(/\.[^.]*$/, "");
        if (session === "" || options.client === "") {
          throw new CommandError("bad_input", "Cannot record: a name is empty");
        }
        const progress = openProgress("recorded");
        let recorded: Recorded;
        try {
          recorded = await recordTranscript({
            svc,
            isWhole: true,
            hasTime: () => true,
            save: () => Promise.resolve(),
            tell: (sentence) => console.error(oneLine(`svc record: ${sentence}`)),
            onProgress: (offset, size) =>
              progress.show(`${Math.round(offset / 1024)} of ${Math.round(size / 1024)} KiB`),
          }, {
            ...{ client: options.client, session, transcript: path, place: undefined, isBehind: false },
            ...{ sessionId: undefined, part: 1, shown: [] },
          });
        } catch (error) {
          if (error instanceof Deno.errors.NotFound) {
            throw new CommandError("not_found", `Cannot record ${path}: not found`);
          }
          throw error;
        } finally {
          progress.end();
        }
        const { state: { sessionId = null }, created, duplicates, unread } = recorded;
        if (sessionId === null) {
          throw new CommandError("bad_input", `Cannot record ${path}: nothing in it was said by anybody`);
        }
        const collapsed = options.done && await svc.collapseSession({ id: sessionId });
        const answer = { sessionId, created, duplicates, unread, ...(collapsed && { facts: collapsed.facts.length }) };
        show(answer, () =>
          oneLine(
            `Session ${sessionId}: ${created} turns recorded, ${duplicates} were recorded before` +
              `${unread > 0 ? `, ${unread} lines are not JSON` : ""}${
                "facts" in answer ? `, ${answer.facts} facts` : ""
              }`,
          ));
      })
    );
}
