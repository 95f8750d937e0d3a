/** Types of the client: a method for each operation. */
import type { CallDefaults } from "./route.ts";
import type { Operations } from "./gen/types.ts";

/** The name of an operation. */
export type OperationId = keyof Operations;
/** The one argument of an operation: the members of its path, its query and its body. */
export type InputOf<Id extends OperationId> = Operations[Id]["input"];
/** The output of an operation. */
export type OutputOf<Id extends OperationId> = Operations[Id]["output"];

/** Options of a call. `Header` names options that only some operations take. */
export type CallOptions<Header extends string = never> =
  & CallDefaults
  & {
    /** Ends the call, which then throws the signal's reason. */
    readonly signal?: AbortSignal;
  }
  & {
    readonly [
      /**
       * `ifMatch`: the version that the resource must still have, otherwise the call fails with `version_mismatch`.
       * `idempotencyKey`: a name for the change; the same call with the same name happens once. Default: a random one.
       * `federationToken`: the proof of a peer.
       */
      Name in Header
    ]?: Name extends "ifMatch" ? number | string : string;
  };

/** The options that an operation takes. */
export type OptionsOf<Id extends OperationId> = CallOptions<Operations[Id]["headers"]>;

/** An operation as a method. The argument may be left out if none of its members is required. */
export type Method<Id extends OperationId> = Record<never, never> extends InputOf<Id>
  ? (input?: InputOf<Id>, options?: OptionsOf<Id>) => Promise<OutputOf<Id>>
  : (input: InputOf<Id>, options?: OptionsOf<Id>) => Promise<OutputOf<Id>>;

/** All operations as methods. */
export type Methods = { readonly [Id in OperationId]: Method<Id> };

/** The items of a list in pages; never for other replies. */
export type ItemOf<Id extends OperationId> = InputOf<Id> extends { readonly cursor?: string }
  ? OutputOf<Id> extends { readonly data: readonly (infer Item)[]; readonly nextCursor: string | null } ? Item : never
  : never;

/** The operations that return pages. */
export type ListId = { [Id in OperationId]: [ItemOf<Id>] extends [never] ? never : Id }[OperationId];

/** All lists: each yields the items of all its pages one after the other. */
export type Lists = {
  readonly [Id in ListId]: Record<never, never> extends InputOf<Id>
    ? (input?: InputOf<Id>, options?: OptionsOf<Id>) => AsyncGenerator<ItemOf<Id>, void, undefined>
    : (input: InputOf<Id>, options?: OptionsOf<Id>) => AsyncGenerator<ItemOf<Id>, void, undefined>;
};
