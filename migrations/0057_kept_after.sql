-- A request whose writes commit in parts says what its key stands for before the first of them, and has no reply until
-- after the last: a row without a status.
alter table idempotent_reply alter column status drop not null;
