/**
 * Every command of the command line, with its help text. A command's own file is loaded when somebody runs the command
 * or asks for its help: the service's parts take half a second to load, and `svc hook` may not take that long.
 *
 * The imports are literals, so that bundles and the single binary contain these files.
 */
import type { Command } from "commander";
import type { CliParts } from "./parts.ts";

/** Adds one command, with its subcommands and options. */
export type AddCommand = (cli: Command, parts: CliParts) => void;

export interface LazyCommand {
  readonly name: string;
  /** The same as the command's own description, so that help can show it without loading the command. */
  readonly description: string;
  load(): Promise<AddCommand>;
  /** Whether it works with the service's parts, so that a running service can run it. */
  readonly usesDeps?: true;
}

export const COMMANDS: readonly LazyCommand[] = [
  {
    name: "serve",
    description: "serve HTTP and RPC until SIGTERM; migrate first on the embedded database",
    load: async () => (await import("./serve.ts")).addServeCommand,
  },
  {
    name: "migrate",
    description: "apply this build's migrations to the database (needs SVC_OWNER_DATABASE_URL)",
    load: async () => (await import("./upkeep.ts")).addMigrateCommand,
  },
  {
    name: "workspace",
    description: "create, list and change workspaces",
    usesDeps: true,
    load: async () => (await import("./keys.ts")).addWorkspaceCommands,
  },
  {
    name: "key",
    description: "create, list, change and revoke API keys",
    usesDeps: true,
    load: async () => (await import("./keys.ts")).addKeyCommands,
  },
  {
    name: "admin",
    description: "create and disable admins of the service",
    usesDeps: true,
    load: async () => (await import("./admin.ts")).addAdminCommands,
  },
  {
    name: "audit",
    description: "dump and verify the audit log",
    usesDeps: true,
    load: async () => (await import("./audit.ts")).addAuditCommands,
  },
  {
    name: "webhook",
    description: "list, show and test webhooks, and send changes again",
    usesDeps: true,
    load: async () => (await import("./webhooks.ts")).addWebhookCommands,
  },
  {
    name: "federation",
    description: "exchange knowledge with other instances",
    usesDeps: true,
    load: async () => (await import("./federation.ts")).addFederationCommands,
  },
  {
    name: "export",
    description: "write a workspace as JSONL to standard output",
    usesDeps: true,
    load: async () => (await import("./transfer.ts")).addExportCommand,
  },
  {
    name: "import",
    description: "import a file of any size; importing it again changes nothing",
    usesDeps: true,
    load: async () => (await import("./transfer.ts")).addImportCommand,
  },
  {
    name: "mcp",
    description: "speak MCP on standard input and output, for clients that start a program",
    load: async () => (await import("./mcp.ts")).addMcpCommand,
  },
  {
    name: "doctor",
    description: "check the configuration, the database and the providers",
    usesDeps: true,
    load: async () => (await import("./upkeep.ts")).addDoctorCommand,
  },
  {
    name: "login",
    description: "get a key for the command line: a person agrees to it in the browser",
    load: async () => (await import("./agent/login.ts")).addLoginCommand,
  },
  {
    name: "whoami",
    description: "show which workspace and key the command line uses",
    load: async () => (await import("./agent/memory.ts")).addWhoamiCommand,
  },
  {
    name: "brief",
    description: "show what an agent should know at the start of a session",
    load: async () => (await import("./agent/memory.ts")).addBriefCommand,
  },
  {
    name: "recall",
    description: "search the memory; `-` reads the query from standard input",
    load: async () => (await import("./agent/memory.ts")).addRecallCommand,
  },
  {
    name: "read",
    description: "show units whole; of facts also their sources, with --history their changes",
    load: async () => (await import("./agent/memory.ts")).addReadCommand,
  },
  {
    name: "remember",
    description: "store one statement; `-` reads it from standard input",
    load: async () => (await import("./agent/memory.ts")).addRememberCommand,
  },
  {
    name: "correct",
    description: "change a unit, or take it back as wrong; its history stays",
    load: async () => (await import("./agent/memory.ts")).addCorrectCommand,
  },
  {
    name: "forget",
    description: "archive a unit so that it is no longer recalled; a person can restore it",
    load: async () => (await import("./agent/memory.ts")).addForgetCommand,
  },
  {
    name: "forget-where",
    description: "forget all units that meet the given conditions; without --yes, count them",
    load: async () => (await import("./agent/memory.ts")).addForgetWhereCommand,
  },
  {
    name: "record",
    description: "record the transcript of a conversation; recording it again adds what is new",
    load: async () => (await import("./agent/record.ts")).addRecordCommand,
  },
  {
    name: "connect",
    description: "give a coding agent this memory: its configuration gets the MCP server, with --hooks also hooks",
    load: async () => (await import("./connect/command.ts")).addConnectCommand,
  },
  {
    name: "disconnect",
    description: "take out of a coding agent's configuration what `svc connect` put in",
    load: async () => (await import("./connect/command.ts")).addDisconnectCommand,
  },
  {
    name: "hook",
    description: "called by a coding agent: recall before a prompt, record after an answer",
    load: async () => (await import("./hook/command.ts")).addHookCommand,
  },
];
