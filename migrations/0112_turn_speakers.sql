-- The turns of a speaker in a session: whoever links a name to what was said reads these alone, however long the session.
create index turn_speaker on turn (workspace_id, session_id, name, doc_no) where name is not null;
