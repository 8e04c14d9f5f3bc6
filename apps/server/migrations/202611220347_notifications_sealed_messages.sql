-- Mails and messages that wait in the queue, which was made by the first start with a queue.
DO $$
BEGIN
  IF to_regclass('jobs.job') IS NOT NULL THEN
    UPDATE jobs.job SET data = jsonb_build_object('$sealed', data->'sealed') WHERE name LIKE 'notifications.%' AND jsonb_typeof(data->'sealed') = 'string';
  END IF;
END
$$;
