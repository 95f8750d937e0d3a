/** Errors that postgres.js throws outside of any call, where no `catch` can reach them. */

/**
 * Whether an uncaught error is the driver's own about a socket that is gone (porsager/postgres #1168): thrown from a
 * timer, by a write on a connection that died. `database.ts` has given that connection's whole pool up, or does so at its
 * deadline, so it is no reason to end the process.
 */
export function isDriverFault(error: unknown): boolean {
  if (!(error instanceof TypeError) || !/reading '(write|end|destroy|readyState)'/.test(error.message)) return false;
  const thrownAt = /^\s+at .*$/m.exec(error.stack ?? "")?.[0] ?? "";
  return /[/\\]postgres(?:@|[/\\])[^()]*[/\\]connection\.js:/.test(thrownAt);
}
