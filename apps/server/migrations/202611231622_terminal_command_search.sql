-- Commands of a person, of a machine, of an account, among millions: pages are in the order of time, which these do not
-- need to have (domains/terminal/commands/stored-commands.ts). Without it equal values share a place: some 7 bytes a row.
CREATE INDEX terminal_command__user ON terminal_command (lower("user") text_pattern_ops);
CREATE INDEX terminal_command__asset ON terminal_command (asset);
CREATE INDEX terminal_command__system_user ON terminal_command ("system_user");
-- A sample of a thousand instead of a hundred: how often a text or a person comes is estimated by it.
ALTER TABLE terminal_command ALTER COLUMN input SET STATISTICS 1000;
