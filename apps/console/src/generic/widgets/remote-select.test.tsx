import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../test/harness.tsx'
import { RemoteSelect } from './RemoteSelect.tsx'

const labels = Array.from({ length: 25 }, (_, n) => ({ id: `l${n}`, name: `env${n}` }))
let calls: Call[]
let value: unknown

function Field({ first }: { first: string | null }) {
  const [chosen, setChosen] = useState<unknown>(first)
  value = chosen
  return <RemoteSelect path={label.path} display="{name}" query={{ is_active: true }} value={chosen as string} onChange={setChosen} />
}
const asked = () => calls.map(({ method, query }) => [method, Object.fromEntries(query)])
const page = (offset: number, more = {}) => ['GET', { is_active: 'true', offset: String(offset), limit: '10', ...more }]
const list = () => document.querySelector('.ant-select-dropdown-list-holder, [class$="list-holder"]') as HTMLElement

beforeEach(() => {
  signIn()
  calls = serve(({ query }) => {
    const ids = query.get('ids')?.split(',')
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
  expect(asked()).toEqual([page(0)])
  Object.defineProperties(list(), { scrollHeight: { value: 320 }, clientHeight: { value: 256 } })
  fireEvent.scroll(list(), { target: { scrollTop: 10 } })
  fireEvent.scroll(list(), { target: { scrollTop: 30 } })
  await waitFor(() => expect(asked()).toEqual([page(0), page(10)]))
  fireEvent.scroll(list(), { target: { scrollTop: 60 } })
  await waitFor(() => expect(asked()).toEqual([page(0), page(10), page(20)]))
  fireEvent.scroll(list(), { target: { scrollTop: 64 } })
  await userEvent.type(screen.getByRole('combobox'), 'env24')
  await userEvent.click(await screen.findByTitle('env24'))
  expect(value).toBe('l24')
  // The last page had no next one, so that scrolling on asked for nothing.
  expect(asked()).toEqual([page(0), page(10), page(20), page(0, { search: 'env24' })])
})

test('[B7.41 B7.31] the words of a stored value come by one call for it alone', async () => {
  show(<Field first="l7" />, '/', '/')
  await screen.findByText('env7')
  expect(asked()).toEqual([['GET', { ids: 'l7', limit: '1', offset: '0' }]])
})
