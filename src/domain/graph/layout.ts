/**
 * Places the nodes of a graph. It uses only operations whose results IEEE 754 fixes, in the order of ids, so that the
 * same graph has the same places on every machine. A node begins where its id says, so another node moves it little.
 */

export interface NodePosition {
  readonly x: number;
  readonly y: number;
}

const STEPS = 40;
/** How far a node moves at first, in units of the square from -1 to 1. */
const PACE = 0.05;
/** Nodes that push each other away in one cell; more would take time and change nothing visible. */
const CROWD_MAX = 24;

/** A place in [-1, 1] for each node; edges name nodes by their index. */
export function layOut(ids: readonly string[], edges: readonly (readonly [number, number])[]): NodePosition[] {
  const order = ids.map((_, i) => i).sort((a, b) => ids[a]! < ids[b]! ? -1 : 1);
  const rank = new Map(order.map((index, place) => [index, place]));
  const x = order.map((i) => fromHash(ids[i]!, 0x811c9dc5));
  const y = order.map((i) => fromHash(ids[i]!, 0x9747b28c));
  const ties = edges.map(([a, b]): [number, number] => [rank.get(a)!, rank.get(b)!])
    .map(([a, b]): [number, number] => a < b ? [a, b] : [b, a]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  // The space of one node; it shrinks in steps, so that one more node seldom changes it.
  let capacity = 4;
  while (capacity < ids.length) capacity *= 2;
  const room = 1.2 / Math.sqrt(capacity);
  for (let step = 0; step < STEPS; step++) move(x, y, ties, room, PACE * (1 - step / STEPS));
  const places: NodePosition[] = [];
  for (const [place, index] of order.entries()) places[index] = { x: rounded(x[place]!), y: rounded(y[place]!) };
  return places;
}

/** A number in [-1, 1) that follows from a text (FNV-1a). */
function fromHash(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash ^= hash >>> 13;
  return (hash >>> 0) / 2 ** 31 - 1;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000 || 0;
}

function move(x: number[], y: number[], ties: readonly (readonly [number, number])[], room: number, pace: number) {
  const pushX = new Array<number>(x.length).fill(0);
  const pushY = new Array<number>(x.length).fill(0);
  const push = (i: number, byX: number, byY: number) => {
    pushX[i]! += byX;
    pushY[i]! += byY;
  };
  repel(x, y, room, push);
  for (const [a, b] of ties) {
    const dx = x[b]! - x[a]!;
    const dy = y[b]! - y[a]!;
    const pull = Math.sqrt(dx * dx + dy * dy) / room;
    push(a, dx * pull, dy * pull);
    push(b, -dx * pull, -dy * pull);
  }
  for (let i = 0; i < x.length; i++) {
    const length = Math.sqrt(pushX[i]! * pushX[i]! + pushY[i]! * pushY[i]!);
    if (length === 0) continue;
    const by = Math.min(length, pace) / length;
    x[i] = Math.max(-1, Math.min(1, x[i]! + pushX[i]! * by));
    y[i] = Math.max(-1, Math.min(1, y[i]! + pushY[i]! * by));
  }
}

/** Nodes that are near push each other away; those further than two rooms do not feel each other. */
function repel(x: number[], y: number[], room: number, push: (i: number, byX: number, byY: number) => void): void {
  const size = room * 2;
  const cellOf = (value: number) => Math.floor((value + 1) / size);
  const cells = new Map<number, number[]>();
  for (let i = 0; i < x.length; i++) {
    const key = cellOf(x[i]!) * 4_096 + cellOf(y[i]!);
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [i]);
    else if (cell.length < CROWD_MAX) cell.push(i);
  }
  for (let i = 0; i < x.length; i++) {
    const [cx, cy] = [cellOf(x[i]!), cellOf(y[i]!)];
    for (let nx = cx - 1; nx <= cx + 1; nx++) {
      for (let ny = cy - 1; ny <= cy + 1; ny++) {
        for (const j of cells.get(nx * 4_096 + ny) ?? []) {
          if (i === j) continue;
          const dx = x[i]! - x[j]!;
          const dy = y[i]! - y[j]!;
          const square = dx * dx + dy * dy;
          if (square > size * size) continue;
          // Two nodes at the same place are separated by their order.
          if (square < 1e-9) push(i, i < j ? -room : room, 0);
          else push(i, dx * room * room / square, dy * room * room / square);
        }
      }
    }
  }
}
