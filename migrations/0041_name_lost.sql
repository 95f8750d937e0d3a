-- Texts that know of everybody who has a name need not be read again, unless somebody lost it.
alter table name_change add column lost boolean not null default true;

create or replace function note_name_changes() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    insert into public.name_change as c (workspace_id, name_key, sensitivity, lost)
    select distinct n.workspace_id, n.name_key, n.sensitivity, tg_op = 'DELETE' from changed n
     order by 1, 2, 3
        on conflict (workspace_id, name_key, sensitivity) do update
       set attempt = c.attempt + 1, seen_xid = null, after_doc = 0, lost = c.lost or excluded.lost;
    return null;
  end
  $$;
