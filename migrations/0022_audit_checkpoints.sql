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
create trigger svc_audit_checkpoint_kept before update or delete on svc_audit_checkpoint
  for each row execute function refuse_audit_change();
create trigger svc_audit_checkpoint_not_truncated before truncate on svc_audit_checkpoint
  for each statement execute function refuse_audit_change();
