-- The roles of a relay's PostgreSQL database: memo_owner owns the tables, and memo_relay serves. Run once by an
-- administrator, in the new and empty database:
--
--   createdb memo && psql -d memo -v ON_ERROR_STOP=1 -f roles.sql
--
-- and then give each a password: \password memo_owner, \password memo_relay. docs/operating.md says who does what.
CREATE ROLE memo_owner LOGIN;
CREATE ROLE memo_relay LOGIN;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO memo_owner, memo_relay;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO memo_owner;
GRANT USAGE ON SCHEMA public TO memo_relay;
-- Each table that the owner makes, now or with a later build.
ALTER DEFAULT PRIVILEGES FOR ROLE memo_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO memo_relay;
