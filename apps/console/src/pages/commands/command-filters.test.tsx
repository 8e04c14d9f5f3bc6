import type { CommandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { boundTo } from './BoundTo.tsx'
import { WaysAround } from './limits/WaysAround.tsx'
import { OpenedRule } from './OpenedRule.tsx'

const ROUTES = {
  CommandFilterDetail: '/assets/cmd-filters/:id',
  CommandFilterRulesUpdate: '/assets/cmd-filters/rules/:id/update',
  CommandFilterList: '/assets/cmd-filters',
  CommandRuleLimits: '/assets/cmd-filters/limits',
  SystemUserList: '/assets/system-users',
  AssetDetail: '/assets/assets/:id',
  UserDetail: '/users/users/:id',
  KubernetesAppDetail: '/applications/kubernetes/:id',
}
const rule = {
  id: 'r1',
  priority: 7,
  action: 0,
  action_display: 'Deny',
  type: 'command',
  content: 'reboot\nshutdown',
  comment: 'Ask first.',
}
const filter = {
  id: 'f1',
  name: 'dangerous',
  users: [],
  user_groups: [],
  assets: [],
  applications: [],
  system_users: [],
  rules: [],
}
const filterWith = (change: Partial<CommandFilter>) => ({ ...filter, ...change }) as CommandFilter

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const opened = () => show(<OpenedRule filter="f1" id="r1" />, '/', '/', ROUTES)

test.each([
  [0, 'Denies commands in which it finds:'],
  [2, 'Has commands confirmed in which it finds:'],
  [9, 'Allows commands in which it finds:'],
])(
  '[A2.17] a link to a rule shows what it does (action %s), what it looks for, and leads to changing and trying it',
  async (action, output) => {
    serve(() => ({ body: { ...rule, action } }))
    opened()
    expect(await screen.findByText(output)).toBeDefined()
    expect(screen.getByRole('heading').textContent).toContain('Rule with priority 7')
    expect(screen.getByText(/^reboot\s+shutdown$/)).toBeDefined()
    expect(screen.getByText('Ask first.')).toBeDefined()
    const address = (name: string) => screen.getByRole('link', { name }).getAttribute('href')
    expect(address('Update')).toBe('/assets/cmd-filters/rules/r1/update?filter=f1')
    expect(address('Try it')).toBe('/assets/cmd-filters/f1?activeTab=try&rule=r1')
  },
)

test('[A2.17] a link to a rule that has been deleted says so; another failure does not claim it', async () => {
  serve(() => ({ status: 404, body: { detail: 'Not found.' } }))
  opened()
  expect(await screen.findByText('The rule that you came for has been deleted.')).toBeDefined()
  cleanup()
  const calls = serve(() => ({ status: 403, body: { detail: 'No.' } }))
  opened()
  await expect.poll(() => calls.length).toBeGreaterThan(0)
  expect(screen.queryByText('The rule that you came for has been deleted.')).toBeNull()
})

test('[A2.17] the targets of a filter are named, each leading to its page; a deleted one keeps its id', async () => {
  serve(({ path }) => ({
    body: {
      count: 1,
      next: null,
      previous: null,
      results: path.includes('/assets/assets/')
        ? [{ id: 'a1', hostname: 'web-1', ip: '10.0.0.1' }]
        : path.includes('/applications/')
          ? [{ id: 'k1', name: 'shop', category: 'cloud', type: 'k8s' }]
          : [],
    },
  }))
  const row = filterWith({ assets: ['a1'], applications: ['k1'], users: ['gone'] })
  const fields = boundTo.fields.filter((one) => typeof one === 'object')
  const shown = fields.filter((one) => one.has?.(row))
  expect(shown.map(({ field }) => field)).toEqual(['users', 'assets', 'applications'])
  show(
    shown.map(({ field, render }) => <p key={field}>{render?.(row)}</p>),
    '/',
    '/',
    ROUTES,
  )
  expect((await screen.findByRole('link', { name: 'web-1 10.0.0.1' })).getAttribute('href')).toBe('/assets/assets/a1')
  expect((await screen.findByRole('link', { name: 'shop k8s' })).getAttribute('href')).toBe(
    '/applications/kubernetes/k1',
  )
  expect((await screen.findByRole('link', { name: 'gone' })).getAttribute('href')).toBe('/users/users/gone')
})

test('[A2.17] a filter names the ways around on its own kinds of target, with the page on which each stronger means is set', async () => {
  serve(({ path }) => ({
    body: {
      count: 1,
      next: null,
      previous: null,
      results: path.includes('system-users') ? [{ id: 's1', name: 'reader', protocol: 'redis' }] : [],
    },
  }))
  show(<WaysAround row={filterWith({ system_users: ['s1'] })} />, '/', '/', ROUTES)
  const redis = (await screen.findByText('Redis')).closest('details') as HTMLElement
  expect(within(redis).getByText('empty a key by other means')).toBeDefined()
  expect(within(redis).getByRole('link', { name: 'System users', hidden: true }).getAttribute('href')).toBe(
    '/assets/system-users',
  )
  for (const other of ['Linux and Unix', 'Network equipment', 'Databases']) expect(screen.queryByText(other)).toBeNull()
  const whole = screen.getByRole('link', { name: /^What rules see and what they do not/, hidden: true })
  expect(whole.getAttribute('href')).toBe('/assets/cmd-filters/limits')
})
