/**
 * Every error code of the API: when it happens, and what a caller can do. `docs/api/errors.md` is
 * made from this list.
 */
export const ERROR_CODES = {
  bad_request: 'The request itself is malformed (JSON, content type, query). Send it again, corrected.',
  invalid: 'A field is wrong. Fields are named in the body; send it again, corrected.',
  not_authenticated: 'Nobody is signed in, or the credential is wrong or has run out. Sign in again.',
  permission_denied: 'You are signed in but may not do this here. Ask an administrator of the organization.',
  object_does_not_exist: 'No such object in this organization, or it has been deleted.',
  not_found: 'No such address.',
  method_not_allowed: 'This address does not take this method.',
  referenced_by_others: 'Other objects still refer to this one. Remove them or their reference first.',
  no_preview: 'What this call changes cannot be shown beforehand. Send it without `preview`, or less at a time.',
  conflict: 'Somebody else changed it at the same time. Read it again and retry.',
  too_large: 'The body is larger than the limit. Send less.',
  file_content_overflowed: 'The uploaded file is larger than the limit. Split it.',
  too_many_requests: 'Too often. Wait as long as the header Retry-After says.',
  mfa_verify_required:
    'Prove your second factor first (POST /api/v1/authentication/otp/verify/), then repeat the call.',
  license_required: 'This needs a valid license.',
  have_online_session: 'It still has live sessions. End them first.',
  unavailable:
    'The database does not answer at the moment. Try again a little later; a change may or may not have been made.',
  no_space: 'The disk of the server or of its database is full. Nothing was stored; whoever runs it has to make room.',
  internal: 'A fault on our side. Quote request_id to whoever runs the server.',
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/**
 * Messages by field; nested fields are written with dots, list positions as numbers
 * (`protocols.1`).
 */
export type FieldErrors = Record<string, string[]>
