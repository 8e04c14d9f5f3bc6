import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { labelPages } from '../pages/assets/label.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../test/harness.tsx'
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
  show(<FormPage pages={labelPages} base="Label" title="Label create" mode="create" />, `/create${query}`, '/create', ROUTES)
const update = () =>
  show(<FormPage pages={labelPages} base="Label" title="Label update" mode="update" />, '/labels/l1/update', '/labels/:id/update', ROUTES)
const sent = (calls: readonly Call[], method: string) => calls.find((call) => call.method === method)

beforeEach(() => {
  refusal = undefined
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A5.01 A5.21 A5.28] an empty required field is refused before anything is sent', async () => {
  const calls = serve(labelServer)
  create()
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  expect(await screen.findAllByText('This field is required')).toHaveLength(2)
  expect(sent(calls, 'POST')).toBeUndefined()
})

test('[A4.25 A5.27 A2.94 A2.96] create posts trimmed text and goes to the list', async () => {
  const calls = serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), ' env ')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels'))
  expect(sent(calls, 'POST')?.body).toEqual({ name: 'env', value: 'prod', assets: [], comment: null })
})

test('[A4.27 A2.94] save and add another stays, empty again', async () => {
  const calls = serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  await userEvent.click(screen.getByRole('button', { name: 'Save and add another' }))
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe(''))
  expect(sent(calls, 'POST')).toBeDefined()
  expect(router.state.location.pathname).toBe('/create')
})

test('[A5.29 B5.09] a 400 puts each message under its field; what has no field is a message', async () => {
  serve(labelServer)
  refusal = { name: ['must be unique', 'is too plain'], org_id: ['is unknown'] }
  update()
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  await screen.findByText('must be unique; is too plain')
  await screen.findByText('org_id: is unknown')
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

test('[A2.93] a copy starts from the row with a prefix before its name and is posted', async () => {
  const calls = serve(labelServer)
  create('?clone_from=l1')
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Clone from env')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent(calls, 'POST')?.body).toMatchObject({ name: 'Clone from env', comment: 'old' }))
})

test('[A4.26 A4.28] update puts the row; Reset brings back what was loaded', async () => {
  const calls = serve(labelServer)
  update()
  const name = await screen.findByLabelText<HTMLInputElement>('Name')
  await userEvent.type(name, '2')
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }))
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('env')
  await userEvent.type(screen.getByLabelText('Value'), 'uction')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent(calls, 'PUT')?.body).toEqual({ name: 'env', value: 'production', assets: [], comment: 'old' }))
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

test('[B8.06] a row that is gone is told as lost', async () => {
  serve((call) => (call.method === 'GET' ? undefined : labelServer(call)))
  update()
  await screen.findByText('Resource lost or deleted')
})
