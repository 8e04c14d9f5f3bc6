import type { Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import { SETTING_CATEGORIES, SETTINGS_PATH } from '@sallyport/contract/settings/index.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, metadataFor, serve, show, signIn } from '../../../test/harness.tsx'
import { LdapTab } from './LdapTab.tsx'

const FIELDS: Fields = SETTING_CATEGORIES.ldap
const VALUES = Object.fromEntries(
  Object.entries(FIELDS).flatMap(([name, field]) => (field.writeOnly ? [] : [[name, field.default]])),
)
const PEOPLE = ['anna', 'bea', 'cid'].map((username) => ({
  id: username,
  username,
  name: `Name of ${username}`,
  email: '',
  existing: username === 'cid',
}))

/** Answers the settings, and the other calls of the tab by path. */
function ldapServer(others: Readonly<Record<string, (call: Call) => { status?: number; body: unknown }>>) {
  return serve((call) => {
    if (call.path !== SETTINGS_PATH)
      return others[`${call.method} ${call.path.replace('/api/v1/settings/ldap/', '')}`]?.(call)
    if (call.method === 'OPTIONS')
      return { body: metadataFor({ fields: FIELDS, filters: [] } as unknown as ResourceDefinition) }
    return { body: call.method === 'GET' ? VALUES : { ...VALUES, ...(call.body as object) } }
  })
}
const open = () => show(<LdapTab />, '/settings?activeTab=Ldap', '/settings')
/** One of the buttons that come with code of their own. */
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const sent = (calls: readonly Call[], path: string) =>
  calls.filter((call) => call.path.endsWith(path)).map(({ body }) => body)

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[B7.10] the test takes the form as it stands, with the map as text and an empty password for the saved one', async () => {
  const calls = ldapServer({ 'POST testing/config/': () => ({ status: 400, body: 'The OU x does not exist' }) })
  open()
  await userEvent.clear(await screen.findByLabelText('User OU'))
  await press('Test connection')
  // A form that cannot be right is not sent at all.
  await waitFor(() => expect(screen.getByLabelText('User OU').getAttribute('aria-invalid')).toBe('true'))
  expect(sent(calls, 'testing/config/')).toEqual([])
  await userEvent.type(screen.getByLabelText('User OU'), 'x')
  await userEvent.click(screen.getByRole('button', { name: 'Test connection' }))
  await waitFor(() => expect(sent(calls, 'testing/config/')).toHaveLength(1))
  expect(sent(calls, 'testing/config/')[0]).toMatchObject({
    AUTH_LDAP_SEARCH_OU: 'x',
    AUTH_LDAP_BIND_PASSWORD: '',
    AUTH_LDAP_USER_ATTR_MAP: '{"username":"cn","name":"sn","email":"mail"}',
  })
})

test('[B7.11] the sign-in that is tested says in the dialog whether it works', async () => {
  const calls = ldapServer({
    'POST testing/login/': () => ({ status: 400, body: 'The directory refuses this password' }),
  })
  open()
  await press('Test login')
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.type(await dialog.findByLabelText('Username'), 'anna')
  await userEvent.type(dialog.getByLabelText('Password'), 'secret')
  await userEvent.click(dialog.getByRole('button', { name: 'Test login' }))
  expect((await dialog.findByRole('status')).textContent).toContain('The directory refuses this password')
  expect(sent(calls, 'testing/login/')).toEqual([{ username: 'anna', password: 'secret' }])
})

test('[B7.13] [B7.14] the list waits for the directory, and what is ticked is imported', async () => {
  let asked = 0
  const calls = ldapServer({
    'GET users/': () =>
      ++asked < 2 ? { status: 409, body: { msg: 'wait' } } : { body: { count: 3, results: PEOPLE } },
    'POST users/import/': () => ({ body: { msg: '2 people were imported' } }),
  })
  open()
  await press('Bulk import')
  expect(await screen.findByText('Reading the directory; its people appear in a moment')).toBeTruthy()
  await screen.findByText('anna')
  const [, first, second] = screen.getAllByRole('checkbox', { name: /Select/ })
  await userEvent.click(first as HTMLElement)
  await userEvent.click(second as HTMLElement)
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  await waitFor(() => expect(sent(calls, 'users/import/')).toEqual([{ username_list: ['anna', 'bea'] }]))
})

test('[B7.12] a list that cannot be read says why, and Refresh asks the directory again', async () => {
  let broken = true
  const calls = ldapServer({
    'GET users/': () =>
      broken
        ? { status: 400, body: { error: 'The LDAP server does not answer' } }
        : { body: { count: 3, results: PEOPLE } },
    'GET cache/refresh/': () => {
      broken = false
      return { body: { msg: 'success' } }
    },
  })
  open()
  await press('Bulk import')
  expect(await screen.findByText('The LDAP server does not answer')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
  expect(await screen.findByText('bea')).toBeTruthy()
  expect(calls.filter(({ path }) => path.endsWith('cache/refresh/'))).toHaveLength(1)
})

test('the times of the import are saved from their own dialog', async () => {
  const calls = ldapServer({ 'GET users/': () => ({ body: { count: 3, results: PEOPLE } }) })
  open()
  await press('Bulk import')
  await userEvent.click(await screen.findByRole('button', { name: 'Sync schedule' }))
  await userEvent.click(await screen.findByRole('switch', { name: 'Run on a schedule' }))
  const dialogs = screen.getAllByRole('dialog')
  await userEvent.click(within(dialogs.at(-1) as HTMLElement).getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(calls.filter(({ method }) => method === 'PATCH')).toHaveLength(1))
  expect(calls.find(({ method }) => method === 'PATCH')?.body).toMatchObject({ AUTH_LDAP_SYNC_IS_PERIODIC: true })
  expect(calls.find(({ method }) => method === 'PATCH')?.body).not.toHaveProperty('AUTH_LDAP')
})
