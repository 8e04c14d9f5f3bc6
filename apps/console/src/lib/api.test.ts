import { afterEach, expect, test, vi } from 'vitest'
import { serve } from '../test/harness.tsx'
import { ApiError, api, errorText, onApi, setRequestOrg } from './api.ts'

afterEach(() => {
  setRequestOrg(undefined)
  vi.unstubAllGlobals()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('[B7.01 B6.04] every call carries the CSRF token, the organization and the time zone, and wants no key passed over', async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'csrftoken=token-1; path=/'
  setRequestOrg('org-1')
  const seen: HeadersInit[] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    seen.push(init.headers as HeadersInit)
    return new Response('{}', { headers: { 'content-type': 'application/json' } })
  })
  await api.post('/api/v1/x/', { a: 1 })
  expect(seen[0]).toMatchObject({
    'X-CSRFToken': 'token-1',
    'X-JMS-ORG': 'org-1',
    Prefer: 'handling=strict',
    'X-TZ': Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
})

test('[B8.02] a 401 is reported as signed out, but not for the profile', async () => {
  const signedOut = vi.fn()
  onApi({ signedOut, showError: () => {}, answered: () => {} })
  serve(() => ({ status: 401, body: { detail: 'no', code: 'not_authenticated' } }))
  await expect(api.get('/api/v1/users/profile/')).rejects.toThrow(ApiError)
  expect(signedOut).not.toHaveBeenCalled()
  await expect(api.get('/api/v1/users/users/')).rejects.toThrow(ApiError)
  expect(signedOut).toHaveBeenCalledOnce()
})

test('[B8.04 B8.05 B8.07 B8.08] errors read from error, msg, detail; else the words of the status', () => {
  expect(errorText(new ApiError(400, { detail: 'd', msg: 'm', error: 'e' }, ''))).toBe('e')
  expect(errorText(new ApiError(400, { detail: 'd', msg: 'm' }, ''))).toBe('m')
  expect(errorText(new ApiError(400, { msg: 'The cloud is away', error: 'cloud_unavailable' }, ''))).toBe(
    'The cloud is away',
  )
  expect(errorText(new ApiError(400, { error: 'cloud_unavailable' }, ''))).toBe('cloud_unavailable')
  expect(errorText(new ApiError(400, { name: ['x'] }, ''))).toBe('Bad request, please check again')
  expect(errorText(new ApiError(403, {}, ''))).toBe('Bad request, no permission for this operation')
  expect(errorText(new ApiError(409, {}, ''))).toBe('Refreshing, please try again later')
  expect(errorText(new ApiError(502, undefined, '502 Bad Gateway'))).toBe('502 Bad Gateway')
})

test('a request that a proxy before the server refuses for its size says who can mend it', async () => {
  const page = '<html><head><title>413 Request Entity Too Large</title></head></html>'
  vi.stubGlobal('fetch', async () => new Response(page, { status: 413, headers: { 'content-type': 'text/html' } }))
  const refusal = await api.post('/api/v1/x/', { a: 1 }, { quiet: true }).catch((error: unknown) => error)
  expect(errorText(refusal)).toMatch(/^The proxy before this site refuses requests of this size.*client_max_body_size/)
  // The server's own words stay.
  expect(errorText(new ApiError(413, { detail: 'The file is larger than an import may be.' }, ''))).toBe(
    'The file is larger than an import may be.',
  )
})

test('[B4.14] every answer but the profile’s starts the keep-alive', async () => {
  const answered = vi.fn()
  onApi({ answered })
  serve(() => ({ body: {} }))
  await api.get('/api/v1/users/profile/')
  expect(answered).not.toHaveBeenCalled()
  await api.get('/api/v1/users/users/')
  expect(answered).toHaveBeenCalledOnce()
})

test('[B9.01] a call that is not answered within a minute is given up, and says so', async () => {
  vi.useFakeTimers()
  // The clock of the platform behind it cannot be turned by hand.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((delay) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), delay)
    return controller.signal
  })
  const showError = vi.fn()
  onApi({ showError })
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  const failure = api.get('/api/v1/users/users/').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(59_999)
  expect(showError).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(showError).toHaveBeenCalledExactlyOnceWith('The server did not answer in time')
  expect(await failure).toMatchObject({ status: 0 })
})
