-- The demo shows suggestions without 90 days of use: its page says that they are examples.
ALTER TABLE reviews_look ADD has_samples boolean NOT NULL DEFAULT false;
