import type { Call } from '../../kernel/access/call.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isLoopback } from '../../kernel/outbound/closed-addresses.ts'

/** A person of a demo, with the password that the sign-in page shows. */
export interface DemoAccount {
  username: string
  role: 'Admin' | 'Auditor' | 'User'
  password: string
}

const offered = new WeakMap<Kernel, readonly DemoAccount[]>()

/** Has the sign-in page show these; called by a demo alone. */
export function offerDemoAccounts(kernel: Kernel, accounts: readonly DemoAccount[]): void {
  offered.set(kernel, accounts)
}

/** For browsers on this machine only: a demo may be reached from elsewhere, too. */
export function demoAccountsFor(
  kernel: Kernel,
  call: Pick<Call, 'remoteAddress'>,
): { demo_accounts?: readonly DemoAccount[] } {
  const accounts = offered.get(kernel)
  return accounts && isLoopback(call.remoteAddress) ? { demo_accounts: accounts } : {}
}
