/** Results of the command palette: pages of the menu, and objects that the person may see. */
import { hasPermission, PERMISSION } from '@sallyport/contract/access.ts'
import { api, type ListPage, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { addressOf, sidebarEntries } from '../../navigation/routes.ts'
import { onAdminPages, session } from '../../session/session.ts'
import type { Hit } from './hit.ts'
import { connectionTo, wantedTarget } from './palette-actions.ts'

const PAGES_SHOWN = 8
const OBJECTS_SHOWN = 5

/**
 * Pages whose title, group or English name holds every word; all of them, in menu order, while
 * nothing is typed.
 */
export function findPages(menu: readonly MenuEntry[], words: string): Hit[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const pages = sidebarEntries(menu).flatMap((entry) =>
    (entry.children ?? [entry]).map((page) => ({ page, group: entry.children ? t(entry.title) : t('Page') })),
  )
  return pages
    .filter(({ page, group }) => {
      const text = `${t(page.title)} ${group} ${page.title} ${page.path}`.toLowerCase()
      return wanted.every((word) => text.includes(word))
    })
    .slice(0, wanted.length === 0 ? undefined : PAGES_SHOWN)
    .map(({ page, group }) => ({
      title: t(page.title),
      kind: group,
      address: page.path,
      ...(page.external ? { external: true } : {}),
    }))
}

interface Source {
  kind: string
  path: string
  /** Undefined where the person has no page for such an object. */
  hit: (row: Row) => Pick<Hit, 'title' | 'address' | 'external'> | undefined
}

const detail = (name: string, title: (row: Row) => string): Source['hit'] => {
  return (row) => {
    const address = addressOf(name, { id: row.id })
    return address ? { title: title(row), address } : undefined
  }
}

/** The assets that the person may connect to, each opened in the web terminal. */
const granted = (title: (row: Row) => string): Source => ({
  kind: t('My assets'),
  path: '/api/v1/perms/users/assets/',
  hit: (row) => ({ title: title(row), address: connectionTo(row.id), external: true }),
})

/** Resources by the page that shows one of them: a person who has the page may read the list. */
function sources(): Source[] {
  if (!onAdminPages()) return [granted((row) => `${row.hostname} (${row.ip})`)]
  const audits = hasPermission(session().role, PERMISSION.audit)
  return [
    {
      kind: t('Users@@list'),
      page: 'UserDetail',
      path: '/api/v1/users/users/',
      title: (row: Row) => `${row.name} (${row.username})`,
    },
    {
      kind: t('Assets@@list'),
      page: 'AssetDetail',
      path: '/api/v1/assets/assets/',
      title: (row: Row) => `${row.hostname} (${row.ip})`,
    },
    {
      kind: t('Asset permissions'),
      page: 'AssetPermissionDetail',
      path: '/api/v1/perms/asset-permissions/',
      title: (row: Row) => String(row.name),
    },
    ...(audits
      ? [
          {
            kind: t('Sessions'),
            page: 'SessionDetail',
            path: '/api/v1/terminal/sessions/',
            title: (row: Row) =>
              `${nameOf(String(row.user))} → ${nameOf(String(row.asset))} (${row.login_from_display ?? row.login_from})`,
          },
        ]
      : []),
  ].flatMap(({ kind, page, path, title }) =>
    addressOf(page, { id: '' }) === undefined ? [] : [{ kind, path, hit: detail(page, title) }],
  )
}

/** Asks each list for a few rows with these words; a list that fails or refuses adds nothing. */
export async function findObjects(words: string, signal: AbortSignal): Promise<Hit[]> {
  const target = wantedTarget(words)
  // A comma parts words on the wire, all of which must match.
  const search = (target ?? words)
    .split(/[\s,]+/)
    .filter(Boolean)
    .join(',')
  const found = await Promise.allSettled(
    (target === undefined
      ? sources()
      : [granted((row) => t('Connect to {{name}}', { name: `${row.hostname} (${row.ip})` }))]
    ).map(async ({ kind, path, hit }) => {
      const page = await api.get<ListPage>(path, {
        query: { search, limit: OBJECTS_SHOWN, offset: 0 },
        quiet: true,
        signal,
      })
      return page.results.flatMap((row): Hit[] => {
        const made = hit(row)
        return made ? [{ ...made, kind }] : []
      })
    }),
  )
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
