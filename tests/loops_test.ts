/** The background loops in workspaces that nobody touches: what is due when, who does it, and what finds it again. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { markBehind, settleDue, takeDue } from "../src/domain/upkeep/loop_rounds.ts";
import { DueWork } from "../src/workers/due_work.ts";
import { DUE_LOOPS, goRound } from "../src/workers/mod.ts";
import { createDatabase, POSTGRES } from "./_postgres.ts";
import { ADMIN_TOKEN, type StartOptions, startService, type TestService } from "./_service.ts";
import { waitFor } from "./_wait.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ADMIN = { key: ADMIN_TOKEN };

/** The loops of one process, which the test drives. */
class Process {
  readonly #due: DueWork;

  constructor(readonly service: TestService) {
    this.#due = new DueWork(service.deps, DUE_LOOPS);
  }

  /** Looks for what is due, and does it, until nothing is left now. Returns where which loops stepped. */
  async run(): Promise<string[]> {
    const stepped: string[] = [];
    do {
      // The first look makes due what the second one takes.
      await this.#due.look();
      await this.#due.look();
      stepped.push(...await this.step());
      await this.#due.settle();
    } while (this.#due.queue.taken.rounds + this.#due.queue.taken.timers > 0);
    return stepped;
  }

  look(): Promise<void> {
    return this.#due.look();
  }

  async step(): Promise<string[]> {
    const stepped: string[] = [];
    for (const loop of DUE_LOOPS) {
      do for (const id of this.#due.queue.due(loop.name)) stepped.push(`${loop.name} ${id}`); while (
        await goRound(this.service.deps, loop, this.#due)
      );
    }
    return stepped;
  }
}

interface World extends AsyncDisposable {
  readonly one: TestService;
  /** Another process on the same database, with the same clock. */
  start(options?: StartOptions): Promise<TestService>;
  later(ms: number): void;
}

async function startWorld(options: StartOptions = {}): Promise<World> {
  const stack = new AsyncDisposableStack();
  let now = Date.now();
  const database = options.embedded ? undefined : options.database ?? stack.use(await createDatabase());
  const start = async (more: StartOptions = {}) =>
    stack.use(await startService({ ...(database && { database }), clock: () => new Date(now), ...options, ...more }));
  const one = await start();
  return { one, start, later: (ms) => void (now += ms), [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Past row-level security of clearances: the operator sees everything of the workspace. */
function rowsOf<T extends object>(service: TestService, query: string): Promise<T[]> {
  return service.operator().tx((tx) => tx.sql.unsafe<T[]>(query, [tx.workspaceId]), { readOnly: true });
}

async function post(service: TestService, path: string, body: unknown = {}) {
  const reply = await service.post(path, body);
  assert.ok(reply.status < 300, `${path} ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

async function set(service: TestService, settings: unknown, workspaceId = service.workspaceId): Promise<void> {
  const reply = await service.patch(`/v1/admin/workspaces/${workspaceId}`, { settings }, ADMIN);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

function addFact({ one }: World, expiresInMs: number) {
  const now = one.deps.clock().getTime();
  return post(one, "/v1/memory/facts", {
    statement: `The gate opens with code ${now}.`,
    expiresAt: new Date(now + expiresInMs).toISOString(),
  });
}

/** The state in which a fact's row is stored: readers see it as expired before the loop writes it. */
async function storedStatus(service: TestService, id: string): Promise<string> {
  const rows = await rowsOf<{ id: string; status: string }>(
    service,
    "select id, status from unit where workspace_id = $1",
  );
  return rows.find((row) => row.id === id)!.status;
}

for (const embedded of [false, true]) {
  Deno.test({
    ignore: !embedded && POSTGRES.ignore,
    name: `what becomes due in a workspace that nobody touches is done there and nowhere else${
      embedded ? ", also embedded" : ""
    }`,
    async fn() {
      const env = { SVC_GATE_NEW_FACTS_MIN: "0", SVC_GATE_QUIET_SECONDS: "0", SVC_GATE_DRIFT_MAX: "1" };
      await using world = await startWorld({ embedded, env });
      const { one, later } = world;
      const untouched = await one.createWorkspace("untouched");
      await set(one, { consolidateEveryHours: 48, auditAddressDays: 4, restrictedRetentionDays: 7 });
      const fact = await addFact(world, HOUR_MS);
      const secret = await post(one, "/v1/memory/facts", {
        statement: "The vault is under the stairs.",
        sensitivity: "restricted",
      });
      const task = await post(one, "/v1/memory/tasks", { title: "Water the plants" });
      await post(one, `/v1/memory/tasks/${task.id}/claim`, { agentId: "a", ttlSeconds: 600 });
      await one.operator().tx(async (tx) =>
        void await tx.sql`
        insert into svc_audit_address (workspace_id, seq, ip_address, salt, created_at)
        values (${tx.workspaceId}, 1, '192.0.2.1', ''::bytea, ${tx.now}) on conflict do nothing`
      );
      // From here on only time and the database say what is to be done: the process that served is gone.
      const process = new Process(one);
      await process.run();
      await one.operator(untouched).tx(async (tx) =>
        void await tx.sql`update loop_round set due_at = 'infinity' where workspace_id = ${tx.workspaceId}`
      );

      /** Nothing is due until a moment; then a loop steps here, and nowhere else. */
      const becomesDue = async (loop: string, afterMs: number, isDone: () => Promise<boolean>) => {
        later(afterMs);
        assert.equal(await isDone(), false, loop);
        const stepped = await waitFor(`a step of ${loop}`, async () => {
          const steps = await process.run();
          return steps.includes(`${loop} ${one.workspaceId}`) && steps;
        });
        assert.ok(await waitFor(`the work of ${loop}`, async () => await process.run() && await isDone()));
        assert.ok(stepped.every((step) => !step.endsWith(untouched)), stepped.join("\n"));
      };
      await becomesDue("leases", 601 * SECOND_MS, async () => {
        const [row] = await rowsOf<{ status: string }>(one, "select status from task where workspace_id = $1");
        return row!.status === "pending";
      });
      await becomesDue("expiry", HOUR_MS, async () => await storedStatus(one, fact.id) === "expired");
      const snapshots = async () =>
        (await rowsOf(one, "select 1 from snapshot where workspace_id = $1 group by period_start")).length;
      const before = await snapshots();
      await becomesDue("snapshots", 25 * HOUR_MS, async () => await snapshots() > before);
      const jobs = async () => (await rowsOf(one, "select 1 from job where workspace_id = $1")).length;
      const asked = await jobs();
      await becomesDue("consolidation", 2 * DAY_MS, async () => await jobs() > asked);
      await becomesDue("audit", 2 * DAY_MS, async () => {
        return (await rowsOf(one, "select 1 from svc_audit_address where workspace_id = $1 and seq = 1")).length === 0;
      });
      await becomesDue("sweeping", 2 * DAY_MS, async () => {
        return (await rowsOf(one, `select 1 from unit where workspace_id = $1 and id = '${secret.id}'`)).length === 0;
      });
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "of several processes one does what is due; when it dies on the way, another one does it a minute later",
  async fn() {
    await using world = await startWorld();
    const { one, later } = world;
    const fact = await addFact(world, HOUR_MS);
    await new Process(one).run();
    later(HOUR_MS + SECOND_MS);
    const [dying, other] = [new Process(one), new Process(await world.start())];
    await Promise.all([dying.look(), other.look()]);
    const hasIt = async (process: Process) => (await process.step()).includes(`expiry ${one.workspaceId}`);
    assert.deepEqual(new Set([await hasIt(dying), await hasIt(other)]), new Set([true, false]));
    assert.equal(await storedStatus(one, fact.id), "expired");

    const second = await addFact(world, HOUR_MS);
    await new Process(one).run();
    later(HOUR_MS + SECOND_MS);
    await new Process(one).look();
    await other.run();
    assert.equal(await storedStatus(one, second.id), "active", "the process that has taken it may still be at it");
    later(MINUTE_MS);
    await other.run();
    assert.equal(await storedStatus(one, second.id), "expired");
  },
});

Deno.test({
  ...POSTGRES,
  name: "a timer that was lost is found again by the visit that every workspace gets",
  async fn() {
    await using world = await startWorld();
    const { one, later } = world;
    const fact = await addFact(world, HOUR_MS);
    const process = new Process(one);
    await process.run();
    await one.operator().tx(async (tx) =>
      void await tx.sql`delete from loop_timer where workspace_id = ${tx.workspaceId} and loop = 'expiry'`
    );
    later(2 * HOUR_MS);
    await process.run();
    assert.equal(await storedStatus(one, fact.id), "active");
    later(1.2 * DAY_MS);
    await process.run();
    assert.equal(await storedStatus(one, fact.id), "expired");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "what a process committed and did not follow because it died, another one follows: one that heard it, or starts",
  async fn() {
    await using world = await startWorld();
    const { one } = world;
    const process = new Process(await world.start());
    await process.run();
    // The first process runs no loops, as one that has died does not.
    const heard = await post(one, "/v1/memory/facts", { statement: "The kettle is blue.", expiresAt: inAnHour(one) });
    const hasTimer = async () =>
      (await rowsOf(one, "select 1 from loop_timer where workspace_id = $1 and loop = 'expiry'")).length > 0;
    await waitFor("the process that heard of the change to follow it", async () => await process.run() && hasTimer());
    assert.ok(heard.id);
    await one.operator().tx(async (tx) =>
      void await tx.sql`delete from loop_timer where workspace_id = ${tx.workspaceId}`
    );
    await post(one, "/v1/memory/facts", { statement: "The lamp is green.", expiresAt: inAnHour(one) });
    await waitFor("the process that starts to follow it", async () => await new Process(one).run() && hasTimer());
  },
});

function inAnHour({ deps }: TestService): string {
  return new Date(deps.clock().getTime() + HOUR_MS).toISOString();
}

Deno.test({
  ...POSTGRES,
  name: "a quiet workspace is visited a day after it was used, then ever more seldom, and at once by another build",
  async fn() {
    await using world = await startWorld();
    const { one, later } = world;
    await addFact(world, 90 * DAY_MS);
    const process = new Process(one);
    await process.run();
    const visit = `truth ${one.workspaceId}`;
    const gaps: number[] = [];
    for (let day = 0, last = 0; gaps.length < 5; day += 0.25) {
      if ((await process.run()).includes(visit)) gaps.push(day - last), last = day;
      later(DAY_MS / 4);
    }
    const expected = [1, 2, 4, 8, 8];
    assert.ok(gaps.every((gap, i) => gap > 0.85 * expected[i]! && gap < 1.15 * expected[i]! + 0.3), gaps.join(" "));
    assert.ok(!(await new Process(one).run()).includes(visit), "a restart of the same build visits nobody");
    const next = new Process(await world.start({ env: { SVC_WORTH_HALF_LIFE_DAYS: "7" } }));
    assert.ok((await next.run()).includes(visit), "what loops do may have changed");
  },
});

Deno.test({
  ...POSTGRES,
  name: "a process enters no workspace of another region, and takes none of its timers",
  async fn() {
    await using world = await startWorld({ env: { SVC_REGION: "us-east-1" } });
    const { one, later } = world;
    const fact = await addFact(world, HOUR_MS);
    await new Process(one).run();
    const abroad = new Process(await world.start({ env: { SVC_REGION: "eu-west-1" } }));
    later(2 * DAY_MS);
    await markBehind(one.deps);
    assert.ok(!(await abroad.run()).some((step) => step.endsWith(one.workspaceId)));
    assert.equal(await storedStatus(one, fact.id), "active");
    await new Process(one).run();
    assert.equal(await storedStatus(one, fact.id), "expired");
  },
});

Deno.test({
  ...POSTGRES,
  name: "what an admin changes in a quiet workspace, its loops follow at once",
  async fn() {
    const env = { SVC_GATE_NEW_FACTS_MIN: "0", SVC_GATE_QUIET_SECONDS: "0" };
    await using world = await startWorld({ env });
    const { one } = world;
    const process = new Process(one);
    await process.run();
    await set(await world.start(), { consolidateEveryHours: 24 }, one.workspaceId);
    await process.run();
    assert.equal((await rowsOf(one, "select 1 from job where workspace_id = $1")).length, 1);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "nobody visits a suspended workspace; when it is used again its timers are found, and an erased one leaves none",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    await using world = await startWorld({ database });
    const { one, later } = world;
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    stack.defer(() => sql.end({ timeout: 5 }));
    const suspend = (at: Date | null) =>
      sql`update workspace set suspended_at = ${at} where workspace_id = ${one.workspaceId}`;
    const fact = await addFact(world, HOUR_MS);
    const process = new Process(one);
    await process.run();
    await suspend(new Date());
    later(30 * DAY_MS);
    await markBehind(one.deps);
    assert.ok(!(await process.run()).some((step) => step.endsWith(one.workspaceId)));
    assert.equal(await storedStatus(one, fact.id), "active");
    await suspend(null);
    await process.run();
    assert.equal(await storedStatus(one, fact.id), "expired");

    const gone = crypto.randomUUID();
    const ended = [{ workspaceId: gone, seq: 1, isWhole: true }];
    const timers = [{ workspaceId: gone, loop: "expiry", heldUntil: undefined, dueAt: new Date() }];
    await sql`insert into workspace (workspace_id, name, region) values (${gone}, 'gone', 'us-east-1')`;
    await settleDue(one.deps, { rounds: ended, timers });
    const left = () =>
      sql`select workspace_id from loop_timer where workspace_id = ${gone}
          union all select workspace_id from loop_round where workspace_id = ${gone}`;
    assert.equal((await left()).length, 2);
    await sql`delete from workspace where workspace_id = ${gone}`;
    await settleDue(one.deps, { rounds: ended, timers });
    assert.equal((await left()).length, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "work that is due after the year 9999 keeps no other work from being done",
  async fn() {
    await using world = await startWorld();
    const { one, later } = world;
    const fact = await addFact(world, HOUR_MS);
    await post(one, "/v1/memory/reasoning/record", {
      goal: "Find the gate",
      steps: ["Ask."],
      answer: "It is in the north.",
      agentId: "a",
      expiresAt: "9999-12-31T00:00:00Z",
    });
    const process = new Process(one);
    await process.run();
    later(HOUR_MS + SECOND_MS);
    await process.run();
    assert.equal(await storedStatus(one, fact.id), "expired");
  },
});

Deno.test({
  ...POSTGRES,
  name: "a process takes what is due also when it cannot write what it ended, and makes up for it",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    await using world = await startWorld({ database });
    const { one, later } = world;
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    stack.defer(() => sql.end({ timeout: 5 }));
    const first = await addFact(world, HOUR_MS);
    await new Process(one).run();
    const broken = `function svc_system.settle_loop_rounds(jsonb, timestamptz, timestamptz),
      svc_system.settle_loop_timers(jsonb), svc_system.begin_loop_rounds(text, timestamptz),
      svc_system.mark_loop_rounds(timestamptz, uuid[], bigint[])`;
    await sql.unsafe(`revoke execute on ${broken} from svc_app`);
    const process = new Process(one);
    later(HOUR_MS + SECOND_MS);
    await process.look();
    await process.step();
    assert.equal(await storedStatus(one, first.id), "expired");
    const second = await addFact(world, HOUR_MS);
    await process.look();
    await process.step();
    later(HOUR_MS + SECOND_MS);
    await sql.unsafe(`grant execute on ${broken} to svc_app`);
    await process.run();
    assert.equal(await storedStatus(one, second.id), "expired");
  },
});

const dueOf = async (service: TestService, table: "loop_round" | "loop_timer") =>
  (await rowsOf<{ due: Date }>(service, `select due_at as due from ${table} where workspace_id = $1`))[0]?.due;

Deno.test({
  ...POSTGRES,
  name: "work that begins while another process has the loop's timer is done, though that process found none",
  async fn() {
    await using world = await startWorld();
    const { one } = world;
    const ended = (heldUntil?: Date, inMs?: number) => {
      const dueAt = inMs === undefined ? undefined : new Date(one.deps.clock().getTime() + inMs);
      const timer = { workspaceId: one.workspaceId, loop: "leases", heldUntil, dueAt };
      return settleDue(one.deps, { rounds: [], timers: [timer] });
    };
    for (const next of [undefined, HOUR_MS]) {
      await ended(undefined, 0);
      const { timers, heldUntil } = await takeDue(one.deps, ["leases"], { rounds: 0, timers: 10 });
      assert.equal(timers.length, 1);
      await ended(undefined, 10 * MINUTE_MS);
      await ended(heldUntil, next);
      const due = await dueOf(one, "loop_timer");
      assert.ok(due !== undefined && due.getTime() <= one.deps.clock().getTime() + 10 * MINUTE_MS, String(due));
      // Told again it stays, and ends when who takes it finds nothing.
      world.later(HOUR_MS);
      const again = await takeDue(one.deps, ["leases"], { rounds: 0, timers: 10 });
      await ended(again.heldUntil, 5 * MINUTE_MS);
      await ended(undefined, 5 * MINUTE_MS);
      assert.equal((await dueOf(one, "loop_timer"))!.getTime(), one.deps.clock().getTime() + 5 * MINUTE_MS);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "a change during a visit that does not know of it is visited soon",
  async fn() {
    await using world = await startWorld();
    const { one, later } = world;
    await addFact(world, DAY_MS);
    await markBehind(one.deps);
    const { rounds } = await takeDue(one.deps, [], { rounds: 10, timers: 0 });
    const visit = rounds.find(({ workspaceId }) => workspaceId === one.workspaceId)!;
    await addFact(world, 2 * DAY_MS);
    await markBehind(one.deps, [{ workspaceId: one.workspaceId, seq: Number.MAX_SAFE_INTEGER }]);
    await settleDue(one.deps, { rounds: [{ ...visit, isWhole: true }], timers: [] });
    later(3 * MINUTE_MS);
    const [again] = (await takeDue(one.deps, [], { rounds: 10, timers: 0 })).rounds;
    assert.ok(again !== undefined && again.seq > visit.seq);
    await settleDue(one.deps, { rounds: [{ ...again, isWhole: true }], timers: [] });
    later(3 * MINUTE_MS);
    assert.deepEqual((await takeDue(one.deps, [], { rounds: 10, timers: 0 })).rounds, []);
  },
});
