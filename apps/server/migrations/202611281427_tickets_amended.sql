-- What those who decide have made of a request. `meta` stays what was asked for, which is evidence; each change is a comment.
ALTER TABLE tickets_ticket ADD COLUMN amended jsonb;
ALTER TABLE tickets_comment DROP CONSTRAINT tickets_comment_action_check;
ALTER TABLE tickets_comment ADD CONSTRAINT tickets_comment_action_check CHECK (
  action IN (
    'open', 'amended', 'approved', 'rejected', 'closed',
    'rule', 'session', 'reviewers', 'applicant', 'time', 'renewed', 'fault'
  )
);
