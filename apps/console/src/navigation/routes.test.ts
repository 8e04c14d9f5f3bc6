import { PAGE_ROLE, PERMISSION } from '@sallyport/contract/access.ts'
import { expect, test } from 'vitest'
import { MENU } from '../pages/routes.ts'
import { currentRole } from '../session/roles.ts'
import { menuOf } from './menu.ts'
import { resourcePlaces } from './page-place.ts'
import { allowedEntries, groupRedirects, pageRoutes, sidebarEntries, viewerMenu } from './routes.ts'

const viewer = (role: number, licensed = false) => ({ role, licensed, settings: {} })
const paths = (role: number) => pageRoutes(viewerMenu(MENU, viewer(role))).map(({ path }) => path)

test('[A6.15 A6.20] auditors have audit pages with their details, and no admin pages', () => {
  expect(paths(2)).toEqual(
    expect.arrayContaining(['/dashboard', '/terminal/sessions', '/terminal/sessions/:id', '/audits/login-log']),
  )
  expect(paths(2).some((path) => path.startsWith('/assets'))).toBe(false)
  // An administrator or user without that right has none of them.
  const withoutAudit = [PERMISSION.admin, PERMISSION.super, PERMISSION.use, PERMISSION.admin | PERMISSION.use]
  for (const role of withoutAudit)
    expect([role, paths(role).filter((path) => /^\/(audits|terminal\/(sessions|commands))\b/.test(path))]).toEqual([
      role,
      [],
    ])
})

test('[A6.18] what says nothing else needs the admin right, and a detail page takes the right of its group', () => {
  const pagesOf = (role: number) => pageRoutes(viewerMenu(MENU, viewer(role, true))).map(({ path }) => path)
  const managed = ['users', 'assets', 'applications', 'accounts', 'perms', 'acl', 'ops']
  const groupOf = (path: string) => path.split('/')[1] ?? ''
  // Logs of tasks, the own profile and the first sign-in belong to everybody.
  const everybodys = pagesOf(PAGE_ROLE.Anon)
  const groups = (role: number) =>
    new Set(pagesOf(role).flatMap((path) => (everybodys.includes(path) ? [] : [groupOf(path)])))
  const [admin, audit] = [groups(PERMISSION.admin), groups(PERMISSION.audit)]
  expect(managed.filter((group) => !admin.has(group))).toEqual([])
  expect(managed.filter((group) => audit.has(group))).toEqual([])
  for (const path of ['/terminal/sessions/:id', '/tickets/tickets/:id', '/tickets/tickets/flow/:id'])
    expect([path, pagesOf(PERMISSION.audit).includes(path)]).toEqual([path, true])
  const entries = [
    { title: 'Plain', path: '/plain', name: 'Plain' },
    {
      title: 'Group',
      path: '/group',
      bits: PERMISSION.audit,
      children: [
        { title: 'Shown', path: '/group/shown', name: 'Shown' },
        { title: 'Hidden', path: '/group/:id', name: 'Hidden', hidden: true },
        { title: 'Own', path: '/group/own', name: 'Own', bits: PERMISSION.use },
      ],
    },
  ]
  const names = (role: number) => pageRoutes(allowedEntries(entries, viewer(role))).map(({ name }) => name)
  expect(names(PERMISSION.admin)).toEqual(['Plain'])
  expect(names(PERMISSION.audit)).toEqual(['Shown', 'Hidden'])
})

test('[A6.16] each of the bits super, admin and audit opens the admin pages, and use alone none of them', () => {
  for (const bit of [PERMISSION.super | PERMISSION.audit, PERMISSION.admin | PERMISSION.audit, PERMISSION.audit]) {
    const role = currentRole(bit | PERMISSION.use, undefined, true)
    expect(role & PERMISSION.use).toBe(0)
    expect(paths(role)).toContain('/dashboard')
  }
  const user = currentRole(PERMISSION.use, undefined, true)
  expect(user).toBe(PERMISSION.use)
  expect(paths(user)).not.toContain('/dashboard')
})

test('[A1.02 A1.08 A1.13] what administrators manage is in their menu: people, machines, permissions, rules, sessions, logs, settings, organizations', () => {
  const all = paths(PAGE_ROLE.SuperAdmin)
  const licensed = pageRoutes(viewerMenu(MENU, viewer(PAGE_ROLE.SuperAdmin, true))).map(({ path }) => path)
  const managed = [
    '/users/users',
    '/users/groups',
    '/assets/assets',
    '/perms/asset-permissions',
    '/terminal/sessions',
    '/audits/login-log',
    '/audits/ftp-log',
    '/audits/operate-log',
    '/audits/password-change-log',
    '/settings',
  ]
  for (const path of managed) expect(all.filter((one) => one === path || one.startsWith(`${path}/`))).not.toEqual([])
  for (const path of ['/xpack/orgs', '/acl/asset-acl', '/users/user-login-acl'])
    expect([path, licensed.some((one) => one.startsWith(path))]).toEqual([path, true])
})

test('[A6.19] platforms are for super administrators only, children of an admin group or not', () => {
  expect(paths(PAGE_ROLE.OrgAdmin)).not.toContain('/assets/platforms')
  expect(paths(PAGE_ROLE.OrgAdmin)).toContain('/assets/labels')
  expect(paths(PAGE_ROLE.SuperAdmin)).toContain('/assets/platforms')
})

test('[A2.63 A6.17] the user pages show while the role in use has the use bit', () => {
  const own = ['/', '/apps/database', '/apps/kubernetes', '/command-executions']
  expect(paths(PAGE_ROLE.User)).toEqual(expect.arrayContaining(own))
  expect(paths(PAGE_ROLE.User)).not.toContain('/dashboard')
  const { use, ...others } = PERMISSION
  for (const role of [PAGE_ROLE.Anon, PAGE_ROLE.SuperAdmin, PAGE_ROLE.OrgAdmin, ...Object.values(others)])
    expect([role, paths(role).filter((path) => own.includes(path))]).toEqual([role, []])
  expect(paths(use)).toEqual(paths(PAGE_ROLE.User))
})

test('a group without pages leaves no entry and no redirect behind', () => {
  const labels = resourcePlaces('Label', { menu: 'assets', path: '/assets/labels', titles: { List: 'Labels' } })
  const menu = viewerMenu(menuOf(labels), viewer(PAGE_ROLE.SuperAdmin))
  expect(sidebarEntries(menu).map(({ path }) => path)).toEqual(['/assets/labels'])
  expect(groupRedirects(menu)).toEqual([{ from: '/assets', to: '/assets/labels' }])
})

test('[A1.06 A2.21 A2.22 A2.23 A2.24] applications are a group of databases and clusters, with a license of remote apps too, where /xpack leads', () => {
  const menu = (licensed: boolean) => viewerMenu(MENU, viewer(PAGE_ROLE.SuperAdmin, licensed))
  const shown = (licensed: boolean) =>
    sidebarEntries(menu(licensed))
      .find(({ path }) => path === '/applications')
      ?.children?.map(({ path }) => path)
  expect(shown(false)).toEqual(['/applications/databases', '/applications/kubernetes'])
  expect(shown(true)).toEqual(['/applications/remote-apps', '/applications/databases', '/applications/kubernetes'])
  const from = (path: string) => groupRedirects(menu(true)).find((redirect) => redirect.from === path)?.to
  expect([from('/xpack'), from('/applications')]).toEqual(['/applications/remote-apps', '/applications/remote-apps'])
})

test('[A1.09 A2.25] accounts are in a group of their own with a license, which /accounts opens; without one there is neither', () => {
  const menu = (licensed: boolean) => viewerMenu(MENU, viewer(PAGE_ROLE.OrgAdmin, licensed))
  const groupOf = (licensed: boolean) => sidebarEntries(menu(licensed)).find(({ path }) => path === '/accounts')
  const pagesOf = (licensed: boolean) => pageRoutes(menu(licensed)).filter(({ path }) => path.startsWith('/accounts'))
  const shown = ['asset-accounts', 'application-accounts', 'gathered-user', 'change-auth-plan', 'backup']
  const inGroup = groupOf(true)?.children?.map(({ path }) => path.replace('/accounts/', ''))
  expect(inGroup?.slice(0, shown.length)).toEqual(shown)
  const from = (licensed: boolean) =>
    groupRedirects(menu(licensed)).find((redirect) => redirect.from === '/accounts')?.to
  expect(from(true)).toBe('/accounts/asset-accounts')
  expect([groupOf(false), pagesOf(false), from(false)]).toEqual([undefined, [], undefined])
})

test('[A2.43] jobs need no license: tasks first, batch commands while they are switched on, the task monitor for super administrators', () => {
  const jobs = (role: number, settings = {}) => {
    const menu = viewerMenu(MENU, { role, licensed: false, settings })
    const group = sidebarEntries(menu).find(({ path }) => path === '/ops')
    return { menu, shown: group?.children?.map(({ path }) => path) ?? [], pages: pageRoutes(menu) }
  }
  const { menu, shown, pages } = jobs(PAGE_ROLE.OrgAdmin)
  expect(groupRedirects(menu)).toContainEqual({ from: '/ops', to: '/ops/tasks' })
  expect(shown.slice(0, 2)).toEqual(['/ops/tasks', '/ops/command-executions/create'])
  expect(pages.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/ops/tasks/:id', '/ops/adhoc/:id', '/ops/executions/:id']),
  )
  expect(shown).not.toContain('/core/flower/')
  expect(jobs(PAGE_ROLE.SuperAdmin).shown).toContain('/core/flower/')
  const without = jobs(PAGE_ROLE.OrgAdmin, { SECURITY_COMMAND_EXECUTION: false })
  expect([...without.shown, ...without.pages.map(({ path }) => path)]).not.toContain('/ops/command-executions/create')
  expect(without.shown).toContain('/ops/tasks')
})

test('[A1.15] with a license administrators have the cloud centre, and system administrators the branding of the interface', () => {
  const xpack = (role: number, licensed: boolean) =>
    pageRoutes(viewerMenu(MENU, viewer(role, licensed))).flatMap(({ path }) =>
      path.startsWith('/xpack/') ? [path] : [],
    )
  const cloud = ['', '/account/create', '/accounts/:id', '/sync-instance-tasks/create', '/sync-instance-tasks/:id']
  expect(xpack(PAGE_ROLE.OrgAdmin, true)).toEqual(expect.arrayContaining(cloud.map((path) => `/xpack/cloud${path}`)))
  expect(xpack(PAGE_ROLE.OrgAdmin, true)).not.toContain('/xpack/interface-setting')
  expect(xpack(PAGE_ROLE.SuperAdmin, true)).toEqual(
    expect.arrayContaining(['/xpack/cloud', '/xpack/interface-setting']),
  )
  expect(xpack(PAGE_ROLE.SuperAdmin, false)).toEqual([])
})

test('[A2.34 A2.35] the rules about assets are under /acl with a license only: list, create, one rule and its change', () => {
  const menu = (licensed: boolean) => viewerMenu(MENU, viewer(PAGE_ROLE.OrgAdmin, licensed))
  const rulesOf = (licensed: boolean) =>
    pageRoutes(menu(licensed)).flatMap(({ path }) => (path.startsWith('/acl/') ? [path] : []))
  expect(rulesOf(true).toSorted()).toEqual([
    '/acl/asset-acl',
    '/acl/asset-acl/:id',
    '/acl/asset-acl/:id/update',
    '/acl/asset-acl/create',
  ])
  expect(rulesOf(false)).toEqual([])
  const fromAcl = (licensed: boolean) => groupRedirects(menu(licensed)).filter(({ from }) => from === '/acl')
  expect([fromAcl(true), fromAcl(false)]).toEqual([[{ from: '/acl', to: '/acl/asset-acl' }], []])
})

test('[A1.17 A1.20 A6.22 A6.23] pages that need a license go without one; hidden ones stay reachable', () => {
  const entries = [
    { title: 'Paid', path: '/paid', name: 'Paid', license: true },
    { title: 'Hidden', path: '/hidden', name: 'Hidden', hidden: true },
  ]
  expect(pageRoutes(allowedEntries(entries, viewer(16))).map(({ name }) => name)).toEqual(['Hidden'])
  expect(pageRoutes(allowedEntries(entries, viewer(16, true))).map(({ name }) => name)).toEqual(['Paid', 'Hidden'])
  expect(sidebarEntries(allowedEntries(entries, viewer(16, true))).map(({ name }) => name)).toEqual(['Paid'])
})

test('[A2.47 A2.66] tickets are audit pages and pages of every user while they are switched on; only system administrators change flows', () => {
  const ticketsOf = (role: number, settings = {}, licensed = true) =>
    pageRoutes(viewerMenu(MENU, { role, licensed, settings })).flatMap(({ path }) =>
      path.startsWith('/tickets') ? [path] : [],
    )
  const shared = [
    'request-asset-perm/create',
    'request-application-perm/create',
    'request-asset-perm/:id',
    'request-application-perm/:id',
    'login-asset-confirm/:id',
    'command-confirm/:id',
    ':id',
  ]
  const pages = shared.map((path) => `/tickets/tickets/${path}`)
  const flow = '/tickets/tickets/flow/:id'
  expect(ticketsOf(PERMISSION.audit)).toEqual(['/tickets/tickets', ...pages, flow])
  expect(ticketsOf(PAGE_ROLE.SuperAdmin)).toEqual([
    '/tickets/tickets',
    ...pages,
    '/tickets/flows/create',
    '/tickets/flows/:id/update',
    flow,
  ])
  expect(ticketsOf(PAGE_ROLE.User)).toEqual(['/tickets', ...pages])
  for (const role of [PAGE_ROLE.User, PAGE_ROLE.SuperAdmin])
    expect(ticketsOf(role, { TICKETS_ENABLED: false })).toEqual([])
  const fromTickets = (role: number) =>
    groupRedirects(viewerMenu(MENU, viewer(role, true))).filter(({ from }) => from === '/tickets')
  expect(fromTickets(PAGE_ROLE.SuperAdmin)).toEqual([{ from: '/tickets', to: '/tickets/tickets' }])
  expect(fromTickets(PAGE_ROLE.User)).toEqual([])
})

test('[A2.47 A2.52 A6.22] without a license tickets are in no menu, but who must decide gets to them; asking for access and flows are gone', () => {
  for (const role of [PAGE_ROLE.User, PAGE_ROLE.SuperAdmin]) {
    const menu = viewerMenu(MENU, viewer(role))
    const names = pageRoutes(menu).flatMap(({ name, path }) => (path.startsWith('/tickets') ? [name] : []))
    expect(names).toEqual([
      'TicketList',
      'AssetsTicketDetail',
      'ApplicationsTicketDetail',
      'LoginAssetTicketDetail',
      'CommandConfirmDetail',
      'TicketDetail',
    ])
    expect(sidebarEntries(menu).map(({ title }) => title)).not.toContain('Tickets')
  }
})
