/** `svc whoami | brief | recall | read | remember | correct | forget | forget-where`: the memory at a terminal. */
import { type Command, Option } from "commander";
import type { InputOf, OutputOf } from "../../../clients/typescript/mod.ts";
import { parseCount } from "../parse_count.ts";
import { agentCommand, run, textOf } from "./command.ts";
import { CommandError } from "./error.ts";
import { tellEdit, tellExplained, tellRecalled, tellRemembered, tellUnits, tellWhoami } from "./tell.ts";
import { oneLine, plain } from "./text.ts";

interface Json {
  readonly json?: true;
}

export function addWhoamiCommand(cli: Command): void {
  agentCommand(cli, "whoami", "show which workspace and key the command line uses").action((options: Json) =>
    run(options, async ({ svc, show }) => show(await svc.whoami(), tellWhoami))
  );
}

export function addBriefCommand(cli: Command): void {
  agentCommand(cli, "brief", "show what an agent should know at the start of a session")
    .option("--max-tokens <tokens>", "length of the text; default 1000", parseCount(50, 20_000))
    .option("--about <subject>", "only facts about this subject")
    .action((options: Json & { maxTokens?: number; about?: string }) =>
      run(options, async ({ svc, show }) => {
        const { maxTokens, about: subject } = options;
        show(await svc.getSelfProfile({ ...(maxTokens && { maxTokens }), ...(subject && { subject }) }), ({ text }) =>
          plain(text));
      })
    );
}

interface RecallOptions extends Json {
  readonly limit?: number;
  readonly explain?: true;
  readonly whyNot?: string[];
}

export function addRecallCommand(cli: Command): void {
  agentCommand(cli, "recall <query...>", "search the memory; `-` reads the query from standard input")
    .option("--limit <results>", "the most results; default 10", parseCount(1, 100))
    .option("--explain", "say of each result why it was found")
    .option("--why-not <ids...>", "say why these units are not among the results")
    .action((words: string[], options: RecallOptions) =>
      run(options, async ({ svc, show }) => {
        const query = await textOf(words.join(" "));
        const input = { query, ...(options.limit && { limit: options.limit }) };
        if (!options.explain && !options.whyNot) return show(await svc.recall(input), tellRecalled);
        const explainIds = options.whyNot && { explainIds: options.whyNot };
        show(await svc.explainRecall({ ...input, ...explainIds }), tellExplained);
      })
    );
}

export function addReadCommand(cli: Command): void {
  agentCommand(cli, "read <ids...>", "show units whole; of facts also their sources, with --history their changes")
    .option("--history", "show who changed a fact, when and why")
    .action((ids: string[], options: Json & { history?: true }) =>
      run(options, async ({ svc, show }) => {
        if (ids.length > 100) throw new CommandError("bad_input", "Cannot read: at most 100 ids at once");
        const { data } = await svc.getUnits({ id: ids });
        const units = [];
        for (const { id, unit, newer } of data) {
          if (unit?.type !== "fact") units.push({ id, unit });
          else {
            const citations = (await svc.listFactCitations({ id })).data;
            const history = options.history && await Array.fromAsync(svc.all.getFactHistory({ id, limit: 200 }));
            units.push({ id, unit, ...(newer && { newer }), citations, ...(history && { history }) });
          }
        }
        show({ units }, tellUnits);
        const missing = data.filter(({ unit }) => unit === null).map(({ id }) => id);
        if (missing.length > 0) throw new CommandError("not_found", `Cannot read ${missing.join(", ")}: not found`);
      })
    );
}

interface RememberOptions extends Json {
  readonly kind?: InputOf<"createFact">["factType"];
  readonly saidBy?: "user" | "agent";
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
  readonly validFrom?: string;
  readonly validTo?: string;
  readonly tag?: string[];
}

export function addRememberCommand(cli: Command): void {
  agentCommand(cli, "remember <statement...>", "store one statement; `-` reads it from standard input")
    .addOption(new Option("--kind <kind>").choices(["fact", "preference", "instruction", "observation"]))
    .addOption(new Option("--said-by <who>", "who says so; default: agent").choices(["user", "agent"]))
    .option("--subject <name>", "with --predicate and --object: lets contradictions be found")
    .option("--predicate <words>")
    .option("--object <words>")
    .option("--valid-from <time>", "it is true from then on; RFC 3339")
    .option("--valid-to <time>", "it is true until then; RFC 3339")
    .option("--tag <tags...>")
    .action((words: string[], options: RememberOptions) =>
      run(options, async ({ svc, show }) => {
        const { kind, saidBy, subject, predicate, object, validFrom, validTo, tag } = options;
        const input: InputOf<"createFact"> = {
          statement: await textOf(words.join(" ")),
          ...(kind && { factType: kind }),
          ...(saidBy === "user" && { attribution: "user_stated" }),
          ...(subject !== undefined && { subject }),
          ...(predicate !== undefined && { predicate }),
          ...(object !== undefined && { object }),
          ...(validFrom !== undefined && { validFrom }),
          ...(validTo !== undefined && { validTo }),
          ...(tag && { tags: tag }),
        };
        show(await svc.createFact(input), tellRemembered);
      })
    );
}

interface CorrectOptions extends Json {
  readonly reason: string;
  readonly statement?: string;
  readonly validTo?: string;
}

export function addCorrectCommand(cli: Command): void {
  agentCommand(cli, "correct <id>", "change a unit, or take it back as wrong; its history stays")
    .requiredOption("--reason <text>", "why")
    .option("--statement <text>", "what is true instead; without this and --valid-to it is taken back")
    .option("--valid-to <time>", "it was true until then; RFC 3339")
    .action((id: string, options: CorrectOptions) =>
      run(options, async ({ svc, show }) => {
        const { reason, statement, validTo } = options;
        const patch = { ...(statement !== undefined && { statement }), ...(validTo !== undefined && { validTo }) };
        const operation = Object.keys(patch).length > 0
          ? { op: "update" as const, id, patch }
          : { op: "retract" as const, id };
        const edit = await svc.editSelf({ reason, mode: "atomic", operations: [operation] });
        show(edit, tellEdit);
        refuseFailed(edit);
      })
    );
}

/** The service answers an edit that was recorded and refused like one that was applied. */
function refuseFailed({ operations: [done] }: OutputOf<"editSelf">): void {
  if (done?.outcome !== "refused") return;
  const { code = "", message = "Cannot correct: refused" } = done.error ?? {};
  const isAbsent = code === "not_found" || code === "erased";
  throw new CommandError(isAbsent ? "not_found" : code === "insufficient_scope" ? "no_access" : "bad_input", message);
}

interface ForgetWhereOptions extends Json {
  readonly reason: string;
  readonly type?: InputOf<"forgetUnits">["types"];
  readonly tag?: string[];
  readonly createdBy?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly saidBy?: InputOf<"forgetUnits">["attribution"];
  readonly metadata?: string;
  readonly from?: string;
  readonly to?: string;
  readonly erase?: true;
  readonly yes?: true;
}

export function addForgetWhereCommand(cli: Command): void {
  agentCommand(cli, "forget-where", "forget all units that meet the given conditions; without --yes, count them")
    .requiredOption("--reason <text>", "why")
    .option("--type <types...>", "fact, decision, entity, …")
    .option("--tag <tags...>", "units with one of these tags")
    .option("--created-by <who>", "such as key:<id>")
    .option("--agent <name>", "facts and episodes from sessions of this agent")
    .option("--session <id>", "facts and episodes from this session")
    .option("--said-by <attributions...>", "such as imported or agent_inferred")
    .option("--metadata <json>", "an object whose members the metadata has")
    .option("--from <time>", "created then or later; a day or an RFC 3339 time")
    .option("--to <time>", "created before then, or on that day")
    .option("--erase", "delete their content for ever")
    .option("--yes", "do it")
    .action((options: ForgetWhereOptions) =>
      run(options, async ({ svc, show }) => {
        const { reason, erase, yes, type, tag, createdBy, agent, session, saidBy, metadata, from, to } = options;
        const input: InputOf<"forgetUnits"> = {
          mode: erase ? "erase" : "archive",
          reason,
          ...(!yes && { dryRun: true }),
          ...(type && { types: type }),
          ...(tag && { tags: tag }),
          ...(createdBy && { createdBy }),
          ...(agent && { agentId: agent }),
          ...(session && { sessionId: session }),
          ...(saidBy && { attribution: saidBy }),
          ...(metadata && { metadata: parseObject(metadata) }),
          ...(from && { createdFrom: from }),
          ...(to && { createdTo: to }),
        };
        const units: OutputOf<"forgetUnits">["data"][number][] = [];
        let cursor: string | null = null;
        do {
          const reply: OutputOf<"forgetUnits"> = await svc.forgetUnits({ ...input, ...(cursor && { cursor }) });
          units.push(...reply.data);
          cursor = reply.nextCursor;
        } while (cursor !== null);
        const count = (outcome: string) => units.filter((unit) => unit.outcome === outcome).length;
        show({ units }, () => {
          if (!yes) return `${units.length} units would be forgotten; say --yes to do it`;
          const refused = count("refused") > 0 ? `, refused ${count("refused")}` : "";
          return `${erase ? "Erased" : "Archived"} ${count(erase ? "erased" : "archived")}${refused}`;
        });
      })
    );
}

function parseObject(text: string): Record<string, never> {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError("bad_input", "Cannot read --metadata: it is not JSON");
  }
}

type Forgettable = "fact" | "decision" | "strategy" | "workflow" | "skill" | "episode" | "entity";

export function addForgetCommand(cli: Command): void {
  agentCommand(cli, "forget <id>", "archive a unit so that it is no longer recalled; a person can restore it")
    .requiredOption("--reason <text>", "why")
    .option("--erase", "delete its content for ever and show the receipt")
    .action((id: string, options: Json & { reason: string; erase?: true }) =>
      run(options, async ({ svc, show }) => {
        const { unit } = (await svc.getUnits({ id: [id] })).data[0] ?? {};
        if (!unit) throw new CommandError("not_found", `Cannot forget ${id}: not found`);
        const input = { id, mode: options.erase ? "erase" as const : "archive" as const, reason: options.reason };
        const forget: Record<Forgettable, () => Promise<object>> = {
          fact: () => svc.forgetFact(input),
          decision: () => svc.forgetDecision(input),
          strategy: () => svc.forgetStrategy(input),
          workflow: () => svc.forgetWorkflow(input),
          skill: () => svc.forgetSkill(input),
          episode: () => svc.forgetEpisode(input),
          entity: () => svc.forgetEntity(input),
        };
        show(await forget[unit.type](), () =>
          oneLine(
            options.erase ? `Erased ${unit.type} ${id} for ever` : `Archived ${unit.type} ${id}; it can be restored`,
          ));
      })
    );
}
