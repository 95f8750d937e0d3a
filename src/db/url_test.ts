import { deepEqual, match, ok, throws } from "node:assert/strict";
import { readConfig } from "../config.ts";
import { connectionsOf, ownerConnectionsOf } from "./connections.ts";
import { isForWrites, parseDatabaseUrl } from "./url.ts";

/** Where connections go, as far as the options say it without a connection. */
function wayOf(text: string) {
  const { host, port, path, socket } = parseDatabaseUrl(text) as Record<string, unknown>;
  return path ?? `${host} ${port}${socket ? " or another" : ""}`;
}

Deno.test("one host is left to the driver, with or without a port, in brackets, as a parameter or as a folder", () => {
  deepEqual(wayOf("postgres://u:p@db/svc"), "db 5432");
  deepEqual(wayOf("postgresql://u:p@DB.example:6432/svc"), "db.example 6432");
  deepEqual(wayOf("postgres://u:p@[2001:db8::7]:5433/svc"), "2001:db8::7 5433");
  deepEqual(wayOf("postgres://u:p@ignored:5433/svc?host=db"), "db 5433");
  deepEqual(wayOf("postgres://u:p@localhost:5433/svc?host=/run/pg"), "/run/pg/.s.PGSQL.5433");
  deepEqual(wayOf("postgres://u:p@/svc?host=/run/pg"), "/run/pg/.s.PGSQL.5432");
  deepEqual(wayOf("postgres://u:p@db/svc?target_session_attrs=any"), "db 5432");
});

Deno.test("several hosts are read as libpq writes them, and none of the rest is lost", () => {
  const tail = "target_session_attrs=read-write&sslmode=verify-full&prepare=false";
  for (
    const hosts of [
      `a:5432,b:5433/s%20vc?${tail}`,
      `a,b/s%20vc?${tail}`,
      `[::1]:5432,[fe80::2]:5432/s%20vc?${tail}`,
      `/s%20vc?host=a,b,c&port=6432&${tail}`,
      `/s%20vc?host=a,b&port=6432,6433&${tail}`,
    ]
  ) {
    const { socket, database, username, password, prepare, ssl } = parseDatabaseUrl(
      `postgres://svc_request:p%40ss@${hosts}`,
    ) as ReturnType<typeof parseDatabaseUrl> & { socket: unknown };
    ok(socket, hosts);
    deepEqual(
      { database, username, password, prepare, ssl },
      { database: "s vc", username: "svc_request", password: "p@ss", prepare: false, ssl: "verify-full" },
    );
  }
  for (const target of ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"]) {
    deepEqual(wayOf(`postgres://u:p@a,b/svc?target_session_attrs=${target}`), "a 5432 or another");
  }
  ok(wayOf("postgres://u:p@a/svc?target_session_attrs=primary").toString().endsWith("or another"));
});

Deno.test("a URL that cannot be followed is refused with the reason, and without its password", () => {
  const cases: Record<string, RegExp> = {
    "a,b/svc?target_session_attrs=master": /target_session_attrs is master, expected any, read-write/,
    "a,a/svc": /a host is in it twice/,
    "a:5432,A/svc": /2 hosts and 1 ports/,
    "a:1,b:1,A:1/svc": /a host is in it twice/,
    "a,/svc": /a host is empty/,
    ",a/svc": /a host is empty/,
    "/svc": /a host is empty/,
    "a:1,b/svc": /2 hosts and 1 ports; give each host its port, none, or all the same as \?port=/,
    "a/svc?host=a,b,c&port=1,2": /3 hosts and 2 ports/,
    "a/svc?host=a&port=1,2": /1 hosts and 2 ports/,
    "a:0,b:1/svc": /a port is no number/,
    "a:70000,b:1/svc": /a port is no number/,
    "a:x/svc": /a port is no number/,
    "::1/svc": /stands in brackets/,
    "a/svc?host=/run/a,/run/b": /a folder with a socket cannot be one of several/,
    "a,b/svc?load_balance_hosts=random": /unknown parameter load_balance_hosts/,
  };
  for (const [rest, reason] of Object.entries(cases)) {
    throws(() => parseDatabaseUrl(`postgres://u:s3cret-word@${rest}`), (error: TypeError) => {
      match(error.message, /^Cannot use the database URL: /);
      match(error.message, reason, rest);
      return !`${error.stack}`.includes("s3cret-word");
    }, rest);
  }
  throws(() => parseDatabaseUrl("postgres://u:s3cret%word@a,b/svc"), /write it as %25/);
  throws(() => parseDatabaseUrl("postgres://u:s3?cret@a,b/svc"), (error: TypeError) => {
    match(error.message, /written as %3F/);
    return !`${error.stack}`.includes("cret@");
  });
});

Deno.test("writes need a URL that leads to a primary", () => {
  for (
    const rest of [
      "a/svc",
      "/svc?host=/run/pg",
      "a,b/svc?target_session_attrs=read-write",
      "a,b/svc?target_session_attrs=primary",
    ]
  ) {
    ok(isForWrites(`postgres://u:p@${rest}`), rest);
  }
  for (
    const rest of ["a,b/svc", "/svc?host=a,b", "a,b/svc?target_session_attrs=any", "a/svc?target_session_attrs=standby"]
  ) {
    ok(!isForWrites(`postgres://u:p@${rest}`), rest);
  }
});

Deno.test("a variable whose URL cannot be used is named, and its password is not", () => {
  const good = "postgres://u:s3cret-word@a,b/svc?target_session_attrs=primary";
  const standby = "postgres://u:s3cret-word@a,b/svc?target_session_attrs=any";
  const refusalOf = (env: Record<string, string>) => {
    const config = readConfig({ DATABASE_URL: good, ...env });
    try {
      connectionsOf(config);
      ownerConnectionsOf(config);
      return "none";
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (
    const [name, lead] of [
      ["DATABASE_URL", ""],
      ["SVC_DATABASE_DIRECT_URL", ""],
      ["SVC_OWNER_DATABASE_URL", ""],
      ["SVC_CLUSTERS", "c="],
    ] as const
  ) {
    deepEqual(refusalOf({ [name]: lead + good }), "none");
    match(refusalOf({ [name]: lead + standby }), new RegExp(`^Cannot use (c in )?${name}: it may lead to a standby`));
  }
  deepEqual(refusalOf({ SVC_DATABASE_REPLICA_URL: standby }), "none");
  deepEqual(
    refusalOf({ SVC_DATABASE_REPLICA_URL: "postgres://u:s3cret-word@a,a/svc" }),
    "Cannot use SVC_DATABASE_REPLICA_URL: a host is in it twice",
  );
});
