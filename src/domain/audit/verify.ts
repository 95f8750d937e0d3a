/**
 * Verifying an audit chain: every row's hash, the numbering, the heads that were given out. It trusts nothing but what it
 * is given from outside, and needs no service: the command line runs it on a dump.
 */
import { type AuditRecord, CHAIN_START, commitToAddress, hashAuditRecord } from "../../crypto/audit_chain.ts";
import { hashLeaf, TreeHead } from "../../crypto/merkle.ts";
import { equalSecrets } from "../../crypto/hash.ts";

/** What can be wrong. */
export type AuditProblem =
  /** The row, its caller's address, or a row before it is not what was written. */
  | "altered"
  /** A row is missing before this one. */
  | "missing"
  /** The log ends before a head that was given out, or before its own end. */
  | "truncated"
  /** The rows are whole in themselves, but not those that a head was given out over. */
  | "rewritten";

export interface ChainCheck {
  readonly ok: boolean;
  /** Rows that were read. */
  readonly rows: number;
  /** The last row's number. */
  readonly size: number;
  /** The tree head over all rows, where the check began with the first. */
  readonly root: Uint8Array | undefined;
  readonly problem: AuditProblem | undefined;
  /** The first row that is wrong; for a log that was cut off, the first that is missing. */
  readonly firstBadSeq: number | undefined;
  /** How many heads were compared. */
  readonly headsChecked: number;
}

/** A tree head from outside, or from the table of checkpoints. */
export interface KnownHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** The caller's address as it is kept beside the row; both null where there is none, or not any more. */
export interface KeptAddress {
  readonly ip_address: string | null;
  readonly salt: Uint8Array | null;
}

/** Takes rows in their order; `finish` gives the verdict. */
export class ChainVerifier {
  #heads: KnownHead[] = [];
  readonly #tree: TreeHead | undefined;
  #previous: Uint8Array;
  #seq: number;
  #rows = 0;
  #checked = 0;
  #fault: { problem: AuditProblem; seq: number } | undefined;

  /** Begins with the first row, or after a row whose hash is taken for granted. */
  constructor(heads: readonly KnownHead[], start: { readonly seq: number; readonly hash: Uint8Array } | undefined) {
    this.#tree = start === undefined ? new TreeHead() : undefined;
    this.#previous = start?.hash ?? CHAIN_START;
    this.#seq = start?.seq ?? 0;
    this.expect(heads);
  }

  /** Takes further heads, over rows that are still to come. */
  expect(heads: readonly KnownHead[]): void {
    if (heads.length === 0) return;
    const ahead = [...this.#heads, ...heads].filter((head) => head.size > this.#seq);
    this.#heads = ahead.toSorted((a, b) => a.size - b.size);
  }

  /** Whether the verdict is certain already. */
  get isBroken(): boolean {
    return this.#fault !== undefined;
  }

  add(record: AuditRecord, hash: Uint8Array, address?: KeptAddress): void {
    if (this.#fault) return;
    this.#rows++;
    if (record.seq !== this.#seq + 1) return this.#fail("missing", this.#seq + 1);
    const expected = hashAuditRecord(this.#previous, record);
    if (!equalSecrets(expected, hash) || !isCommittedTo(record, address)) return this.#fail("altered", record.seq);
    this.#previous = expected;
    this.#seq = record.seq;
    if (this.#tree === undefined) return;
    this.#tree.append(hashLeaf(expected));
    while (this.#heads[0]?.size === this.#seq) {
      this.#checked++;
      if (!equalSecrets(this.#heads.shift()!.root, this.#tree.head())) return this.#fail("rewritten", this.#seq);
    }
  }

  /** The verdict. `end` is where the log says that it ends, where that is known. */
  finish(end: { readonly seq: number; readonly hash: Uint8Array } | undefined): ChainCheck {
    const known = Math.max(end?.seq ?? 0, this.#tree === undefined ? 0 : this.#heads.at(-1)?.size ?? 0);
    if (!this.#fault && known > this.#seq) this.#fail("truncated", this.#seq + 1);
    if (!this.#fault && end?.seq === this.#seq && !equalSecrets(end.hash, this.#previous)) {
      this.#fail("altered", this.#seq);
    }
    return {
      ok: this.#fault === undefined,
      rows: this.#rows,
      size: this.#seq,
      root: this.#fault ? undefined : this.#tree?.head(),
      problem: this.#fault?.problem,
      firstBadSeq: this.#fault?.seq,
      headsChecked: this.#checked,
    };
  }

  #fail(problem: AuditProblem, seq: number): void {
    this.#fault = { problem, seq };
  }
}

/** Whether an address is the one that the row was written with. One that was forgotten says nothing. */
function isCommittedTo({ ip_commitment }: AuditRecord, address: KeptAddress | undefined): boolean {
  if (address === undefined || address.ip_address === null || address.salt === null) return true;
  return commitToAddress(address.ip_address, address.salt).commitment === ip_commitment;
}
