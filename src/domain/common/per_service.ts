/** State that a running service keeps in memory, held by the capability that owns it. */
import type { Deps } from "../../context.ts";

/**
 * Returns a function that gives each service its own value. `create` makes it on the first call, and it lives as long
 * as the service. Modules keep state in no other way, so that two services in one process share nothing.
 *
 * A disposable value is disposed when the service stops, before everything that was made earlier.
 */
export function perService<T extends object>(create: (deps: Deps) => T): (deps: Deps) => T {
  const made = new WeakMap<Deps, T>();
  return (deps) => {
    const known = made.get(deps);
    if (known !== undefined) return known;
    const value = create(deps);
    made.set(deps, value);
    if (isDisposable(value)) deps.disposeAtStop(value);
    return value;
  };
}

function isDisposable(value: object): value is Disposable | AsyncDisposable {
  return Symbol.dispose in value || Symbol.asyncDispose in value;
}
