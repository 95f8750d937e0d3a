-- Appends rows to the audit chain of the transaction's workspace, in their order, by one statement: the chain's end is
-- locked by it and written by it, so that whoever waits for the lock waits for no way to the service and back.
--
-- An entry has the row's columns, and its canonical JSON in two pieces: what stands before and after its place, which is
-- known here alone. The hash covers the hash before it and that text, as `src/crypto/audit_chain.ts` has it.
create function append_audit(entries jsonb) returns void
  language plpgsql
  as $$
  declare
    own constant uuid := current_workspace();
    head svc_audit_head;
    hashes bytea[] := '{}';
    entry jsonb;
    place bigint;
    link bytea;
  begin
    insert into svc_audit_head as h (workspace_id, seq, hash) values (own, 0, decode(repeat('00', 32), 'hex'))
      on conflict (workspace_id) do update set seq = h.seq
      returning * into head;
    place := head.seq;
    link := head.hash;
    for entry in select e from jsonb_array_elements(entries) with ordinality as t(e, n) order by n loop
      place := place + 1;
      link := sha256(link || convert_to((entry ->> 'before') || place || (entry ->> 'after'), 'UTF8'));
      hashes := hashes || link;
    end loop;
    insert into svc_audit_log (workspace_id, seq, id, actor_id, actor_type, event_type, outcome, request_id, targets,
                               target_count, detail, created_at, ip_commitment, hash)
    select own, head.seq + t.n, r.id, r.actor_id, r.actor_type, r.event_type, r.outcome, r.request_id, r.targets,
           r.target_count, r.detail, r.created_at, r.ip_commitment, hashes[t.n]
      from jsonb_array_elements(entries) with ordinality as t(e, n),
           jsonb_to_record(t.e) as r(id uuid, actor_id text, actor_type text, event_type text, outcome text,
                                     request_id text, targets uuid[], target_count integer, detail jsonb,
                                     created_at timestamptz, ip_commitment text);
    insert into svc_audit_address (workspace_id, seq, ip_address, salt, created_at)
    select own, head.seq + t.n, r.ip_address, r.salt, r.created_at
      from jsonb_array_elements(entries) with ordinality as t(e, n),
           jsonb_to_record(t.e) as r(ip_address text, salt bytea, created_at timestamptz)
     where r.ip_address is not null;
    update svc_audit_head set seq = place, hash = link where workspace_id = own;
  end
  $$;
