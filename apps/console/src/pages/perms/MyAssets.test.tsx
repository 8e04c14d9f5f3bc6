import { grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { actionWords } from '../../generic/permission-actions/action-words.ts'
import { type Call, isGreyed, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { MyAssets } from './MyAssets.page.tsx'

const MINE = '/api/v1/perms/users/'
const rows = [
  {
    id: 'a1',
    hostname: 'web-1',
    ip: '10.0.0.1',
    protocols: ['ssh/22'],
    is_active: true,
    platform: 'Linux',
    comment: '',
  },
  {
    id: 'a2',
    hostname: 'web-2',
    ip: '10.0.0.2',
    protocols: ['ssh/22'],
    is_active: false,
    platform: 'Linux',
    comment: '',
  },
]
const node = {
  id: '1',
  name: 'Default (2)',
  title: 'Default',
  pId: '',
  isParent: true,
  open: true,
  meta: { type: 'node', data: { id: 'n1', key: '1' } },
}
let favorites: string[]

function mine({ method, path, body, query }: Call) {
  if (method === 'OPTIONS') return path === grantedAsset.path ? { body: metadataFor(grantedAsset) } : undefined
  if (path === `${MINE}nodes/children/tree/`) return { body: query.get('key') ? [] : [node] }
  if (path.endsWith('/system-users/')) return { body: [{ name: 'deploy' }, { name: 'root' }] }
  if (path === '/api/v1/assets/favorite-assets/') {
    if (method === 'POST') favorites.push((body as { asset: string }).asset)
    return { body: favorites.map((asset) => ({ asset })) }
  }
  if (path.endsWith('/assets/')) return { body: { count: rows.length, next: null, previous: null, results: rows } }
  return undefined
}

beforeEach(() => {
  localStorage.clear()
  favorites = []
  signIn({ bits: 1, role: 1 })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('[A2.63] my assets connect through the web terminal; a switched-off asset does not', async () => {
  serve(mine)
  const opened = vi.fn()
  vi.stubGlobal('open', opened)
  show(<MyAssets title="My assets" />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Connect to web-1' }))
  expect(opened).toHaveBeenCalledWith('/luna/?login_to=a1', '_blank')
  expect(isGreyed(screen.getByRole('button', { name: 'Connect to web-2' }))).toBe(true)
})

test('my assets hand out the configuration of ssh for all of them', async () => {
  serve((call) => (call.path === '/api/v1/authentication/ssh-config/' ? { body: 'Host web-1.via' } : mine(call)))
  const saved: unknown[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    saved.push(file)
    return 'blob:file'
  })
  show(<MyAssets title="My assets" />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Configuration for ssh' }))
  await waitFor(() => expect(saved).toHaveLength(1))
  expect((saved[0] as Blob).size).toBeGreaterThan(0)
})

test('[A2.63] a machine with a desktop gives the file and the line for a client of one’s own, where a port is open for them', async () => {
  const desk = { ...rows[0], id: 'd1', hostname: 'desk 1', protocols: ['rdp/3389', 'ssh/22'] }
  const account = (id: string, more: object) => ({
    id,
    name: id,
    username: id,
    priority: 20,
    login_mode: 'auto',
    ...more,
  })
  const accounts = [
    account('shell', { protocol: 'ssh' }),
    account('typed', { protocol: 'rdp', login_mode: 'manual' }),
    account('ann', { protocol: 'rdp' }),
  ]
  const calls = serve((call) => {
    if (call.path.endsWith('/rdp/file/'))
      return { body: 'full address:s:gate.test:3390\nusername:s:walker|T0KEN\nscreen mode id:i:1\n' }
    if (call.method === 'GET' && call.path.endsWith('/system-users/')) return { body: accounts }
    if (call.method === 'GET' && call.path.endsWith('/assets/'))
      return { body: { count: 2, next: null, previous: null, results: [desk, rows[0]] } }
    return mine(call)
  })
  localStorage.setItem('luna_settings', JSON.stringify({ rdpSize: '1366x768' }))
  const made = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:the-file')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const first = show(<MyAssets title="My assets" />, '/', '/')
  await screen.findByText('desk 1')
  expect(screen.queryByRole('button', { name: /with a client of your own/ })).toBeNull()
  first.unmount()

  signIn({ bits: 1, role: 1, settings: { DESKTOP_PORTS: { rdp: 3390, vnc: 5900 } } })
  show(<MyAssets title="My assets" />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Connect to desk 1 with a client of your own' }))
  expect(screen.queryByRole('button', { name: 'Connect to web-1 with a client of your own' })).toBeNull()
  const dialog = within(await screen.findByRole('dialog'))
  expect((await dialog.findAllByRole('radio')).length).toBe(1)
  await userEvent.click(dialog.getByRole('button', { name: 'Get a file' }))
  const link = await dialog.findByRole('link', { name: 'Save the file' })
  expect([link.getAttribute('href'), link.getAttribute('download')]).toEqual(['blob:the-file', 'desk-1.rdp'])
  dialog.getByText("xfreerdp /v:gate.test:3390 /u:'walker|T0KEN' /p:any /sec:tls")
  dialog.getByText('VNC_USERNAME=T0KEN VNC_PASSWORD=any vncviewer localhost::5900')
  expect(made).toHaveBeenCalledOnce()
  const posts = calls.filter(({ method }) => method === 'POST')
  expect(posts.map(({ body, query }) => [body, Object.fromEntries(query)])).toEqual([
    [
      { asset: 'd1', system_user: 'ann' },
      { full_screen: 'false', width: '1366', height: '768' },
    ],
  ])
})

test('[B7.40] system users are asked for only when a person wants to see them', async () => {
  const calls = serve(mine)
  show(<MyAssets title="My assets" />, '/', '/')
  const [first] = await screen.findAllByRole('button', { name: 'Show' })
  expect(calls.some(({ path }) => path.includes('system-users'))).toBe(false)
  await userEvent.click(first as HTMLElement)
  await screen.findByText('deploy, root')
  expect(calls.filter(({ path }) => path.includes('system-users')).map(({ path }) => path)).toEqual([
    `${MINE}assets/a1/system-users/`,
  ])
})

test('a node of the tree narrows the list to its assets, drawn with the metadata of all', async () => {
  const calls = serve(mine)
  show(<MyAssets title="My assets" />, '/', '/')
  await userEvent.click(await screen.findByRole('treeitem', { name: 'Default 2' }))
  await waitFor(() => expect(calls.some(({ path }) => path === `${MINE}nodes/n1/assets/`)).toBe(true))
  await screen.findByText('web-1')
  expect(calls.filter(({ method }) => method === 'OPTIONS').map(({ path }) => path)).toEqual([grantedAsset.path])
})

test('a star makes a favorite and shows it as one', async () => {
  serve(mine)
  show(<MyAssets title="My assets" />, '/', '/')
  const [star] = await screen.findAllByRole('button', { name: 'Add to favorites' })
  await userEvent.click(star as HTMLElement)
  await screen.findByRole('button', { name: 'Remove from favorites' })
  expect(favorites).toEqual(['a1'])
})

test('actions of a permission are named in the fewest words', () => {
  expect(actionWords(['all'])).toBe('All')
  expect(actionWords(['connect', 'upload_file', 'download_file'])).toBe('Connect, Upload download')
  expect(actionWords([])).toBe('None')
})

test('a machine that is not found can be asked for; whether there is one is not said', async () => {
  serve((call) =>
    call.method === 'GET' && call.path.endsWith('/assets/') ? { body: { count: 0, results: [] } } : mine(call),
  )
  show(<MyAssets title="My assets" />, '/?search=vault-9', '/', {
    RequestAssetPermTicketCreateUpdate: '/tickets/tickets/request-asset-perm/create',
  })
  await screen.findByText('Nothing matches the search')
  expect(screen.getByRole('link', { name: 'Request access' }).getAttribute('href')).toBe(
    '/tickets/tickets/request-asset-perm/create',
  )
})
