-- A chain of reasoning says what the facts it rests on said: when one of them is erased, the chain is, too.
create index reasoning_precondition_erased on reasoning_precondition (workspace_id, entry_id) where content_hash is null;

grant select (workspace_id, entry_id, unit_id) on reasoning_precondition to svc_definer;
grant delete on reasoning_entry to svc_definer;
grant select (workspace_id, entry_id), delete on reasoning_vector to svc_definer;
create policy reasoning_vector_definer on reasoning_vector to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant create on schema svc_system to svc_definer;

-- Deletes chains, at most p_limit, one of whose preconditions was erased, whoever may see them. Answers references.
create function svc_system.erase_reasoning(p_limit integer)
  returns table (id uuid, version integer, sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_ids uuid[];
  begin
    select array_agg(e.id) into v_ids from (
      select id from public.reasoning_entry
       where workspace_id = public.current_workspace() and id in (
         select entry_id from public.reasoning_precondition
          where workspace_id = public.current_workspace() and content_hash is null order by entry_id limit p_limit)
       order by id for update) e;
    delete from public.reasoning_vector
     where workspace_id = public.current_workspace() and entry_id = any(v_ids);
    return query
      delete from public.reasoning_entry e
       where e.workspace_id = public.current_workspace() and e.id = any(v_ids)
      returning e.id, e.version, e.sensitivity;
  end
  $$;
alter function svc_system.erase_reasoning(integer) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.erase_reasoning(integer) from public;
grant execute on function svc_system.erase_reasoning(integer) to svc_app;
