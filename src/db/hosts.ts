/**
 * Several hosts in one database URL: each new connection goes to one that fits `target_session_attrs`.
 *
 * postgres.js 3.4.9 has both options and cannot be left to them. It takes a standby for `read-write` (it looks only at
 * `default_transaction_read_only`), finds no host at all for `read-only` and, without a standby, for `prefer-standby`,
 * connects in a loop without a pause or an error while no host answers, and does not go on to the next host when one
 * accepts the connection and says nothing. So the service finds the host, and gives the driver a socket to it.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import postgres from "postgres";
import { pause } from "../pause.ts";
import { isConnectionError, type PostgresOptions } from "./pool.ts";

/** What a server must be, in libpq's words. */
export const TARGETS = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;
export type Target = typeof TARGETS[number];

export interface Host {
  readonly host: string;
  readonly port: number;
}

/** What a server says of itself. */
interface Role {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/** The driver's options as it passes them to `socket`. Its own type does not have all of them. */
interface DriverOptions {
  readonly database: string;
  readonly user: string;
  readonly pass: string;
  readonly ssl: NonNullable<PostgresOptions["ssl"]>;
  /** In seconds. */
  readonly connect_timeout: number;
}

/** The next host is asked too when one has not answered after this time, in milliseconds. */
const ANSWER_MS = 300;

const FITS: Readonly<Record<Target, (role: Role) => boolean>> = {
  "any": () => true,
  "read-write": ({ isReadOnly }) => !isReadOnly,
  "read-only": ({ isReadOnly }) => isReadOnly,
  "primary": ({ isStandby }) => !isStandby,
  "standby": ({ isStandby }) => isStandby,
  "prefer-standby": ({ isStandby }) => isStandby,
};

/** The options of drivers that were ended; each passes its own to `socket`. */
const ended = new WeakSet<object>();

/**
 * Says that a driver was ended, so that a search which is still under way gives it no connection: nobody would close it.
 * For drivers that may be ended while they connect and whose process goes on.
 */
export function noteEnded(sql: postgres.Sql): void {
  ended.add(sql.options);
}

/** The hosts of one URL. */
export class Hosts {
  readonly #hosts: readonly Host[];
  readonly #target: Target;
  /** The host of the last connection. It is asked first, so that connections do not spread over two that fit. */
  #last: Host | undefined;
  /** The search under way. All connections that are made in the meantime wait for it. */
  #search: Promise<Host> | undefined;

  constructor(hosts: readonly Host[], target: Target) {
    this.#hosts = hosts;
    this.#target = target;
  }

  /** The driver's option `socket`: connects to a host that fits. */
  readonly socket = async (options: DriverOptions): Promise<Duplex> => {
    try {
      this.#search ??= this.#find(options).finally(() => this.#search = undefined);
      const host = this.#last = await this.#search;
      if (ended.has(options)) throw coded("CONNECTION_ENDED", "the driver was ended while it looked for a host");
      return await open(host, 1_000 * options.connect_timeout);
    } catch (error) {
      // After a rejection the driver would never use the connection again.
      return refused(error as Error);
    }
  };

  /** @throws the first error that is not about reaching a host; else one with the code 57P03 that names all hosts */
  async #find(options: DriverOptions): Promise<Host> {
    const over = new AbortController();
    const found = Promise.withResolvers<Host>();
    const asked: { readonly host: Host; role?: Role; error?: unknown }[] = [];
    const ask = async (host: Host) => {
      const one: typeof asked[number] = { host };
      asked.push(one);
      try {
        one.role = await askRole(host, options, over.signal);
        if (FITS[this.#target](one.role)) found.resolve(host);
      } catch (error) {
        one.error = error;
      }
    };
    const order = this.#hosts.toSorted((a, b) => Number(b === this.#last) - Number(a === this.#last));
    const asking = (async () => {
      const answers = [];
      for (const host of order) {
        if (over.signal.aborted) return;
        const answer = ask(host);
        answers.push(answer);
        await Promise.race([answer, found.promise, pause(ANSWER_MS, over.signal)]);
      }
      await Promise.all(answers);
    })();
    try {
      const host = await Promise.race([found.promise, asking]);
      if (host !== undefined) return host;
    } finally {
      over.abort();
    }
    const other = this.#target === "prefer-standby" && asked.find(({ role }) => role !== undefined);
    if (other) return other.host;
    const grave = asked.find(({ error }) => error !== undefined && !isConnectionError(error));
    if (grave !== undefined) throw grave.error;
    const states = asked.map(({ host, role, error }) => `${nameOf(host)} ${stateOf(role, error)}`).join(", ");
    throw coded("57P03", `no host is ${this.#target}: ${states}`);
  }
}

/** Asks a server for its role on a connection of its own, for as long as a connection may take. */
async function askRole(
  { host, port }: Host,
  { database, user, pass, ssl, connect_timeout }: DriverOptions,
  over: AbortSignal,
): Promise<Role> {
  const sql = postgres({
    ...{ host, port, database, username: user, password: pass, ssl, connect_timeout },
    connection: { application_name: "svc hosts" },
    onnotice: () => {},
    fetch_types: false,
    prepare: false,
    max: 1,
  });
  const given = new AbortController();
  const late = pause(1_000 * connect_timeout, AbortSignal.any([over, given.signal])).then(() => {
    throw coded("CONNECT_TIMEOUT", `no answer from ${nameOf({ host, port })}`);
  });
  late.catch(() => {});
  try {
    const asked = sql<[Role]>`
      select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`;
    const [role] = await Promise.race([asked, late]);
    return role;
  } finally {
    given.abort();
    sql.end({ timeout: 0 }).catch(() => {});
  }
}

async function open({ host, port }: Host, ms: number): Promise<Socket> {
  const socket = connect({ host, port });
  const late = setTimeout(() => socket.destroy(coded("CONNECT_TIMEOUT", `no answer from ${host}:${port}`)), ms);
  try {
    await once(socket, "connect");
  } finally {
    clearTimeout(late);
  }
  // The driver names these in its errors, and checks the certificate for the host.
  return Object.assign(socket, { host, port });
}

/** A socket on which the first write fails. */
function refused(error: Error): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error) });
}

function nameOf({ host, port }: Host): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function stateOf(role: Role | undefined, error: unknown): string {
  if (role === undefined) return `cannot be reached (${(error as { code?: string } | undefined)?.code ?? "no answer"})`;
  return role.isStandby ? "is a standby" : role.isReadOnly ? "is read-only" : "is a primary";
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
