-- The second factor by time-based codes. The step of the last accepted code is kept, so that no code counts twice.
ALTER TABLE users_user
  ADD COLUMN otp_secret_sealed bytea,
  ADD COLUMN otp_last_step bigint;
