import type { Source } from '../source/source.ts'

/** Their tables that say how large an installation is; a version has one table of each kind at most. */
const COUNTED: readonly (readonly [label: string, ...tables: string[]])[] = [
  ['Organizations', 'orgs.organization'],
  ['Users', 'users.user'],
  ['Assets', 'assets.asset'],
  ['Accounts', 'accounts.account', 'assets.authbook'],
  ['Permissions', 'perms.assetpermission'],
  ['Sessions', 'terminal.session'],
  ['Commands', 'terminal.command'],
]

/** How many rows of each kind a database of theirs has. */
export async function countsOf(source: Source): Promise<{ label: string; count: number }[]> {
  const counts: { label: string; count: number }[] = []
  for (const [label, ...tables] of COUNTED) {
    const table = tables.find((one) => source.has(one))
    if (table) counts.push({ label, count: await source.count(table) })
  }
  return counts
}
