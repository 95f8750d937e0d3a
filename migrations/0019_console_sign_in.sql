-- An issuer of tokens may vouch for an admin in the console, in the place of a key and a code.
alter table console_admin_session alter column key_id drop not null;
