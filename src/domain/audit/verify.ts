/**
 * Verifies an audit chain: every row's hash, the numbering, and the published heads. It trusts only its arguments and
 * needs no service: the command line runs it on a dump.
 */
import { type AuditRecord, CHAIN_START, commitToAddress, hashAuditRecord } from "../../crypto/audit_chain.ts";
import { hashLeaf, TreeHead } from "../../crypto/merkle.ts";
import { equalSecrets } from "../../crypto/hash.ts";

/** The kinds of faults. */
export type AuditProblem =
  /** The row, its caller's address, or an earlier row differs from what was written. */
  | "altered"
  /** A row is missing before this one. */
  | "missing"
  /** The log ends before a published head, or before its own stated end. */
  | "truncated"
  /** The rows are consistent, but a published head covers others. */
  | "rewritten";

export interface ChainCheck {
  readonly ok: boolean;
  /** Rows that were read. */
  readonly rows: number;
  /** The last row's number. */
  readonly size: number;
  /** The tree head over all rows, if the check began with the first. */
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

/** The caller's address as it is kept beside the row; both null if there is none, or it was forgotten. */
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

  /** Begins with the first row, or after a row whose hash is trusted. */
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

  /** Gives the verdict. `end` is the log's stated end, if it is known. */
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

/** Whether the row was written with this address. A forgotten address is not checked. */
function isCommittedTo({ ip_commitment }: AuditRecord, address: KeptAddress | undefined): boolean {
  if (address === undefined || address.ip_address === null || address.salt === null) return true;
  return commitToAddress(address.ip_address, address.salt).commitment === ip_commitment;
}
