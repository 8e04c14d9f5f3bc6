import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { api, onApi } from '../lib/api.ts'
import { serve } from '../test/harness.tsx'
import { keepAlive } from './keep-alive.ts'

const PROFILE = '/api/v1/users/profile/'

beforeEach(() => {
  vi.useFakeTimers()
  onApi({ answered: keepAlive })
})
afterEach(() => {
  vi.clearAllTimers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[B9.03 B4.14] thirty seconds after the last answer the profile is read once; its own answer asks for nothing more', async () => {
  const calls = serve(() => ({ body: {} }))
  const profiles = () => calls.filter(({ path }) => path === PROFILE).length
  await api.get('/api/v1/users/users/')
  await vi.advanceTimersByTimeAsync(20_000)
  await api.get('/api/v1/users/users/')
  await vi.advanceTimersByTimeAsync(29_999)
  expect(profiles()).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(profiles()).toBe(1)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(profiles()).toBe(1)
})

test('[B8.18 B8.02] a profile that is refused leads to the sign-in page and back here afterwards', async () => {
  const assign = vi.fn()
  vi.stubGlobal('location', { pathname: '/ui/users/users', search: '?page=2', assign })
  for (const status of [401, 403]) {
    serve(({ path }) => (path === PROFILE ? { status, body: { detail: 'no' } } : { body: {} }))
    await api.get('/api/v1/users/users/')
    await vi.advanceTimersByTimeAsync(30_000)
    expect(assign).toHaveBeenLastCalledWith('/core/auth/login/?next=%2Fui%2Fusers%2Fusers%3Fpage%3D2')
  }
  expect(assign).toHaveBeenCalledTimes(2)
})
