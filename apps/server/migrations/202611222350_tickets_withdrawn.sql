-- What the server notes when it closes a ticket by itself, by its reason: nobody has said that.
ALTER TABLE tickets_comment DROP CONSTRAINT tickets_comment_action_check;
ALTER TABLE tickets_comment ADD CONSTRAINT tickets_comment_action_check CHECK (
  action IN (
    'open', 'approved', 'rejected', 'closed',
    'rule', 'session', 'reviewers', 'applicant', 'time', 'renewed', 'fault'
  )
);
