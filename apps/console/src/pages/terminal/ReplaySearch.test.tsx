import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../test/harness.tsx'
import { ReplaySearch } from './ReplaySearch.tsx'

const START = Date.parse('2026-01-31T09:00:00Z')
const found = (id: string) => ({
  id,
  user: 'Ada(ada)',
  asset: 'web-1',
  system_user: 'root',
  date_start: new Date(START).toISOString(),
  hits: [{ time: 65.5, text: 'an ERROR here', from: 3, to: 8 }],
  more: false,
})

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a text is looked for between the dates; a place plays from its second; older recordings follow when asked for', async () => {
  const calls = serve(({ query }: Call) =>
    query.get('after')
      ? { body: { results: [found('s2')], searched: 5, unread: 2, next: null } }
      : { body: { results: [found('s1')], searched: 200, unread: 0, next: 's1' } },
  )
  show(<ReplaySearch />, '/', '/', {})
  await userEvent.type(await screen.findByPlaceholderText('Text shown on screen'), 'error{Enter}')
  const place = await screen.findByRole<HTMLAnchorElement>('link', { name: '01:05' })
  expect(new URL(place.href).pathname + new URL(place.href).search).toBe(
    `/luna/replay/s1?timestamp=${START / 1000 + 65}`,
  )
  expect(screen.getByText('ERROR').tagName).toBe('MARK')
  expect(screen.queryByText(/could not be read/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Search older ones' }))
  await screen.findByText(/Recordings searched: 205/)
  // Never as if they had been read.
  await screen.findByText('Recordings that could not be read: 2')
  expect(screen.getAllByRole('link')).toHaveLength(2)
  expect(screen.queryByRole('button', { name: 'Search older ones' })).toBeNull()
  expect(calls.map(({ query }) => [query.get('q'), query.get('after')])).toEqual([
    ['error', null],
    ['error', 's1'],
  ])
  expect(Date.parse(calls[0]?.query.get('date_from') ?? '')).toBeLessThan(Date.now())
})

test('a refusal is said, and a text that is too short asks nothing', async () => {
  const calls = serve(() => ({ status: 503, body: { code: 'busy', detail: 'Too many recordings are being read.' } }))
  show(<ReplaySearch />, '/', '/', {})
  const box = await screen.findByPlaceholderText('Text shown on screen')
  await userEvent.type(box, 'x{Enter}')
  expect(calls).toEqual([])
  await userEvent.type(box, 'yz{Enter}')
  expect((await screen.findByRole('alert')).textContent).toBe('Too many recordings are being read.')
})
