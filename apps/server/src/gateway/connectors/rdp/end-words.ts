/** Why a server says that it ends a session (MS-RDPBCGR 2.2.5.1.1); undefined for no reason at all. */
export function endWords(code: number): string | undefined {
  return code === 0 ? undefined : (WORDS[code] ?? 'The machine has ended the session')
}

const WORDS: Readonly<Record<number, string>> = {
  1: 'An administrator of the machine has ended the session',
  2: 'An administrator of the machine has signed the account out',
  3: 'The machine has ended the session: nothing was done for too long',
  4: 'The machine has ended the session: it may not run any longer',
  5: 'Somebody else has taken the session over',
  6: 'The machine has run out of memory',
  7: 'The machine refuses the connection',
  9: 'The account may not sign in to remote desktops of this machine',
  10: 'The machine wants the password to be typed anew',
  11: 'The session was disconnected from within',
  12: 'The account has signed out',
}

/** Why an account is refused, where the reason is not its name or password (MS-ERREF 2.3.1). */
export function refusalWords(status: number | undefined): string | undefined {
  return status === undefined ? undefined : REFUSALS[status]
}

const EXPIRED = 'The password of this account has expired: it has to be changed on the machine first'
const REFUSALS: Readonly<Record<number, string>> = {
  3221225585: EXPIRED,
  3221226020: EXPIRED,
  3221225586: 'This account is disabled on the machine',
  3221226036: 'This account is locked on the machine',
  3221225819: 'The account may not sign in to remote desktops of this machine',
}
