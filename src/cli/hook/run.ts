/**
 * `svc hook <client> <event>`: recalls before a prompt, records after an answer. The client waits for it, so it always
 * ends within 800 ms and never with a failure: it reports problems in one line on standard error.
 */
import { type Client, createClient, SvcError } from "../../../clients/typescript/mod.ts";
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

/** The longest run of a hook by default; `SVC_HOOK_TIMEOUT_MS` overrides it. */
const TIMEOUT_MS = 800;
/** The part of that time that is kept for starting and ending the process, which the hook cannot measure. */
const MARGIN_MS = 80;
/** The time that a request and its answer may need: if less is left, none begins. */
const REQUEST_MS = 120;
/** How many other conversations a hook finishes, and how many it tries, because some may never succeed. */
const OTHERS_MAX = 3;
const TRIED_MAX = 12;

/** Runs a hook and ends the process. */
export async function runHook(args: readonly string[]): Promise<never> {
  const [client = "", event = ""] = args;
  const known = Object.hasOwn(HOOK_CLIENTS, client) ? HOOK_CLIENTS[client] : undefined;
  let isTold = false;
  const tell = (sentence: string) => {
    // One line, because clients show it to people.
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
  // A conversation has one name, whichever client's hooks run in it.
  const state = await states.read(input.runner ?? client, input.session);
  if (task === "brief") return await brief(svc, states, state, input);
  if (task === "recall") return await recall(svc, states, state, input);
  await record(svc, states, state, input, call);
}

/** Moves a conversation's place to its transcript's end, so that turns during the off time are never recorded. */
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
  // A conversation that begins here is not older than the hooks, so all of it is recorded.
  const place = state.place ?? (source === "resume" ? undefined : { offset: 0, isInside: false });
  await states.write({ ...state, place, transcript: transcript ?? state.transcript, shown: [] });
  await states.prune(new Date());
  // A resumed conversation has its briefing already.
  return source === "resume" ? undefined : await briefFor(svc);
}

async function recall(svc: Client, states: States, state: SessionState, { prompt }: HookInput) {
  const { block, ids } = await recallFor(svc, prompt ?? "", state);
  if (ids.length > 0) {
    // The state is read again, because a recording hook may have come further meanwhile.
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
  // The state stays if the time or the service ends the recording: the next hook of any conversation continues it.
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
      // Its transcript is gone, so nothing is left to send.
      if (error instanceof Deno.errors.NotFound) await states.write({ ...other, isBehind: false });
      // A fault of the service or the key concerns all conversations; a fault of one must not hold up the others.
      else if (error instanceof SvcError && (error.retryable || [401, 403].includes(error.status))) throw error;
      else tell(`another conversation is not recorded: ${error instanceof Error ? error.message : error}`);
    }
  }
}
