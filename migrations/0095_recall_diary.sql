-- The recall diary: what was asked of a workspace and what was shown, for as many days as the workspace says; 0: not at all.
alter table workspace add column recall_diary_days smallint not null default 0 check (recall_diary_days between 0 and 90);
-- What was kept before the diary was last turned on does not come back.
alter table workspace add column recall_diary_from timestamptz(3);

create table recall_entry (
  workspace_id uuid not null references workspace,
  id uuid not null,
  -- The clearance of who asked: the query may tell whatever he may see.
  sensitivity sensitivity not null,
  recalled_at timestamptz(3) not null,
  path text not null check (path in ('hot', 'full')),
  operation text not null check (length(operation) between 1 and 100),
  -- Null: erased.
  query text,
  -- Of its words; erasures find it by this.
  query_hash bigint generated always as (hashtextextended(public.words_of(query), 0)) stored,
  -- What else was asked, in the API's names. Null: erased, or too large to be kept.
  filters jsonb,
  -- The ids that query and filters name.
  named_ids uuid[] not null default '{}',
  session_id uuid,
  agent_id text,
  caller text not null,
  request_id text not null,
  trace_id text not null,
  evidence_confidence double precision not null,
  result_count integer not null check (result_count >= 0),
  duration_ms double precision not null,
  primary key (workspace_id, id)
);
create index recall_entry_time on recall_entry (workspace_id, recalled_at, id);
create index recall_entry_session on recall_entry (workspace_id, session_id) where session_id is not null;
create index recall_entry_named on recall_entry using gin (named_ids) where named_ids <> '{}';
-- Writing an entry computes `query_hash`.
grant execute on function public.words_of(text) to svc_app;
create index recall_entry_words on recall_entry (workspace_id, query_hash) where query_hash is not null;

-- The units and turns that a recall showed, in their order.
create table recall_shown (
  workspace_id uuid not null,
  recall_id uuid not null,
  position smallint not null,
  unit_id uuid not null,
  type text not null,
  sensitivity sensitivity not null,
  score double precision not null,
  -- Shown because it is pinned, beside the results.
  from_pins boolean not null,
  primary key (workspace_id, recall_id, position),
  foreign key (workspace_id, recall_id) references recall_entry (workspace_id, id) on delete cascade
);
create index recall_shown_unit on recall_shown (workspace_id, unit_id, recall_id);

do $$
  declare t text;
  begin
    foreach t in array array['recall_entry', 'recall_shown'] loop
      execute format('alter table %I enable row level security', t);
      execute format('alter table %I force row level security', t);
      execute format(
        'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
        t || '_own', t);
      execute format(
        'create policy %I on %I to svc_definer
         using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))',
        t || '_definer', t);
    end loop;
  end
$$;
grant select, insert, delete on recall_entry, recall_shown to svc_app;
grant select, update, delete on recall_entry to svc_definer;
grant select, delete on recall_shown to svc_definer;

grant create on schema svc_system to svc_definer;

-- Which workspaces keep a diary.
create function svc_system.list_recall_diaries() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select w.workspace_id from public.workspace w where w.recall_diary_days > 0 $$;
alter function svc_system.list_recall_diaries() owner to svc_definer;

-- Takes what is erased out of the diary, whatever the eraser's clearance. `p_texts` are the texts of `p_ids`, one by one.
-- The entries that showed one of them lose its id and score, their query and their filters: what was asked may come from what
-- was erased. So do entries whose query is the text or a sentence of it, or that name one of the ids. The entries of a session
-- are deleted.
create function svc_system.erase_recalls(p_ids uuid[], p_texts text[], p_session uuid) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_workspace uuid := public.current_workspace();
  begin
    -- What writes entries takes it exclusively, and then looks which units are still there.
    perform pg_advisory_xact_lock_shared(hashtextextended(v_workspace::text, 7305414));
    if not exists (select from public.recall_entry where workspace_id = v_workspace) then
      return;
    end if;
    delete from public.recall_entry where workspace_id = v_workspace and session_id = p_session;
    update public.recall_entry set query = null, filters = null, named_ids = '{}'
     where workspace_id = v_workspace and named_ids <> '{}' and named_ids && (p_ids || p_session);
    with erased as materialized (
      select distinct e.text from unnest(p_texts) as e(text) where e.text is not null
    ), passage as materialized (
      select public.words_of(text) as passage from erased
      union
      select w.words from erased e, regexp_split_to_table(e.text, '[.!?;]\s+|\n+') as s(sentence),
             lateral (select public.words_of(s.sentence) as words offset 0) w
       where w.words like '% % % %' or length(w.words) >= 14
    ), quoting as (
      select r.id from passage p
        join public.recall_entry r
          on r.workspace_id = v_workspace and r.query_hash = hashtextextended(p.passage, 0)
      union
      select s.recall_id from public.recall_shown s where s.workspace_id = v_workspace and s.unit_id = any(p_ids)
    )
    update public.recall_entry r set query = null, filters = null, named_ids = '{}'
      from quoting q where r.workspace_id = v_workspace and r.id = q.id;
    delete from public.recall_shown where workspace_id = v_workspace and unit_id = any(p_ids);
  end
  $$;
alter function svc_system.erase_recalls(uuid[], text[], uuid) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.list_recall_diaries(), svc_system.erase_recalls(uuid[], text[], uuid) from public;
grant execute on function svc_system.list_recall_diaries(), svc_system.erase_recalls(uuid[], text[], uuid) to svc_app;
