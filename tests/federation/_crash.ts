/** Transactions that break off at one of their statements, as when a process dies in the middle. */
import type { Deps } from "../../src/context.ts";
import type { Sql, Tx } from "../../src/db/tx.ts";

/** The process died. */
export class Crash extends Error {}

/** The same service, in which the statement of that number, from 1 and over all transactions, is never sent. */
export function crashingAt(deps: Deps, statement: number): Deps {
  let left = statement;
  const count = () => {
    if (--left === 0) throw new Crash(`at statement ${statement}`);
  };
  const db = new Proxy(deps.db, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== "tx") return typeof member === "function" ? member.bind(target) : member;
      const run: Deps["db"]["tx"] = (scope, work, options) =>
        target.tx(scope, (tx) => work({ ...tx, sql: counting(tx.sql, count) } as Tx), options);
      return run;
    },
  });
  return { ...deps, db };
}

function counting(sql: Sql, count: () => void): Sql {
  return new Proxy(sql, {
    apply(target, self, args) {
      count();
      return Reflect.apply(target, self, args);
    },
  });
}
