-- Secrets inside JSON are {"$sealed": …} everywhere, so that a rotation of the key finds them.
UPDATE authentication_session SET state = jsonb_set(state, '{transport_key}', jsonb_build_object('$sealed', state->'transport_key'))
  WHERE jsonb_typeof(state->'transport_key') = 'string';
UPDATE authentication_session SET state = jsonb_set(state, '{otp_secret}', jsonb_build_object('$sealed', state->'otp_secret'))
  WHERE jsonb_typeof(state->'otp_secret') = 'string';
UPDATE authentication_session SET state = jsonb_set(state, '{outside,hint}', jsonb_build_object('$sealed', state#>'{outside,hint}'))
  WHERE jsonb_typeof(state#>'{outside,hint}') = 'string';
