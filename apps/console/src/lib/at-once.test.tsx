import { useQuery } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serve, show, signIn } from '../test/harness.tsx'
import { api, type ListPage } from './api.ts'
import { atOnce, without, withValues } from './at-once.ts'
import { keys } from './query.ts'

interface Lamp {
  id: string
  isOn: boolean
}
const PATH = '/api/v1/lamps/'

/** The rows of the server, whether it takes changes, and how often it was read. */
let stored: Lamp[]
let isRefusing: boolean
let reads: number
/** The change that is made next is on its way until then. */
let gate: Promise<unknown>

const afterGate =
  <T,>(send: () => Promise<T>) =>
  () =>
    gate.then(send)

function Lamps() {
  const { data } = useQuery({ queryKey: keys.list(PATH, {}), queryFn: () => api.get<ListPage<Lamp>>(PATH) })
  const one = useQuery({ queryKey: keys.one(PATH, 'l1'), queryFn: () => api.get<Lamp>(`${PATH}l1/`) })
  const turn = (id: string, isOn: boolean) =>
    void atOnce(
      PATH,
      withValues([id], { isOn }),
      afterGate(() => api.patch(`${PATH}${id}/`, { isOn })),
    ).catch(() => {})
  return (
    <>
      {data?.results.map(({ id, isOn }) => (
        <button key={id} type="button" aria-pressed={isOn} onClick={() => turn(id, !isOn)}>
          {id}
        </button>
      ))}
      <p>{`${data?.count} lamps, the first is ${one.data?.isOn ? 'on' : 'off'}`}</p>
      <button
        type="button"
        onClick={() =>
          void atOnce(
            PATH,
            without<Lamp>(({ id }) => id === 'l2'),
            afterGate(() => api.delete(`${PATH}l2/`)),
          ).catch(() => {})
        }
      >
        remove
      </button>
    </>
  )
}

const lamp = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-pressed')

afterEach(cleanup)
beforeEach(async () => {
  signIn()
  stored = [
    { id: 'l1', isOn: false },
    { id: 'l2', isOn: false },
  ]
  reads = 0
  isRefusing = false
  serve(({ method, path, body }) => {
    const id = path.slice(PATH.length, -1)
    if (method === 'GET') {
      reads++
      return { body: id ? stored.find((one) => one.id === id) : { count: stored.length, results: stored } }
    }
    if (isRefusing) return { status: 409, body: { detail: 'Not now' } }
    stored =
      method === 'DELETE'
        ? stored.filter((one) => one.id !== id)
        : stored.map((one) => (one.id === id ? { ...one, ...(body as Partial<Lamp>) } : one))
    return { body: {} }
  })
  show(<Lamps />, '/', '/')
  await screen.findByText('2 lamps, the first is off')
})

test('a change is shown before the server answers, in a list and in the row itself, and is read again then', async () => {
  const { promise, resolve } = Promise.withResolvers()
  gate = promise
  await userEvent.click(screen.getByRole('button', { name: 'l1' }))
  await screen.findByText('2 lamps, the first is on')
  expect([lamp('l1'), lamp('l2'), reads]).toEqual(['true', 'false', 2])
  resolve(undefined)
  await waitFor(() => expect(reads).toBe(4))
  expect(lamp('l1')).toBe('true')
})

test('a refusal takes the change back', async () => {
  const { promise, resolve } = Promise.withResolvers()
  gate = promise
  await userEvent.click(screen.getByRole('button', { name: 'remove' }))
  await screen.findByText('1 lamps, the first is off')
  isRefusing = true
  resolve(undefined)
  await screen.findByText('2 lamps, the first is off')
})

test('while a second change is on its way nothing is read that does not know of it', async () => {
  const first = Promise.withResolvers()
  const second = Promise.withResolvers()
  gate = first.promise
  await userEvent.click(screen.getByRole('button', { name: 'l1' }))
  await screen.findByText('2 lamps, the first is on')
  gate = second.promise
  await userEvent.click(screen.getByRole('button', { name: 'l2' }))
  await waitFor(() => expect(lamp('l2')).toBe('true'))
  first.resolve(undefined)
  await waitFor(() => expect(stored[0]?.isOn).toBe(true))
  expect([lamp('l1'), lamp('l2'), reads]).toEqual(['true', 'true', 2])
  second.resolve(undefined)
  await waitFor(() => expect(reads).toBe(4))
  expect([lamp('l1'), lamp('l2')]).toEqual(['true', 'true'])
})
