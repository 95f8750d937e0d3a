-- The change feed of a workspace, and its audit chain.

-- A function may name a table of a later file.
set local check_function_bodies = off;

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

-- The change feed: one append-only table, written in the same transaction as each change.
--
-- `seq` is given out under the row lock of `feed_head`, as the last statement before commit, so that it is gapless per
-- workspace and becomes visible in its own order: a reader never passes over a row that commits later.
create table feed_head (
  workspace_id uuid primary key references workspace,
  seq bigint not null
);
alter table feed_head enable row level security;
alter table feed_head force row level security;
create policy feed_head_own on feed_head to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy feed_head_definer on feed_head for select to svc_definer using (true);
grant select, insert, update on feed_head to svc_app;
grant select on feed_head to svc_definer;

create table change (
  workspace_id uuid not null references workspace,
  seq bigint not null,
  kind text not null,
  resource_type text not null,
  resource_id uuid not null,
  version integer not null,
  sensitivity sensitivity not null,
  actor text not null,
  recorded_at timestamptz(3) not null,
  payload jsonb not null default '{}',
  primary key (workspace_id, seq)
);
create index change_resource on change (workspace_id, resource_id, seq);
alter table change enable row level security;
alter table change force row level security;
create policy change_read on change for select to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
create policy change_append on change for insert to svc_app
  with check (workspace_id = (select current_workspace()));
grant select, insert on change to svc_app;

-- The audit log: one chain for each workspace, and one for what belongs to none (workspace of all zeros). Interface
-- §5.13.
--
-- Each row's hash covers the row and the hash before it; nobody that the service connects as, its owner included, may
-- change or delete a row. The caller's address stands apart, beside a commitment in the chain, so that it can be
-- forgotten.
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
grant select, insert on svc_audit_log to svc_app;

create table svc_audit_address (
  workspace_id uuid not null,
  seq bigint not null,
  ip_address text not null,
  salt bytea not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, seq)
);
create index svc_audit_address_time on svc_audit_address (workspace_id, created_at);
grant select, insert, delete on svc_audit_address to svc_app;

-- The chain's end; its row lock puts the rows in order.
create table svc_audit_head (
  workspace_id uuid primary key,
  seq bigint not null,
  hash bytea not null
);
grant select, insert, update on svc_audit_head to svc_app;

-- Merkle tree heads of audit chains as they were signed and given out, and the tree's nodes above whole blocks of rows,
-- which never change. Neither is believed by the verification: it reads the rows.
create table svc_audit_checkpoint (
  workspace_id uuid not null,
  size bigint not null check (size >= 1),
  root bytea not null check (length(root) = 32),
  -- The signed note (C2SP), as it was written to the log stream and the file.
  note text not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, size)
);

create table svc_audit_node (
  workspace_id uuid not null,
  -- The block of rows, from 0.
  block bigint not null,
  hash bytea not null check (length(hash) = 32),
  primary key (workspace_id, block)
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
do $$
declare
  t text;
begin
  foreach t in array array['svc_audit_checkpoint', 'svc_audit_node'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()))
         with check (workspace_id = (select current_workspace()))',
      t || '_own', t);
    execute format('grant select, insert on %I to svc_app', t);
  end loop;
end
$$;

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
create trigger svc_audit_checkpoint_kept before update or delete on svc_audit_checkpoint
  for each row execute function refuse_audit_change();
create trigger svc_audit_checkpoint_not_truncated before truncate on svc_audit_checkpoint
  for each statement execute function refuse_audit_change();
