/** Tenants of a broker, for tests. */
import assert from "node:assert/strict";
import type { TestService } from "../_service.ts";

export interface TestTenant {
  readonly id: string;
  /** `svc_live_…` */
  readonly key: string;
  /** A token for an hour. */
  readonly token: string;
}

/** Opens a tenant with a key and a token, with all that the broker may give. */
export async function openTenant(
  service: TestService,
  broker: { readonly key: string },
  externalId: string,
): Promise<TestTenant> {
  const ask = async (credential: string) => {
    const reply = await service.post("/v1/admin/tenants", { externalId, credential }, { key: broker.key });
    assert.ok(reply.status === 201 || reply.status === 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const { tenant, key } = await ask("key");
  return { id: tenant.id, key: key.key, token: (await ask("token")).token.token };
}
