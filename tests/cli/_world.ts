/** What the tests of hooks share: a person, a service, the inputs of each client, and a transcript that grows. */
import { join } from "node:path";
import { startService, type TestService } from "../_service.ts";
import { Person, type RunOptions, serve, type Served } from "./_svc.ts";

export const DATA = new URL("../testdata/hooks/", import.meta.url).pathname;
export const INPUTS = JSON.parse(await Deno.readTextFile(join(DATA, "inputs.json"))) as Record<
  string,
  Record<string, { event: string; input: object }>
>;
export const PROMPT = "Where is the pelican archive kept?";
export const FACT = "The pelican archive is kept in the tower of Almada.";

/** A service on a port, and a person with a transcript. */
export class World implements AsyncDisposable {
  constructor(readonly person: Person, readonly service: TestService, readonly served: Served) {}

  static async make(): Promise<World> {
    const service = await startService();
    return new World(await Person.make(), service, serve(service));
  }

  get transcript(): string {
    return join(this.person.home, "transcript.jsonl");
  }

  async say(...lines: object[]): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await Deno.writeTextFile(this.transcript, text, { append: true });
  }

  /** Runs a hook with the client's input. */
  hook(client: string, task: string, { prompt = PROMPT, env, url = this.served.url }: {
    prompt?: string;
    env?: Record<string, string>;
    url?: string;
  } = {}) {
    const { event, input } = INPUTS[client]![task]!;
    const text = JSON.stringify(input).replaceAll('"TRANSCRIPT"', JSON.stringify(this.transcript))
      .replaceAll('"FOLDER"', JSON.stringify(this.person.home)).replaceAll('"PROMPT"', JSON.stringify(prompt));
    const options: RunOptions = { input: text, env: { SVC_URL: url, SVC_KEY: this.service.key, ...env } };
    return this.person.svc(["hook", client, event], options);
  }

  /** What is recorded, as "role: content". */
  async turns(): Promise<string[]> {
    const sessions = (await this.service.get("/v1/session")).body.data as { id: string }[];
    const turns: string[] = [];
    for (const { id } of sessions) {
      const { body } = await this.service.get(`/v1/session/${id}/turns?limit=200&order=asc`);
      turns.push(...body.data.map(({ role, content }: { role: string; content: string }) => `${role}: ${content}`));
    }
    return turns;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
    await this.person[Symbol.asyncDispose]();
  }
}

/** What the answer of a hook adds for the model. */
export function contextOf(client: string, stdout: string): string | undefined {
  const answer = JSON.parse(stdout);
  return client === "cursor" ? answer.additional_context : answer.hookSpecificOutput?.additionalContext;
}
