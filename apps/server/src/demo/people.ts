import { offerDemoAccounts } from '../domains/authentication/index.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import { makeAccounts, readAccounts } from './accounts-shown.ts'
import { ADMINISTRATORS, DISABLED, GROUPS, SECOND_ORG } from './company.ts'
import type { Person } from './past.ts'
import { contextOf, ensure, ensureAll, idsBy, namesIn } from './rows.ts'

/** A person without a password, who cannot sign in. */
const draftOf = (username: string, name: string, role: string, domain: string) => ({
  username,
  name,
  email: `${username}@${domain}.example`,
  org_roles: [role],
  password_strategy: 'custom',
  is_active: !DISABLED.includes(username),
})

/**
 * The company's people in their groups, and its administrators. One of each role gets a password,
 * which the sign-in page shows.
 */
export async function seedPeople(context: ReadContext): Promise<Person[]> {
  const { kernel } = context
  const { dataDirectory } = kernel.config
  const isNew = !(await idsBy(context, 'user', 'username')).has(ADMINISTRATORS[0]?.[0] ?? '')
  const accounts = isNew ? await makeAccounts(dataDirectory) : ((await readAccounts(dataDirectory)) ?? [])
  offerDemoAccounts(kernel, accounts)
  const withPassword = (draft: ReturnType<typeof draftOf>) => {
    const account = accounts.find(({ username }) => username === draft.username)
    return account ? { ...draft, password: account.password, need_update_password: false } : draft
  }
  const people = Object.entries(GROUPS).flatMap(([group, members]) =>
    members.map(([username, name]) => ({ username, name, group })),
  )
  const drafts = [
    ...people.map(({ username, name }) => draftOf(username, name, 'User', 'bicycles')),
    ...ADMINISTRATORS.map(([username, name, role]) => draftOf(username, name, role, 'bicycles')),
  ]
  const ids = await ensureAll(context, 'user', 'username', drafts.map(withPassword))
  const idsOf = namesIn(ids)
  await ensureAll(
    context,
    'user_group',
    'name',
    Object.entries(GROUPS).map(([name, members]) => ({ name, users: idsOf(members.map(([username]) => username)) })),
  )
  return people.map((person) => ({ ...person, id: idsOf([person.username])[0] ?? '' }))
}

/** Another organization, with people and machines of its own. */
export async function seedSecondOrg(root: ReadContext): Promise<void> {
  const { name, people, machines } = SECOND_ORG
  const { kernel, call } = root
  if (!call.user) return
  const there = contextOf(kernel, call.user, { id: await ensure(root, 'organization', 'name', { name }), name })
  await ensureAll(
    there,
    'user',
    'username',
    people.map(([username, fullName, role]) => draftOf(username, fullName, role, 'trading')),
  )
  await ensureAll(
    there,
    'asset',
    'hostname',
    machines.map((hostname, index) => ({
      hostname,
      ip: `10.80.0.${11 + index}`,
      platform: 'Linux',
      protocols: ['ssh/22'],
    })),
  )
}
