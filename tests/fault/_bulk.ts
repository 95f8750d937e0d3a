/** Much data in a moment: rows that SQL makes. */
import type postgres from "postgres";

/** Bytes of text of each event and fact. */
export const TEXT_BYTES = 11_000;

const TEXT = `rpad('Thing ' || n || ' lies in drawer ' || n % 97, ${TEXT_BYTES}, ' of the house')`;

export async function loadEvents(sql: postgres.Sql, workspaceId: string, count: number): Promise<void> {
  await sql.unsafe(
    `insert into event (workspace_id, id, type, data, occurred_at, recorded_at, created_by)
     select $1, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'load', jsonb_build_object('text', ${TEXT}),
            timestamptz '2026-03-01', now(), 'test' from generate_series(1, $2::int) as n`,
    [workspaceId, count],
  );
}

/** Facts of one version, without the index: an export does not read it. */
export async function loadFacts(sql: postgres.Sql, workspaceId: string, count: number): Promise<void> {
  await sql.unsafe(
    `with made as (
       insert into unit (workspace_id, id, type, status, attribution, trust_score, confidence, content_hash,
                         origin_instance, origin_id, text, doc_no, body, recorded_at, created_at, updated_at, created_by)
       select $1, i.id, 'fact', 'active', 'agent_stated', 60, 0.8, md5(n::text), 'instance:test', i.id, t.text, nextval('doc_no'),
              jsonb_build_object('statement', t.text, 'subject', null, 'predicate', null, 'object', null,
                                 'factType', 'fact', 'supersedes', null, 'supersededBy', null, 'citations', '[]'::jsonb,
                                 'folded', '{"subject":null,"predicate":null,"object":null}'::jsonb),
              now(), now(), now(), 'test'
         from generate_series(1, $2::int) as n
        cross join lateral (select ('01890000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid as id) i
        cross join lateral (select ${TEXT} as text) t
       returning *)
     insert into unit_revision (workspace_id, id, version, doc_no, sensitivity, recorded_at, changed_by, event, snapshot)
     select workspace_id, id, version, doc_no, sensitivity, recorded_at, created_by, 'created',
            to_jsonb(made) - '{use_count,last_used_at}'::text[] from made`,
    [workspaceId, count],
  );
}
