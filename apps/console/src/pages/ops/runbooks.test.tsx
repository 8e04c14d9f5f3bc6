import { runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { RunbookRunBody } from './runbooks/RunbookRunBody.tsx'

const ROW = {
  id: 'r1',
  name: 'restart',
  steps: [{ name: 'one', command: 'systemctl restart {{service}}' }],
  variables: [{ name: 'service', label: 'Which service?', value: 'nginx' }],
  comment: '',
  version: 3,
  created_by: null,
  date_created: '2026/11/23 10:00:00 +0000',
  date_updated: '2026/11/23 10:00:00 +0000',
  org_id: 'o1',
  org_name: 'Default',
}
const node = {
  id: 'n1',
  pId: '',
  name: 'Default',
  title: 'Default',
  isParent: true,
  meta: { type: 'node', data: { id: 'n1' } },
}
const machine = (id: string, name: string) => ({
  id,
  pId: 'n1',
  name,
  title: '10.0.0.1',
  isParent: false,
  meta: { type: 'asset', data: { id, protocols: ['ssh/22'] } },
})
const PREVIEW = {
  version: 3,
  run_as_display: 'deploy(deploy)',
  commands: [
    {
      command: 'systemctl restart nginx',
      hosts: [
        { asset: 'a1', name: 'web-1', state: 'waiting', reason: '' },
        { asset: 'a2', name: 'web-2', state: 'skipped', reason: 'Command is forbidden' },
      ],
    },
  ],
}

function openRun(answers: { preview?: object; run?: object } = {}): Call[] {
  const calls = serve(({ method, path }: Call) => {
    if (method === 'OPTIONS') return { body: metadataFor(runbook) }
    if (path.endsWith('/preview/')) return answers.preview ?? { body: PREVIEW }
    if (path.endsWith('/run/')) return answers.run ?? { status: 201, body: { id: 'e1' } }
    if (path.includes('system-users-permission'))
      return { body: [{ id: 's1', name: 'deploy', username: 'deploy', protocol: 'ssh', login_mode: 'auto' }] }
    if (path.includes('nodes-with-assets')) return { body: [node, machine('a1', 'web-1'), machine('a2', 'web-2')] }
    if (path.endsWith('/outcomes/')) return { body: { is_finished: true, error: '', hosts: [], outputs: {} } }
    return {
      body: {
        command: 'x',
        run_as: 's1',
        run_as_display: 'deploy',
        runbook: 'r1',
        runbook_display: 'restart v3',
        date_created: ROW.date_created,
      },
    }
  })
  show(<RunbookRunBody row={ROW} refresh={async () => {}} />, '/runbooks/r1', '/runbooks/:id')
  return calls
}
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }))
const sent = (calls: readonly Call[], end: string) => calls.find(({ path }) => path.endsWith(end))?.body

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A2.45] a preview says where, as whom and what; what runs is just that, and its output follows', async () => {
  const calls = openRun()
  await press('Preview')
  screen.getByText('Choose assets first.')
  expect(sent(calls, '/preview/')).toBeUndefined()
  for (const name of ['web-1', 'web-2']) await userEvent.click(await screen.findByText(name))
  await press('Preview')
  const preview = within(await screen.findByRole('region', { name: 'What would run' }))
  preview.getByText('Nothing has run yet. Version 3 would run as deploy(deploy) on 1 asset.')
  preview.getByText('systemctl restart nginx')
  preview.getByText('Command is forbidden')
  const asked = { hosts: ['a1', 'a2'], run_as: 's1', values: { service: 'nginx' } }
  expect(sent(calls, '/preview/')).toEqual(asked)
  await press('Run on 1 asset')
  await screen.findByText('restart v3')
  expect(screen.queryByRole('region', { name: 'What would run' })).toBeNull()
  expect(sent(calls, '/run/')).toEqual({ ...asked, version: 3 })
})

test('[B5.09] a refused value is told beside its field; another value wants another preview', async () => {
  openRun({ preview: { status: 400, body: { values: { service: ['within quotes'] } } } })
  await userEvent.click(await screen.findByText('web-1'))
  await press('Preview')
  await screen.findByText('within quotes')
  expect(screen.getByLabelText('Which service?').getAttribute('aria-invalid')).toBe('true')
  await userEvent.type(screen.getByLabelText('Which service?'), 'x')
  expect(screen.queryByText('within quotes')).toBeNull()
})

test('steps that were changed since the preview do not run, and the page says so', async () => {
  openRun({ run: { status: 409, body: { code: 'changed', detail: 'look at it again' } } })
  await userEvent.click(await screen.findByText('web-1'))
  await press('Preview')
  await screen.findByRole('region', { name: 'What would run' })
  await press(/^Run on/)
  await screen.findByText('look at it again')
  await waitFor(() => expect(screen.queryByRole('region', { name: 'What would run' })).toBeNull())
})
