import type { adhoc } from '@sallyport/contract/resources/ops/adhoc.ts'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import type { Become } from '../../../kernel/ssh/script.ts'
import { opsAdhoc } from '../tables.ts'

/** As clients write it: `sudo` without a password is that of rules which ask for none. */
const BECOME = z.strictObject({
  method: z.enum(['sudo', 'su']),
  user: z
    .string()
    .max(64)
    .regex(/^[A-Za-z_][\w.-]*$/),
  pass: z.string().max(256).default(''),
})

const WRONG =
  'Write it as {"method": "sudo", "user": "root", "pass": "…"}; the method is sudo or su, and su needs the password'

/** Checks how the steps of a version are to switch the user; what is stored names nothing else. */
export function checkBecome({ draft }: WriteContext<typeof adhoc, typeof opsAdhoc>): void {
  if (!draft.become) return
  const { data } = BECOME.safeParse(parsed(draft.become))
  if (!data || (data.method === 'su' && !data.pass)) throw invalid({ become: WRONG })
  Object.assign(draft, { become: JSON.stringify(data), become_display: data.user })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Empty, its steps switch by themselves again. */
export async function forgetBecome({
  db,
  draft,
  stored,
}: WrittenContext<typeof adhoc, typeof opsAdhoc>): Promise<void> {
  if (draft.become === undefined || draft.become) return
  await db.update(opsAdhoc).set({ become_sealed: null, become_display: '' }).where(eq(opsAdhoc.id, stored.id))
  stored.become_display = ''
}

/** How the steps of a version switch the user, where people said so. */
export function becomeOf(
  { secrets }: Pick<Kernel, 'secrets'>,
  { id, become_sealed }: typeof opsAdhoc.$inferSelect,
): Become | undefined {
  if (!become_sealed) return undefined
  const { method, user, pass } = BECOME.parse(JSON.parse(secrets.open('job', `task version ${id}`)(become_sealed)))
  return { method, user, password: pass }
}
