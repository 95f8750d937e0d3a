/** The command line of agents: whose key goes where, what is recorded, what reaches the terminal. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "mode of the credentials file",
    file: "src/cli/agent/credentials.ts",
    defence: "(mode & 0o077) !== 0",
    instead: "false",
    test: "tests/cli/agent_test.ts",
    filter: "the credentials file is read if nobody else can read it",
  },
  {
    name: "the key of the credentials file goes to its own address",
    file: "src/cli/agent/credentials.ts",
    defence: "url !== undefined && originOf(url) !== originOf(own)",
    instead: "url === own && url === undefined",
    test: "tests/cli/agent_test.ts",
    filter: "the credentials file is read if nobody else can read it",
  },
  {
    name: "control characters on a terminal",
    file: "src/cli/agent/text.ts",
    defence: "return text.toWellFormed().replaceAll(UNSAFE, (char) => {",
    instead: "return text.toWellFormed().replaceAll(/\\0/g, (char) => {",
    test: "tests/cli/agent_test.ts",
    filter: "stored text cannot steer the terminal",
  },
  {
    name: "what a hook put in is not recorded",
    file: "src/cli/hook/transcript.ts",
    defence: "let spoken = stripBlocks(text);",
    instead: "let spoken = text;",
    test: "tests/cli/hook_test.ts",
    filter: "what a hook puts into a conversation is never recorded",
  },
  {
    name: "secrets of a conversation",
    file: "src/cli/hook/transcript.ts",
    defence: 'withoutSecrets(spoken.toWellFormed().replaceAll("\\0", ""))',
    instead: 'spoken.toWellFormed().replaceAll("\\0", "")',
    test: "tests/cli/hook_test.ts",
    filter: "secrets are neither recorded nor searched for",
  },
  {
    name: "a hook that could not send is behind",
    file: "src/cli/hook/run.ts",
    defence: "await states.write({ ...own, isBehind: true });",
    instead: "",
    test: "tests/cli/hook_test.ts",
    filter: "what a session could not send is sent at the end of another one",
  },
  {
    name: "values of secrets' names in a conversation",
    file: "src/cli/hook/secrets.ts",
    defence: "inPieces(withoutValues(withoutPem))",
    instead: "inPieces(withoutPem)",
    test: "src/cli/hook/transcript_test.ts",
    filter: "the value of a secret's name",
  },
];
