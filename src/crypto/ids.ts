/** Identifiers: UUID version 7 (RFC 9562 §5.7), lower case. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const COUNTER_LIMIT = 2 ** 26;

let lastMs = -1;
let counter = 0;

/**
 * A new id whose first 48 bits are `now` in milliseconds. Ids made in one process sort in the order they were made, also
 * within a millisecond and when the clock steps back: then the last time is kept and a 26-bit counter (RFC 9562 §6.2,
 * method 1, seeded below its half) goes on. The remaining 48 bits are random.
 */
export function uuidv7(now: Date): string {
  const random = crypto.getRandomValues(new Uint32Array(3));
  const ms = now.getTime();
  if (ms > lastMs) {
    lastMs = ms;
    counter = random[0] & (COUNTER_LIMIT / 2 - 1);
  } else if (++counter === COUNTER_LIMIT) {
    lastMs++;
    counter = random[0] & (COUNTER_LIMIT / 2 - 1);
  }
  const time = hex(lastMs, 12);
  const randA = hex(0x7000 | (counter >>> 14), 4);
  const randB = hex(0x8000 | (counter & 0x3fff), 4);
  return `${time.slice(0, 8)}-${time.slice(8)}-${randA}-${randB}-${hex(random[1], 8)}${hex(random[2] & 0xffff, 4)}`;
}

/** Whether the text is a UUID of any version in its canonical form (36 characters, lower case). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether the text is a UUID version 7 in its canonical form. */
export function isUuidv7(text: string): boolean {
  return UUID_V7.test(text);
}

/** The time inside a version 7 id. Its author chose it, so it is not to be trusted for an id from outside. */
export function timeOfUuidv7(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, "0");
}
