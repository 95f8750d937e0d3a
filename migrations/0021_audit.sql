-- The audit log: one chain for each workspace, and one for what belongs to none (workspace of all zeros). Interface §5.13.
--
-- Each row's hash covers the row and the hash before it; nobody that the service connects as, its owner included, may
-- change or delete a row. The caller's address stands apart, beside a commitment in the chain, so that it can be forgotten.
create table svc_audit_log (
  workspace_id uuid not null,
  seq bigint not null check (seq >= 1),
  id uuid not null,
  actor_id text not null,
  actor_type text not null check (actor_type in ('key', 'admin', 'worker', 'operator', 'system', 'peer')),
  event_type text not null check (length(event_type) between 1 and 100),
  -- `ok`, or the code of the refusal.
  outcome text not null,
  request_id text not null,
  -- The ids of what was written or shown, the first hundred, and how many there were.
  targets uuid[] not null,
  target_count integer not null,
  detail jsonb not null,
  created_at timestamptz(3) not null,
  -- SHA-256 of salt and address, in hex; null where there is no address.
  ip_commitment text,
  hash bytea not null check (length(hash) = 32),
  primary key (workspace_id, seq)
);
create index svc_audit_log_time on svc_audit_log (workspace_id, created_at, seq);

create table svc_audit_address (
  workspace_id uuid not null,
  seq bigint not null,
  ip_address text not null,
  salt bytea not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, seq)
);
create index svc_audit_address_time on svc_audit_address (workspace_id, created_at);

-- The chain's end; its row lock puts the rows in order.
create table svc_audit_head (
  workspace_id uuid primary key,
  seq bigint not null,
  hash bytea not null
);

do $$
declare
  t text;
begin
  foreach t in array array['svc_audit_log', 'svc_audit_address', 'svc_audit_head'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()))
         with check (workspace_id = (select current_workspace()))',
      t || '_own', t);
  end loop;
end
$$;
grant select, insert on svc_audit_log to svc_app;
grant select, insert, delete on svc_audit_address to svc_app;
grant select, insert, update on svc_audit_head to svc_app;

create function refuse_audit_change() returns trigger
  language plpgsql
  as $$
  begin
    raise exception 'the audit log is append-only' using errcode = '42501';
  end
  $$;
create trigger svc_audit_log_kept before update or delete on svc_audit_log
  for each row execute function refuse_audit_change();
create trigger svc_audit_log_not_truncated before truncate on svc_audit_log
  for each statement execute function refuse_audit_change();
create trigger svc_audit_head_kept before delete on svc_audit_head
  for each row execute function refuse_audit_change();
create trigger svc_audit_head_not_truncated before truncate on svc_audit_head
  for each statement execute function refuse_audit_change();
