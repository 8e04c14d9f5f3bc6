/**
 * Why a secret was not changed, or nobody knows whether it was: code → English text. It says what to
 * do next where there is something to do.
 */
export const REASONS = {
  no_admin_user: 'The asset has no admin user: choose one on its page',
  admin_secret: 'The secret of the admin user itself is not changed in secure mode',
  not_contactable: 'The asset is inactive, or is not reached over SSH',
  unreachable: 'The host could not be reached: see that it runs, then retry',
  host_key: 'The host key has changed: an administrator must trust the new one first',
  wrong_password: 'The admin user could not log in: enter its present password or key, then retry',
  not_root: 'The admin user may not act as root: allow it sudo, or choose another',
  no_tools: 'The machine has nothing to change passwords with (chpasswd)',
  weak: 'The machine would refuse such a password: change the rules of the plan',
  unsupported: 'This kind of account cannot be changed from here',
  no_account: 'There is no such account any more, or it has no user name of its own',
  kept_outside: 'The secret of this account is kept outside: change it there',
  no_password: 'No password of this account is stored: enter the one that it has now',
  login_refused: 'The account could not log in with what is stored: enter the password that it has now',
  not_asked: 'The server lets this account in without asking for a password, so nothing could be verified',
  busy: 'Another run changes this account now: wait for its end, then retry',
  refused: 'The change was refused: solve what the target says, then retry',
  data_not_sent:
    'The connection was lost while the change was sent: both secrets are kept, and tried again by themselves',
  not_verified: 'The new secret does not work yet: both secrets are kept, and tried again by themselves',
  old_works: 'The old secret still works: the new one is kept, and tried again by itself',
  given_up:
    'A week of trying did not show which secret works: all are kept, and none is tried any more. Enter the password that the account has now, then retry',
  not_changed: 'The change did not reach the target: run it again',
  interrupted: 'The run was interrupted before anything was sent: run it again',
  stopped: 'Not begun, as others failed: solve that, then retry',
} as const

export type Reason = keyof typeof REASONS

export class RotationError extends Error {
  readonly code: Reason
  /** The target's own words; never a secret. */
  readonly detail: string

  constructor(code: Reason, detail = '', cause?: unknown) {
    super(REASONS[code], { cause })
    this.name = 'RotationError'
    this.code = code
    this.detail = detail
  }
}
