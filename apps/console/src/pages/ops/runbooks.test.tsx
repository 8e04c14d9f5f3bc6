import { runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { runbookSchedule } from '@sallyport/contract/resources/ops/runbook-schedule.ts'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DetailPage } from '../../generic/detail/DetailPage.tsx'
import { forget } from '../../lib/query.ts'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { Outcomes } from './batch/Outcomes.tsx'
import { pages } from './runbook.page.tsx'
import { RunbookRun } from './runbooks/RunbookRun.tsx'

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
const SCHEDULE = {
  id: 'c1',
  runbook: 'r1',
  run_as: 's1',
  run_as_display: 'deploy(deploy)',
  author: 'Ann(ann)',
  is_own: true,
  hosts: ['a1'],
  values: { service: 'sshd' },
  version: 2,
  is_outdated: true,
  is_periodic: false,
  crontab: '0 4 * * *',
  interval: null,
  date_next_run: null,
  date_last_run: null,
  last_execution: null,
  error: '',
  date_created: ROW.date_created,
  date_updated: ROW.date_created,
}
const PREVIEW = {
  version: 3,
  run_as_display: 'deploy(deploy)',
  files: [
    {
      id: 'f1',
      name: 'app.conf',
      size: 16,
      sha256: 'ab12',
      step: 2,
      path: '/etc/app.conf',
      mode: '0640',
      owner: 'app',
    },
  ],
  secrets: [{ name: 'pw', account: 'app' }],
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

const FAILED = { asset: 'a1', name: 'web-1', state: 'failed', code: 1, error: '', output: '' }

interface Answers {
  preview?: object
  run?: object
  ran?: object
  schedule?: object
  schedules?: object[]
  row?: () => object
}

function answersTo(answers: Answers = {}): Call[] {
  return serve(({ method, path }: Call) => {
    if (method === 'OPTIONS')
      return { body: metadataFor(path.startsWith(runbookSchedule.path) ? runbookSchedule : runbook) }
    if (path === `${runbookSchedule.path}c1/` && method === 'GET') return { body: SCHEDULE }
    if (path.startsWith(runbookSchedule.path))
      return method === 'GET'
        ? { body: { count: answers.schedules?.length, results: answers.schedules } }
        : (answers.schedule ?? { body: SCHEDULE })
    if (path === `${runbook.path}r1/`) return { body: answers.row?.() ?? ROW }
    if (path.endsWith('/preview/')) return answers.preview ?? { body: PREVIEW }
    if (path.endsWith('/run/')) return answers.run ?? { status: 201, body: { id: 'e1' } }
    if (path.includes('system-users-permission'))
      return { body: [{ id: 's1', name: 'deploy', username: 'deploy', protocol: 'ssh', login_mode: 'auto' }] }
    if (path.includes('nodes-with-assets')) return { body: [node, machine('a1', 'web-1'), machine('a2', 'web-2')] }
    if (path.endsWith('/outcomes/')) return { body: { is_finished: true, error: '', hosts: [FAILED], outputs: {} } }
    return {
      body: {
        command: 'x',
        run_as: 's1',
        run_as_display: 'deploy',
        runbook: 'r1',
        runbook_display: 'restart v3',
        date_created: ROW.date_created,
        ...answers.ran,
      },
    }
  })
}
function openRun(answers: Answers = {}): Call[] {
  const calls = answersTo(answers)
  show(<RunbookRun row={ROW} refresh={async () => {}} />, '/runbooks/r1', '/runbooks/:id')
  return calls
}
const openPage = (tab: string) =>
  show(
    <DetailPage pages={pages.Runbook} base="Runbook" title="Runbook" />,
    `/ops/runbooks/r1${tab && `?activeTab=${tab}`}`,
    '/ops/runbooks/:id',
    { RunbookDetail: '/ops/runbooks/:id' },
  )
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }))
const sent = (calls: readonly Call[], end: string) => calls.find(({ path }) => path.endsWith(end))?.body

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'activeTab=; path=/; max-age=0'
})

test('[A2.45] a preview says where, as whom and what; what runs is just that, and its output follows', async () => {
  const calls = openRun()
  await press('Preview')
  screen.getByText('Choose assets first.')
  expect(sent(calls, '/preview/')).toBeUndefined()
  for (const name of ['web-1', 'web-2']) await userEvent.click(await screen.findByText(name))
  await press('Preview')
  const preview = within(await screen.findByRole('region', { name: 'Planned run' }))
  preview.getByText('Nothing has run yet. Version 3 would run as deploy on 1 asset.')
  preview.getByText('systemctl restart nginx')
  preview.getByText('Command is forbidden')
  preview.getByText(/Step 2 puts app\.conf \(16 B\) → \/etc\/app\.conf · 0640 · app/)
  preview.getByText(/Password of app/)
  const asked = { hosts: ['a1', 'a2'], run_as: 's1', values: { service: 'nginx' } }
  expect(sent(calls, '/preview/')).toEqual(asked)
  await press('Run on 1 asset')
  await screen.findByText('restart v3')
  expect(screen.queryByRole('region', { name: 'Planned run' })).toBeNull()
  expect(sent(calls, '/run/')).toEqual({ ...asked, version: 3 })
})

test('[B5.09] a refused value is reported beside its field; another value wants another preview', async () => {
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
  await screen.findByRole('region', { name: 'Planned run' })
  await press(/^Run on/)
  await screen.findByText('look at it again')
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Planned run' })).toBeNull())
})

test('its words stay when the steps of now ask for other values', async () => {
  let row: object = ROW
  answersTo({ row: () => row, run: { status: 409, body: { code: 'changed', detail: 'look at it again' } } })
  openPage('Run')
  await userEvent.click(await screen.findByText('web-1'))
  await press('Preview')
  await screen.findByRole('region', { name: 'Planned run' })
  row = { ...ROW, version: 4, variables: [...ROW.variables, { name: 'port', label: 'Which port?', value: '80' }] }
  await press(/^Run on/)
  await screen.findByLabelText('Which port?')
  await screen.findByText('look at it again')
})

test('when it is run again, a page that was there before takes the machines', async () => {
  const calls = answersTo()
  const page = <RunbookRun row={ROW} refresh={async () => {}} />
  const { router } = show(page, '/runbooks/r1', '/runbooks/:id')
  await userEvent.click(await screen.findByText('web-1'))
  await act(() => router.navigate('/runbooks/r1?activeTab=Run', { state: { hosts: ['a2'], run_as: 's1' } }))
  await press('Preview')
  await waitFor(() => expect(sent(calls, '/preview/')).toMatchObject({ hosts: ['a2'], run_as: 's1' }))
})

test('what failed is run again with what that needs, and not where its runbook is gone', async () => {
  const onRerun = vi.fn()
  answersTo()
  show(<Outcomes run="e1" onRerun={onRerun} />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Run again on failed assets' }))
  expect(onRerun.mock.calls).toEqual([[{ hosts: ['a1'], run_as: 's1', command: 'x', runbook: 'r1' }]])
  cleanup()
  answersTo({ ran: { runbook: null } })
  show(<Outcomes run="e1" onRerun={onRerun} />, '/', '/')
  await screen.findByText('restart v3')
  expect(screen.queryByRole('button', { name: 'Run again on failed assets' })).toBeNull()
})

test('a person who agrees to changed steps agrees to those that the page shows; switching on agrees to none', async () => {
  const own = { ...SCHEDULE, id: 'c2', is_outdated: false, version: 4 }
  const calls = answersTo({ schedules: [SCHEDULE, own] })
  openPage('Schedules')
  expect(await screen.findAllByText('service = sshd')).toHaveLength(2)
  await press('Switch on')
  await waitFor(() => expect(sent(calls, '/c2/')).toEqual({ is_periodic: true, version: 4 }))
  await press('Agree to the changed steps')
  const dialog = within(await screen.findByRole('alertdialog'))
  await userEvent.click(dialog.getByRole('button', { name: 'Agree to the changed steps' }))
  await waitFor(() => expect(sent(calls, '/c1/')).toEqual({ is_periodic: true, version: 3 }))
})

test('[A2.45] a schedule is changed where runs are made: what it would run is looked at again, and then its times', async () => {
  const calls = answersTo()
  openPage('Run&schedule=c1')
  await screen.findByDisplayValue('sshd')
  await press('Preview')
  const preview = within(await screen.findByRole('region', { name: 'Planned run' }))
  expect(preview.queryByRole('button', { name: /^Run on/ })).toBeNull()
  await press('Change the schedule')
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  const put = () => calls.find(({ method }) => method === 'PUT')
  await waitFor(() =>
    expect(put()).toMatchObject({
      path: `${runbookSchedule.path}c1/`,
      body: { hosts: ['a1'], values: { service: 'sshd' }, version: 3, crontab: '0 4 * * *', is_periodic: false },
    }),
  )
})

test('input stays while a changed schedule is read once more, and there is a way out of changing it', async () => {
  const calls = answersTo()
  openPage('Run&schedule=c1')
  await userEvent.type(await screen.findByDisplayValue('sshd'), '-new')
  const reads = () => calls.filter(({ path }) => path === `${runbookSchedule.path}c1/`).length
  expect(reads()).toBe(1)
  await act(() => forget(runbookSchedule.path))
  expect(reads()).toBe(2)
  screen.getByDisplayValue('sshd-new')
  screen.getByText(/^This changes the schedule/)
  await press('Cancel')
  await screen.findByDisplayValue('nginx')
  expect(screen.queryByText(/^This changes the schedule/)).toBeNull()
})

test('passwords of accounts are asked of nobody, and nothing of them is sent', async () => {
  const variables = [...ROW.variables, { name: 'pw', kind: 'secret', label: '', value: '', account: 'app' }]
  const calls = answersTo({ row: () => ({ ...ROW, variables }) })
  openPage('Run')
  await userEvent.click(await screen.findByText('web-1'))
  expect(screen.queryByLabelText('pw')).toBeNull()
  await press('Preview')
  await waitFor(() => expect(sent(calls, '/preview/')).toMatchObject({ values: { service: 'nginx' } }))
})

test("somebody else's schedule can only be switched off and deleted", async () => {
  answersTo({ schedules: [{ ...SCHEDULE, is_own: false, is_periodic: true }] })
  openPage('Schedules')
  await screen.findByText('Ann')
  expect(screen.getByRole('button', { name: 'Switch off' })).toBeDefined()
  for (const name of ['Update', 'Agree to the changed steps', 'Switch on'])
    expect(screen.queryByRole('button', { name })).toBeNull()
})

test('ticks and input stay while another tab is looked at', async () => {
  const calls = answersTo()
  const { router } = openPage('Run')
  await userEvent.click(await screen.findByText('web-2'))
  await userEvent.type(screen.getByLabelText('Which service?'), 'x')
  await act(() => router.navigate('/ops/runbooks/r1?activeTab=Versions'))
  expect(screen.queryByRole('button', { name: 'Preview' })).toBeNull()
  await act(() => router.navigate('/ops/runbooks/r1?activeTab=Run'))
  await userEvent.click(await screen.findByRole('button', { name: 'Preview' }))
  await waitFor(() => expect(sent(calls, '/preview/')).toMatchObject({ hosts: ['a2'], values: { service: 'nginxx' } }))
})

test('the button that leads to where it is run is there unless that is shown, also where the tab was chosen before', async () => {
  answersTo()
  openPage('Versions')
  await screen.findByRole('button', { name: 'Run' })
  cleanup()
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'activeTab=run; path=/'
  openPage('')
  await screen.findByRole('button', { name: 'Preview' })
  expect(screen.queryByRole('button', { name: 'Run' })).toBeNull()
})

test('steps that were changed before a schedule is saved are reported in place of the preview, once', async () => {
  openRun({ schedule: { status: 409, body: { code: 'changed', detail: 'look at it again' } } })
  await userEvent.click(await screen.findByText('web-1'))
  await press('Preview')
  await screen.findByRole('region', { name: 'Planned run' })
  await press('Run by schedule')
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  await screen.findByText('look at it again')
  expect(screen.queryByRole('region', { name: 'Planned run' })).toBeNull()
})
