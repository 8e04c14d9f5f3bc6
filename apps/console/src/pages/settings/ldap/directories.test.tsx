import { type Directory, directory } from '@sallyport/contract/resources/authentication/directory.ts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { type Call, metadataFor, serve } from '../../../test/harness.tsx'
import { onWholeConsole, openConsole } from '../../../test/whole-console.ts'

const PARTNER = {
  id: 'd1',
  name: 'Partner',
  kind: 'ldap',
  priority: 50,
  is_active: true,
  server_uri: 'ldaps://partner.example.com',
  start_tls: false,
  ca_certificates: '',
  bind_dn: 'cn=reader',
  search_ou: 'ou=people',
  search_filter: '(uid=%(user)s)',
  user_attr_map: { username: 'uid', name: 'cn', email: 'mail' },
  group_search_ou: '',
  connect_timeout: 10,
  search_paged_size: 1000,
  existing_only: false,
  sync_is_periodic: false,
  sync_crontab: '',
  sync_interval: null,
  people_amount: 7,
} satisfies Partial<Record<keyof Directory, unknown>>

const ADDRESS = `${directory.path}d1/`
const EMPTY = { count: 0, next: null, previous: null, results: [] }

function directoryServer(others: Readonly<Record<string, (call: Call) => { status?: number; body: unknown }>> = {}) {
  return serve((call) => {
    const { method, path } = call
    const other = others[`${method} ${path.replace(directory.path, '')}`]
    if (other) return other(call)
    if (method === 'OPTIONS') {
      const { actions } = metadataFor(directory)
      return { body: { actions: { ...actions, PATCH: actions.PUT } } }
    }
    if (path === directory.path && method === 'GET') return { body: { ...EMPTY, count: 1, results: [PARTNER] } }
    if (path === ADDRESS) return { body: { ...PARTNER, ...(call.body as object) } }
    return { body: EMPTY }
  })
}

const sent = (calls: readonly Call[], method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path).map(({ body }) => body)

onWholeConsole()

test('the list of directories says where each is, and how many people are from it', async () => {
  directoryServer()
  openConsole('/ui/settings/directories')
  const line = within((await screen.findByRole('link', { name: 'Partner' })).closest('tr') as HTMLElement)
  for (const text of ['ldaps://partner.example.com', '50', '7']) line.getByText(text)
})

test('the form of a directory is tried as it stands, with the stored password where none is typed', async () => {
  const calls = directoryServer({ 'POST test/': () => ({ body: { msg: 'The settings work' } }) })
  openConsole('/ui/settings/directories/d1/update')
  const place = await screen.findByLabelText(/User OU/)
  await userEvent.clear(place)
  await userEvent.type(place, 'ou=others')
  await userEvent.click(await screen.findByRole('button', { name: 'Test connection' }))
  expect(await screen.findByText('The settings work')).toBeTruthy()
  const [body] = sent(calls, 'POST', `${directory.path}test/`)
  expect(body).toMatchObject({ id: 'd1', search_ou: 'ou=others', bind_dn: 'cn=reader' })
  expect(body).not.toHaveProperty('connection_test')
  expect((body as Record<string, unknown>).bind_password ?? '').toBe('')
})

test('people of a directory are imported from its page', async () => {
  const person = { id: 'anna', username: 'anna', name: 'Anna', email: '', existing: false }
  const calls = directoryServer({
    'GET d1/users/': () => ({ body: { ...EMPTY, count: 1, results: [person] } }),
    'POST d1/users/import/': () => ({ body: { msg: '1 people were imported' } }),
  })
  openConsole('/ui/settings/directories/d1?activeTab=People')
  await screen.findByText('anna')
  const [, box] = screen.getAllByRole('checkbox', { name: /Select/ })
  await userEvent.click(box as HTMLElement)
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  await waitFor(() => expect(sent(calls, 'POST', `${ADDRESS}users/import/`)).toEqual([{ username_list: ['anna'] }]))
})

test('switching a directory off asks first, as its people are shut out', async () => {
  const calls = directoryServer()
  openConsole('/ui/settings/directories/d1')
  await userEvent.click(await screen.findByRole('switch', { name: 'Activate' }))
  const question = within(await screen.findByRole('alertdialog'))
  question.getByText(/what they have open ends/)
  expect(sent(calls, 'PATCH', ADDRESS)).toEqual([])
  await userEvent.click(question.getByRole('button', { name: 'Switch off' }))
  await waitFor(() => expect(sent(calls, 'PATCH', ADDRESS)).toEqual([{ is_active: false }]))
})
