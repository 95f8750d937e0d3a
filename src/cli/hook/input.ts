/** The input of a hook from a client on standard input, by the names of all clients. */

export interface HookInput {
  /** The client that runs the hook, if it shows: clients also run the hooks in Claude Code's configuration. */
  readonly runner: string | undefined;
  /** The client's name of the conversation. */
  readonly session: string;
  /** The folders of the conversation. */
  readonly folders: readonly string[];
  readonly transcript: string | undefined;
  readonly prompt: string | undefined;
  /** Why a session starts: `startup`, `resume`, `clear`, `compact`. */
  readonly source: string | undefined;
}

/** The longest accepted input; a client sends the prompt and a handful of names. */
const BYTES_MAX = 8_388_608;

/** Reads standard input to its end. @throws Error for input that is too long, or that no client sends */
export async function readInput(stream: ReadableStream<Uint8Array>): Promise<HookInput> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.byteLength;
    if (bytes > BYTES_MAX) throw new Error("the input is above 8 MiB");
    pieces.push(piece);
  }
  return parseInput(await new Blob(pieces as BlobPart[]).text());
}

/** @throws Error for a text that is not a JSON object with the id of a session */
export function parseInput(text: string): HookInput {
  let value: unknown;
  try {
    // Windows shells put a byte order mark before it.
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new Error("the input is not JSON");
  }
  if (typeof value !== "object" || value === null) throw new Error("the input is not a JSON object");
  const input = value as Record<string, unknown>;
  const textAt = (...names: string[]) => {
    const found = names.map((name) => input[name]).find((one) => typeof one === "string" && one !== "");
    return found as string | undefined;
  };
  const session = textAt("session_id", "conversation_id", "sessionId");
  if (session === undefined) throw new Error("the input names no session");
  const roots = Array.isArray(input["workspace_roots"]) ? input["workspace_roots"] : [];
  const folders = [textAt("cwd"), ...roots].filter((one): one is string => typeof one === "string" && one !== "");
  const runner = input["cursor_version"] !== undefined
    ? "cursor"
    : input["hookEventName"] !== undefined
    ? "vscode"
    : undefined;
  return {
    runner,
    session,
    folders: folders.length > 0 ? folders : [Deno.cwd()],
    transcript: textAt("transcript_path"),
    prompt: textAt("prompt"),
    source: textAt("source", "trigger"),
  };
}
