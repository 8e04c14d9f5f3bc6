-- The license in force, as it was imported.
CREATE TABLE xpack_license (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  document text NOT NULL
);

-- Pictures in place of the built-in ones: login_image, favicon, logo_index, logo_logout.
CREATE TABLE xpack_image (
  name text PRIMARY KEY,
  type text NOT NULL,
  content bytea NOT NULL,
  sha256 text NOT NULL,
  date_updated timestamptz NOT NULL DEFAULT now()
);
