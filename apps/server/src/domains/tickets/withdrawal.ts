/** Why the server closes a ticket by itself, in the words of its comment, its page and its mail. */
export const WITHDRAWAL_TEXT = {
  rule: 'Closed, as the rule behind it was changed, turned off or deleted',
  session: 'Closed, as the session has ended',
  reviewers: 'Closed, as nobody is left who could decide it',
  applicant: 'Closed, as the applicant does not belong to the organization any more',
  time: 'Closed, as nobody decided it in time',
  renewed: 'Closed, as the applicant has asked anew',
  fault: 'Closed, as the server could not follow it to its end',
} as const

export type Withdrawal = keyof typeof WITHDRAWAL_TEXT

/** Whether it was the server that did what a comment notes. */
export const isWithdrawal = (action: string): action is Withdrawal => Object.hasOwn(WITHDRAWAL_TEXT, action)
