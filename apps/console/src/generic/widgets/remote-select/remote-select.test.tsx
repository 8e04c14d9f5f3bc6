import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onApi } from '../../../lib/api.ts'
import { type Call, serve, show, signIn } from '../../../test/harness.tsx'
import { RemoteSelect } from './RemoteSelect.tsx'

let labels: { id: string; name: string }[]
const some = (length: number) => Array.from({ length }, (_, n) => ({ id: `l${n}`, name: `env${n}` }))
let calls: Call[]
/** Instead of any rows. */
let refusal: string | undefined
let value: unknown

function Field({ first, multiple = false }: { first: string | string[] | null; multiple?: boolean }) {
  const [chosen, setChosen] = useState<unknown>(first)
  value = chosen
  return (
    <RemoteSelect
      path={label.path}
      display="{name}"
      query={{ is_active: true }}
      multiple={multiple}
      value={chosen as string}
      onChange={setChosen}
    />
  )
}
const asked = () => calls.map(({ method, query }) => [method, Object.fromEntries(query)])
const page = (offset: number, more = {}) => ['GET', { is_active: 'true', offset: String(offset), limit: '10', ...more }]
const list = () => screen.getByRole('listbox')

beforeEach(() => {
  signIn()
  labels = some(25)
  refusal = undefined
  let kept: string[] = []
  calls = serve(({ method, query, body }) => {
    if (refusal) return { status: 403, body: { detail: refusal, code: 'permission_denied' } }
    if (method === 'POST') {
      kept = (body as { resources: string[] }).resources
      return { body: { spm: 'spm-1' } }
    }
    const ids = query.get('spm') === 'spm-1' ? kept : query.get('ids')?.split(',')
    const found = labels.filter(({ id, name }) => (ids ? ids.includes(id) : name.includes(query.get('search') ?? '')))
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
    return {
      body: {
        count: found.length,
        next: offset + limit < found.length ? 'next' : null,
        previous: null,
        results: found.slice(offset, offset + limit),
      },
    }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[B7.41 B9.07 B7.31] a select reads nothing until it is opened, then ten rows at a time as its list is scrolled to the end', async () => {
  show(<Field first={null} />, '/', '/')
  await screen.findByRole('combobox')
  expect(calls).toEqual([])
  await userEvent.click(screen.getByRole('combobox'))
  await screen.findByTitle('env0')
  // Read out by its name, not by its id.
  screen.getByRole('option', { name: 'env0' })
  expect(asked()).toEqual([page(0)])
  Object.defineProperties(list(), { scrollHeight: { value: 320 }, clientHeight: { value: 256 } })
  fireEvent.scroll(list(), { target: { scrollTop: 10 } })
  fireEvent.scroll(list(), { target: { scrollTop: 30 } })
  await waitFor(() => expect(asked()).toEqual([page(0), page(10)]))
  fireEvent.scroll(list(), { target: { scrollTop: 60 } })
  await waitFor(() => expect(asked()).toEqual([page(0), page(10), page(20)]))
  fireEvent.scroll(list(), { target: { scrollTop: 64 } })
  await userEvent.type(screen.getByRole('combobox'), 'env24')
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(1))
  await userEvent.click(screen.getByTitle('env24'))
  expect(value).toBe('l24')
  // The last page had no next one, so that scrolling on asked for nothing.
  expect(asked()).toEqual([page(0), page(10), page(20), page(0, { search: 'env24' })])
})

test('the Tab key leaves an open select for the next field, chooses nothing, and the list closes', async () => {
  show(
    <>
      <Field first={null} multiple />
      <button type="button">Next</button>
    </>,
    '/',
    '/',
  )
  await userEvent.click(await screen.findByRole('combobox'))
  await screen.findByTitle('env0')
  await userEvent.tab()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(screen.getByRole('combobox').getAttribute('aria-expanded')).toBe('false'))
  expect(value).toBeNull()
})

test('[B7.41 B7.31] the words of a stored value come by one call for it alone', async () => {
  show(<Field first="l7" />, '/', '/')
  await screen.findByDisplayValue('env7')
  expect(asked()).toEqual([['GET', { ids: 'l7', limit: '1', offset: '0' }]])
})

test('[B7.39 B7.31] names of more chosen rows than an address holds come by a reference; all can be shown, and none goes unseen', async () => {
  labels = some(130)
  show(<Field first={labels.map(({ id }) => id)} multiple />, '/', '/')
  await screen.findByText('env99')
  // A hundred are read by their ids.
  expect(calls.map(({ method, query }) => [method, query.get('ids')?.split(',').length])).toEqual([['GET', 100]])
  expect(screen.queryByText('env100')).toBeNull()
  await userEvent.click(screen.getByRole('combobox'))
  await userEvent.keyboard('{Backspace}')
  expect(value).toHaveLength(130)
  await userEvent.click(screen.getByRole('button', { name: '30 more' }))
  await screen.findByText('env129')
  expect(calls.find(({ method }) => method === 'POST')?.path).toBe('/api/v1/common/resources/cache/')
})

test('[B7.41] a choice stays chosen and named through other searches, and all results can be chosen at once', async () => {
  show(<Field first={['l3']} multiple />, '/', '/')
  await screen.findByText('env3')
  const box = screen.getByRole('combobox')
  await userEvent.type(box, 'env24')
  await userEvent.click(await screen.findByTitle('env24'))
  await userEvent.clear(box)
  await userEvent.type(box, 'env1')
  await userEvent.click(await screen.findByRole('button', { name: 'Choose all 11' }))
  await waitFor(() => expect(value).toHaveLength(13))
  expect(value).toEqual([
    'l3',
    'l24',
    'l1',
    ...some(20)
      .slice(10)
      .map(({ id }) => id),
  ])
  screen.getByRole('button', { name: 'Remove env24' })
  // Only what nobody had listed was read by its id.
  expect(calls.filter(({ query }) => query.has('ids')).map(({ query }) => query.get('ids'))).toEqual(['l3'])
})

test('[B7.41] why rows can not be read is said where they would be, once, with a button that reads them again', async () => {
  const reported = vi.fn()
  onApi({ showError: reported })
  refusal = 'Not for you'
  show(<Field first={null} />, '/', '/')
  await userEvent.click(await screen.findByRole('combobox'))
  within(await screen.findByRole('alert')).getByText(refusal)
  refusal = undefined
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByTitle('env9')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('combobox'))

  // So do those that follow, and no scrolling asks for them over and over.
  refusal = 'Not those'
  Object.defineProperties(list(), { scrollHeight: { value: 320 }, clientHeight: { value: 256 } })
  fireEvent.scroll(list(), { target: { scrollTop: 60 } })
  await screen.findByText(refusal)
  fireEvent.scroll(list(), { target: { scrollTop: 62 } })
  expect(calls).toHaveLength(3)
  refusal = undefined
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(asked().at(-1)).toEqual(page(10)))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  expect(reported).not.toHaveBeenCalled()
})
