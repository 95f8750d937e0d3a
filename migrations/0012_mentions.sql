-- Which texts mention which entities; names that were seen and belong to nobody yet; names whose texts are to be read
-- again because somebody got or lost them.

-- One row for each text and entity. Texts are known by the number that the index gives them: a new text of a unit has a
-- new number. Without a foreign key to the text, which is a unit's or a turn's: what takes a text out of the index takes
-- its mentions along.
create table mention (
  workspace_id uuid not null,
  entity_id uuid not null,
  doc_no bigint not null,
  -- The unit or turn, and its type.
  subject_id uuid not null,
  subject_type text not null,
  -- The more sensitive of the text's and the entity's: neither tells of the other.
  sensitivity sensitivity not null,
  -- When it was said, or where nobody knows, recorded.
  mentioned_at timestamptz(3) not null,
  -- False: a former text of its unit, or an archived unit; neither is counted.
  live boolean not null default true,
  -- The author named the entity; the others were found in the text.
  given boolean not null default false,
  primary key (workspace_id, entity_id, doc_no),
  foreign key (workspace_id, entity_id) references unit (workspace_id, id) on delete cascade
);
create index mention_doc on mention (workspace_id, doc_no);

-- Names in texts that no entity has. What was seen in two texts, and surely as a name in one, becomes an entity.
create table name_sighting (
  workspace_id uuid not null references workspace,
  name_key text collate "C" not null,
  doc_no bigint not null,
  sensitivity sensitivity not null,
  name text not null,
  -- 0: it may be a name; 1: it is one; 2: it is one and enough by itself.
  strength smallint not null check (strength between 0 and 2),
  -- The worker has not looked at it yet.
  pending boolean not null default true,
  primary key (workspace_id, name_key, doc_no)
);
create index name_sighting_doc on name_sighting (workspace_id, doc_no);
create index name_sighting_pending on name_sighting (workspace_id, doc_no) where pending;

-- Names that an entity got or lost since a text with the name may have been written.
create table name_change (
  workspace_id uuid not null references workspace,
  name_key text collate "C" not null,
  sensitivity sensitivity not null,
  -- Grows when the name changes again while its texts are read.
  attempt integer not null default 1,
  -- The transactions that had begun when the change was first seen: they may not know of it, and are waited for.
  seen_xid xid8,
  -- Texts up to this one are done.
  after_doc bigint not null default 0,
  primary key (workspace_id, name_key, sensitivity)
);

do $$
declare
  t text;
begin
  foreach t in array array['mention', 'name_sighting', 'name_change'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_own', t);
    execute format('grant select, insert, update, delete on %I to svc_app', t);
  end loop;
end
$$;

-- The entities that a turn mentions, as on units.
alter table turn add column entity_ids uuid[] not null default '{}';

-- Whoever gives or takes a name (find-or-create, aliases, merging, archiving, import) need not think of older texts.
-- In the order of the keys, so that two writers cannot wait for each other in a circle.
create function note_name_changes() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    insert into public.name_change as c (workspace_id, name_key, sensitivity)
    select distinct n.workspace_id, n.name_key, n.sensitivity from changed n
     order by 1, 2, 3
        on conflict (workspace_id, name_key, sensitivity) do update
       set attempt = c.attempt + 1, seen_xid = null, after_doc = 0;
    return null;
  end
  $$;
create trigger entity_name_given after insert on entity_name
  referencing new table as changed for each statement execute function note_name_changes();
create trigger entity_name_taken after delete on entity_name
  referencing old table as changed for each statement execute function note_name_changes();

-- A text may mention an entity that the one who takes the text away, or writes another in its place, must not know of:
-- those mentions go too. Entities that were opened for a name in a text (`metadata.inferredFrom`) and that nobody has
-- touched since go with the last text that names them: the functions tell which of some are left, and nothing else.
grant select, update (live), delete on mention to svc_definer;
create policy mention_definer on mention to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant select (metadata, pinned) on unit to svc_definer;
grant create on schema svc_system to svc_definer;

create function svc_system.find_orphans(p_ids uuid[]) returns setof uuid
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    select u.id from public.unit u
     where u.workspace_id = public.current_workspace() and u.id = any(p_ids) and u.type = 'entity' and u.version = 1
       and not u.pinned and u.metadata operator(pg_catalog.?) 'inferredFrom'
       and not exists (select from public.mention m
                        where m.workspace_id = public.current_workspace() and m.entity_id = u.id)
       and not exists (select from public.relation_participant p
                        where p.workspace_id = public.current_workspace() and (p.unit_id = u.id or p.node_id = u.id))
       and not exists (select from public.unit_source s
                        where s.workspace_id = public.current_workspace() and s.source_id = u.id)
  $$;

create function svc_system.forget_mentions(p_docs bigint[]) returns setof uuid
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_entities uuid[];
  begin
    with gone as (
      delete from public.mention m where m.workspace_id = public.current_workspace() and m.doc_no = any(p_docs)
      returning m.entity_id
    )
    select array_agg(distinct g.entity_id) into v_entities from gone g;
    return query select o from svc_system.find_orphans(v_entities) o;
  end
  $$;

create function svc_system.set_mentions_live(p_docs bigint[], p_live boolean) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.mention set live = p_live
     where workspace_id = public.current_workspace() and doc_no = any(p_docs) and live <> p_live
  $$;

alter function svc_system.find_orphans(uuid[]) owner to svc_definer;
alter function svc_system.forget_mentions(bigint[]) owner to svc_definer;
alter function svc_system.set_mentions_live(bigint[], boolean) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.find_orphans(uuid[]), svc_system.forget_mentions(bigint[]),
  svc_system.set_mentions_live(bigint[], boolean) from public;
grant execute on function svc_system.find_orphans(uuid[]), svc_system.forget_mentions(bigint[]),
  svc_system.set_mentions_live(bigint[], boolean) to svc_app;
