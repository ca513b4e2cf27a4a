-- The passwords of the roles of roles.sql: long and random, of letters and digits.
ALTER ROLE memo_owner PASSWORD 'replace-me';
ALTER ROLE memo_relay PASSWORD 'replace-me-too';
