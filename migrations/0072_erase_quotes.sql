-- What quotes a unit or a session, or was learnt from it, is erased with it: runs, rules and versions of playbooks,
-- reasons and contents of self edits.

-- What the runs that told a rule named: units and sessions. No foreign keys: both may be gone.
create table procedural_source (
  workspace_id uuid not null,
  source_id uuid not null,
  playbook_id uuid not null,
  no integer not null,
  sensitivity sensitivity not null,
  primary key (workspace_id, source_id, playbook_id, no),
  foreign key (workspace_id, playbook_id) references procedural_playbook (workspace_id, id) on delete cascade
);
create index procedural_source_playbook on procedural_source (workspace_id, playbook_id);
alter table procedural_source enable row level security;
alter table procedural_source force row level security;
create policy procedural_source_own on procedural_source to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update, delete on procedural_source to svc_app;

-- Erasing reaches what is above the clearance, too.
do $$
declare
  t text;
begin
  foreach t in array array['procedural_playbook', 'procedural_rule', 'procedural_version', 'procedural_trajectory',
                           'procedural_source', 'self_edit', 'self_edit_operation', 'self_edit_content'] loop
    execute format(
      'create policy %I on %I to svc_definer
         using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))',
      t || '_definer', t);
  end loop;
end
$$;
grant select on procedural_playbook, procedural_rule, procedural_trajectory, self_edit, self_edit_content to svc_definer;
-- A row is locked by who may update one of its columns.
grant update (last_version, current_version, candidate_version, updated_at) on procedural_playbook to svc_definer;
grant update (text, lesson, status, retired_reason, pinned, updated_at) on procedural_rule to svc_definer;
grant update (body, content_hash, task_key, trajectory_key) on procedural_trajectory to svc_definer;
grant select, insert, update (status, decided_at, reason, rules) on procedural_version to svc_definer;
grant update (reason, version, updated_at) on self_edit to svc_definer;
grant update (operation, unit_id) on self_edit_content to svc_definer;
grant select, delete on procedural_source to svc_definer;
grant select on self_edit_operation to svc_definer;
grant select (reason), update (reason) on unit_revision to svc_definer;
create policy unit_revision_definer_reason on unit_revision for update to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));

-- A run whose id was a part of what was erased is known by the hash of the id: it does not come back by an import.
create function refuse_erased_run() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    if exists (select from public.procedural_trajectory t
                where t.workspace_id = new.workspace_id and t.playbook_id = new.playbook_id
                  and t.trajectory_key = 'erased ' || encode(sha256(convert_to(new.trajectory_key, 'UTF8')), 'hex')) then
      return null;
    end if;
    return new;
  end
  $$;
create trigger procedural_trajectory_erased before insert on procedural_trajectory
  for each row execute function refuse_erased_run();

grant create on schema svc_system to svc_definer;

-- Words in lower case with a space on both sides of each, of a text or of JSON.
create function public.words_of(p_text text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select ' ' || trim(regexp_replace(lower(regexp_replace(p_text, '\\[nrtbf"\\/]', ' ', 'g')),
                                      '[^[:alnum:]]+', ' ', 'g')) || ' '
  $$;

-- Whether a text has one of the passages (`words_of`). `p_rarest` has a word of each, which is looked for first.
create function public.has_passage(p_text text, p_passages text[], p_rarest text[]) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select exists (
      select from unnest(p_passages, p_rarest) q(passage, word)
       where strpos(lower(p_text), q.word) > 0 and strpos(public.words_of(p_text), q.passage) > 0)
  $$;

-- Redacts what quotes texts that are erased, or names an id that is, or came from what does. Answers what has changed, as
-- references: playbooks with their newest version, and self edits.
create function svc_system.erase_quotes(p_id uuid, p_texts text[], p_now timestamptz, p_actor text)
  returns table (id uuid, resource_type text, version integer, sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_workspace uuid := public.current_workspace();
    v_whole text[];
    v_passages text[];
    v_rarest text[];
    v_lessons text[];
    v_books uuid[];
    v_book public.procedural_playbook;
    v_nos integer[];
    v_touched boolean;
    v_current public.procedural_version;
    v_edits uuid[];
    v_notes text[];
  begin
    select coalesce(array_agg(public.words_of(t)), '{}') into v_whole from unnest(p_texts) t;
    -- Whole texts and their sentences, as far as they say something that others would not say by chance.
    select coalesce(array_agg(p), '{}'), coalesce(array_agg(w), '{}') into v_passages, v_rarest from (
      select distinct p, (select word from regexp_split_to_table(trim(p), ' ') word order by length(word) desc limit 1) w
        from (select unnest(v_whole) p
              union select public.words_of(s)
                from unnest(p_texts) t, regexp_split_to_table(t, '[.!?;]\s+|\n+') s) all_passages
       where p like '% % % %' or length(p) >= 14) passages;

    -- Runs. The row stays, so that the run is known when it is sent or imported again.
    with gone as (
      select playbook_id, trajectory_key, body from public.procedural_trajectory t
       where t.workspace_id = v_workspace and task_key <> 'erased'
         and (strpos(lower(t.body::text), p_id::text) > 0 or strpos(lower(trajectory_key), p_id::text) > 0
              or public.has_passage(t.body::text, v_passages, v_rarest)
              or public.has_passage(trajectory_key, v_passages, v_rarest))
         for update
    ), redacted as (
      update public.procedural_trajectory t
         set body = '{"task": "[erased]", "steps": [], "lessons": []}', content_hash = 'erased', task_key = 'erased',
             trajectory_key = case when public.has_passage(t.trajectory_key, v_passages, v_rarest)
                                   then 'erased ' || encode(sha256(convert_to(t.trajectory_key, 'UTF8')), 'hex')
                                   else t.trajectory_key end
        from gone g
       where t.workspace_id = v_workspace and t.playbook_id = g.playbook_id and t.trajectory_key = g.trajectory_key
    )
    select coalesce(array_agg(public.words_of(coalesce(lesson ->> 'text', lesson #>> '{}'))), '{}') into v_lessons
      from gone, jsonb_array_elements(gone.body -> 'lessons') lesson;

    -- Playbooks that have such a rule, in force, retired or in a version.
    select array_agg(b.id order by b.id) into v_books from public.procedural_playbook b
     where b.workspace_id = v_workspace and (
       exists (select from public.procedural_source s
                where s.workspace_id = v_workspace and s.source_id = p_id and s.playbook_id = b.id)
       or exists (select from public.procedural_rule r
                   where r.workspace_id = v_workspace and r.playbook_id = b.id
                     and (public.quotes(r.text, v_whole, v_passages, v_rarest)
                          or public.quotes(r.lesson, v_whole, v_passages, v_rarest)
                          or public.words_of(r.lesson) = any(v_lessons)))
       or exists (select from public.procedural_version v
                   where v.workspace_id = v_workspace and v.playbook_id = b.id
                     and (public.has_passage(v.reason, v_passages, v_rarest)
                          or exists (select from jsonb_array_elements(v.rules) e
                                      where public.quotes(e ->> 'text', v_whole, v_passages, v_rarest)))));
    for v_book in select * from public.procedural_playbook b
                   where b.workspace_id = v_workspace and b.id = any(v_books) order by b.id for update loop
      select coalesce(array_agg(distinct no), '{}') into v_nos from (
        select s.no from public.procedural_source s
         where s.workspace_id = v_workspace and s.source_id = p_id and s.playbook_id = v_book.id
        union
        select r.no from public.procedural_rule r
         where r.workspace_id = v_workspace and r.playbook_id = v_book.id
           and (public.quotes(r.text, v_whole, v_passages, v_rarest)
                or public.quotes(r.lesson, v_whole, v_passages, v_rarest)
                or public.words_of(r.lesson) = any(v_lessons))
        union
        select substr(e ->> 'id', 2)::integer
          from public.procedural_version v, jsonb_array_elements(v.rules) e
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id
           and public.quotes(e ->> 'text', v_whole, v_passages, v_rarest)) nos;
      update public.procedural_rule r
         set text = '[erased]', lesson = '[erased]', status = 'retired', retired_reason = 'erased', pinned = false,
             updated_at = p_now
       where r.workspace_id = v_workspace and r.playbook_id = v_book.id and r.no = any(v_nos);
      -- The current version without the rules becomes the next one; a candidate is tried anew without them.
      select * into v_current from public.procedural_version v
       where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.current_version;
      v_touched := exists (
        select from public.procedural_version v, jsonb_array_elements(v.rules) e
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.candidate_version
           and substr(e ->> 'id', 2)::integer = any(v_nos));
      if v_touched then
        update public.procedural_version v set status = 'discarded', decided_at = p_now
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.candidate_version;
        v_book.candidate_version := null;
      end if;
      if exists (select from jsonb_array_elements(v_current.rules) e where substr(e ->> 'id', 2)::integer = any(v_nos))
      then
        update public.procedural_version v set status = 'superseded', decided_at = p_now
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.current_version;
        v_book.last_version := v_book.last_version + 1;
        insert into public.procedural_version (
          workspace_id, playbook_id, version, sensitivity, status, cause, reason, base_version, rules, created_at,
          created_by)
        values (v_workspace, v_book.id, v_book.last_version, v_book.sensitivity, 'current', 'edit',
                'without what was erased', v_book.current_version,
                (select coalesce(jsonb_agg(e order by place), '[]')
                   from jsonb_array_elements(v_current.rules) with ordinality rule(e, place)
                  where substr(e ->> 'id', 2)::integer <> all(v_nos)), p_now, p_actor);
        v_book.current_version := v_book.last_version;
      end if;
      update public.procedural_version v
         set reason = case when public.has_passage(v.reason, v_passages, v_rarest) then '[erased]' else v.reason end,
             rules = (select coalesce(jsonb_agg(
                          case when substr(e ->> 'id', 2)::integer = any(v_nos)
                               then e || '{"text": "[erased]", "pinned": false}' else e end order by place), '[]')
                        from jsonb_array_elements(v.rules) with ordinality rule(e, place))
       where v.workspace_id = v_workspace and v.playbook_id = v_book.id
         and (public.has_passage(v.reason, v_passages, v_rarest)
              or exists (select from jsonb_array_elements(v.rules) e where substr(e ->> 'id', 2)::integer = any(v_nos)));
      update public.procedural_playbook b
         set last_version = v_book.last_version, current_version = v_book.current_version,
             candidate_version = v_book.candidate_version, updated_at = p_now
       where b.workspace_id = v_workspace and b.id = v_book.id;
      return query select v_book.id, 'playbook', greatest(v_book.last_version, 1), v_book.sensitivity;
    end loop;
    delete from public.procedural_source s where s.workspace_id = v_workspace and s.source_id = p_id;

    -- Self edits about it, those that quote it, and those that took such a one back. What was asked for stays as a mark.
    with quoting as (
      update public.self_edit_content c set operation = '{"erased": true}', unit_id = null
       where c.workspace_id = v_workspace
         and (c.unit_id = p_id or strpos(c.operation::text, p_id::text) > 0
              or public.has_passage(c.operation::text, v_passages, v_rarest))
      returning c.edit_id
    ), own as (
      select edit_id from quoting
      union
      select o.edit_id from public.self_edit_operation o
       where o.workspace_id = v_workspace
         and (o.resource_id = p_id or o.changes @> jsonb_build_array(jsonb_build_object('id', p_id::text)))
      union
      select e.id from public.self_edit e
       where e.workspace_id = v_workspace and public.has_passage(e.reason, v_passages, v_rarest)
    )
    select array_agg(e.id order by e.id), array_agg('self-edit ' || e.id || ':%') into v_edits, v_notes
      from public.self_edit e
     where e.workspace_id = v_workspace and e.reason <> '[erased]'
       and (e.id in (select edit_id from own)
            or e.reverts in (select edit_id from own) and e.reason like 'reverts %');
    if v_edits is not null then
      update public.unit_revision r set reason = '[erased]'
       where r.workspace_id = v_workspace and r.reason like any(v_notes)
         and r.id in (select (change ->> 'id')::uuid
                        from public.self_edit_operation o, jsonb_array_elements(o.changes) change
                       where o.workspace_id = v_workspace and o.edit_id = any(v_edits));
      return query
        update public.self_edit e set reason = '[erased]', version = e.version + 1, updated_at = p_now
         where e.workspace_id = v_workspace and e.id = any(v_edits)
        returning e.id, 'self_edit', e.version, e.sensitivity;
    end if;
    -- Kept replies of playbooks name no id of theirs.
    update public.idempotent_reply i set body = null
     where i.workspace_id = v_workspace and i.body is not null
       and public.has_passage(i.body, v_passages, v_rarest);
  end
  $$;

-- Whether a rule has a passage, or is itself one of a text.
create function public.quotes(p_rule text, p_whole text[], p_passages text[], p_rarest text[]) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select public.has_passage(p_rule, p_passages, p_rarest)
        or (public.words_of(p_rule) like '% % % %'
            and exists (select from unnest(p_whole) t where strpos(t, public.words_of(p_rule)) > 0))
  $$;
alter function svc_system.erase_quotes(uuid, text[], timestamptz, text) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function public.words_of(text), public.has_passage(text, text[], text[]),
  public.quotes(text, text[], text[], text[]), svc_system.erase_quotes(uuid, text[], timestamptz, text) from public;
grant execute on function public.words_of(text), public.has_passage(text, text[], text[]),
  public.quotes(text, text[], text[], text[]) to svc_definer;
grant execute on function svc_system.erase_quotes(uuid, text[], timestamptz, text) to svc_app;
