import { type AccessPath, accessPerson } from '@sallyport/contract/resources/perms/access-person.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { reachTab } from './Reach.tsx'

const named = (id: string) => ({ id, name: id })
const path: AccessPath = {
  ...{ user: named('Ann'), user_group: named('Operators'), permission: { ...named('Web'), family: 'asset' } },
  ...{ node: named('/Default/Web'), target: { ...named('web-1'), family: 'asset', category: null } },
  ...{ system_users: [named('root')], databases: [], date_expired: '2096-01-01T00:00:00.000Z' },
}
const person = {
  ...{ id: 'Ann', name: 'Ann', username: 'ann', accounts: 'root', ways: '', date_expired: '2096/01/01 00:00:00 +0000' },
  paths: [path, { ...path, user_group: null, node: null }],
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const Tab = reachTab('asset')

test('a tab lists who reaches an asset by what paths, and leads from each to the question of why', async () => {
  signIn()
  const calls = serve(({ method }) =>
    method === 'OPTIONS'
      ? { body: metadataFor(accessPerson) }
      : { body: { count: 1, next: null, previous: null, results: [person] } },
  )
  const { router } = show(<Tab row={{ id: 'a1' }} refresh={async () => {}} />, '/', '/', {
    AccessCheck: '/perms/access-check',
    AssetPermissionDetail: '/perms/asset-permissions/:id',
  })
  const row = within((await screen.findByText('ann')).closest('tr') as HTMLElement)
  expect(row.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Operators → Web → /Default/Web',
    'Web',
  ])
  expect(calls.find(({ method }) => method === 'GET')?.query.get('asset_id')).toBe('a1')
  await userEvent.click(row.getByRole('button', { name: 'Why' }))
  expect(router.state.location.search).toBe('?user=Ann&asset=a1')
})

test('the picture draws a page of the same paths, is searched, and is left to the table for screen readers', async () => {
  signIn()
  const calls = serve(({ method }) =>
    method === 'OPTIONS'
      ? { body: metadataFor(accessPerson) }
      : { body: { count: 1, next: null, previous: null, results: [person] } },
  )
  show(<Tab row={{ id: 'a1' }} refresh={async () => {}} />, '/', '/')
  await userEvent.click(await screen.findByRole('radio', { name: 'Picture' }))
  const title = await screen.findByText('Operators', { selector: 'svg title' })
  expect(title.closest('[aria-hidden=true]')).not.toBeNull()
  expect([...document.querySelectorAll('svg title')].map(({ textContent }) => textContent)).toEqual([
    ...['Ann', 'Operators', 'Web', '/Default/Web', 'web-1', 'root'],
  ])
  await screen.findByText('The table has the same paths in words.')
  await userEvent.type(screen.getByRole('searchbox'), 'an')
  await vi.waitFor(() => expect(calls.at(-1)?.query.get('search')).toBe('an'))
})
