-- Background tasks that people started, and what they printed (contract/ops.yaml task_log).
CREATE TABLE ops_background_task (
  -- The id of the queue's job.
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  -- Who started it; nobody when the server did.
  user_id uuid REFERENCES users_user (id) ON DELETE SET NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'STARTED', 'SUCCESS', 'FAILURE')),
  result jsonb,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_started timestamptz,
  date_finished timestamptz
);
CREATE INDEX ops_background_task__date_created ON ops_background_task (date_created);

-- In the database rather than in files: the node that answers for a log need not be the one that ran the task.
CREATE TABLE ops_task_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task uuid NOT NULL REFERENCES ops_background_task (id) ON DELETE CASCADE,
  data text NOT NULL
);
CREATE INDEX ops_task_log__task ON ops_task_log (task, id);
