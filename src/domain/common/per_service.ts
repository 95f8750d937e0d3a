/** State that one running service keeps in memory, held by the capability that it belongs to. */
import type { Deps } from "../../context.ts";

/**
 * A function that gives each service its own value, made by `create` on the first call and kept as long as the service
 * is. This is the only way in which a module keeps state: two services in one process then share nothing.
 *
 * A value that can be disposed is disposed when the service stops, before everything that was made earlier.
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
