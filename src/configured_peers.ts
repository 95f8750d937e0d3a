/**
 * Reads the peers that the configuration names. A refusal names the index and the member of an entry, never its value.
 */
import { readPublicKey } from "./crypto/ed25519.ts";
import { ServiceError } from "./errors.ts";
import { checkInput } from "./schema/field_errors.ts";
import {
  ConfiguredPeerEntry,
  NEXT_OF,
  PEERS_PER_SERVICE_MAX,
  PEERS_PER_WORKSPACE_MAX,
} from "./schema/federation_peer.ts";
import { Faults } from "./schema/faults.ts";
import { parseJsonText } from "./schema/json_text.ts";

/** A configured entry with its keys as bytes. */
export interface ConfiguredPeer extends
  Omit<
    ConfiguredPeerEntry,
    "signingPublicKey" | "signingPublicKeyNext" | "symmetricKey" | "symmetricKeyNext" | "sealKey"
  > {
  /** Each key has 32 bytes. */
  readonly signingKey: Uint8Array | undefined;
  readonly signingKeyNext: Uint8Array | undefined;
  readonly symmetricKey: Uint8Array | undefined;
  readonly symmetricKeyNext: Uint8Array | undefined;
  readonly sealKey: Uint8Array | undefined;
}

/** The inputs of `readPeerList` besides the list. */
export interface PeerListRules {
  /** The name of the list in refusals: the variable that holds it. */
  readonly name: string;
  /** The instance's own id, which no peer may have. */
  readonly ownId: string;
  /** Whether every peer must have the keys for signed and sealed pages. */
  readonly requireCrypto: boolean;
}

/** The peers of a list, and their secrets. */
export interface PeerList {
  readonly peers: readonly ConfiguredPeer[];
  /** The secret texts of the list, which logs and traces must not show. */
  readonly secrets: readonly string[];
}

/**
 * Reads a JSON array of entries.
 * @throws ServiceError `validation_failed`, naming the index and the member of each wrong value
 */
export function readPeerList(text: string, rules: PeerListRules): PeerList {
  const { name } = rules;
  const faults = new Faults();
  const list = parseList(text, name);
  const seen = new Set<string>();
  const perWorkspace = new Map<string, number>();
  const secrets: string[] = [];
  const peers = list.flatMap((value, i) => {
    const checked = checkInput(ConfiguredPeerEntry, value, name, i);
    if (checked.faults) {
      faults.addAll(checked.faults);
      return [];
    }
    const entry = checked.data;
    const refuse = (member: string, message: string) => faults.add(() => `${name}.${i}.${member}`, message);
    if (entry.id === rules.ownId) refuse("id", "is this instance itself");
    if (seen.has(entry.id)) refuse("id", "appears twice");
    seen.add(entry.id);
    for (const [next, first] of Object.entries(NEXT_OF) as [keyof typeof NEXT_OF, keyof ConfiguredPeerEntry][]) {
      if (entry[next] !== undefined && entry[first] === undefined) refuse(next, `means nothing without ${first}`);
    }
    if (rules.requireCrypto && entry.signingPublicKey === undefined) {
      refuse("signingPublicKey", "is required by SVC_FEDERATION_REQUIRE_CRYPTO");
    }
    if (rules.requireCrypto && entry.symmetricKey === undefined) {
      refuse("symmetricKey", "is required by SVC_FEDERATION_REQUIRE_CRYPTO");
    }
    const here = new Set(entry.workspaces.map((pair) => pair.here));
    if (here.size < entry.workspaces.length) refuse("workspaces", "names a workspace twice");
    for (const id of here) {
      const count = (perWorkspace.get(id) ?? 0) + 1;
      perWorkspace.set(id, count);
      if (count > PEERS_PER_WORKSPACE_MAX) refuse("workspaces", `exceeds ${PEERS_PER_WORKSPACE_MAX} peers a workspace`);
    }
    const { apiKey, symmetricKey, symmetricKeyNext, sealKey } = entry;
    secrets.push(...[apiKey, symmetricKey, symmetricKeyNext, sealKey].filter((secret) => secret !== undefined));
    return [toPeer(entry, refuse)];
  });
  if (faults.size > 0) throw refusal(faults);
  return { peers, secrets };
}

function parseList(text: string, name: string): unknown[] {
  let list: unknown;
  try {
    list = parseJsonText(text);
  } catch (cause) {
    // The parser's message names the position of the fault and never shows the text.
    const reason = cause instanceof ServiceError ? cause.message : "it cannot be read";
    throw new ServiceError("validation_failed", `Cannot read the configuration: ${name}: ${reason}`, { cause });
  }
  if (Array.isArray(list) && list.length <= PEERS_PER_SERVICE_MAX) return list;
  const reason = `must be an array of at most ${PEERS_PER_SERVICE_MAX} entries`;
  throw new ServiceError("validation_failed", `Cannot read the configuration: ${name} ${reason}`);
}

function refusal(faults: Faults): ServiceError {
  const errors = faults.list();
  const told = errors.map(({ path, message }) => `${path} ${message}`).join("; ");
  return new ServiceError("validation_failed", `Cannot read the configuration: ${told}`, { errors });
}

function toPeer(entry: ConfiguredPeerEntry, refuse: (member: string, message: string) => void): ConfiguredPeer {
  const { signingPublicKey, signingPublicKeyNext, symmetricKey, symmetricKeyNext, sealKey, ...rest } = entry;
  const point = (member: string, pem: string | undefined) => {
    try {
      return pem === undefined ? undefined : readPublicKey(pem);
    } catch {
      refuse(member, "is no Ed25519 public key that may be used");
    }
  };
  const bytes = (text: string | undefined) => text === undefined ? undefined : Uint8Array.fromBase64(text);
  return {
    ...rest,
    signingKey: point("signingPublicKey", signingPublicKey),
    signingKeyNext: point("signingPublicKeyNext", signingPublicKeyNext),
    symmetricKey: bytes(symmetricKey),
    symmetricKeyNext: bytes(symmetricKeyNext),
    sealKey: bytes(sealKey),
  };
}
