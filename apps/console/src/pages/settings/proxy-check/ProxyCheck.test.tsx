import { PROXY_CHECK } from '@sallyport/contract/proxy-check.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve, show, signIn } from '../../../test/harness.tsx'
import { ProxyCheck } from './ProxyCheck.tsx'

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const FINDINGS = [
  { name: 'host', state: 'ok', words: 'The name of the site arrives.', mend: '', lines: [], setting: '' },
  {
    name: 'address',
    state: 'error',
    words: 'The proxy is not named.',
    mend: 'Name it.',
    lines: [],
    setting: 'SALLYPORT_TRUSTED_PROXIES=10.0.0.5',
  },
  {
    name: 'buffering',
    state: 'warning',
    words: 'Answers are kept back.',
    mend: 'Have these lines.',
    lines: [
      { proxy: 'nginx', lines: ['proxy_buffering off;'] },
      { proxy: 'Caddy', lines: ['flush_interval -1'] },
    ],
    setting: '',
  },
]

test('the observations of the browser go to the server, and each fault is shown with the line that mends it', async () => {
  const calls = serve(({ path }) => {
    if (path === PROXY_CHECK.arrival) return { status: 502, body: {} }
    return path === PROXY_CHECK.findings ? { body: FINDINGS } : undefined
  })
  show(<ProxyCheck />, '/settings', '/settings')
  await userEvent.click(screen.getByRole('button', { name: 'Check the proxy' }))
  const [host, address, buffering] = await screen.findAllByRole('listitem')
  expect(host?.textContent).toBe('OKThe name of the site arrives.')
  expect(address?.textContent).toMatch(/^ErrorThe proxy is not named\.Name it\.SALLYPORT_TRUSTED_PROXIES=10\.0\.0\.5/)
  expect(
    within(buffering as HTMLElement)
      .getAllByRole('term')
      .map(({ textContent }) => textContent),
  ).toEqual(['nginx', 'Caddy'])
  expect(within(buffering as HTMLElement).getByRole('button', { name: 'Copy Caddy' })).toBeTruthy()
  const asked = calls.find(({ path }) => path === PROXY_CHECK.findings)
  expect(JSON.parse(asked?.query.get('observed') ?? '')).toMatchObject({
    site: location.origin,
    sends_origin: true,
    arrival: null,
    why: 'HTTP 502',
  })
})

test('where the server cannot judge, its words are shown', async () => {
  serve(({ path }) =>
    path === PROXY_CHECK.findings ? { status: 403, body: { detail: 'Not yours.' } } : { status: 404, body: {} },
  )
  show(<ProxyCheck />, '/settings', '/settings')
  await userEvent.click(screen.getByRole('button', { name: 'Check the proxy' }))
  expect(await screen.findByText('Not yours.')).toBeTruthy()
})
