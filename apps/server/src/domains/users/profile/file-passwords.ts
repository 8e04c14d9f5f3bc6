import { inArray } from 'drizzle-orm'
import type { Language } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { languageOfUser } from '../notices/account-events.ts'
import { usersUser } from '../tables.ts'

/** Somebody who is sent files, and the password under which they have chosen to get them. */
export interface FileReader {
  id: string
  name: string
  username: string
  email: string
  language: Language
  /** Undefined where they have chosen none yet. */
  filePassword: string | undefined
}

/**
 * The recipients of files, with their passwords opened: for packing, and never to be stored or
 * shown. Deleted people are left out.
 */
export async function fileReaders(kernel: Kernel, ids: readonly string[], reason: string): Promise<FileReader[]> {
  if (!ids.length) return []
  const { id, name, username, email, language, secret_key_sealed } = usersUser
  const rows = await kernel.db
    .select({ id, name, username, email, language, secret_key_sealed })
    .from(usersUser)
    .where(inArray(id, [...ids]))
    .orderBy(username)
  const open = kernel.secrets.open('message', reason)
  return rows.map(({ secret_key_sealed: sealed, ...person }) => ({
    ...person,
    language: languageOfUser(kernel, person.language),
    filePassword: (sealed && open(sealed)) || undefined,
  }))
}
