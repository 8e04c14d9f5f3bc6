-- The replay of a session marks the files that went through its terminal.
CREATE INDEX audits_ftp_log__session_id__date_start ON audits_ftp_log (session_id, date_start)
  WHERE session_id IS NOT NULL;
