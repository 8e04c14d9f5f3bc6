import type { AssetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { show, signIn } from '../../test/harness.tsx'
import { AssetPermissionSummary } from './PermissionSummary.tsx'

const ROUTES = { UserGroupDetail: '/users/groups/:id', AssetDetail: '/assets/assets/:id' }
const PEOPLE = ['Ada', 'Bea', 'Cem', 'Dan', 'Eve', 'Fay', 'Gil']
const row = {
  id: 'p1',
  user_groups: ['g1'],
  user_groups_display: ['Operations'],
  users: PEOPLE,
  users_display: PEOPLE,
  nodes: [],
  nodes_display: [],
  assets: ['a1'],
  assets_display: ['web-1'],
  system_users: ['s1', 's2'],
  system_users_display: ['root', 'deploy'],
  actions: ['connect', 'upload_file'],
  date_start: '2020/01/01 00:00:00 +0000',
  date_expired: '2031/06/30 12:00:00 +0000',
} as unknown as AssetPermission

const open = (change: Partial<AssetPermission> = {}) =>
  show(<AssetPermissionSummary row={{ ...row, ...change }} refresh={async () => {}} />, '/', '/', ROUTES)

beforeEach(() => {
  signIn()
})
afterEach(cleanup)

test('a permission is a sentence: who may use what, as whom, until when, and what is allowed', () => {
  open()
  const output = screen.getByRole('region', { name: 'What it allows' }).querySelector('p') as HTMLElement
  expect(output.textContent).toBe(
    'Operations, Ada, Bea, and 5 more may use web-1 as root and deploy, until 06/30/2031. Allowed: Connect and Upload file.',
  )
  expect(within(output).getByRole('link', { name: 'Operations' }).getAttribute('href')).toBe('/users/groups/g1')
})

test('its way is a list of steps with every name, the first six at once; what nobody can use says so', async () => {
  open()
  const who = screen.getByRole('heading', { name: 'Who' }).closest('li') as HTMLElement
  expect(within(who).getAllByRole('listitem')).toHaveLength(6)
  await userEvent.click(within(who).getByRole('button', { name: 'All 8' }))
  expect(within(who).getAllByRole('listitem')).toHaveLength(8)
  cleanup()
  open({ assets: [], assets_display: [], date_expired: '2096/01/01 00:00:00 +0000' })
  expect(screen.getByText(/may use/).textContent).toMatch(/may use nothing as root and deploy, without an end\./)
})
