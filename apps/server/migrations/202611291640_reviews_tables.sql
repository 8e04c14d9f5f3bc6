-- Reviews of access: what is granted at a moment, line by line, and what people decided about it.
CREATE TABLE reviews_access_review (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Without a foreign key: a review is evidence, which outlives its organization.
  org_id uuid NOT NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'open', 'ended')),
  decided_by text NOT NULL DEFAULT 'reviewers' CHECK (decided_by IN ('reviewers', 'creators')),
  date_start timestamptz NOT NULL DEFAULT now(),
  date_end timestamptz NOT NULL,
  -- What becomes of grants that nobody has decided about.
  undecided text NOT NULL DEFAULT 'keep' CHECK (undecided IN ('keep', 'withdraw')),
  -- Months from one start to the next; 0: it is not repeated.
  months integer NOT NULL DEFAULT 0 CHECK (months BETWEEN 0 AND 120),
  -- The review that followed by the clock.
  next uuid,
  comment text NOT NULL DEFAULT '',
  date_ended timestamptz,
  -- Who set it up, in whose name the clock acts: {id, name, username, role}.
  author jsonb NOT NULL DEFAULT '{}',
  -- Of its record; empty until it has ended.
  sha256 text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  CHECK (date_end > date_start)
);
CREATE INDEX reviews_access_review__org_id__date_start ON reviews_access_review (org_id, date_start DESC, id DESC);
CREATE INDEX reviews_access_review__running ON reviews_access_review (state, date_end) WHERE state <> 'ended';
CREATE INDEX reviews_access_review__repeated ON reviews_access_review (date_start) WHERE months > 0 AND next IS NULL;

CREATE TABLE reviews_reviewer (
  review uuid NOT NULL REFERENCES reviews_access_review (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  PRIMARY KEY (review, "user")
);
CREATE INDEX reviews_reviewer__user ON reviews_reviewer ("user");

-- The permissions under review; none: all.
CREATE TABLE reviews_asset_permission (
  review uuid NOT NULL REFERENCES reviews_access_review (id) ON DELETE CASCADE,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  PRIMARY KEY (review, permission)
);
CREATE INDEX reviews_asset_permission__permission ON reviews_asset_permission (permission);
CALL kernel_guard_organization(
  'reviews_asset_permission', 'review', 'reviews_access_review', 'permission', 'perms_permission'
);
CREATE TABLE reviews_app_permission (
  review uuid NOT NULL REFERENCES reviews_access_review (id) ON DELETE CASCADE,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  PRIMARY KEY (review, permission)
);
CREATE INDEX reviews_app_permission__permission ON reviews_app_permission (permission);
CALL kernel_guard_organization(
  'reviews_app_permission', 'review', 'reviews_access_review', 'permission', 'perms_permission'
);

-- A grant as it stood at the start: ids without foreign keys, and names, so that it stays true.
CREATE TABLE reviews_line (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  review uuid NOT NULL REFERENCES reviews_access_review (id) ON DELETE CASCADE,
  permission uuid NOT NULL,
  permission_name text NOT NULL,
  family text NOT NULL,
  subject_kind text NOT NULL CHECK (subject_kind IN ('user', 'group')),
  subject uuid NOT NULL,
  subject_name text NOT NULL,
  members_amount integer NOT NULL,
  -- What the permission gave, as `grantFacts` of perms tells it.
  facts jsonb NOT NULL,
  date_expired timestamptz NOT NULL,
  last_use timestamptz,
  uses integer NOT NULL DEFAULT 0,
  -- Who alone is asked; null: all reviewers.
  reviewer uuid REFERENCES users_user (id) ON DELETE SET NULL,
  verdict text NOT NULL DEFAULT 'open'
    CHECK (verdict IN ('open', 'confirmed', 'withdrawn', 'gone', 'kept', 'lapsed')),
  decided_by text NOT NULL DEFAULT '',
  decided_by_id uuid,
  date_decided timestamptz,
  comment text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX reviews_line__review__permission__subject__unique ON reviews_line (review, permission, subject);
CREATE INDEX reviews_line__review__subject_name ON reviews_line (review, subject_name, permission_name, id);
CREATE INDEX reviews_line__review__verdict ON reviews_line (review, verdict);
CREATE INDEX reviews_line__org_id ON reviews_line (org_id, id);
CREATE INDEX reviews_line__reviewer ON reviews_line (reviewer) WHERE reviewer IS NOT NULL;
CALL kernel_guard_organization('reviews_line', 'review', 'reviews_access_review');

-- What a review came to, as it was signed with the key of the roots of the audit chains.
CREATE TABLE reviews_record (
  review uuid PRIMARY KEY REFERENCES reviews_access_review (id) ON DELETE CASCADE,
  body text NOT NULL,
  signature text NOT NULL
);
