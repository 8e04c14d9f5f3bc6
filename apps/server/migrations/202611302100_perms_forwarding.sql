-- Where connections may be forwarded to from the machines of a permission, beside its actions: clients
-- that grant all actions forward nothing.
ALTER TABLE perms_permission
  ADD COLUMN forwarding text NOT NULL DEFAULT 'none' CHECK (forwarding IN ('none', 'machine', 'listed')),
  ADD COLUMN forwarding_destinations text[] NOT NULL DEFAULT '{}'
    CHECK (cardinality(forwarding_destinations) <= 64),
  ADD CONSTRAINT perms_permission_forwarding CHECK (family = 'asset' OR forwarding = 'none');
