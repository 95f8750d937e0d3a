/** A name server for tests, on loopback over UDP and TCP: it gives the answers that the test sets. */
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";

export type RecordType = "A" | "AAAA" | "SRV";

/**
 * The answer for a name: records (addresses; for SRV `priority weight port target`), no such name, or no answer at all.
 */
export type DnsAnswer = readonly string[] | "no such name" | "silence";

export interface DnsStub extends AsyncDisposable {
  readonly nameServer: { readonly ipAddr: string; readonly port: number };
  /** The names that were asked, in order, with the type: `A peer.test`. */
  readonly asked: string[];
}

const TYPES: Readonly<Record<number, RecordType>> = { 1: "A", 28: "AAAA", 33: "SRV" };
/** A larger answer does not fit into a datagram, so the client asks again over TCP. */
const DATAGRAM_BYTES_MAX = 1_200;

export async function startDnsStub(answer: (name: string, type: RecordType) => DnsAnswer): Promise<DnsStub> {
  const asked: string[] = [];
  const reply = (query: Uint8Array): Uint8Array | undefined => {
    const { name, type, end } = readQuestion(query);
    const known = TYPES[type];
    const said = known === undefined ? [] : answer(name, known);
    asked.push(`${known ?? type} ${name}`);
    if (said === "silence") return undefined;
    const records = said === "no such name" ? [] : said.map((record) => recordOf(record, type));
    const header = [query[0], query[1], 0x81, 0x80 | (said === "no such name" ? 3 : 0), 0, 1];
    header.push(records.length >> 8, records.length & 255, 0, 0, 0, 0);
    return Uint8Array.from([...header, ...query.slice(12, end), ...records.flat()]);
  };
  const { udp, tcp, port } = await bindBoth();
  udp.on("message", (query: Uint8Array, from) => {
    const whole = reply(query);
    if (whole === undefined) return;
    const isCut = whole.length > DATAGRAM_BYTES_MAX;
    if (isCut) whole.set([whole[2] | 2, whole[3], 0, 1, 0, 0], 2);
    udp.send(isCut ? whole.slice(0, readQuestion(whole).end) : whole, from.port, from.address);
  });
  const open = new Set<Socket>();
  tcp.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.on("data", (piece: Uint8Array) => {
      const whole = reply(piece.slice(2));
      if (whole) socket.write(Uint8Array.from([whole.length >> 8, whole.length & 255, ...whole]));
    });
  });
  return {
    nameServer: { ipAddr: "127.0.0.1", port },
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
      await new Promise<void>((resolve) => udp.close(() => resolve()));
    },
  };
}

/** A datagram socket and a listener of one port: both have to be free. */
async function bindBoth(): Promise<{ udp: DatagramSocket; tcp: Server; port: number }> {
  for (let tries = 0;; tries++) {
    const udp = createSocket("udp4");
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
    const { port } = udp.address();
    const tcp = createServer();
    try {
      await new Promise<void>((resolve, reject) => tcp.once("error", reject).listen(port, "127.0.0.1", resolve));
      return { udp, tcp, port };
    } catch (error) {
      udp.close();
      if (tries === 20) throw error;
    }
  }
}

function readQuestion(query: Uint8Array): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += query[at] + 1) {
    labels.push(new TextDecoder().decode(query.slice(at + 1, at + 1 + query[at])));
  }
  return { name: labels.join(".").toLowerCase(), type: query[at + 1] << 8 | query[at + 2], end: at + 5 };
}

/** A record of the name that was asked, with a time to live of 0. */
function recordOf(text: string, type: number): number[] {
  const data = TYPES[type] === "SRV"
    ? srvData(text)
    : TYPES[type] === "A"
    ? text.split(".").map(Number)
    : ipv6Data(text);
  return [0xc0, 12, type >> 8, type & 255, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255, ...data];
}

function srvData(text: string): number[] {
  const [priority, weight, port, target] = text.split(" ");
  const labels = target.replace(/\.$/, "").split(".").filter((label) => label !== "");
  return [
    ...[priority, weight, port].map(Number).flatMap((number) => [number >> 8, number & 255]),
    ...labels.flatMap((label) => [label.length, ...new TextEncoder().encode(label)]),
    0,
  ];
}

function ipv6Data(text: string): number[] {
  const [head, tail = ""] = text.split("::").map((part) => part === "" ? [] : part.split(":"));
  const groups = [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]);
}
