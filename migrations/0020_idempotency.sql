-- Replies that are kept to answer the same request again. A row commits with the write that it answers.
create table idempotent_reply (
  -- The workspace of the caller's key; all zeros for operations of an admin, which belong to none.
  workspace_id uuid not null,
  operation_id text not null,
  -- SHA-256 of the `Idempotency-Key`, in hex.
  key_hash text not null,
  -- What else must be the same: SHA-256 over path, query, body and clearance.
  fingerprint text not null,
  -- The clearance of the caller that it was made for.
  sensitivity sensitivity not null,
  status smallint not null check (status between 200 and 299),
  headers jsonb not null,
  -- Null: it told of a resource that has been erased since.
  body text,
  -- The body is sealed under the caller's own secret.
  sealed boolean not null default false,
  -- What the body names, so that erasing finds it.
  resource_ids uuid[] not null default '{}',
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (workspace_id, operation_id, key_hash)
);
create index idempotent_reply_age on idempotent_reply (workspace_id, created_at);

alter table idempotent_reply enable row level security;
alter table idempotent_reply force row level security;
create policy idempotent_reply_own on idempotent_reply to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update, delete on idempotent_reply to svc_app;

-- Erasing reaches replies that were made for callers of a higher clearance, too, and those of admins.
grant select (workspace_id, operation_id, key_hash, created_at, resource_ids, body), update (body) on idempotent_reply to svc_definer;
create policy idempotent_reply_definer on idempotent_reply to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));

grant create on schema svc_system to svc_definer;
create function svc_system.erase_idempotent_replies(p_resource_id uuid) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.idempotent_reply set body = null
     where workspace_id = public.current_workspace() and body is not null and p_resource_id = any(resource_ids)
  $$;
alter function svc_system.erase_idempotent_replies(uuid) owner to svc_definer;

-- Whether a reply is kept under a name, also one that the caller is not cleared for.
create function svc_system.is_reply_kept(p_operation_id text, p_key_hash text) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select exists (
      select from public.idempotent_reply
       where workspace_id = public.current_workspace() and operation_id = p_operation_id and key_hash = p_key_hash
         and created_at > clock_timestamp() - interval '24 hours')
  $$;
alter function svc_system.is_reply_kept(text, text) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.erase_idempotent_replies(uuid), svc_system.is_reply_kept(text, text) from public;
grant execute on function svc_system.erase_idempotent_replies(uuid), svc_system.is_reply_kept(text, text) to svc_app;
