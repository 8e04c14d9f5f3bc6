import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onApi } from '../../lib/api.ts'
import { field, showForm } from '../../test/form.tsx'
import { serve, signIn } from '../../test/harness.tsx'
import { protocolsFault } from './protocol-list.ts'

beforeEach(() => {
  localStorage.clear()
  signIn()
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:preview')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Submit' }))

/** The body of the first call. */
const bodyOf = <T,>(sent: ReturnType<typeof showForm>) => sent.mock.calls[0]?.[0] as T

/** A server in New York, on the last evening of February there. */
const inNewYork = () => serve(() => ({ body: { now: '2026-03-01T00:30:00.000Z', time_zone: 'America/New_York' } }))

test('[A5.09 B5.07] a time plan that is not of five parts is refused, and one is put together in the dialog with the next 5 runs by the clock and zone of the server', async () => {
  inNewYork()
  const sent = showForm([field('crontab', { max_length: 128 }, { widget: 'cron' })])
  await userEvent.type(await screen.findByRole('textbox'), '0 0 * *')
  await submit()
  await screen.findByText('A schedule has five parts')
  expect(sent).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Edit the schedule' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.click(await dialog.findByRole('button', { name: 'Reset' }))
  const runs = await dialog.findByRole('list', { name: 'Next runs' })
  expect(runs.children).toHaveLength(5)
  expect(runs.children[0]?.textContent).toMatch(/^03\/01\/2026, 00:00:00/)
  expect(dialog.getByText('Next 5 runs (America/New_York)')).toBeTruthy()
  await userEvent.click(dialog.getByRole('tab', { name: 'Hour' }))
  await userEvent.click(dialog.getByRole('radio', { name: /in steps of/ }))
  fireEvent.mouseDown(dialog.getByRole('combobox', { name: 'in steps of' }))
  fireEvent.click(await screen.findByTitle('6'))
  await dialog.findByText('0 */6 * * *')
  await userEvent.click(dialog.getByRole('button', { name: 'Confirm' }))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ crontab: '0 */6 * * *' })
})

test('[A5.09 B5.07] the next runs are shown where the browser does not know the server’s zone, and where that has no name', async () => {
  for (const [time_zone, shown] of [
    ['Mars/Olympus', 'UTC'],
    ['+05:30', '+05:30'],
  ]) {
    serve(() => ({ body: { now: '2026-03-01T00:30:00.000Z', time_zone } }))
    showForm([field('crontab', {}, { widget: 'cron', initial: '0 0 * * *' })])
    await userEvent.click(await screen.findByRole('button', { name: 'Edit the schedule' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(await dialog.findByText(`Next 5 runs (${shown})`)).toBeTruthy()
    expect(dialog.getByRole('list', { name: 'Next runs' }).children).toHaveLength(5)
    cleanup()
  }
})

test('[A5.09 B5.07] the editor says of times that never come that they do not, and an interval is whole hours', async () => {
  inNewYork()
  const sent = showForm(
    [
      field('crontab', {}, { widget: 'cron' }),
      field('interval', { type: 'integer', default: 24 }, { widget: 'interval', initial: 24 }),
    ],
    { initial: { interval: 24, crontab: '0 0 30 2 *' } },
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Edit the schedule' }))
  expect((await within(await screen.findByRole('dialog')).findByRole('alert')).textContent).toBe(
    'This schedule never runs',
  )
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  const hours = screen.getByLabelText('interval')
  expect(screen.getByText('hours')).toBeDefined()
  await userEvent.clear(hours)
  await userEvent.type(hours, '6')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ interval: 6, crontab: '0 0 30 2 *' })
})

test('[A5.09] a time plan of five parts of which one is out of its range names that part', async () => {
  const sent = showForm([field('crontab', {}, { widget: 'cron' })])
  const box = await screen.findByRole('textbox')
  await userEvent.type(box, '61 * * * *')
  await submit()
  await screen.findByText('Minute ranges from 0 to 59: “61” is not valid')
  await userEvent.clear(box)
  await userEvent.type(box, '0 3 * 13 *')
  await submit()
  await screen.findByText('Month ranges from 1 to 12: “13” is not valid')
  expect(sent).not.toHaveBeenCalled()
})

test('[A5.07 A5.06] a number out of its bounds stays as it was typed, with what is wrong beside it, and is not sent', async () => {
  const sent = showForm(
    [
      field('port', { type: 'integer', min_value: 1, max_value: 65_535 }),
      field('priority', { type: 'integer', min_value: 1, max_value: 100 }),
      field('protocols', { type: 'list' }, { widget: 'protocols', check: protocolsFault }),
    ],
    { initial: { port: 22, priority: 50, protocols: ['ssh/22'] } },
  )
  const boxes = [
    [await screen.findByLabelText('port'), '70000'],
    [screen.getByLabelText('priority'), '4.5'],
    [screen.getByLabelText('Port'), '70001'],
  ] as const
  for (const [box, text] of boxes) {
    await userEvent.clear(box)
    await userEvent.type(box, text)
  }
  await submit()
  expect(boxes.map(([box]) => (box as HTMLInputElement).value)).toEqual(['70000', '4.5', '70001'])
  await waitFor(() => expect(screen.getAllByText('Port Error, please check')).toHaveLength(2))
  screen.getByText('Enter a whole number')
  expect(sent).not.toHaveBeenCalled()
})

test('[B8.19] the last protocol of an asset stays', async () => {
  showForm([field('protocols', { type: 'list' }, { widget: 'protocols' })], { initial: { protocols: ['ssh/22'] } })
  await userEvent.click(await screen.findByRole('button', { name: 'Remove' }))
  await screen.findByText("The last one can't be delete")
  expect(screen.getByLabelText<HTMLInputElement>('Port').value).toBe('22')
})

test('keys and values become an object; a key that is there twice is refused in words', async () => {
  const sent = showForm([field('env', {}, { widget: 'key-values' })], { initial: { env: { A: '1' } } })
  await userEvent.click(await screen.findByRole('button', { name: /Add/ }))
  const [, key] = screen.getAllByRole('textbox', { name: 'Key' })
  const [, value] = screen.getAllByRole('textbox', { name: 'Value' })
  if (!key || !value) throw new Error('no second row')
  await userEvent.type(key, 'A')
  await userEvent.type(value, '2')
  await submit()
  await screen.findByText('The key A appears twice')
  expect(sent).not.toHaveBeenCalled()
  await userEvent.type(key, 'B')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ env: { A: '1', AB: '2' } })
})

test('a picture of the wrong type or size is refused before it is sent; a right one is shown and sent as the file', async () => {
  const sent = showForm([field('logo', {}, { widget: 'image-upload', accept: 'image/png', maxBytes: 2048 })])
  const input = await screen.findByLabelText('Select file', { selector: 'input' })
  const choose = (file: File) => fireEvent.change(input, { target: { files: [file] } })
  choose(new File(['x'], 'a.svg', { type: 'image/svg+xml' }))
  await screen.findByText('Choose a picture of one of these types: PNG')
  choose(new File([new Uint8Array(4096)], 'big.png', { type: 'image/png' }))
  await screen.findByText('The picture may have at most 2 kB')
  await submit()
  expect(sent).not.toHaveBeenCalled()
  const logo = new File(['x'], 'logo.png', { type: 'image/png' })
  choose(logo)
  expect((await screen.findByRole('img', { name: 'Preview' })).getAttribute('src')).toBe('blob:preview')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ logo })
})

test('a secret that may be stored is behind a button; left alone it is not sent, and Cancel takes back what was typed', async () => {
  const sent = showForm([field('token', { write_only: true }, { widget: 'token' })], { mode: 'update' })
  await userEvent.click(await screen.findByRole('button', { name: 'Enter a new one' }))
  const input = document.querySelector('input[type=password]') as HTMLInputElement
  expect(document.activeElement).toBe(input)
  await userEvent.type(input, 'abc')
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({})
})

test('code keeps its blanks and is colored while it is typed', async () => {
  const sent = showForm([field('command', {}, { widget: 'code' })])
  await userEvent.type(await screen.findByRole('textbox'), '  echo $HOME')
  expect(document.querySelector('.code-variable')?.textContent).toBe('$HOME')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ command: '  echo $HOME' })
})

const roles = [
  { value: 'Admin', display_name: 'Administrator' },
  { value: 'Auditor', display_name: 'Auditor' },
]

test('a checkbox group, a tree of choices and a lone checkbox are ticked by their words', async () => {
  const sent = showForm(
    [
      field('org_roles', { type: 'multiple choice', choices: roles }, { widget: 'checkbox-group' }),
      field(
        'types',
        {
          type: 'multiple choice',
          choices: [
            { value: 'asset', display_name: 'Asset' },
            { value: 'app', display_name: 'App' },
          ],
        },
        { widget: 'choice-tree' },
      ),
      field('agree', { type: 'boolean' }, { widget: 'checkbox' }),
    ],
    { initial: { org_roles: ['Admin'], types: ['all'] } },
  )
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Auditor' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'agree' }))
  await userEvent.click(screen.getByText('App'))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ org_roles: ['Admin', 'Auditor'], types: ['asset'], agree: true })
})

test('a choice in steps is listed under its steps, is found by their names, and gives the way to it', async () => {
  const tree = [{ value: 'db', label: 'Database', children: [{ value: 'mysql', label: 'MySQL' }] }]
  const sent = showForm([field('kind', {}, { widget: 'cascader', tree })])
  await userEvent.type(await screen.findByRole('combobox'), 'data')
  within(screen.getByRole('group', { name: 'Database' })).getByRole('option', { name: 'MySQL' })
  await userEvent.keyboard('{Enter}')
  screen.getByDisplayValue('Database / MySQL')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ kind: ['db', 'mysql'] })
})

test('[B9.17] a range of dates offers the last 24 hours and 7, 30 and 90 days', async () => {
  const sent = showForm([field('range', {}, { widget: 'datetime-range' })])
  await userEvent.click((await screen.findAllByRole('textbox'))[0] as HTMLElement)
  const popup = within(await screen.findByRole('dialog', { name: 'Choose dates' }))
  expect(popup.getAllByRole('button', { name: /^Last / }).map(({ textContent }) => textContent)).toEqual([
    'Last 24 hours',
    'Last 7 days',
    'Last 30 days',
    'Last 90 days',
  ])
  await userEvent.click(popup.getByText('Last 7 days'))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  const [from = '', to = ''] = bodyOf<{ range: string[] }>(sent).range
  expect(Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)).toBe(7)
})

test('a date of expiry offers the usual ones', async () => {
  const sent = showForm([field('date_expired', { type: 'datetime' })])
  await userEvent.click(await screen.findByRole('textbox'))
  await userEvent.click(await screen.findByText('in 1 year'))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  const { date_expired } = bodyOf<{ date_expired: string }>(sent)
  expect(Math.round((Date.parse(date_expired) - Date.now()) / 86_400_000)).toBe(365)
})

test('a date can be typed; one that cannot be read says so at its field and is not sent', async () => {
  const sent = showForm([field('date_expired', { type: 'datetime' })])
  const box = await screen.findByRole<HTMLInputElement>('textbox')
  await userEvent.type(box, '2027-02-30 10:00')
  await userEvent.tab()
  expect((await screen.findByRole('alert')).textContent).toBe('Write it as YYYY-MM-DD HH:mm:ss')
  expect(box.getAttribute('aria-invalid')).toBe('true')
  await submit()
  expect(sent).not.toHaveBeenCalled()

  await userEvent.clear(box)
  await userEvent.type(box, '2027-02-28 10:00')
  await userEvent.tab()
  expect(box.value).toBe('2027-02-28 10:00:00')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(bodyOf(sent)).toEqual({ date_expired: new Date(2027, 1, 28, 10).toISOString() })
})

test('[A3.08 B3.04 B7.31] labels are picked as name:value and sent by id', async () => {
  serve(() => ({ body: { count: 1, next: null, previous: null, results: [{ id: 'l1', name: 'env', value: 'prod' }] } }))
  const sent = showForm([field('labels', { type: 'field' }, { widget: 'label-picker' })])
  await userEvent.click(await screen.findByRole('combobox'))
  await userEvent.click(await screen.findByText('env:prod'))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ labels: ['l1'] })
})

test('[A3.08 B3.04] a select shows the names of its options and sends the id of the one that is chosen', async () => {
  const results = [
    { id: 'd1', name: 'Building 1' },
    { id: 'd2', name: 'Building 2' },
  ]
  serve(() => ({ body: { count: 2, next: null, previous: null, results } }))
  const sent = showForm([field('domain', { type: 'field', related: 'domain' })])
  await userEvent.click(await screen.findByRole('combobox'))
  await screen.findByTitle('Building 1')
  await userEvent.click(screen.getByTitle('Building 2'))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ domain: 'd2' })
})

test('a phone field asks for the keyboard of a telephone, a link leads elsewhere and sends nothing', async () => {
  const sent = showForm([
    field('phone', { max_length: 20 }, { widget: 'phone' }),
    field('guide', {}, { widget: 'link', href: 'https://example.com/', placeholder: 'Read more' }),
  ])
  expect((await screen.findByRole<HTMLInputElement>('textbox')).type).toBe('tel')
  expect(screen.getByRole('link', { name: 'Read more' }).getAttribute('href')).toBe('https://example.com/')
  await userEvent.type(screen.getByRole('textbox'), '13800138000')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ phone: '13800138000' })
})

test('why nodes can not be read is said where they would be, once, with a button that reads them again', async () => {
  const reported = vi.fn()
  onApi({ showError: reported })
  let isRefused = true
  const node = { id: '0', pId: '', name: 'Default (0)', meta: { type: 'node', data: { id: 'n0' } } }
  serve(() =>
    isRefused ? { status: 403, body: { detail: 'Not for you', code: 'permission_denied' } } : { body: [node] },
  )
  showForm([field('nodes', {}, { widget: 'node-select' })])
  await userEvent.click(await screen.findByRole('combobox'))
  within(await screen.findByRole('alert')).getByText('Not for you')
  isRefused = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByTitle('Default')
  expect(reported).not.toHaveBeenCalled()
})
