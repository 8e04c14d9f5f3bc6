-- What a command's row says of the rule and of the ticket that decided. Rules, filters and tickets
-- come and go: the row keeps what was so at its time.
ALTER TABLE terminal_command
  ADD COLUMN rule uuid,
  ADD COLUMN rule_filter text,
  ADD COLUMN ticket uuid;
CREATE INDEX terminal_command__ticket ON terminal_command (ticket) WHERE ticket IS NOT NULL;
