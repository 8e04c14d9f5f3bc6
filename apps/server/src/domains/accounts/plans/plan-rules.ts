import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { checkSecrets } from '../../../kernel/secrets/secret-fields.ts'
import { isMachineUsername } from '../rotation/ssh-machine.ts'
import { accountsChangePlan, type PlanFamily } from '../tables.ts'

type Plan = typeof accountsChangePlan.$inferSelect

/** Input of the rules of plans. */
export interface PlanWriting {
  db: Database
  draft: {
    username?: string | undefined
    is_password?: boolean | undefined
    is_ssh_key?: boolean | undefined
    password_strategy?: string | undefined
    password?: string | null | undefined
    private_key?: string | null | undefined
    passphrase?: string | null | undefined
  }
  row: Pick<Plan, 'id' | 'is_password' | 'is_ssh_key' | 'password_strategy'> | undefined
}

/** A rule: plans of both families are rows of one table. */
export const ofFamily =
  (family: PlanFamily) =>
  ({ draft, row }: { draft: { family?: PlanFamily | undefined }; row: unknown }): void => {
    if (!row) draft.family = family
  }

/** A user name is a line of a password file: nothing that would begin another field or option. */
export function checkUsername({ draft }: Pick<PlanWriting, 'draft'>): void {
  if (draft.username !== undefined && !isMachineUsername(draft.username))
    throw invalid({
      username: 'No user name of a machine: it has blanks, quotes, a colon, a slash or begins with a dash',
    })
}

/** A plan knows what it changes to before it runs (docs/rules/accounts.md#change_auth_plan). */
export async function checkNewSecrets({ db, draft, row }: PlanWriting): Promise<void> {
  await checkSecrets({ draft })
  const after = { is_password: true, is_ssh_key: false, password_strategy: 'custom', ...row, ...defined(draft) }
  if (!after.is_password && !after.is_ssh_key)
    throw invalid({ is_password: 'Choose what to change: the password, the SSH key or both' })
  // A control character would end the line on which it is sent.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
  if (draft.password && /[\x00-\x1f\x7f]/.test(draft.password))
    throw invalid({ password: 'The password must not contain control characters' })
  const stored = row ? await storedSecrets(db, row.id) : { password: false, key: false }
  if (after.is_password && after.password_strategy === 'custom' && !draft.password && !stored.password)
    throw invalid({ password: 'This field is required.' })
  if (after.is_ssh_key && !draft.private_key && !stored.key) throw invalid({ private_key: 'This field is required.' })
}

async function storedSecrets(db: Database, id: string): Promise<{ password: boolean; key: boolean }> {
  const [found] = await db
    .select({
      password: sql<boolean>`${accountsChangePlan.password_sealed} IS NOT NULL`,
      key: sql<boolean>`${accountsChangePlan.private_key_sealed} IS NOT NULL`,
    })
    .from(accountsChangePlan)
    .where(eq(accountsChangePlan.id, id))
  return found ?? { password: false, key: false }
}

const defined = <T extends object>(draft: T) =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)) as T
