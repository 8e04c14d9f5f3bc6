import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { RemoteSelect } from '../widgets/remote-select/RemoteSelect.tsx'
import { AssetPickerHost } from './AssetPickerHost.tsx'

const assets = Array.from({ length: 40 }, (_, n) => ({
  id: `a${n}`,
  hostname: `web-${n}`,
  ip: `10.0.0.${n}`,
  platform: 'Linux',
  node: n < 20 ? 'n1' : 'n2',
}))
const node = (id: string, name: string, pId: string) => ({
  id,
  name,
  title: name,
  pId,
  isParent: false,
  open: true,
  meta: { type: 'node', data: { id: `n${id}`, key: id } },
})

beforeEach(() => {
  localStorage.clear()
  first = ['a3']
  asked = []
  signIn()
  serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(asset) }
    if (path.endsWith('/children/tree/')) return { body: [node('1', 'Default (20)', ''), node('2', 'Other (20)', '')] }
    const ids = query.get('ids')?.split(',')
    if (ids) asked.push(ids)
    const found = assets.filter((one) => (ids ? ids.includes(one.id) : (query.get('node_id') ?? one.node) === one.node))
    const offset = Number(query.get('offset'))
    return {
      body: {
        count: found.length,
        next: null,
        previous: null,
        results: found.slice(offset, offset + Number(query.get('limit'))),
      },
    }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

let value: string[]
let first: string[]
/** Ids whose names were asked for, call by call. */
let asked: string[][]

function Field() {
  const [chosen, setChosen] = useState<string[]>(first)
  value = chosen
  return (
    <>
      <RemoteSelect
        path={asset.path}
        display="{hostname}({ip})"
        multiple
        value={chosen}
        disabledValues={['a1']}
        onChange={(next) => setChosen(next as string[])}
      />
      <AssetPickerHost />
    </>
  )
}

const openDialog = async () => {
  const user = userEvent.setup()
  show(<Field />, '/', '/')
  await user.click(await screen.findByRole('button', { name: 'Choose assets' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('web-3')
  return { user, dialog }
}
const row = (dialog: ReturnType<typeof within>, name: string) =>
  within(dialog.getByText(name).closest('tr') as HTMLElement).getByRole('checkbox') as HTMLInputElement

test('[B7.31] assets are chosen in a tree and a table: ticks stay over pages and nodes, what was chosen before is ticked, what is tied already is not taken again', async () => {
  const { user, dialog } = await openDialog()
  expect(row(dialog, 'web-3').checked).toBe(true)
  expect(row(dialog, 'web-1').checked && row(dialog, 'web-1').disabled).toBe(true)
  await user.click(row(dialog, 'web-5'))
  await user.click(await dialog.findByRole('treeitem', { name: 'Other 20' }))
  await user.click(await waitFor(() => row(dialog, 'web-25')))
  expect(dialog.queryByText('web-5')).toBeNull()
  dialog.getByText('3 selected')
  await user.click(dialog.getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(value.toSorted()).toEqual(['a25', 'a3', 'a5']))
  await screen.findByText('10.0.0.25', { selector: '.named > small' })
})

test('[B7.31] a cancelled choice changes nothing, and the focus is back where it was', async () => {
  const { user, dialog } = await openDialog()
  await user.click(row(dialog, 'web-5'))
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(value).toEqual(['a3'])
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Choose assets' }))
})

test('[B7.31] the form names the first hundred of thousands of chosen assets, and the choice keeps them all', async () => {
  first = Array.from({ length: 3000 }, (_, n) => `a${n}`)
  const { user, dialog } = await openDialog()
  dialog.getByText('3000 selected')
  expect(Math.max(...asked.map((ids) => ids.length))).toBe(100)
  await user.click(row(dialog, 'web-3'))
  await user.click(dialog.getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(value).toHaveLength(2999))
})
