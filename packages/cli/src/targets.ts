import type { Client } from '@sallyport/client'
import { type GrantedApplication, grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { type GrantedAsset, grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { Failure } from './exit.ts'
import type { Say } from './words.ts'

/** A system user that the person may use on a target. */
export interface Account {
  id: string
  name: string
  username: string
  protocol: string
}

/** `[account@]target`; the account has no @ in it where the target has none. */
export function splitTarget(word: string): { account: string | undefined; target: string } {
  const at = word.lastIndexOf('@')
  return at < 0 ? { account: undefined, target: word } : { account: word.slice(0, at), target: word.slice(at + 1) }
}

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The machine of that name, address or id among those that the person may use. @throws Failure */
export async function findMachine(
  client: Client,
  say: Say,
  name: string,
): Promise<{ row: GrantedAsset; isUnique: boolean }> {
  const machines = client.resource(grantedAsset)
  const query = isId(name) ? { id: name } : { search: name }
  const rows = (await Array.fromAsync(machines.list(query))) as GrantedAsset[]
  const exact = rows.filter(({ id, hostname, ip }) => id === name || hostname === name || ip === name)
  const row = only(say, name, exact, rows, ({ hostname, ip }) => `${hostname} (${ip})`)
  return { row, isUnique: exact.filter(({ hostname }) => hostname === row.hostname).length === 1 }
}

/** The same for databases and other applications. @throws Failure */
export async function findApplication(client: Client, say: Say, name: string): Promise<GrantedApplication> {
  const applications = client.resource(grantedApplication)
  const query = isId(name) ? { id: name } : { search: name }
  const rows = (await Array.fromAsync(applications.list(query))) as GrantedApplication[]
  const exact = rows.filter((row) => row.id === name || row.name === name)
  return only(say, name, exact, rows, (row) => `${row.name} (${row.type})`)
}

/** The one that is meant; what else it may have been is said. @throws Failure */
function only<T>(say: Say, name: string, exact: readonly T[], near: readonly T[], words: (row: T) => string): T {
  const found = exact.length ? exact : near
  const [row] = found
  if (!row) throw new Failure('notFound', say('You may use nothing that is called {{name}}', { name }))
  if (found.length === 1) return row
  const names = found.slice(0, 10).map(words).join(', ')
  throw new Failure('notFound', say('{{name}} may be one of several: {{names}}', { name, names }))
}

/**
 * The account that is meant, by its user name, name or id; without a word the only one.
 * @throws Failure
 */
export async function findAccount(
  client: Client,
  say: Say,
  { family, id }: { family: 'assets' | 'applications'; id: string },
  wanted: string | undefined,
  protocols: readonly string[],
): Promise<{ account: Account; isUnique: boolean }> {
  const all = await client.get<Account[]>(`/api/v1/perms/users/${family}/${id}/system-users/`)
  const usable = all.filter(({ protocol }) => protocols.includes(protocol))
  const found = wanted ? usable.filter((one) => [one.id, one.username, one.name].includes(wanted)) : usable
  const names = usable.map(({ username, name }) => username || name).join(', ')
  const [account] = found
  if (!account)
    throw new Failure(
      'notFound',
      names ? say('Choose one of these accounts: {{names}}', { names }) : say('You may use no account there'),
    )
  if (found.length > 1) throw new Failure('notFound', say('Choose one of these accounts: {{names}}', { names }))
  return { account, isUnique: usable.filter(({ username }) => username === account.username).length === 1 }
}
