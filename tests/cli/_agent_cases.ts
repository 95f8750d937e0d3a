/** What the commands for people and agents at a terminal do over HTTP, whichever program has them. */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { startService } from "../_service.ts";
import { type Person, serve } from "./_svc.ts";

const DATA = new URL("../testdata/hooks/", import.meta.url).pathname;

interface AgentCase {
  readonly name: string;
  run(person: Person): Promise<void>;
}

export const AGENT_CASES: readonly AgentCase[] = [
  {
    name: "a statement is remembered, recalled, explained, read, corrected and forgotten",
    async run(person) {
      await using service = await startService();
      await using served = serve(service);
      const env = { SVC_URL: served.url, SVC_KEY: service.key };
      const svc = async (...args: string[]) => {
        const ran = await person.svc(args, { env });
        equal(ran.stderr, "", args.join(" "));
        equal(ran.code, 0);
        return ran.stdout;
      };
      const json = async (...args: string[]) => JSON.parse(await svc(...args, "--json"));

      const me = await json("whoami");
      equal(me.workspace.id, service.workspaceId);
      match(await svc("whoami"), new RegExp(`^workspace .*${service.workspaceId}`));

      const told = await svc(
        "remember",
        "The",
        "ferry",
        "leaves",
        "Porto",
        "at",
        "nine.",
        "--kind",
        "fact",
      );
      const id = /[0-9a-f-]{36}/.exec(told)![0];
      equal((await json("remember", "The lighthouse of Nazaré is red.", "--tag", "sea", "coast")).tags.length, 2);
      match(
        await svc("recall", "When does the ferry leave Porto?"),
        new RegExp(`^- The ferry leaves Porto at nine\\. \\[fact ${id}`),
      );
      const { results } = await json("recall", "When does the ferry leave Porto?", "--limit", "1");
      deepEqual(results.map((one: { id: string }) => one.id), [id]);
      match(
        await svc("recall", "When does the ferry leave Porto?", "--explain", "--why-not", id),
        /lexical #1[^]*not .*returned/,
      );
      equal(await svc("recall", "Qxzzy plugh wvutz?"), "Nothing relevant is stored.\n");
      match(await svc("brief"), /ferry/);

      const [{ unit, citations, history }] = (await json("read", id, "--history")).units;
      deepEqual([unit.attribution, citations, history.length], ["agent_stated", [], 1]);
      equal(
        (await json("correct", id, "--statement", "The ferry leaves Porto at ten.", "--reason", "new timetable"))
          .status,
        "applied",
      );
      match(await svc("recall", "When does the ferry leave Porto?"), /at ten/);
      const [, users] = /^Stored (\S+):/.exec(await svc("remember", "I like the sea.", "--said-by", "user"))!;
      match(
        await svc("correct", users!, "--reason", "I think not"),
        /^Waits for a person to decide: review [0-9a-f-]{36}/,
      );
      match(await svc("forget", id, "--reason", "no ferry any more"), /^Archived fact/);
      equal(await svc("recall", "When does the ferry leave Porto?"), "Nothing relevant is stored.\n");
      ok((await json("forget", id, "--reason", "privacy", "--erase")).receipt.id);

      const path = join(DATA, "claude-code.jsonl");
      match(await svc("record", path, "--session", "one"), /2 turns recorded, 0 were recorded before\n$/);
      match(await svc("record", path, "--session", "one", "--done"), /0 turns recorded, 2 were recorded before/);
    },
  },

  {
    name: "a correction that contradicts what is trusted more says so, and a history is shown whole",
    async run(person) {
      await using service = await startService();
      await using served = serve(service);
      const env = { SVC_URL: served.url, SVC_KEY: service.key };
      const rome = await service.post("/v1/memory/facts", {
        statement: "Caroline lives in Rome.",
        attribution: "user_stated",
      });
      const tea = await service.post("/v1/memory/facts", { statement: "Caroline likes tea." });
      const { id } = tea.body;
      const corrected = ["correct", id, "--statement", "Caroline has moved to Oslo.", "--reason", "another text"];
      const said = await person.svc(corrected, { env });
      equal(said.code, 0, said.stderr);
      const open = (await service.get("/v1/review?status=open")).body.data;
      deepEqual(open.map((item: Record<string, string>) => [item.kind, item.subjectId, item.otherId]), [
        ["contested_fact", id, rome.body.id],
      ]);
      equal(
        said.stdout,
        `Corrected ${id}; it contradicts what is stored (${rome.body.id}): a person is asked (review ${open[0].id})\n`,
      );
      equal((await service.get(`/v1/facts/${id}`)).body.status, "contested");
      equal((await service.get(`/v1/facts/${rome.body.id}`)).body.status, "active");

      for (let i = 0; i < 205; i++) await service.patch(`/v1/memory/facts/${rome.body.id}`, { tags: [`t${i}`] });
      const shown = await person.svc(["read", rome.body.id, "--history", "--json"], { env });
      equal(JSON.parse(shown.stdout).units[0].history.length, 206);
    },
  },

  {
    name: "the exit code tells what kind of failure it was, with the sentence on standard error",
    async run(person) {
      await using service = await startService();
      await using served = serve(service);
      await using busy = serve(() =>
        Response.json({ code: "unavailable", message: "Later.", retryable: true }, { status: 503 })
      );
      const reader = await service.createKey({ scopes: ["memory:read"] });
      const env = { SVC_URL: served.url, SVC_KEY: service.key };
      const absent = "01890000-0000-7000-8000-00000000abcd";
      const cases: [number, string[], Record<string, string>?][] = [
        [2, ["recall", "x".repeat(5_000)]],
        [2, ["recall"]],
        [2, ["remember", "x", "--kind", "rumour"]],
        [2, ["correct", absent]],
        [2, ["recall", "x", "--unheard"]],
        [2, ["recal", "x"]],
        [2, []],
        [2, ["read", "not-an-id"]],
        [2, ["whoami"], { SVC_URL: "ftp://nowhere" }],
        [3, ["read", absent]],
        [3, ["forget", absent, "--reason", "x"]],
        [3, ["correct", absent, "--reason", "x"]],
        [3, ["record", "/nowhere.jsonl"]],
        [4, ["remember", "x is y."], { SVC_KEY: reader }],
        [4, ["whoami"], { SVC_KEY: "svc_live_wrong" }],
        [4, ["whoami"], { SVC_KEY: "" }],
        [5, ["whoami"], { SVC_URL: "http://127.0.0.1:1" }],
        [5, ["recall", "x"], { SVC_URL: busy.url }],
        [0, ["recall", "--help"]],
        [0, ["--help"]],
      ];
      for (const [code, args, more] of cases) {
        const ran = await person.svc(args, { env: { ...env, ...more } });
        equal(ran.code, code, `${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
        if (code !== 0) match(ran.stderr, /\S/);
        doesNotMatch(ran.stderr, /^\s+at /m, "no stack");
      }
      const told = await person.svc(["read", absent, "--json"], { env });
      equal(JSON.parse(told.stderr).error.kind, "not_found");
    },
  },

  {
    name: "stored text cannot steer the terminal, in words or as JSON",
    async run(person) {
      await using service = await startService();
      await using served = serve(service);
      const env = { SVC_URL: served.url, SVC_KEY: service.key };
      const evil = "The harbour \x1b]0;owned\x07\x1b[2J\x9b31m is\u202e green\u{e0041} today.";
      equal((await service.post("/v1/memory/facts", { statement: evil })).status, 201);
      for (
        const args of [
          ["recall", "harbour green today"],
          ["recall", "harbour green today", "--json"],
          ["recall", "harbour green today", "--explain"],
          ["brief"],
          ["brief", "--json"],
        ]
      ) {
        const { stdout, code } = await person.svc(args, { env });
        deepEqual([code, /harbour/.test(stdout)], [0, true], args.join(" "));
        // deno-lint-ignore no-control-regex
        equal(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]|[\u{e0000}-\u{e007f}]/u.test(stdout), false, stdout);
        if (args.includes("--json") && args[0] === "recall") equal(JSON.parse(stdout).results[0].text, evil);
      }
    },
  },

  {
    name: "the credentials file is read if nobody else can read it, and its key goes to no other address",
    async run(person) {
      await using service = await startService();
      await using served = serve(service);
      await using other = serve(() => new Response());
      const folder = join(person.home, ".config", "svc");
      const path = join(folder, "credentials");
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(path, `# mine\nSVC_URL="${served.url}"\nexport SVC_KEY=${service.key}\n`, {
        mode: 0o600,
      });
      await Deno.chmod(path, 0o600);
      const whoami = (env = {}) => person.svc(["whoami", "--json"], { env });
      equal((await whoami()).code, 0);
      equal((await whoami({ SVC_URL: served.url })).code, 0);
      const strayed = await whoami({ SVC_URL: other.url });
      deepEqual([strayed.code, other.asked], [4, []]);
      match(strayed.stderr, /is for http/);
      for (const mode of [0o640, 0o604, 0o620, 0o666]) {
        await Deno.chmod(path, mode);
        const { code, stderr } = await whoami();
        equal(code, 4);
        match(stderr, /chmod 600/);
      }
      await Deno.chmod(path, 0o600);
      await Deno.writeTextFile(path, "SVC_KEY\n");
      match((await whoami()).stderr, /line 1/);
      const elsewhere = join(person.home, "xdg");
      await Deno.mkdir(join(elsewhere, "svc"), { recursive: true });
      await Deno.writeTextFile(
        join(elsewhere, "svc", "credentials"),
        `SVC_URL=${served.url}\nSVC_KEY=${service.key}\n`,
        {
          mode: 0o600,
        },
      );
      await Deno.chmod(join(elsewhere, "svc", "credentials"), 0o600);
      equal((await whoami({ XDG_CONFIG_HOME: elsewhere })).code, 0);
    },
  },
];
