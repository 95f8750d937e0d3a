/** Reads the development set of conversations (`tests/data/collapse/`); its README describes the form. */

export interface SetTurn {
  readonly messageId: string;
  readonly role: "user" | "assistant" | "tool";
  readonly name: string | null;
  readonly content: string;
  readonly occurredAt: string;
  /** Whether nothing of the turn is to be kept. */
  readonly isEmpty: boolean;
}

/** A fact that has to be found, or one that must not be kept. */
export interface SetFact {
  readonly messageId: string;
  /** Alternatives by item; an item is the beginning of a word, or of several. */
  readonly items: readonly (readonly string[])[];
  /** Items that give a statement another meaning. */
  readonly unless: readonly string[];
  /** `2026-03-05`, `2026-03` or `2026`. */
  readonly date: string | null;
  readonly isDecision: boolean;
  /** Whether it is about something that changes within the session. */
  readonly isChange: boolean;
}

export interface SetSession {
  readonly id: string;
  /** The name of its file, without `.txt`. */
  readonly file: string;
  readonly turns: readonly SetTurn[];
  readonly wanted: readonly SetFact[];
  readonly unwanted: readonly SetFact[];
  readonly half: "tune" | "held";
}

const FILES = [
  "assistant",
  "fresh",
  "friends",
  "afterwards",
  "household",
  "lifelike",
  "mixed",
  "project",
  "support",
  "untouched",
];

/** All sessions of the set. @throws Error for a malformed line. */
export async function readCollapseSet(): Promise<SetSession[]> {
  const folder = new URL("../../tests/data/collapse/", import.meta.url);
  const sessions = await Promise.all(FILES.map(async (file) => {
    const text = await Deno.readTextFile(new URL(`${file}.txt`, folder));
    return text.split(/^== /mu).slice(1).map((block) => readSession(block, file));
  }));
  return sessions.flat();
}

function readSession(block: string, file: string): SetSession {
  const [head, ...lines] = block.trimEnd().split("\n");
  const [id, start] = head!.trim().split(" ") as [string, string];
  const turns: SetTurn[] = [];
  const wanted: SetFact[] = [];
  const unwanted: SetFact[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    if (!line.startsWith(" ")) {
      const [, who, content] = /^([^:]{1,30}): (.+)$/u.exec(line) ?? [];
      if (who === undefined) throw new Error(`${id}: cannot read the turn ${line}`);
      const isPlain = who === "user" || who === "assistant";
      const tool = /^tool (.+)$/u.exec(who)?.[1];
      turns.push({
        messageId: `${id}:${turns.length}`,
        role: tool !== undefined ? "tool" : who === "assistant" || who.endsWith("*") ? "assistant" : "user",
        name: isPlain ? null : tool ?? who.replace("*", ""),
        content: content!.replaceAll("\\n", "\n"),
        occurredAt: new Date(Date.parse(`${start}:00Z`) + turns.length * 40_000).toISOString(),
        isEmpty: true,
      });
      continue;
    }
    const [, sign] = /^ {2}([+~-])/u.exec(line) ?? [];
    if (sign === undefined) throw new Error(`${id}: cannot read ${line}`);
    if (sign !== "-") turns.push({ ...turns.pop()!, isEmpty: false });
    if (sign === "~") continue;
    (sign === "+" ? wanted : unwanted).push(readFact(line.slice(3), turns.at(-1)!.messageId));
  }
  return { id, file, turns, wanted, unwanted, half: halfOf(id) };
}

function readFact(line: string, messageId: string): SetFact {
  const flags = /^[!D]*/u.exec(line)![0];
  const date = / @([\d-]+)$/u.exec(line)?.[1] ?? null;
  const [what, ...unless] = line.slice(flags.length).replace(/ @[\d-]+$/u, "").split(" ! ");
  const items = what!.split("|").map((item) => item.trim().toLowerCase().split("/"));
  return {
    messageId,
    items,
    unless: unless.map((item) => item.trim().toLowerCase()),
    date,
    isDecision: flags.includes("D"),
    isChange: flags.includes("!"),
  };
}

/** Chosen by a hash of the id (FNV-1a), so that nobody's choice matters. */
function halfOf(id: string): "tune" | "held" {
  let hash = 2_166_136_261;
  for (const unit of id) hash = Math.imul(hash ^ unit.codePointAt(0)!, 16_777_619) >>> 0;
  return (hash >>> 7) % 2 === 0 ? "tune" : "held";
}
