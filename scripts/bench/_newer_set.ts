/** A set of updates and compatible pairs in people's words, told to a service; see `tests/data/newer/README.md`. */

export interface Told {
  readonly text: string;
  readonly at: string;
}

export interface ToldSession {
  readonly at: string;
  readonly turns: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
}

/** The session and the turn. */
export type Place = readonly [session: number, turn: number];

interface Pair {
  readonly id: string;
  readonly kind: "update" | "compatible";
  readonly language: string;
  readonly question: string;
  readonly right: "older" | "newer";
  readonly answer: string;
}

export type FactPair = Pair & { readonly told: "facts"; readonly older: Told; readonly newer: Told };
export type TurnPair = Pair & {
  readonly told: "turns";
  readonly sessions: readonly ToldSession[];
  readonly older: Place;
  readonly newer: Place;
};
export type NewerPair = FactPair | TurnPair;

export async function readNewerSet(path: string | URL): Promise<NewerPair[]> {
  return JSON.parse(await Deno.readTextFile(path));
}

export type Side = "older" | "newer";

/** The name of a message: a turn of a pair. */
export function messageOf(pair: TurnPair, [session, turn]: Place): string {
  return `${pair.id}-${session}-${turn}`;
}

/** One deed of telling: a fact, or a session that is then collapsed. */
interface Deed {
  readonly at: number;
  readonly pair: NewerPair;
  readonly tell: (ask: Ask, voices: Voices) => Promise<void>;
}

// deno-lint-ignore no-explicit-any
export type Json = any;
export type Ask = (method: string, path: string, body?: unknown) => Promise<Json>;

/** Sends requests with a key. @throws Error for an unsuccessful reply */
export function clientOf(url: string, key: string): Ask {
  return async (method, path, body) => {
    const reply = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`Cannot ${method} ${path}: ${reply.status} ${text.slice(0, 1_000)}`);
    return JSON.parse(text);
  };
}

const MINUTE_MS = 60_000;

/** Which side of which pair a stored fact or turn says. */
export class Voices {
  readonly #sides = new Map<string, string>();

  add(id: string, pair: NewerPair, side: Side): void {
    this.#sides.set(id, `${pair.id} ${side}`);
  }

  is(id: string, pair: NewerPair, side: Side): boolean {
    return this.#sides.get(id) === `${pair.id} ${side}`;
  }

  /** The stored facts and turns of one side. */
  idsOf(pair: NewerPair, side: Side): string[] {
    return [...this.#sides].flatMap(([id, said]) => said === `${pair.id} ${side}` ? id : []);
  }
}

/** Tells pairs in the order of their times, as people would over months. */
export async function tellPairs(ask: Ask, pairs: readonly NewerPair[]): Promise<Voices> {
  const voices = new Voices();
  const deeds = pairs.flatMap((pair) => pair.told === "facts" ? factDeeds(pair) : sessionDeeds(pair));
  for (const { tell } of deeds.sort((a, b) => a.at - b.at)) await tell(ask, voices);
  return voices;
}

function factDeeds(pair: FactPair): Deed[] {
  return (["older", "newer"] as const).map((side) => ({
    at: Date.parse(pair[side].at),
    pair,
    async tell(ask, voices) {
      const { text: statement, at: occurredAt } = pair[side];
      const fact = await ask("POST", "/v1/memory/facts", { statement, occurredAt, attribution: "user_stated" });
      voices.add(fact.id, pair, side);
    },
  }));
}

function sessionDeeds(pair: TurnPair): Deed[] {
  return pair.sessions.map((session, place) => ({
    at: Date.parse(session.at),
    pair,
    async tell(ask, voices) {
      const sideOf = new Map((["older", "newer"] as const).map((side) => [messageOf(pair, pair[side]), side]));
      const { id } = await ask("POST", "/v1/session", {});
      const turns = session.turns.map(({ role, content }, turn) => ({
        ...{ role, content, messageId: messageOf(pair, [place, turn]) },
        occurredAt: new Date(Date.parse(session.at) + turn * MINUTE_MS).toISOString(),
      }));
      const added = await ask("POST", `/v1/session/${id}/turns`, { turns });
      for (const turn of added.turns) {
        const side = sideOf.get(turn.messageId);
        if (side !== undefined) voices.add(turn.id, pair, side);
      }
      const { facts } = await ask("POST", `/v1/session/${id}/collapse`, {});
      for (const { factId } of facts) {
        const fact = await ask("GET", `/v1/memory/facts/${factId}`);
        const cited = fact.citations.map(({ messageId }: Json) => sideOf.get(messageId)).find(Boolean);
        if (cited !== undefined) voices.add(factId, pair, cited);
      }
    },
  }));
}
