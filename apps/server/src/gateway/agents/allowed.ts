import { settingsOf } from '../../domains/settings/index.ts'
import { BY_AGENT } from '../../kernel/access/agent-call.ts'
import { type Call, isComponent } from '../../kernel/access/call.ts'
import type { SignIn } from '../../kernel/access/sign-in.ts'
import { AppError, notAuthenticated } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Why the setting leaves this caller no agent; undefined where it does not. */
export function whyOff(kernel: Kernel, call: Call): string | undefined {
  const who = settingsOf(kernel).get('SECURITY_AGENTS')
  const isAllowed = (who === 'everybody' && !isComponent(call)) || (who === 'identities' && call.via === 'service_key')
  if (isAllowed) return undefined
  return who === 'identities' ? ONLY_IDENTITIES : OFF
}

/** Throws 403 where the setting leaves this caller no agent, and for pages of browsers. */
export function refuseWhereOff(kernel: Kernel, call: Call): void {
  const why = whyOff(kernel, call)
  if (why) throw new AppError(403, 'agents_off', why)
  if (call.via === 'session') throw new AppError(403, 'needs_key', NEEDS_KEY)
}

/** Asked again while an agent waits: throws where the setting was turned off or its sign-in has ended. */
export async function refuseWhereOver(kernel: Kernel, call: Call, signIn: SignIn | undefined): Promise<void> {
  refuseWhereOff(kernel, call)
  if (!signIn || (await kernel.signIns.lapsed([signIn])).length) throw notAuthenticated()
}

/** Why a run that was held is not to begin, where an agent asked for it: they have been turned off for all since. */
export const whyRunOff = (kernel: Kernel, onBehalfOf: string | null): string | undefined =>
  onBehalfOf?.includes(BY_AGENT) && settingsOf(kernel).get('SECURITY_AGENTS') === 'off' ? OFF : undefined

const OFF = 'Agents are turned off here: an administrator turns them on in the settings'
const ONLY_IDENTITIES = 'Agents work by service identities alone here'
const NEEDS_KEY = 'An agent needs a key or a token: the sign-in of a browser is not enough'
