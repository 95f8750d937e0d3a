/**
 * `svc hook <client> <event>`: recall before a prompt, record after an answer. The client waits for it, so it ends within 800 ms
 * whatever happens, never with a failure: it says on standard error, in one line, what did not work.
 */
import { type Client, createClient, SvcError } from "../../sdk/mod.ts";
import { readCredentials } from "../agent/credentials.ts";
import { CommandError } from "../agent/error.ts";
import { oneLine } from "../agent/text.ts";
import { HOOK_CLIENTS, type HookClient } from "./clients.ts";
import { isIgnored } from "./ignore.ts";
import { type HookInput, readInput } from "./input.ts";
import { briefFor, recallFor } from "./recall.ts";
import { recordTranscript } from "./record.ts";
import { type SessionState, States } from "./state.ts";
import { placeBeforeEnd } from "./tail.ts";

/** Longest that a hook takes, unless `SVC_HOOK_TIMEOUT_MS` says otherwise. */
const TIMEOUT_MS = 800;
/** Of it, what starting and ending the process may take outside of what is counted here. */
const MARGIN_MS = 80;
/** What a request and its answer may need: less than that is left, none is begun. */
const REQUEST_MS = 120;
/** How many other conversations a hook catches up with, and how many it tries: some may never succeed. */
const OTHERS_MAX = 3;
const TRIED_MAX = 12;

/** Runs a hook and ends the process. */
export async function runHook(args: readonly string[]): Promise<never> {
  const [client = "", event = ""] = args;
  const known = Object.hasOwn(HOOK_CLIENTS, client) ? HOOK_CLIENTS[client] : undefined;
  let isTold = false;
  const tell = (sentence: string) => {
    // One line: clients show it to people.
    if (!isTold) console.error(oneLine(`svc hook ${client} ${event}: ${sentence}`).slice(0, 400));
    isTold = true;
  };
  const budgetMs = readTimeout(tell) - MARGIN_MS;
  const timer = setTimeout(() => {
    tell("the time was not enough; what is not recorded is recorded the next time");
    Deno.exit(0);
  }, Math.max(0, budgetMs - performance.now()));
  try {
    const context = await work(known, { client, event, budgetMs, tell });
    const answer = known?.answer(event, context) ?? "";
    if (answer !== "") console.log(answer);
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
    const answer = known?.answer(event, undefined) ?? "";
    if (answer !== "") console.log(answer);
  }
  clearTimeout(timer);
  Deno.exit(0);
}

function readTimeout(tell: Call["tell"]): number {
  const text = Deno.env.get("SVC_HOOK_TIMEOUT_MS") || String(TIMEOUT_MS);
  if (/^[1-9]\d{2,4}$/.test(text)) return Number(text);
  tell(`SVC_HOOK_TIMEOUT_MS is not 100 to 99999: it is ${TIMEOUT_MS}`);
  return TIMEOUT_MS;
}

interface Call {
  readonly client: string;
  readonly event: string;
  readonly budgetMs: number;
  tell(sentence: string): void;
}

async function work(known: HookClient | undefined, call: Call): Promise<string | undefined> {
  const { client, event, budgetMs } = call;
  if (known === undefined) throw new Error(`no such client; there are ${Object.keys(HOOK_CLIENTS).join(", ")}`);
  const task = Object.hasOwn(known.events, event) ? known.events[event] : undefined;
  if (task === undefined) throw new Error(`no such event; there are ${Object.keys(known.events).join(", ")}`);
  const input = await readInput(Deno.stdin.readable);
  if (await isIgnored(input.folders)) return void await passOver(client, input);
  const { url, key } = readCredentials();
  const svc = createClient({ url, key, retries: 0, timeoutMs: budgetMs });
  const states = new States(url, key);
  // A conversation has one name, whichever client's hooks are run in it.
  const state = await states.read(input.runner ?? client, input.session);
  if (task === "brief") return await brief(svc, states, state, input);
  if (task === "recall") return await recall(svc, states, state, input);
  await record(svc, states, state, input, call);
}

/** Moves the place of a conversation to the end of its transcript, so that what was said while the memory is off is never recorded. */
async function passOver(client: string, { runner, session, transcript }: HookInput): Promise<void> {
  if (transcript === undefined) return;
  try {
    const { url, key } = readCredentials();
    const states = new States(url, key);
    const state = await states.read(runner ?? client, session);
    const { size } = await Deno.stat(transcript);
    // The last byte ends a line, or is inside one that is still being written.
    await states.write({ ...state, transcript, place: placeBeforeEnd(size, 1), isBehind: false });
  } catch (error) {
    // Without a key or a transcript there is nothing to record.
    if (!(error instanceof CommandError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function brief(svc: Client, states: States, state: SessionState, { source, transcript }: HookInput) {
  // Of a conversation that begins here nothing is older than the hooks, so that all of it is recorded.
  const place = state.place ?? (source === "resume" ? undefined : { offset: 0, isInside: false });
  await states.write({ ...state, place, transcript: transcript ?? state.transcript, shown: [] });
  await states.prune(new Date());
  // What is resumed has its briefing.
  return source === "resume" ? undefined : await briefFor(svc);
}

async function recall(svc: Client, states: States, state: SessionState, { prompt }: HookInput) {
  const { block, ids } = await recallFor(svc, prompt ?? "", state);
  if (ids.length > 0) {
    // Read again: a hook that records may have come further meanwhile.
    const now = await states.read(state.client, state.session);
    await states.write({ ...now, shown: [...now.shown, ...ids] });
  }
  return block;
}

async function record(
  svc: Client,
  states: States,
  state: SessionState,
  { transcript }: HookInput,
  { budgetMs, tell }: Call,
): Promise<undefined> {
  const recording = {
    ...{ svc, tell },
    hasTime: () => performance.now() < budgetMs - REQUEST_MS,
    save: (state: SessionState) => states.write(state),
  };
  const own = { ...state, transcript: transcript ?? state.transcript };
  // Left as it is when the time or the service ends it: the next hook of any conversation goes on with it.
  if (own.transcript !== undefined) {
    await states.write({ ...own, isBehind: true });
    const { unread } = await recordTranscript(recording, own);
    if (unread > 0) tell(`${unread} lines of the transcript are not JSON`);
  }
  let caughtUp = 0;
  for (const other of await states.listBehind(own, TRIED_MAX)) {
    if (caughtUp === OTHERS_MAX || !recording.hasTime()) break;
    try {
      await recordTranscript(recording, other);
      caughtUp++;
    } catch (error) {
      // Its transcript is gone: nothing is left to send.
      if (error instanceof Deno.errors.NotFound) await states.write({ ...other, isBehind: false });
      // What ails the service or the key ails them all; what ails one conversation does not keep the others.
      else if (error instanceof SvcError && (error.retryable || [401, 403].includes(error.status))) throw error;
      else tell(`another conversation is not recorded: ${error instanceof Error ? error.message : error}`);
    }
  }
}
