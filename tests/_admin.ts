/** Admins for tests: named, with a key and one-time codes, made as the command line makes them. */
import { operatorContext } from "../src/domain/access/authorize.ts";
import * as admins from "../src/domain/access/admin/admins.ts";
import { SYSTEM_WORKSPACE } from "../src/domain/common/system.ts";
import type { OperationContext } from "../src/context.ts";
import { totpCode } from "../src/crypto/totp.ts";
import { createTestDeps } from "./_deps.ts";
import { type TestService, TOTP_KEY } from "./_service.ts";

export interface TestAdmin {
  readonly id: string;
  readonly name: string;
  /** `mk_admin_…` */
  readonly key: string;
  /** For authenticator apps: base 32. */
  readonly secret: string;
  /** The code for the present time of the service's clock, or for `steps` steps later. */
  readonly totp: (steps?: number) => string;
}

/** The operator outside of any workspace. */
export function systemOperator(service: TestService): OperationContext {
  return operatorContext(service.deps, SYSTEM_WORKSPACE);
}

let serial = 0;

/** All admins of this test process, for tests that search for their secrets. */
export const MADE_ADMINS: TestAdmin[] = [];

export async function createTestAdmin(service: TestService): Promise<TestAdmin> {
  // A service in a process of its own shares no parts, so they are made here, as its command line would make them.
  await using own = service.deps === undefined ? await createOwnDeps(service) : undefined;
  const ctx = operatorContext(own ?? service.deps, SYSTEM_WORKSPACE);
  const clock = service.deps?.clock ?? (() => new Date());
  const name = `admin ${++serial} ${crypto.randomUUID().slice(0, 8)}`;
  const { adminId: id } = await admins.createAdmin(ctx, name);
  const { key } = await admins.createAdminKey(ctx, { admin: name, name: "test" });
  const { uri } = await admins.enrollTotp(ctx, name);
  const secret = new URL(uri).searchParams.get("secret")!;
  const totp = (steps = 0) => totpCode(secret, new Date(clock().getTime() + steps * 30_000));
  const made = { id, name, key, secret, totp };
  MADE_ADMINS.push(made);
  return made;
}

export async function createTestAdmins<N extends 2 | 3>(service: TestService, count: N) {
  const made: TestAdmin[] = [];
  for (let i = 0; i < count; i++) made.push(await createTestAdmin(service));
  return made as unknown as N extends 2 ? [TestAdmin, TestAdmin] : [TestAdmin, TestAdmin, TestAdmin];
}

function createOwnDeps({ database }: TestService) {
  return createTestDeps(database!, { SVC_ADMIN_TOTP_KEY: TOTP_KEY });
}

/** A request of the first admin for the service's first workspace, pending. */
export async function requestAccess(
  service: TestService,
  admin: TestAdmin,
  body: Readonly<Record<string, unknown>> = {},
) {
  return await service.post("/v1/admin/break-glass", {
    totp: admin.totp(),
    workspaceId: service.workspaceId,
    reason: "Ticket 4711",
    ...body,
  }, { key: admin.key });
}
