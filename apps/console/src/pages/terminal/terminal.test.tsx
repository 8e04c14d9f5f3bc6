import { commandStorage } from '@sallyport/contract/resources/terminal/command-storage.ts'
import { replayStorage } from '@sallyport/contract/resources/terminal/replay-storage.ts'
import { terminal } from '@sallyport/contract/resources/terminal/terminal.ts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { viewerMenu } from '../../navigation/routes.ts'
import { isGreyed, metadataFor, serve } from '../../test/harness.tsx'
import { onWholeConsole, openConsole } from '../../test/whole-console.ts'
import { MENU } from '../routes.ts'

const KOKO = {
  id: 't1',
  name: '[KoKo]-edge',
  type: 'koko',
  remote_addr: '10.0.0.5',
  session_online: 3,
  is_active: true,
  is_alive: true,
  status: 'normal',
  status_display: 'Normal',
  stat: { cpu_load: 0.5, memory_used: 40.1, disk_used: 12.5 },
  command_storage: 'default',
  replay_storage: 'default',
  comment: 'in the harbour',
  date_created: '2026/11/21 07:08:09 +0000',
}

onWholeConsole()

test('[A2.41] system administrators have a list of terminals, a page to change one and one to look at one', async () => {
  const calls = serve(({ method, path, query }) => {
    if (method === 'OPTIONS') {
      const { actions } = metadataFor(terminal)
      return { body: { actions: { ...actions, PATCH: actions.PUT } } }
    }
    if (path === terminal.path) return { body: { count: 1, next: null, previous: null, results: [KOKO] } }
    if (path === `${terminal.path}t1/`) return { body: KOKO }
    return { body: query.has('limit') ? { count: 0, next: null, previous: null, results: [] } : [] }
  })
  openConsole('/ui/terminal/terminal')
  const line = within((await screen.findByRole('link', { name: '[KoKo]-edge' })).closest('tr') as HTMLElement)
  for (const text of ['10.0.0.5', '3', '0.5', '12.5', '40.1']) line.getByText(text)
  // One word says how it is.
  expect(line.getAllByText(/^(?:Online|Offline|Active|Disabled|Normal|Yes|No)$/)).toHaveLength(1)
  await userEvent.click(line.getByRole('button', { name: 'Update' }))
  await screen.findByRole('heading', { name: 'Update terminal' })
  expect(location.pathname).toBe('/ui/terminal/terminal/t1/update')
  const name = await screen.findByLabelText<HTMLInputElement>('Name')
  expect(name.value).toBe('[KoKo]-edge')
  await userEvent.type(name, '-2')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'PATCH')).toMatchObject({
      path: `${terminal.path}t1/`,
      body: { name: '[KoKo]-edge-2' },
    }),
  )
  await waitFor(() => expect(location.pathname).toBe('/ui/terminal/terminal'))
  // The message that it was updated names it as well.
  await userEvent.click(await screen.findByText('[KoKo]-edge', { selector: 'td a' }))
  await screen.findByRole('heading', { name: /: \[KoKo\]-edge/ })
  await screen.findByText('in the harbour')
})

test('[A2.42] storages of recordings are listed, added by kind and tried; those that are built in stay', async () => {
  const rows = [
    { id: 's1', name: 'default', type: 'server', is_default: true, comment: '' },
    { id: 's2', name: 'vault', type: 's3', is_default: false, comment: '' },
    { id: 's3', name: 'null', type: 'null', is_default: false, comment: '' },
  ]
  const calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(replayStorage) }
    if (path.endsWith('test-connective/')) return { body: { is_valid: false, msg: 'There is no such bucket (404)' } }
    return { body: { count: 2, next: null, previous: null, results: rows } }
  })
  openConsole('/ui/terminal/storages')
  const line = async (name: string) => within((await screen.findByText(name)).closest('tr') as HTMLElement)
  expect(isGreyed((await line('default')).getByRole('button', { name: 'Update' }))).toBe(true)
  await line('Nowhere: nothing is kept')
  expect(screen.queryByText(/^null$/i)).toBeNull()
  await userEvent.click((await line('vault')).getByRole('button', { name: 'More' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Test' }))
  await screen.findByText('vault: There is no such bucket (404)')
  await userEvent.click((await line('vault')).getByRole('button', { name: 'More' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Make default' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'PATCH')).toMatchObject({
      path: `${replayStorage.path}s2/`,
      body: { is_default: true },
    }),
  )
})

test('[A2.42] storages of commands are beside them, with what waits for them', async () => {
  const rows = [
    { id: 'c1', name: 'default', type: 'server', is_default: true, comment: '', waiting: 0 },
    { id: 'c2', name: 'search', type: 'es', is_default: false, comment: '', waiting: 42 },
  ]
  const calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(commandStorage) }
    if (path !== commandStorage.path) return { body: { count: 0, next: null, previous: null, results: [] } }
    return { body: { count: 2, next: null, previous: null, results: rows } }
  })
  openConsole('/ui/terminal/storages?activeTab=CommandStorage')
  const line = within((await screen.findByText('search')).closest('tr') as HTMLElement)
  line.getByText('42')
  await userEvent.click(line.getByRole('button', { name: 'More' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Make default' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'PATCH')).toMatchObject({
      path: `${commandStorage.path}c2/`,
      body: { is_default: true },
    }),
  )
})

test('[A2.41] nobody else has these pages', () => {
  const names = (role: number) =>
    JSON.stringify(viewerMenu(MENU, { role, licensed: true, settings: {} })).includes('TerminalList')
  // A system administrator; an administrator, an auditor and a user of an organization.
  expect([146, 18, 2, 1].map(names)).toEqual([true, false, false, false])
})
