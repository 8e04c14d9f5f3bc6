import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../../test/harness.tsx'
import { FirstRun } from './FirstRun.tsx'

const web = { id: 'a1', hostname: 'web-1', ip: '10.0.0.5' }
const deploy = { id: 's1', name: 'deploy', username: 'deploy' }
const ann = { id: 'u2', name: 'Ann', username: 'ann' }

/** What exists; a list each, by the path of its call. */
let there: Record<string, object[]>
/** The answer to a write, by its path; else it makes a row. */
let refusals: Record<string, object>

const ASSETS = '/api/v1/assets/assets/'
const ACCOUNTS = '/api/v1/assets/system-users/'
const PEOPLE = '/api/v1/users/users/'
const PERMISSIONS = '/api/v1/perms/asset-permissions/'
const MINE = '/api/v1/perms/users/assets/'
const DOMAINS = '/api/v1/assets/domains/'
const GATEWAYS = '/api/v1/assets/gateways/'
const SESSIONS = '/api/v1/terminal/sessions/'

function answer({ method, path, body }: Call) {
  if (method === 'GET') return { body: { count: there[path]?.length ?? 0, results: there[path] ?? [] } }
  if (refusals[path]) return { status: 400, body: refusals[path] }
  if (path.endsWith('shown-host-key/')) return { body: { fingerprint: 'SHA256:abc' } }
  if (!there[path]) return { status: 204 }
  const row = { id: `new-${path}`, ...(body as object) }
  there[path]?.push(row)
  if (path === PERMISSIONS && (row as unknown as { users: string[] }).users.includes('u1')) there[MINE] = [web]
  return { status: 201, body: row }
}

const open = () => show(<FirstRun />, '/', '/')
const isOpen = (name: RegExp) => screen.getByRole('button', { name }).getAttribute('aria-expanded')

beforeEach(() => {
  localStorage.clear()
  signIn()
  there = { [ASSETS]: [], [ACCOUNTS]: [], [PEOPLE]: [{ id: 'u1' }], [PERMISSIONS]: [], [MINE]: [], [SESSIONS]: [] }
  refusals = {}
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a machine is added after its host key was shown; what is wrong with it is beside the field', async () => {
  refusals = { [`${ASSETS}shown-host-key/`]: { ip: ['The server could not be reached'] } }
  const calls = serve(answer)
  open()
  await userEvent.type(await screen.findByLabelText('Address'), '10.0.0.5{Enter}')
  const field = screen.getByLabelText('Address')
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
  expect(screen.getByRole('alert').textContent).toBe('The server could not be reached')
  refusals = {}
  await userEvent.type(field, '{Enter}')
  await screen.findByText('SHA256:abc')
  expect(calls.some(({ method, path }) => method === 'POST' && path === ASSETS)).toBe(false)
  await userEvent.click(screen.getByRole('button', { name: 'Trust this key and add' }))
  await screen.findByLabelText('Username on 10.0.0.5')
  expect(calls.find(({ method, path }) => method === 'POST' && path === ASSETS)?.body).toEqual({
    hostname: '10.0.0.5',
    ip: '10.0.0.5',
    platform: 'Linux',
    protocols: ['ssh/22'],
    domain: null,
  })
  expect(calls.find(({ path }) => path.endsWith('/host-keys/confirm/'))?.body).toEqual({ fingerprint: 'SHA256:abc' })
  expect(document.activeElement).toBe(screen.getByLabelText('Username on 10.0.0.5'))
})

test('a machine behind a gateway: what is wrong with the gateway is mended in place, then the machine is asked through it', async () => {
  there[DOMAINS] = []
  there[GATEWAYS] = []
  const test = `${GATEWAYS}new-${GATEWAYS}/test-connective/`
  refusals = { [test]: { error: 'The server refused the login' } }
  const calls = serve(answer)
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Connect through a gateway' }))
  await userEvent.type(screen.getByLabelText('Address of the gateway'), '203.0.113.7')
  await userEvent.type(screen.getByLabelText('Username on the gateway'), 'hop')
  await userEvent.type(screen.getByLabelText('Password'), 'wrong{Enter}')
  await screen.findByText('The server refused the login')
  refusals = {}
  await userEvent.type(screen.getByLabelText('Password'), ' no more{Enter}')
  const through = await screen.findByLabelText<HTMLSelectElement>('Reached through')
  await waitFor(() => expect(through.selectedOptions[0]?.textContent).toBe('gateways of 203.0.113.7'))
  // One network and one gateway, changed by the second try.
  expect(calls.filter(({ method, path }) => method === 'POST' && [DOMAINS, GATEWAYS].includes(path))).toHaveLength(2)
  expect(calls.find(({ method }) => method === 'PATCH')?.body).toMatchObject({ password: 'wrong no more' })
  await userEvent.type(screen.getByLabelText('Address'), '10.0.0.5{Enter}')
  await userEvent.click(await screen.findByRole('button', { name: 'Trust this key and add' }))
  await screen.findByLabelText('Username on 10.0.0.5')
  const domain = `new-${DOMAINS}`
  expect(calls.find(({ path }) => path.endsWith('/shown-host-key/'))?.body).toMatchObject({ domain })
  expect(calls.find(({ method, path }) => method === 'POST' && path === ASSETS)?.body).toMatchObject({ domain })
})

test('an account that the machine refuses is not stored, unless somebody says so', async () => {
  there[ASSETS] = [web]
  refusals = { [`${ASSETS}a1/try-login/`]: { password: ['The server refused the login'] } }
  const calls = serve(answer)
  open()
  await userEvent.type(await screen.findByLabelText('Username on web-1'), 'deploy')
  await userEvent.type(screen.getByLabelText('Password'), 'wrong{Enter}')
  await screen.findByText('The server refused the login')
  expect(there[ACCOUNTS]).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'Save without testing' }))
  await screen.findByRole('button', { name: 'Add the person' })
  expect(calls.find(({ method, path }) => method === 'POST' && path === ACCOUNTS)?.body).toMatchObject({
    username: 'deploy',
    protocol: 'ssh',
  })
})

test('a person whose password somebody else typed changes it at the first sign-in, unless that is taken back', async () => {
  Object.assign(there, { [ASSETS]: [web], [ACCOUNTS]: [deploy] })
  const calls = serve(answer)
  const add = async (username: string) => {
    await userEvent.type(await screen.findByLabelText('Name'), 'Ann')
    await userEvent.type(screen.getByLabelText('Username'), username)
    await userEvent.type(screen.getByLabelText('Email'), 'ann@example.com')
    await userEvent.type(screen.getByLabelText('Password'), 'First-one-1{Enter}')
    await waitFor(() => expect(sent()?.username).toBe(username))
    return sent()?.need_update_password
  }
  const sent = () =>
    calls.filter(({ method, path }) => method === 'POST' && path === PEOPLE).at(-1)?.body as
      | { username: string; need_update_password: boolean }
      | undefined
  open()
  expect(await add('ann')).toBe(true)
  cleanup()
  there[PEOPLE] = [{ id: 'u1' }]
  open()
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Must change the password at the first sign-in' }))
  expect(await add('bo')).toBe(false)
})

test('steps tick themselves by what exists, the first missing one is open, and those before can be opened again', async () => {
  Object.assign(there, { [ASSETS]: [web], [ACCOUNTS]: [deploy], [PEOPLE]: [{ id: 'u1' }, ann] })
  serve(answer)
  open()
  const guide = within(await screen.findByRole('region', { name: 'Get started' }))
  guide.getByText('3 of 5')
  guide.getByText('Ann (ann)')
  expect([isOpen(/^Grant access/), isOpen(/^Add a server/)]).toEqual(['true', 'false'])
  expect(guide.getByRole<HTMLButtonElement>('button', { name: /^The first session/ }).disabled).toBe(true)
  await userEvent.click(guide.getByRole('button', { name: /^Add a server/ }))
  guide.getByLabelText('Address')
  await userEvent.click(guide.getByRole('button', { name: /^Grant access/ }))
  await userEvent.click(guide.getByRole('button', { name: 'Give access' }))
  await guide.findByText(/^Ann signs in at/)
  expect(there[PERMISSIONS]?.[0]).toMatchObject({ users: ['u2'], assets: ['a1'], system_users: ['s1'] })
  await userEvent.click(guide.getByRole('button', { name: 'Let me in, too' }))
  const link = await guide.findByRole('link', { name: 'Open a terminal on web-1' })
  expect(link.getAttribute('href')).toBe('/luna/?login_to=a1&system_user=s1')
})

test('one press lets the administrator in, alone', async () => {
  Object.assign(there, { [ASSETS]: [web], [ACCOUNTS]: [deploy] })
  serve(answer)
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Skip, just me for now' }))
  await screen.findByRole('link', { name: 'Open a terminal on web-1' })
  expect(there[PERMISSIONS]?.[0]).toMatchObject({ users: ['u1'] })
})

test('at its end the first session is watched or replayed, and the next steps are named', async () => {
  Object.assign(there, { [ASSETS]: [web], [ACCOUNTS]: [deploy], [MINE]: [web], [PERMISSIONS]: [{ id: 'p1' }] })
  serve(answer)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], shouldAdvanceTime: true })
  open()
  await screen.findByRole('link', { name: 'Open a terminal on web-1' })
  there[SESSIONS] = [{ id: 'x', is_finished: false, can_replay: false }]
  await vi.advanceTimersByTimeAsync(5000)
  expect((await screen.findByRole('link', { name: 'Watch it' })).getAttribute('href')).toBe('/luna/monitor/x')
  screen.getByRole('heading', { name: 'Your first session is recorded' })
  screen.getByRole('link', { name: 'Write a command rule' })
  there[SESSIONS] = [{ id: 'x', is_finished: true, can_replay: true }]
  await vi.advanceTimersByTimeAsync(5000)
  expect((await screen.findByRole('link', { name: 'Replay it' })).getAttribute('href')).toBe('/luna/replay/x')
  vi.useRealTimers()
})

test('it is not there for who needs none: where there were sessions, for others than administrators, and once sent away', async () => {
  there[SESSIONS] = [{ id: 'x' }]
  const calls = serve(answer)
  open()
  await waitFor(() => expect(localStorage.getItem('first_run_ada_00000000-0000-0000-0000-000000000002')).toBe('gone'))
  cleanup()
  localStorage.clear()
  there[SESSIONS] = []
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Not now' }))
  await waitFor(() => expect(screen.queryByText('Get started')).toBeNull())
  expect(calls.some(({ path }) => path === '/api/v1/users/profile/dismiss-guide/')).toBe(true)
  expect(localStorage.length).toBe(0)
  cleanup()
  calls.length = 0
  open()
  cleanup()
  signIn({ bits: 0 })
  open()
  expect([calls.length, screen.queryByText('Get started')]).toEqual([0, null])
})
