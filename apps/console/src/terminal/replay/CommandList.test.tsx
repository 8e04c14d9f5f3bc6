import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { CommandList } from './CommandList.tsx'
import { fileMarker } from './markers.ts'

const START = 1_700_000_000

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A1.10] commands come 30 at a time in the order of their time, within the time of the session, and a click tells the second', async () => {
  const asked: URLSearchParams[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    const query = new URL(address, 'http://door').searchParams
    asked.push(query)
    const offset = Number(query.get('offset'))
    const results = Array.from({ length: Math.min(30, 40 - offset) }, (_, index) => ({
      id: `c${offset + index}`,
      input: `command ${offset + index}`,
      risk_level: 0,
      timestamp: START + (offset + index) * 60,
    }))
    return new Response(
      JSON.stringify({ count: 40, next: offset + 30 < 40 ? 'more' : null, previous: null, results }),
      {
        headers: { 'content-type': 'application/json' },
      },
    )
  })
  const onSeek = vi.fn()
  render(
    <CommandList
      sessionId="s1"
      start={START}
      dateStart="2023-11-14T22:13:20Z"
      dateEnd="2023-11-14T23:13:20Z"
      onSeek={onSeek}
    />,
  )
  fireEvent.click(await screen.findByText('command 29'))
  expect(onSeek).toHaveBeenCalledWith(29 * 60)
  expect(screen.getByText('29:00')).toBeTruthy()
  expect(Object.fromEntries(asked[0] ?? [])).toEqual({
    session_id: 's1',
    order: 'timestamp',
    limit: '30',
    offset: '0',
    date_from: '2023-11-14T22:12:20.000Z',
    date_to: '2023-11-14T23:14:20.000Z',
  })
  fireEvent.scroll(screen.getByRole('navigation', { name: 'Commands' }))
  expect(await screen.findByText('command 39')).toBeTruthy()
  expect(asked).toHaveLength(2)
  expect(screen.queryByText('More')).toBeNull()
})

test('files that went through the terminal are among the commands of their time, and lead there', async () => {
  const results = [0, 60].map((after) => ({
    id: `c${after}`,
    input: `command at ${after}`,
    risk_level: 0,
    timestamp: START + after,
  }))
  vi.stubGlobal(
    'fetch',
    async () =>
      new Response(JSON.stringify({ count: 2, next: null, previous: null, results }), {
        headers: { 'content-type': 'application/json' },
      }),
  )
  const onSeek = vi.fn()
  render(
    <CommandList
      sessionId="s1"
      start={START}
      dateStart="2023-11-14T22:13:20Z"
      dateEnd="2023-11-14T23:13:20Z"
      markers={[
        fileMarker({ operate: 'Download', filename: 'down.bin', is_success: true }, 30),
        fileMarker({ operate: 'Upload', filename: 'up.bin', is_success: false }, 90),
        { time: 1, label: 'a command', isDangerous: false },
      ]}
      onSeek={onSeek}
    />,
  )
  await screen.findByText('command at 60')
  expect(screen.getAllByRole('button').map((entry) => entry.textContent)).toEqual([
    '00:00command at 0',
    '00:30File from the asset: down.bin',
    '01:00command at 60',
    '01:30File to the asset: up.bin · failed',
  ])
  fireEvent.click(screen.getByText('File from the asset: down.bin'))
  expect(onSeek).toHaveBeenCalledWith(30)
})
