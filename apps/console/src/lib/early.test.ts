import { afterEach, expect, test, vi } from 'vitest'
import { serve } from '../test/harness.tsx'
import { api, setRequestOrg } from './api.ts'
import { callEarly } from './early.ts'

const PATH = '/api/v1/users/profile/'
afterEach(() => {
  setRequestOrg(undefined)
  vi.unstubAllGlobals()
})

test('a call that was sent early is not sent again, but for the next time', async () => {
  const calls = serve(() => ({ body: { name: 'Ada' } }))
  setRequestOrg('one')
  callEarly(PATH, 'one', 1000)
  expect([await api.get(PATH), calls.length]).toEqual([{ name: 'Ada' }, 1])
  await api.get(PATH)
  expect(calls).toHaveLength(2)
})

test('an early answer for another organization, or another address, is not taken', async () => {
  const calls = serve(() => ({ body: {} }))
  setRequestOrg('two')
  callEarly(PATH, 'one', 1000)
  await api.get(PATH)
  await api.get(PATH, { query: { oid: 'two' } })
  expect(calls).toHaveLength(3)
})

test('an early call that was refused, or found no server, fails like any other', async () => {
  serve(() => ({ status: 403, body: { detail: 'not you' } }))
  callEarly(PATH, undefined, 1000)
  await expect(api.get(PATH)).rejects.toThrow('not you')
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('network')
  })
  callEarly(PATH, undefined, 1000)
  await expect(api.get(PATH)).rejects.toThrow('The server cannot be reached')
})
