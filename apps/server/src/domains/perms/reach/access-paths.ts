import type { AccessPath } from '@sallyport/contract/resources/perms/access-person.ts'
import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { grantFamily } from '../families.ts'
import { type Among, type NamedPath, namedPaths, pathsAmong } from './paths.ts'

/** Paths of one person and target that a list names; the others are left out. */
const MOST = 50

type Query = ReadContext['query']

/** The subject of a list of access. */
export interface About {
  user?: string
  target?: Target
  permission?: string
}

/**
 * Reads what a list is about: exactly one of these keys.
 * @throws AppError 400 for none, several, or an unreadable one
 */
export function aboutWhat(query: Query, keys: readonly AboutKey[]): About {
  const given = keys.filter((key) => query[key])
  const [key, more] = given
  const [first] = keys
  if (!key) throw invalid({ [first as AboutKey]: 'This field is required.' })
  const id = query[key]
  if (more) throw invalid({ [more]: 'Only one of these can be given' })
  if (!isUuid(id)) throw invalid({ [key]: 'This value cannot be read.' })
  return ABOUT[key](id)
}

type AboutKey = 'asset_id' | 'application_id' | 'user_id' | 'permission_id'
const ABOUT: Readonly<Record<AboutKey, (id: string) => About>> = {
  asset_id: (id) => ({ target: { family: 'asset', id } }),
  application_id: (id) => ({ target: { family: 'application', id } }),
  user_id: (user) => ({ user }),
  permission_id: (permission) => ({ permission }),
}

/** All paths of a page of rows, by one query a family. */
export async function loadPaths(
  { db }: Pick<ReadContext, 'db'>,
  among: readonly (Among & { family: TargetFamily })[],
): Promise<NamedPath[]> {
  const found = await Promise.all(
    among.map(async (one) => {
      const family = grantFamily(one.family)
      return family ? (await db.execute<NamedPath>(namedPaths(pathsAmong(family, one), one.family, MOST))).rows : []
    }),
  )
  return found.flat()
}

/** The columns about access of one row, from its paths. */
export function accessOf(paths: readonly NamedPath[]) {
  const accounts = new Set(paths.flatMap((path) => path.accounts.map(({ name }) => name)))
  const ends = paths.map(({ date_expired }) => new Date(date_expired)).sort((a, b) => b.getTime() - a.getTime())
  return {
    accounts: [...accounts].join(', '),
    ways: paths.map(inLine).join('\n'),
    date_expired: ends[0] ?? null,
    paths: paths.map(onWire),
  }
}

const namedOrNull = (id: string | null, name: string | null) => (id ? { id, name: name ?? '' } : null)

const onWire = (path: NamedPath): AccessPath => ({
  user: namedOrNull(path.user_id, path.user_name),
  user_group: namedOrNull(path.group_id, path.group_name),
  permission: { id: path.permission, name: path.permission_name, family: path.family },
  node: namedOrNull(path.node_id, path.node_name),
  target: path.target_id
    ? { id: path.target_id, name: path.target_name ?? '', family: path.family, category: path.category }
    : null,
  system_users: path.accounts,
  databases: path.databases,
  date_expired: new Date(path.date_expired).toISOString(),
})

/** From the person to the account, what the permission names by the way. */
const inLine = (path: NamedPath) =>
  [
    path.user_name,
    path.group_name,
    path.permission_name,
    path.node_name,
    path.target_name,
    path.accounts.map(({ name }) => name).join(', '),
  ]
    .filter(Boolean)
    .join(' → ')
