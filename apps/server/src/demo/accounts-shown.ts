import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoAccount } from '../domains/authentication/index.ts'
import { readablePassword } from '../domains/users/index.ts'

/** One person of each role, by whom a visitor sees the product. */
const PEOPLE: readonly Pick<DemoAccount, 'username' | 'role'>[] = [
  { username: 'caoning', role: 'Admin' },
  { username: 'laura.meijer', role: 'Auditor' },
  { username: 'zhangwei', role: 'User' },
]
const FILE = 'demo-accounts.json'
const LENGTH = 12

/** The accounts that were made in this data directory; undefined where there are none yet. */
export async function readAccounts(dataDirectory: string): Promise<readonly DemoAccount[] | undefined> {
  const text = await readFile(join(dataDirectory, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : (JSON.parse(text) as DemoAccount[])
}

/** Makes a password for one person of each role, and keeps it for the sign-in page (0600). */
export async function makeAccounts(dataDirectory: string): Promise<readonly DemoAccount[]> {
  const accounts = PEOPLE.map((person) => ({ ...person, password: password() }))
  await writeFile(join(dataDirectory, FILE), JSON.stringify(accounts), { mode: 0o600 })
  return accounts
}

/** A password with all kinds of characters that the rules may ask for. */
const password = () => `Demo-${readablePassword(LENGTH)}`
