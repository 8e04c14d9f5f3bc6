import { type OperateLog as Operation, operateLog } from '@sallyport/contract/resources/audits/operate-log.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pageRoutes, setRoutes } from '../../navigation/routes.ts'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { MENU } from '../routes.ts'
import { OperateLog } from './logs.page.tsx'

const CHANGE = {
  field: 'ip',
  label: 'Address',
  before: '10.0.0.1',
  after: '10.0.0.2',
  added: [],
  added_amount: 0,
  removed: [],
  removed_amount: 0,
  is_secret: false,
  is_cut: false,
}
const ROW: Operation = {
  id: 'o1',
  user: 'Ada(ada)',
  action: 'update',
  action_display: 'Update',
  resource_type: 'Asset',
  resource_type_display: 'Asset',
  resource: 'web-1(10.0.0.2)',
  remote_addr: '10.0.0.8',
  on_behalf_of: null,
  arrived_from: null,
  datetime: '2026/01/31 09:00:00 +0000',
  org_id: 'org',
  changes: [CHANGE],
  user_id: 'u1',
  sign_in_id: 's1',
  object_type: 'asset',
  object_id: 'a1',
  object_exists: true,
  undo_state: null,
  change_id: null,
}

const open = (row: Partial<Operation>) => {
  serve(({ method }) =>
    method === 'OPTIONS'
      ? { body: metadataFor(operateLog) }
      : { body: { count: 1, next: null, previous: null, results: [{ ...ROW, ...row }] } },
  )
  show(<OperateLog title="Operation log" />, '/audits/operate-log', '/audits/operate-log')
  setRoutes(pageRoutes(MENU.admin))
}

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(cleanup)

test('a change reads as a sentence with the first field and the number of the others', async () => {
  open({ changes: [CHANGE, { ...CHANGE, field: 'port' }, { ...CHANGE, field: 'comment' }] })
  expect(
    await screen.findByRole('button', {
      name: 'Ada changed the asset web-1: Address 10.0.0.1 → 10.0.0.2, and 2 more',
    }),
  ).toBeTruthy()
})

test.each([
  [{ action: 'create' }, 'Ada created the asset web-1'],
  [{ action: 'delete', changes: [] }, 'Ada deleted the asset web-1'],
  [{ changes: [] }, 'Ada saved the asset web-1 as it was'],
  [{ changes: null }, 'Ada changed the asset web-1'],
  [{ changes: [{ ...CHANGE, label: 'Password', is_secret: true }] }, 'Ada changed the asset web-1: Password replaced'],
  [
    {
      changes: [
        {
          ...CHANGE,
          label: 'Nodes',
          added: ['East', 'West', 'North'],
          added_amount: 5,
          removed: ['South'],
          removed_amount: 1,
        },
      ],
    },
    'Ada changed the asset web-1: Nodes + East, West, and 3 more − South',
  ],
  [
    {
      object_type: 'setting',
      object_id: 'EMAIL_HOST',
      resource: 'EMAIL_HOST',
      resource_type_display: 'Setting',
      changes: [{ ...CHANGE, field: 'EMAIL_HOST', label: 'SMTP server', before: null, after: 'mail.example' }],
    },
    'Ada changed the setting SMTP server: empty → mail.example',
  ],
  [
    {
      object_type: 'node',
      resource: '/Default/Web(eu)',
      resource_type_display: 'Node',
      changes: [
        { ...CHANGE, label: 'Assets', added: ['db(1)'], added_amount: 1, removed: ['/Web(us)'], removed_amount: 1 },
      ],
    },
    'Ada changed the node /Default/Web(eu): Assets + db(1) − /Web(us)',
  ],
  [
    { action: 'create', resource: 'Night(eu) ADD Bob(us)', changes: [{ ...CHANGE, added: ['x'], added_amount: 1 }] },
    'Ada added Bob(us) to Night(eu)',
  ],
  [{ action: 'delete', resource: 'Night REMOVE Bob', changes: [CHANGE] }, 'Ada deleted the asset Night REMOVE Bob'],
  [
    { action: 'create', resource: 'Night ADD Bob', changes: [{ ...CHANGE, added: ['Bob'], added_amount: 1 }] },
    'Ada added Bob to Night',
  ],
] as const)('%j reads as: %s', async (row, sentence) => {
  open(row as unknown as Partial<Operation>)
  expect(await screen.findByRole('button', { name: sentence })).toBeTruthy()
})

test('a row opens into who, from where and with what, and every field before and after', async () => {
  open({ changes: [CHANGE, { ...CHANGE, field: 'key', label: 'Key', before: null, after: null, is_secret: true }] })
  await userEvent.click(await screen.findByRole('button', { name: /Ada changed/ }))
  const dialog = await screen.findByRole('dialog')
  const rows = within(within(dialog).getByRole('table')).getAllByRole('row')
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['Field', 'Before', 'After'],
    ['Address', '10.0.0.1', '10.0.0.2'],
    ['Key', 'secret, not kept', 'replaced'],
  ])
  expect(dialog.textContent).toContain('10.0.0.8')
  expect(within(dialog).getByRole('link', { name: 'web-1 10.0.0.2' }).getAttribute('href')).toBe('/assets/assets/a1')
  expect(within(dialog).getByRole('link', { name: 'Ada' }).getAttribute('href')).toBe('/users/users/u1')
})

test('a deleted object is named without a link, with its last values', async () => {
  const links = {
    ...CHANGE,
    field: 'nodes',
    label: 'Nodes',
    before: null,
    after: null,
    removed: ['East'],
    removed_amount: 3,
  }
  open({ action: 'delete', changes: [{ ...CHANGE, after: null }, links], object_exists: false })
  await userEvent.click(await screen.findByRole('button', { name: /Ada deleted/ }))
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).queryByRole('link', { name: /web-1/ })).toBeNull()
  expect(dialog.textContent).toContain('a1')
  const rows = within(within(dialog).getByRole('table')).getAllByRole('row')
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['Field', 'Value'],
    ['Address', '10.0.0.1'],
    ['Nodes', 'East2 more'],
  ])
})

test('a change that can be undone opens what that does, of one object or of all that were changed with it', async () => {
  open({ undo_state: 'open', change_id: 'c1' })
  await userEvent.click(await screen.findByRole('button', { name: /Ada changed/ }))
  const change = within(await screen.findByRole('dialog'))
  const calls = serve(({ path }) => ({
    body: { id: 'x', is_possible: false, reason: `Not of ${path.split('/').at(-2)}`, total: 1, left: 1, objects: [] },
  }))
  await userEvent.click(change.getByRole('button', { name: 'Undo' }))
  await screen.findByText('Not of o1')
  await userEvent.click(screen.getByRole('radio', { name: 'Undo all of them' }))
  await screen.findByText('Not of c1')
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/audits/undo/o1/',
    'GET /api/v1/audits/undo/c1/',
  ])
})

test('one that was undone says so and offers nothing', async () => {
  open({ undo_state: 'done' })
  await userEvent.click(await screen.findByRole('button', { name: /Ada changed/ }))
  const change = within(await screen.findByRole('dialog'))
  expect(change.getByText('This change has been undone.')).toBeTruthy()
  expect(change.queryByRole('button', { name: 'Undo' })).toBeNull()
})
