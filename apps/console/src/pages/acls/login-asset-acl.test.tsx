import { loginAssetAcl } from '@sallyport/contract/resources/acls/login-asset-acl.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { loginAssetAclPages } from './login-asset-acl.page.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const ROW = {
  id: 'r1',
  name: 'night shift',
  users: { username_group: ['*'] },
  assets: { hostname_group: ['*'], ip_group: ['*'] },
  system_users: { name_group: ['*'], username_group: ['*'], protocol_group: ['*'] },
  priority: 50,
  action: 'login_confirm',
  reviewers: ['u1'],
  is_active: true,
  comment: '',
}

test('[A3.19] whom an asset rule is about is chosen from those there are, and it says before it is saved whom it would meet', async () => {
  signIn()
  const calls = serve(({ method, path, body }) => {
    if (method === 'OPTIONS') return { body: metadataFor(loginAssetAcl) }
    if (path.endsWith('/reach/')) {
      const { users } = body as typeof ROW
      const people = users.username_group.includes('*') ? 12 : users.username_group.length
      const met = (count: number, names: string[]) => ({ count, names })
      return {
        body: {
          users: met(people, ['Ann(ann)'].slice(0, people)),
          assets: met(1, ['web-1']),
          system_users: met(0, []),
        },
      }
    }
    if (path.startsWith(loginAssetAcl.path)) return { body: ROW }
    if (path === '/api/v1/users/users/')
      return { body: { count: 1, next: null, previous: null, results: [{ id: 'u1', name: 'Ann', username: 'ann' }] } }
    return { body: { count: 0, next: null, previous: null, results: [] } }
  })
  const sent = () => calls.find(({ method }) => method === 'PUT')?.body
  show(
    <FormPage pages={loginAssetAclPages} base="AssetAcl" title="Rule" mode="update" />,
    '/acl/asset-acl/r1/update',
    '/acl/asset-acl/:id/update',
  )
  expect(await screen.findByText('12, such as Ann(ann)')).toBeTruthy()
  expect(screen.getByText('None now: the rule holds for nothing')).toBeTruthy()

  const people = within(screen.getByRole('radiogroup', { name: 'Usernames' }))
  await userEvent.click(people.getByRole('radio', { name: 'Only these' }))
  expect(await screen.findByText('Name at least one, or choose all')).toBeTruthy()
  const box = screen.getByRole('combobox', { name: 'Usernames' })
  await waitFor(() => expect(document.querySelector('datalist option')?.getAttribute('value')).toBe('ann'))
  await userEvent.type(box, 'ann, bob{Enter}cy{Enter}')
  await userEvent.click(screen.getByRole('button', { name: 'Remove bob' }))
  const protocols = within(screen.getByRole('radiogroup', { name: 'System user protocols' }))
  await userEvent.click(protocols.getByRole('radio', { name: 'Only these' }))
  await userEvent.click(await screen.findByRole('checkbox', { name: 'SSH' }))
  expect(await screen.findByText('2, such as Ann(ann)')).toBeTruthy()
  expect(sent()).toBeUndefined()
  // A folded group far below is reached from the top.
  expect(screen.queryByLabelText('Comment')).toBeNull()
  const contents = within(screen.getByRole('navigation', { name: 'Parts of the form' }))
  await userEvent.click(contents.getByRole('button', { name: 'Other' }))
  await userEvent.type(await screen.findByLabelText('Comment'), 'since May')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent()).toBeTruthy())
  expect(sent()).toMatchObject({
    users: { username_group: ['ann', 'cy'] },
    assets: { hostname_group: ['*'], ip_group: ['*'] },
    system_users: { name_group: ['*'], username_group: ['*'], protocol_group: ['ssh'] },
    comment: 'since May',
  })
  expect(sent()).not.toHaveProperty('reach')
})
