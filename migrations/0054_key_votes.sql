-- Votes are kept for each agent of a key, and weigh one for the key: whoever has a key can name any number of agents.

-- Which key gave the vote. Null: given before this was kept; each of these counts as one of its own.
alter table reasoning_vote add column given_by text;
update reasoning_vote set given_by = agent_id where agent_id like 'key:%';

-- An agent is named by its key and what the key calls it.
alter table worth_signal drop constraint worth_signal_agent_id_check;
alter table worth_signal add constraint worth_signal_agent_id_check check (length(agent_id) between 1 and 400);
grant delete on worth_signal to svc_app;

-- When a key last said that it used a unit: it counts once a day.
create table use_signal (
  workspace_id uuid not null,
  unit_id uuid not null,
  given_by text not null,
  given_at timestamptz(3) not null,
  primary key (workspace_id, unit_id, given_by),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
alter table use_signal enable row level security;
alter table use_signal force row level security;
create policy use_signal_own on use_signal to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on use_signal to svc_app;
