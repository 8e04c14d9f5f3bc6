import { type Application, application } from '@sallyport/contract/resources/applications/application.ts'
import { applicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { applicationPermission } from '@sallyport/contract/resources/perms/application-permission.ts'
import { api, type Row } from '../../lib/api.ts'
import { forget } from '../../lib/query.ts'

const QUIET = { quiet: true }

/** What somebody types of an account of a database. */
export interface TypedAccount {
  username: string
  password: string
}

type Database = Pick<Application, 'id' | 'name' | 'category' | 'type'>

/** A password alone is an account of Redis; elsewhere it needs a name. */
export const isNameless = (type: unknown): boolean => type === 'redis'

const nameOf = ({ name }: Database, username: string): string => (username ? `${username} · ${name}` : name)

/**
 * Stores an account for a database as a system user, or changes the one that was stored before.
 * Answers its id.
 */
export async function storeAccount(row: Database, account: TypedAccount, stored?: string): Promise<string> {
  if (stored) {
    await api.patch(`${systemUser.path}${stored}/`, account, QUIET)
    return stored
  }
  const protocol = applicationType(row.type)?.protocol ?? ''
  const draft = { ...account, name: nameOf(row, account.username), protocol, login_mode: 'auto', auto_push: false }
  return (await api.post<Row>(systemUser.path, draft, QUIET)).id
}

/** Logs in to the database with the stored account. Throws what the database says. */
export const tryAccount = ({ id }: Pick<Database, 'id'>, account: string): Promise<unknown> =>
  api.post(`${application.path}${id}/try-login/`, { system_user: account }, QUIET)

/** Lets people in to the database with the stored account. */
export async function giveAccess(row: Database, username: string, account: string, users: readonly string[]) {
  const { id, name, category, type } = row
  const grant = { users, applications: [id], system_users: [account] }
  const named = { name: username ? `${name} · ${username}` : name, category, type }
  await api.post(applicationPermission.path, { ...named, ...grant }, QUIET)
  await Promise.all([forget(applicationPermission.path), forget('/api/v1/perms/')])
}
