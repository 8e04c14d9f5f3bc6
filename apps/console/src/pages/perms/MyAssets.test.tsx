import { grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { actionWords } from './action-words.ts'
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
})

test('[A2.63] my assets connect through the web terminal; a switched-off asset does not', async () => {
  serve(mine)
  const opened = vi.fn()
  vi.stubGlobal('open', opened)
  show(<MyAssets title="My assets" />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Connect to web-1' }))
  expect(opened).toHaveBeenCalledWith('/luna/?login_to=a1', '_blank')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Connect to web-2' }).disabled).toBe(true)
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

test('a star makes a favourite and shows it as one', async () => {
  serve(mine)
  show(<MyAssets title="My assets" />, '/', '/')
  const [star] = await screen.findAllByRole('button', { name: 'Add to favorites' })
  await userEvent.click(star as HTMLElement)
  await screen.findByRole('button', { name: 'Remove from favorites' })
  expect(favorites).toEqual(['a1'])
})

test('what a permission allows is said in the fewest words', () => {
  expect(actionWords(['all'])).toBe('All')
  expect(actionWords(['connect', 'upload_file', 'download_file'])).toBe('Connect, Upload download')
  expect(actionWords([])).toBe('None')
})
