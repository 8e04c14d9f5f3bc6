import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showError } from '../../design/dialogs/feedback.tsx'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { onApi } from '../../lib/api.ts'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { assetPermissionPages } from './asset-permission.page.tsx'
import { AssetsTab } from './permission-tabs.ts'

const page = (results: readonly object[]) => ({ count: results.length, next: null, previous: null, results })
const SYSTEM_USERS = '/api/v1/perms/asset-permissions-system-users-relations/'
const ROOT = { id: 'r1', assetpermission: 'p1', systemuser: 's1', systemuser_display: 'root(root)' }
const ADMIN = { id: 'r2', assetpermission: 'p1', systemuser: 's2', systemuser_display: 'admin(admin)' }
const WEB = { id: 'a1', hostname: 'web-1', ip: '10.0.0.1', name: 'root', username: 'root', protocol: 'ssh' }

beforeEach(() => {
  localStorage.clear()
  onApi({ showError })
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const sentBy = (calls: readonly Call[], method: string) => calls.filter((call) => call.method === method)

test('[A5.08] a permission with a name alone is not saved: it needs an asset or a node, and a system user', async () => {
  const calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(path === asset.path ? asset : assetPermission) }
    if (path === '/api/v1/assets/nodes/tree/') return { body: [] }
    return { body: method === 'GET' ? page([WEB]) : { id: 'p1', name: 'Web' } }
  })
  show(
    <FormPage pages={assetPermissionPages} base="AssetPermission" title="Create" mode="create" />,
    '/create',
    '/create',
  )
  await userEvent.type(await screen.findByLabelText('Name'), 'Web')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText('Select at least one asset or node')
  await screen.findByText('This field is required')
  expect(sentBy(calls, 'POST')).toEqual([])
})

test('[B8.19] what could not be removed is reported with the reason, and the last system user of a permission stays', async () => {
  let rows = [ROOT, ADMIN]
  let isRefused = true
  const calls = serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(assetPermission) }
    if (method === 'DELETE' && isRefused) return { status: 403, body: { detail: 'Not yours' } }
    if (method === 'DELETE') rows = rows.filter(({ systemuser }) => systemuser !== query.get('systemuser'))
    return { body: page(path === SYSTEM_USERS ? rows : []) }
  })
  const row = { id: 'p1', name: 'Web' } as Parameters<typeof AssetsTab>[0]['row']
  show(<AssetsTab row={row} refresh={async () => {}} />, '/', '/')
  const remove = async (name: string) => userEvent.click(await screen.findByRole('button', { name: `Remove ${name}` }))
  await remove('admin(admin)')
  await screen.findByText('Remove failed: Not yours')
  isRefused = false
  await remove('admin(admin)')
  await waitFor(() => expect(screen.queryByText('admin')).toBeNull())
  await remove('root(root)')
  await screen.findByText("The last one can't be delete")
  expect(sentBy(calls, 'DELETE').map(({ query }) => query.get('systemuser'))).toEqual(['s2', 's2'])
  screen.getByText('root')
})
