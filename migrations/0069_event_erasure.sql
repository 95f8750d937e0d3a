-- An event goes only when it is erased: a deletion that the deletion log does not tell of is refused.
create function refuse_event_deletion() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    if exists (select from public.deletion_log d
                where d.workspace_id = old.workspace_id and d.resource_id = old.id and d.resource_type = 'event') then
      return old;
    end if;
    raise exception 'an event is deleted by its erasure alone' using errcode = '42501';
  end
  $$;
create trigger event_kept before delete on event for each row execute function refuse_event_deletion();
