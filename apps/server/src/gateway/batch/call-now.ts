import type { Call } from '../../kernel/access/call.ts'
import { ownCall } from '../../kernel/access/own-call.ts'
import { forbidden } from '../../kernel/errors/app-error.ts'
import type { Language } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The person who began something, as stored. */
interface Beginner {
  user_id: string
  org_id: string
  remote_addr: string
  language: Language
}

/**
 * Call of the person who began something, with their roles of now; throws 403 where they may not
 * sign in any more.
 */
export async function callNow(kernel: Kernel, { user_id, org_id, remote_addr, language }: Beginner): Promise<Call> {
  const user = { id: user_id, name: '', username: '', role: 'User' as const }
  const now = await kernel.callerNow(await ownCall(kernel, org_id, { user, language, remoteAddress: remote_addr }))
  if (!now) throw forbidden('The account of whoever began this is not active any more')
  return now
}
