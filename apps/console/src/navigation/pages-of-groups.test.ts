/** The entries of each group of the menu, for whom, and that a page is there behind each address. */
import { PAGE_ROLE, PERMISSION } from '@sallyport/contract/access.ts'
import { describe, expect, test } from 'vitest'
import { DOMAIN_OF, MENU } from '../pages/routes.ts'
import { baseName, groupRedirects, type PageRoute, pageRoutes, sidebarEntries, viewerMenu } from './routes.ts'

type Built = Readonly<Record<string, unknown>>
const domains = import.meta.glob<Readonly<Record<string, Built>>>('../pages/*/index.ts', { import: 'pages' })

const menuOfRole = (role: number, licensed = true) => viewerMenu(MENU, { role, licensed, settings: {} })
const shown = (role: number, group: string, licensed = true) =>
  sidebarEntries(menuOfRole(role, licensed))
    .find(({ path }) => path === group)
    ?.children?.map(({ path }) => path) ?? []
const leadsTo = (role: number, group: string) => groupRedirects(menuOfRole(role)).find(({ from }) => from === group)?.to
const pagesOf = (role: number, licensed = true) => pageRoutes(menuOfRole(role, licensed))

/** Whether something draws the page: a component of its name, or what its resource shows there. */
async function isDrawn({ name }: PageRoute): Promise<boolean> {
  const files = (await domains[`../pages/${DOMAIN_OF.get(name)}/index.ts`]?.()) ?? {}
  const built: Built = Object.assign({}, ...Object.values(files))
  if (typeof built[name] === 'function') return true
  const base = baseName(name)
  const part = { List: 'list', Create: 'form', Update: 'form', Detail: 'detail' }[name.slice(base.length)] ?? ''
  return Boolean((built[base] as Built | undefined)?.[part])
}

/** The addresses of a resource, as what follows its own; each leads to a page that is there. */
async function below(address: string, role: number = PAGE_ROLE.SuperAdmin, licensed = true): Promise<string[]> {
  const pages = pagesOf(role, licensed).filter(({ path }) => path === address || path.startsWith(`${address}/`))
  for (const page of pages) expect([page.name, await isDrawn(page)]).toEqual([page.name, true])
  return pages.map(({ path }) => path.slice(address.length)).toSorted()
}

const ALL = ['', '/:id', '/:id/update', '/create']

describe('users', () => {
  test('[A2.10] groups have a list, a form to create and change one, and a page', async () => {
    expect(await below('/users/groups')).toEqual(ALL)
    expect(await below('/users/groups', PAGE_ROLE.OrgAdmin)).toEqual(ALL)
  })

  test('[A2.11] sign-in rules are created, shown and changed at addresses of their own, and listed with their person', async () => {
    expect(await below('/users/user-login-acl')).toEqual(['/:id', '/:id/update', '/create'])
  })
})

describe('assets', () => {
  test('[A2.12] /assets leads to the assets; what belongs to them is in the same group', () => {
    expect(leadsTo(PAGE_ROLE.SuperAdmin, '/assets')).toBe('/assets/assets')
    expect(shown(PAGE_ROLE.SuperAdmin, '/assets')).toEqual([
      '/assets/assets',
      '/assets/domains',
      '/assets/system-users',
      '/assets/platforms',
      '/assets/cmd-filters',
      '/assets/labels',
      '/assets/ssh-authorities',
      '/assets/host-authorities',
    ])
    expect(shown(PERMISSION.audit, '/assets')).toEqual([])
  })

  test('[A2.13] assets have all pages, and one more to change what is known of the hardware', async () => {
    expect(await below('/assets/assets')).toEqual([...ALL, '/detail/:id/update'].toSorted())
  })

  test('[A2.14] domains have all pages', async () => {
    expect(await below('/assets/domains')).toEqual(ALL)
  })

  test('[A2.15] gateways are created and changed; they are listed with their domain', async () => {
    expect(await below('/assets/gateways')).toEqual(['/:id/update', '/create'])
  })

  test('[A2.16] system users have all pages', async () => {
    expect(await below('/assets/system-users')).toEqual(ALL)
  })

  test('[A2.17] command filters have all pages', async () => {
    expect(await below('/assets/cmd-filters')).toEqual(expect.arrayContaining(ALL))
  })

  test('[A2.18] rules of command filters are created and changed; they are listed with their filter', async () => {
    expect(await below('/assets/command-filter-rules')).toEqual(['/:id/update', '/create'])
  })

  test('[A2.19] platforms have all pages, for system administrators alone', async () => {
    expect(await below('/assets/platforms')).toEqual(ALL)
    expect(await below('/assets/platforms', PAGE_ROLE.OrgAdmin)).toEqual([])
  })

  test('[A2.20] labels are listed, created and changed, and have no page of their own', async () => {
    expect(await below('/assets/labels')).toEqual(['', '/:id/update', '/create'])
  })
})

test('[A1.07 A2.31] permissions on assets and on applications are in one group, to which /perms leads', async () => {
  expect(leadsTo(PAGE_ROLE.OrgAdmin, '/perms')).toBe('/perms/asset-permissions')
  expect(shown(PAGE_ROLE.OrgAdmin, '/perms')).toEqual([
    '/perms/asset-permissions',
    '/perms/app-permissions',
    '/perms/access-check',
    '/perms/suggestions',
  ])
  expect(await below('/perms/asset-permissions')).toEqual(['', '/:id', '/create'])
  expect(await below('/perms/asset-permission')).toEqual(['/:id/update'])
  expect(await below('/perms/app-permissions')).toEqual(ALL)
})

describe('what auditors have', () => {
  test('[A2.36] sessions are in a group for a person who audits, and for nobody else', () => {
    expect(leadsTo(PERMISSION.audit, '/terminal')).toBe('/terminal/sessions')
    expect(shown(PERMISSION.audit, '/terminal')).toEqual(
      expect.arrayContaining(['/terminal/sessions', '/terminal/commands']),
    )
    expect(shown(PERMISSION.admin, '/terminal')).toEqual([])
  })

  test('[A2.37] sessions have a list and a page each, and nothing to create or change', async () => {
    expect(await below('/terminal/sessions', PERMISSION.audit)).toEqual(['', '/:id'])
  })

  test('[A2.39] the web terminal in that group is a place of its own, outside of the console', () => {
    const entries = sidebarEntries(menuOfRole(PERMISSION.audit)).find(({ path }) => path === '/terminal')?.children
    expect(entries?.find(({ name }) => name === 'WebTerminal')).toMatchObject({ path: '/luna/', external: true })
    expect(pagesOf(PERMISSION.audit).map(({ name }) => name)).not.toContain('WebTerminal')
  })

  test('[A2.55] logs are in a group for a person who audits, and for nobody else', async () => {
    expect(leadsTo(PERMISSION.audit, '/audits')).toBe('/audits/login-log')
    expect(shown(PERMISSION.audit, '/audits')).toEqual(
      expect.arrayContaining(['login', 'ftp', 'operate', 'password-change'].map((log) => `/audits/${log}-log`)),
    )
    expect(shown(PERMISSION.admin, '/audits')).toEqual([])
    const logs = shown(PERMISSION.audit, '/audits').filter((path) => path.startsWith('/audits/'))
    for (const log of logs) expect(await below(log, PERMISSION.audit)).toEqual([''])
    expect(await below('/reviews', PERMISSION.audit), 'only administrators begin and change reviews').toEqual([
      '',
      '/:id',
    ])
  })
})

test('[A2.62] pages to create, change or look at one thing are in no menu', () => {
  for (const role of [PAGE_ROLE.SuperAdmin, PAGE_ROLE.OrgAdmin, PERMISSION.audit, PAGE_ROLE.User]) {
    const inMenu = sidebarEntries(menuOfRole(role)).flatMap((entry) => entry.children ?? [entry])
    const ofOne = inMenu.filter(({ name = '', path }) => /(Create|Update|Detail)$/.test(name) || path.includes(':'))
    expect(ofOne).toEqual([])
    expect(pagesOf(role).filter(({ path }) => path.includes(':')).length).toBeGreaterThan(0)
  }
})

test('[A1.12] tickets are there for a person who asks and a person who decides; who decides is set up by flows', async () => {
  expect(await below('/tickets/tickets/request-asset-perm', PAGE_ROLE.User)).toEqual(['/:id', '/create'])
  expect(await below('/tickets/flows')).toEqual(['/:id/update', '/create'])
  expect(await below('/tickets/flows', PAGE_ROLE.User)).toEqual([])
})

test('[A0.01 B0.01] system administrators, administrators of organizations, auditors and everybody else each begin with what is theirs', () => {
  const groups = (role: number) => sidebarEntries(menuOfRole(role)).map(({ path }) => path)
  expect(groups(PAGE_ROLE.SuperAdmin)).toEqual(expect.arrayContaining(['/users', '/assets', '/perms', '/settings']))
  expect(groups(PAGE_ROLE.OrgAdmin)).toEqual(expect.arrayContaining(['/users', '/assets', '/perms']))
  expect(groups(PAGE_ROLE.OrgAdmin)).not.toContain('/settings')
  expect(groups(PERMISSION.audit)).toEqual(expect.arrayContaining(['/dashboard', '/terminal', '/audits']))
  expect(groups(PERMISSION.audit)).not.toContain('/users')
  expect(groups(PAGE_ROLE.User)).toEqual(expect.arrayContaining(['/', '/apps', '/luna/']))
  expect(groups(PAGE_ROLE.User)).not.toContain('/dashboard')
})

test('[B1.01] everything that the console manages has a page, for a person who manages it', async () => {
  const pages = pagesOf(PAGE_ROLE.SuperAdmin)
  for (const path of [
    '/assets/assets',
    // Common and privileged ones are two tabs.
    '/assets/system-users',
    '/accounts/application-accounts',
    '/perms/asset-permissions',
    '/perms/app-permissions',
    '/acl/asset-acl',
    '/assets/domains',
    '/assets/gateways/create',
    '/terminal/sessions',
    '/tickets/tickets',
    '/ops/tasks',
    '/audits/login-log',
    '/audits/operate-log',
    '/xpack/orgs',
    '/xpack/cloud',
    '/accounts/backup',
    '/settings',
  ]) {
    const page = pages.find((one) => one.path === path)
    expect([path, page && (await isDrawn(page))]).toEqual([path, true])
  }
})

test('[A2.68] names without an address of the console are words of the menu that lead elsewhere, or to pages of ours', async () => {
  const named = (role: number) =>
    new Map(
      sidebarEntries(menuOfRole(role))
        .flatMap((entry) => [entry, ...(entry.children ?? [])])
        .map(({ name, path, title, external = false }) => [name ?? path, { path, title, external }]),
    )
  for (const role of [PERMISSION.audit, PAGE_ROLE.User]) {
    expect(named(role).get('WebTerminal')).toMatchObject({ title: 'Web Terminal', external: true })
    expect(named(role).get('FileManager')).toMatchObject({ title: 'File manager', external: true })
  }
  expect(named(PERMISSION.audit).get('CommandList')?.title).toBe('Commands')
  expect(named(PAGE_ROLE.SuperAdmin).get('TerminalList')?.title).toBe('Terminal@@menu')
  expect(named(PAGE_ROLE.SuperAdmin).get('/ops')?.title).toBe('Job center')
  expect(named(PAGE_ROLE.User).get('MyAssets')?.title).toBe('My assets')
  expect(named(PAGE_ROLE.User).get('/apps')?.title).toBe('My applications')
  const messages = pagesOf(PAGE_ROLE.User).find(({ name }) => name === 'SiteMessageList')
  expect(messages && (await isDrawn(messages))).toBe(true)
})

test('every page of every menu is there', async () => {
  const roles = [PAGE_ROLE.SuperAdmin, PAGE_ROLE.User]
  const missing = await Promise.all(
    roles.flatMap((role) => pagesOf(role).map(async (page) => ((await isDrawn(page)) ? [] : [page.name]))),
  )
  expect(missing.flat()).toEqual([])
})
