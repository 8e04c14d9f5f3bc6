import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { type Call, holdBack, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import type { FormView } from '../view/form-view.ts'
import { FormPage } from './FormPage.tsx'

/** Forms of several groups, some of them folded. */
let row: Record<string, unknown>
let refusal: Record<string, unknown> | undefined

function labelServer({ method, body }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(label) }
  if (method === 'GET') return { body: row }
  if (refusal) return { status: 400, body: refusal }
  return { body: { ...row, ...(body as object) } }
}

const FOLDED_COMMENT: FormView = {
  groups: [
    { title: 'Basic', fields: ['name', 'value'] },
    { title: 'Other', folded: true, fields: ['comment'] },
  ],
}
const FOLDED_VALUE: FormView = {
  groups: [
    { title: 'Basic', fields: ['name'] },
    { title: 'Other', folded: true, fields: ['comment'] },
    { title: 'Value', folded: true, fields: ['value'] },
  ],
}
const create = (form = FOLDED_COMMENT) =>
  show(<FormPage pages={{ ...labelPages, form }} base="Label" title="Create label" mode="create" />, '/new', '/new', {
    LabelList: '/labels',
  })
const update = (form = FOLDED_COMMENT) =>
  show(
    <FormPage pages={{ ...labelPages, form }} base="Label" title="Update label" mode="update" />,
    '/labels/l1/update',
    '/labels/:id/update',
    { LabelList: '/labels' },
  )
const group = async (name: string) => within(await screen.findByRole('group', { name }))
const isOpen = async (name: string) =>
  (await group(name)).getByRole('button', { name }).getAttribute('aria-expanded') === 'true'
const posts = (calls: readonly Call[]) => calls.filter(({ method }) => method === 'POST')

beforeEach(() => {
  row = { id: 'l1', name: 'env', value: 'prod', assets: [], comment: '' }
  refusal = undefined
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each(['GET', 'OPTIONS'])(
  'while the answer to %s is on its way the groups are there with places for their fields',
  async (held) => {
    serve(labelServer)
    const release = holdBack((method, path) => method === held && path.startsWith(label.path))
    update(FOLDED_VALUE)
    const waiting = await screen.findByRole('status', { name: 'Loading' })
    expect(within(waiting).getAllByRole('heading')).toMatchObject([
      { textContent: 'Basic' },
      { textContent: 'Other' },
      { textContent: 'Value' },
    ])
    expect(screen.queryByRole('button', { name: 'Submit' })).toBeNull()
    expect(screen.queryByRole('textbox')).toBeNull()
    release()
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('env')
    expect(waiting.isConnected).toBe(false)
  },
)

test('a group that is seldom wanted is folded to the names of its fields, and opens by its title', async () => {
  serve(labelServer)
  create()
  const other = await group('Other')
  expect(await isOpen('Other')).toBe(false)
  other.getByText('Comment')
  expect(screen.queryByLabelText('Comment')).toBeNull()
  await userEvent.click(other.getByRole('button', { name: 'Other' }))
  expect(await isOpen('Other')).toBe(true)
  await userEvent.type(screen.getByLabelText('Comment'), 'kept')
  await userEvent.click(other.getByRole('button', { name: 'Other' }))
  await userEvent.click(other.getByRole('button', { name: 'Other' }))
  expect(screen.getByLabelText<HTMLInputElement>('Comment').value).toBe('kept')
})

test('a folded group is open at once where something is stored in it, or has to be entered', async () => {
  serve(labelServer)
  update()
  expect(await isOpen('Other')).toBe(false)
  cleanup()
  row.comment = 'old'
  update()
  expect(await isOpen('Other')).toBe(true)
  cleanup()
  create(FOLDED_VALUE)
  expect([await isOpen('Other'), await isOpen('Value')]).toEqual([false, true])
})

test('[A5.28] a folded group opens for the message of a field in it', async () => {
  serve(labelServer)
  refusal = { comment: ['is too plain'] }
  create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText('is too plain')
  expect(await isOpen('Other')).toBe(true)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Comment')))
})

test.each([{ ctrlKey: true }, { metaKey: true }])('Enter with %j sends the form from any field, once', async (held) => {
  const calls = serve(labelServer)
  const { router } = create()
  await userEvent.type(await screen.findByLabelText('Name'), 'env')
  await userEvent.type(screen.getByLabelText('Value'), 'prod')
  await userEvent.click((await group('Other')).getByRole('button', { name: 'Other' }))
  const comment = screen.getByLabelText('Comment')
  fireEvent.keyDown(comment, { key: 'Enter' })
  expect(posts(calls)).toEqual([])
  fireEvent.keyDown(comment, { key: 'Enter', ...held })
  fireEvent.keyDown(comment, { key: 'Enter', ...held })
  await waitFor(() => expect(router.state.location.pathname).toBe('/labels'))
  expect(posts(calls)).toHaveLength(1)
})

test('[A5.28] beside the buttons stands how many fields are wrong, and leads to the first of them', async () => {
  serve(labelServer)
  create()
  const name = await screen.findByLabelText('Name')
  expect(screen.queryByText(/need(s)? attention/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await userEvent.click(await screen.findByRole('button', { name: '2 fields need attention' }))
  await waitFor(() => expect(document.activeElement).toBe(name))
  await userEvent.type(name, 'env')
  await userEvent.click(await screen.findByRole('button', { name: '1 field needs attention' }))
  const value = screen.getByLabelText('Value')
  await waitFor(() => expect(document.activeElement).toBe(value))
  await userEvent.type(value, 'prod')
  await waitFor(() => expect(screen.queryByText(/need(s)? attention/)).toBeNull())
})

test('unsent changes are counted beside the buttons until they are put back', async () => {
  serve(labelServer)
  update()
  const name = await screen.findByLabelText('Name')
  expect(screen.queryByText('Not saved yet')).toBeNull()
  await userEvent.type(name, '2')
  await screen.findByText('Not saved yet')
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }))
  await waitFor(() => expect(screen.queryByText('Not saved yet')).toBeNull())
})
