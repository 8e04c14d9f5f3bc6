-- The product that an import brought the row from; NULL for what happened here.
ALTER TABLE audits_login_log ADD COLUMN arrived_from text;
ALTER TABLE audits_operate_log ADD COLUMN arrived_from text;
ALTER TABLE audits_ftp_log ADD COLUMN arrived_from text;
ALTER TABLE audits_password_change_log ADD COLUMN arrived_from text;

-- History of another product is no news for other systems: an import stores it with sallyport.arriving.
CREATE OR REPLACE FUNCTION audits_note_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('sallyport.arriving', true) IS DISTINCT FROM 'on' AND EXISTS (SELECT FROM audits_forwarding WHERE is_on)
  THEN
    INSERT INTO audits_outbox (target, category, body)
      SELECT f.target, TG_ARGV[0], to_jsonb(added) FROM added CROSS JOIN audits_forwarding f WHERE f.is_on;
  END IF;
  RETURN NULL;
END $$;
