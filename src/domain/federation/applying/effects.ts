/**
 * What decisions about an item may ask for. A decision reads what is known and changes nothing; `apply` carries the
 * effects out in their order.
 */
import type { ClaimedWord } from "../../../db/queries/federation_conflicts.ts";
import type { ItemRow } from "../../../db/queries/federation_ids.ts";
import type { VersionRow, VersionVerdict } from "../../../db/queries/federation_versions.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import type { AuditEvent } from "../../../db/tx.ts";
import type { PreparedText } from "../../unit/indexing.ts";
import type { ShownVersion } from "../decision/judge.ts";
import type { VersionEntry } from "../decision/order.ts";
import type { AuthoredColumns, SharedForm } from "../register/shared_form.ts";
import type { Ending, Rival } from "./open_conflict.ts";

/** A version whose content is here. */
export interface Arrived {
  readonly writer: string;
  readonly hash: string;
  readonly content: SharedForm;
  readonly text: PreparedText | undefined;
  /** Its content, if it was read before, with the id that each reference has at its origin. */
  readonly authored?: AuthoredColumns | undefined;
}

export type Effect = Stores | Tells | Asks | Settles;

/** What is stored, here alone. */
type Stores =
  /** Puts a writer's version into the register; `content` is null if it need not be kept. */
  | { readonly do: "enter"; readonly entry: VersionRow; readonly content: SharedForm | null }
  | { readonly do: "judge"; readonly writer: string; readonly verdict: VersionVerdict }
  /** Drops the content of a writer's version. */
  | { readonly do: "drop"; readonly writer: string }
  /** Notes which version is shown. */
  | { readonly do: "show"; readonly shown: ShownVersion; readonly role?: ItemRow["role"] }
  /** Decides what is shown as if nothing had been. */
  | { readonly do: "unshow" }
  /** Changes the shown unit as a person says. */
  | { readonly do: "rewrite"; readonly rewrite: (unit: UnitRow) => Promise<UnitRow> }
  | { readonly do: "archive"; readonly reason: string }
  /** Erases the item, all its versions and its conflicts for ever; `eventType` is its name in the audit log. */
  | { readonly do: "erase"; readonly reason: string; readonly eventType: string }
  /** Erases the unit that holds another version. */
  | { readonly do: "eraseUnit"; readonly unitId: string; readonly reason: string }
  /** Makes the unit that holds a writer's version an item of this instance. */
  | { readonly do: "release"; readonly writer: string }
  /** Leaves a writer out of all further decisions. */
  | { readonly do: "forget"; readonly writer: string }
  /** Deletes the entries of writers whose content is not here, so that the next comparison fetches it. */
  | { readonly do: "fetchAgain"; readonly writers: readonly string[] }
  /** Notes the version that a peer says it shows. */
  | { readonly do: "noteClaim"; readonly peer: string; readonly claim: ClaimedWord };

/** What others are told. */
type Tells =
  /** Publishes a version of this instance. */
  | { readonly do: "publish"; readonly entry: VersionEntry; readonly content: SharedForm | null }
  | { readonly do: "audit"; readonly event: AuditEvent };

/** What a person is asked. */
type Asks =
  | { readonly do: "contest"; readonly rival: Rival }
  | { readonly do: "endConflict"; readonly writer: string; readonly ending: Ending }
  /** Asks whether to erase an item that began here and that the peer erased. */
  | { readonly do: "askToErase" };

/** Decides again which version is shown. `otherwise` applies if the content to show is not here. */
interface Settles {
  readonly do: "settle";
  readonly arrived?: Arrived | undefined;
  readonly otherwise?: readonly Effect[];
}
