-- The version of a rule, for changes that must not overwrite one that the caller has not seen. It grows when what a person
-- may edit changes, whoever changes it: a person, an evolution of the playbook or an erasure. What runs count leaves it.
alter table procedural_rule add column version integer not null default 1 check (version >= 1);

create function count_rule_version() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    new.version := old.version + 1;
    return new;
  end
  $$;
create trigger procedural_rule_version before update on procedural_rule for each row
  when ((old.section, old.text, old.status, old.retired_reason, old.pinned)
        is distinct from (new.section, new.text, new.status, new.retired_reason, new.pinned))
  execute function count_rule_version();
