/**
 * The menus: their groups stand here, the pages in them come from the page files
 * (docs/rules/console.md#menu). A page states its bits or takes its group's: falling back to admin
 * would lock auditors out of session details (A6.18).
 */
import { PERMISSION } from '@sallyport/contract/access.ts'
import { WIRE } from '@sallyport/contract/constants.ts'
import { msg } from '../lib/i18n.ts'
import type { MenuEntry } from './menu-entry.ts'
import type { MenuPart, PagePlace } from './page-place.ts'

const { admin, audit, use } = PERMISSION

/** All pages of the console in their menus, before anybody's rights are asked. */
export interface Menu {
  admin: readonly MenuEntry[]
  user: readonly MenuEntry[]
  /** Open to every role, never in a menu. */
  common: readonly MenuEntry[]
}

const webTerminal: MenuEntry = {
  title: msg('Web Terminal'),
  path: WIRE.webTerminalBase,
  name: 'WebTerminal',
  external: true,
}
const fileManager: MenuEntry = {
  title: msg('File manager'),
  path: WIRE.fileManagerBase,
  name: 'FileManager',
  external: true,
}

/**
 * A page of ours (`pages/ops/TaskMonitor.page.tsx`), under the address that the contract has
 * (A2.46).
 */
const taskMonitor: MenuEntry = {
  title: msg('Task monitor'),
  path: '/core/flower/',
  name: 'TaskMonitor',
  external: true,
  bits: PERMISSION.super,
}

/**
 * Command rules ask by tickets without a license, too: a person who is asked must get there. Asking for
 * access, and flows, need one.
 */
const tickets: MenuEntry = {
  title: msg('Tickets'),
  path: '/tickets',
  license: 'toShow',
  removed: ({ TICKETS_ENABLED }) => TICKETS_ENABLED === false,
}

/** Puts the pages into their places. */
export function menuOf(pages: readonly PagePlace[]): Menu {
  const inPart = (part: MenuPart) =>
    pages
      .filter(({ menu }) => menu === part)
      .sort((one, other) => (one.order ?? Infinity) - (other.order ?? Infinity) || 0)
  const group = (part: MenuPart, entry: MenuEntry, more: readonly MenuEntry[] = []) => ({
    ...entry,
    children: [...inPart(part), ...more],
  })
  return {
    admin: [
      ...inPart('admin-top'),
      group('users', { title: msg('Users'), icon: 'users', path: '/users', bits: admin }),
      group('assets', { title: msg('Assets'), icon: 'assets', path: '/assets', bits: admin }),
      group('applications', {
        title: msg('Applications'),
        icon: 'applications',
        path: '/applications',
        bits: admin,
        alwaysShow: true,
      }),
      group('accounts', { title: msg('Accounts'), icon: 'accounts', path: '/accounts', bits: admin, license: true }),
      group('perms', { title: msg('Permissions'), icon: 'permissions', path: '/perms', bits: admin, alwaysShow: true }),
      group('acl', { title: msg('Access rules'), icon: 'access-control', path: '/acl', bits: admin, license: true }),
      group('terminal', { title: msg('Sessions'), icon: 'sessions', path: '/terminal', bits: audit }, [
        webTerminal,
        fileManager,
      ]),
      group('ops', { title: msg('Job center'), icon: 'jobs', path: '/ops', bits: admin, alwaysShow: true }, [
        taskMonitor,
      ]),
      group('audits', { title: msg('Audits'), icon: 'audits', path: '/audits', bits: audit }),
      // Reached by the link in the top bar, not by the sidebar.
      group('tickets', { ...tickets, bits: audit }),
      group('xpack', {
        title: msg('X-Pack'),
        icon: 'xpack',
        path: '/xpack',
        bits: admin,
        license: true,
        // As existing links have it (A2.58, notes §1.33).
        leadsTo: '/applications/remote-apps',
      }),
      ...inPart('admin-bottom'),
    ],
    user: [
      ...inPart('user-top'),
      group('user-apps', {
        title: msg('My applications'),
        icon: 'applications',
        path: '/apps',
        bits: use,
        alwaysShow: true,
      }),
      { ...webTerminal, icon: 'terminal', bits: use },
      { ...fileManager, icon: 'files', bits: use },
      group('user-tickets', { ...tickets, icon: 'tickets', bits: use }),
    ],
    common: inPart('common'),
  }
}
