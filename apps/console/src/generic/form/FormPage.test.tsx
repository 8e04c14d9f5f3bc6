import { label } from '@sallyport/contract/resources/assets/label.ts'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onApi } from '../../lib/api.ts'
import { queryClient } from '../../lib/query.ts'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { FormPage } from './FormPage.tsx'

const ROUTES = { LabelList: '/assets/labels' }
const row = { id: 'l1', name: 'env', value: 'prod', assets: [], comment: 'old' }
let refusal: Record<string, unknown> | undefined

function labelServer({ method, body }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(label) }
  if (method === 'GET') return { body: row }
  if (refusal) return { status: 400, body: refusal }
  return { body: { ...row, ...(body as object) } }
}

const create = (query = '') =>
  show(
    <FormPage pages={labelPages} base="Label" title="Create label" mode="create" />,
    `/create${query}`,
    '/create',
    ROUTES,
  )
const update = () =>
  show(
    <FormPage pages={labelPages} base="Label" title="Update label" mode="update" />,
    '/labels/l1/update',
    '/labels/:id/update',
    ROUTES,
  )
const sent = (calls: readonly Call[], method: string) => calls.find((call) => call.method === method)

beforeEach(() => {
  refusal = undefined
  row.comment = 'old'
  signIn()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[A5.01 A5.21 A5.28 B5.03 B5.04 B5.08] an empty required field is refused before anything is sent', async () => {
  const calls = serve(labelServer)
  create()
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  expect(await screen.findAllByText('This field is required')).toHaveLength(2)
  expect(sent(calls, 'POST')).toBeUndefined()
})

test('[A4.25 A2.91 A2.94 B2.12 B2.14 B4.09] create posts trimmed text and goes to the list', async () => {
  const calls = serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), ' env ')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels'))
  expect(calls.filter(({ method }) => !['OPTIONS', 'GET'].includes(method))).toMatchObject([
    { method: 'POST', path: label.path, body: { name: 'env', value: 'prod', assets: [], comment: null } },
  ])
})

test('[A2.91 B2.12] the form of update has the same fields, as the server describes them for an update', async () => {
  const remote = metadataFor(label)
  const { name, value } = remote.actions.PUT
  const offered = {
    POST: { name, value },
    PUT: { name: { ...name, label: 'Key' }, value: { ...value, read_only: true } },
  }
  const answers = (call: Call) =>
    call.method === 'OPTIONS' ? { body: { ...remote, actions: offered } } : labelServer(call)
  serve(answers)
  create()
  await screen.findByLabelText('Name')
  screen.getByRole('textbox', { name: 'Value' })
  cleanup()
  queryClient.clear()
  const calls = serve(answers)
  update()
  await userEvent.type(await screen.findByLabelText('Key'), '2')
  expect(screen.queryByRole('textbox', { name: 'Value' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent(calls, 'PUT')?.body).toMatchObject({ name: 'env2' }))
  expect(sent(calls, 'PUT')?.path).toBe(`${label.path}l1/`)
})

test('[A2.92] the form is the one that the server describes: its fields, labels, kinds, choices and bounds', async () => {
  const remote = metadataFor(label)
  const { comment, ...fields } = remote.actions.POST
  const offered = {
    ...fields,
    name: { ...fields.name, label: 'Key', max_length: 3 },
    value: { type: 'choice', label: 'Value', required: false, choices: [{ value: 'a', display_name: 'First' }] },
  }
  const calls = serve(({ method }) =>
    method === 'OPTIONS' ? { body: { ...remote, actions: { POST: offered } } } : undefined,
  )
  create()
  const key = await screen.findByLabelText<HTMLInputElement>('Key')
  expect(screen.queryByLabelText('Name')).toBeNull()
  expect(screen.queryByLabelText('Comment')).toBeNull()
  screen.getByRole('radio', { name: 'First' })
  expect(screen.queryByRole('textbox', { name: 'Value' })).toBeNull()
  await userEvent.type(key, 'long')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent(calls, 'POST')?.body).toMatchObject({ name: 'lon' }))
})

test('[A4.27 A2.94 B2.14 B2.15] save and add another stays, says so, is empty again and has the cursor in its first field', async () => {
  const calls = serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  await userEvent.click(screen.getByRole('button', { name: 'Save and add another' }))
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe(''))
  await screen.findByText(/You may add another/)
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
  expect(sent(calls, 'POST')).toBeDefined()
  expect(router.state.location.pathname).toBe('/create')
})

test('[B8.02] when the sign-in is over, saving asks to sign in again, says nothing more and keeps what was entered', async () => {
  const signedOut = vi.fn()
  onApi({ signedOut })
  serve((call) => (call.method === 'POST' ? { status: 401, body: { detail: 'no credentials' } } : labelServer(call)))
  create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(signedOut).toHaveBeenCalledOnce())
  await waitFor(() => expect(screen.getByRole('button', { name: 'Submit' }).ariaBusy).toBeNull())
  expect(screen.queryByText(/Create error/)).toBeNull()
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('env')
})

test('however often Submit is pressed before the page goes, it is sent once', async () => {
  const calls = serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  const button = screen.getByRole('button', { name: 'Submit' })
  fireEvent.click(button)
  fireEvent.click(button)
  fireEvent.submit(button.closest('form') as HTMLFormElement)
  await screen.findByText(/Created/)
  fireEvent.submit(button.closest('form') as HTMLFormElement)
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels'))
  expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('[A4.26 B4.09] fields that a condition hides are put back as they were loaded, so that PUT does not reset them; PATCH leaves them out', async () => {
  const hiding = (method: 'PUT' | 'PATCH') => ({
    ...labelPages,
    form: { method, groups: [{ title: '', fields: ['name', 'value', { name: 'comment', visibleWhen: () => false }] }] },
  })
  const calls = serve(labelServer)
  for (const method of ['PUT', 'PATCH'] as const) {
    show(
      <FormPage pages={hiding(method)} base="Label" title="Update label" mode="update" />,
      '/labels/l1/update',
      '/labels/:id/update',
      ROUTES,
    )
    await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
    await waitFor(() => expect(sent(calls, method)).toBeDefined())
    cleanup()
  }
  expect(sent(calls, 'PUT')?.body).toEqual({ name: 'env', value: 'prod', comment: 'old' })
  expect(sent(calls, 'PATCH')?.body).toEqual({ name: 'env', value: 'prod' })
})

test('a form with a file is sent as multipart', async () => {
  const pages = {
    ...labelPages,
    form: {
      groups: [
        {
          title: '',
          fields: ['name', 'value', { name: 'logo', widget: 'image-upload', local: { type: 'string', label: 'Logo' } }],
        },
      ],
    },
  }
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:preview')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const calls = serve(labelServer)
  show(<FormPage pages={pages} base="Label" title="Create label" mode="create" />, '/create', '/create', ROUTES)
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  fireEvent.change(screen.getByLabelText('Select file'), {
    target: { files: [new File(['x'], 'a.png', { type: 'image/png' })] },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent(calls, 'POST')?.body).toBeInstanceOf(FormData))
  const body = sent(calls, 'POST')?.body as FormData
  expect([body.get('name'), (body.get('logo') as File).name]).toEqual(['env', 'a.png'])
})

test('[A5.29 B5.09 B8.03] a 400 to create or update puts each message under its field; what has no field is a message', async () => {
  serve(labelServer)
  refusal = { name: ['must be unique', 'is too plain'], value: ['is odd'], org_id: ['is unknown'] }
  for (const open of [() => create('?clone_from=l1'), update]) {
    open()
    await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
    await screen.findByText('must be unique; is too plain')
    const under = (name: string) =>
      document.getElementById(screen.getByLabelText(name).getAttribute('aria-describedby') ?? '')?.textContent
    expect([under('Name'), under('Value')]).toEqual(['must be unique; is too plain', 'is odd'])
    await screen.findByText('org_id: is unknown')
    cleanup()
  }
})

test('[A5.29] a 400 with empty texts is still told, and a field is looked at again while it is mended', async () => {
  serve(labelServer)
  refusal = { name: [] }
  update()
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  await screen.findByRole('alert')
  refusal = { name: ['is taken'] }
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText('is taken')
  await userEvent.type(screen.getByLabelText('Name'), '2')
  await waitFor(() => expect(screen.queryByText('is taken')).toBeNull())
})

test('[A5.01 A5.27 B5.03] leaving a text field trims it and says at once when nothing is left', async () => {
  serve(labelServer)
  create()
  const name = await screen.findByLabelText<HTMLInputElement>('Name')
  await userEvent.type(name, ' my env ')
  await userEvent.tab()
  expect(name.value).toBe('my env')
  await userEvent.clear(name)
  await userEvent.type(name, '  ')
  await userEvent.tab()
  await screen.findByText('This field is required')
})

test('[A5.28 B5.08] the uppermost invalid field gets the cursor', async () => {
  serve(labelServer)
  create()
  const name = await screen.findByLabelText('Name')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findAllByText('This field is required')
  await waitFor(() => expect(document.activeElement).toBe(name))
})

test('[A2.93 B2.13] a copy starts from the row with a prefix before its name and is posted', async () => {
  const calls = serve(labelServer)
  create('?clone_from=l1')
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Clone from env')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent(calls, 'POST')?.body).toMatchObject({ name: 'Clone from env', comment: 'old' }))
})

test('[A4.24 A4.26 A4.28 A2.95 B2.14 B2.15 B4.09 B7.34] update puts the row and goes to the list; Reset brings back what was loaded', async () => {
  const calls = serve(labelServer)
  const { router } = update()
  const name = await screen.findByLabelText<HTMLInputElement>('Name')
  expect(screen.queryByRole('button', { name: 'Save and add another' })).toBeNull()
  await userEvent.type(name, '2')
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }))
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('env')
  await userEvent.type(screen.getByLabelText('Value'), 'uction')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(sent(calls, 'PUT')?.body).toEqual({ name: 'env', value: 'production', assets: [], comment: 'old' }),
  )
  expect(sent(calls, 'PUT')?.path).toBe(`${label.path}l1/`)
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels'))
})

test('leaving with unsaved input asks first', async () => {
  serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  void router.navigate('/elsewhere')
  expect((await screen.findByRole('dialog')).textContent).toContain('Leave without saving?')
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
  expect(router.state.location.pathname).toBe('/create')
})

test('typed values are there again for a person who comes back, until they are stored, given up, or the row has changed', async () => {
  serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  void router.navigate('/elsewhere')
  expect((await screen.findByRole('dialog')).textContent).toContain('What you typed is kept')
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/elsewhere'))
  cleanup()
  create()
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('env')
  await userEvent.click(screen.getByRole('button', { name: 'Start over' }))
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('')
  await userEvent.type(screen.getByLabelText('Name'), 'team')
  await userEvent.type(screen.getByLabelText('Value'), 'web')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText(/Created/)
  cleanup()
  create()
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('')
  cleanup()
  update()
  await userEvent.type(await screen.findByLabelText('Name'), '2')
  cleanup()
  row.comment = 'changed by somebody else'
  await act(() => queryClient.resetQueries())
  update()
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('env')
  expect(sessionStorage.length).toBe(1)
})

test('[B8.06] a row that is gone is reported as lost', async () => {
  serve((call) => (call.method === 'GET' ? undefined : labelServer(call)))
  update()
  await screen.findByText('Resource lost or deleted')
})

test('[A2.96 B9.15] the saved form stays for a tenth of a second, busy, before the next page comes', async () => {
  serve(labelServer)
  const { router } = update()
  const button = await screen.findByRole('button', { name: 'Submit' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  fireEvent.click(button)
  while (!screen.queryByText(/Saved/)) await act(() => new Promise((resolve) => setImmediate(resolve)))
  await act(() => vi.advanceTimersByTimeAsync(99))
  expect(router.state.location.pathname).toBe('/labels/l1/update')
  expect(button.ariaBusy).toBe('true')
  await act(() => vi.advanceTimersByTimeAsync(1))
  expect(router.state.location.pathname).toBe('/assets/labels')
})
