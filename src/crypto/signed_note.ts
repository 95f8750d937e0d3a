/** Checkpoints of a log as signed notes. C2SP tlog-checkpoint and signed-note: text, blank line, signature lines. */
import { createHash } from "node:crypto";
import { type SigningKey, verifySignature } from "./ed25519.ts";

export interface Checkpoint {
  /** The name of the log: one line. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** Writes a checkpoint, signed if there is a key. `name` is the signer's, without spaces and plus signs. */
export function writeCheckpoint(
  { origin, size, root }: Checkpoint,
  signer: { readonly name: string; readonly key: SigningKey } | undefined,
): string {
  const text = `${origin}\n${size}\n${root.toBase64()}\n`;
  if (signer === undefined) return text;
  const signature = signer.key.sign(new TextEncoder().encode(text));
  const line = new Uint8Array([...keyHash(signer.name, signer.key.publicKey), ...signature]).toBase64();
  return `${text}\n— ${signer.name} ${line}\n`;
}

/** Reads a checkpoint's text, whoever signed it; undefined when it is none. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const [, origin, size, root] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n/.exec(note) ?? [];
  if (origin === undefined) return undefined;
  return { origin, size: Number(size), root: Uint8Array.fromBase64(root) };
}

/** Whether a note carries a valid signature of a key. */
export function isSignedBy(note: string, publicKey: Uint8Array): boolean {
  const end = note.lastIndexOf("\n\n");
  if (end < 0) return false;
  const text = new TextEncoder().encode(note.slice(0, end + 1));
  return note.slice(end + 2).split("\n").some((line) => {
    const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? [];
    if (name === undefined) return false;
    const bytes = Uint8Array.fromBase64(encoded);
    const hash = keyHash(name, publicKey);
    return bytes.length === 68 && hash.every((byte, i) => byte === bytes[i]) &&
      verifySignature(bytes.subarray(4), text, publicKey);
  });
}

function keyHash(name: string, publicKey: Uint8Array): Uint8Array {
  return createHash("sha256").update(`${name}\n`).update(new Uint8Array([1])).update(publicKey).digest().subarray(0, 4);
}
