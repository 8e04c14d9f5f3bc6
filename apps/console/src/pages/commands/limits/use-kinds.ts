import type { Application } from '@sallyport/contract/resources/applications/application.ts'
import type { Asset } from '@sallyport/contract/resources/assets/asset.ts'
import { type CommandFilter, commandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import type { Platform } from '@sallyport/contract/resources/assets/platform.ts'
import type { SystemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { useQuery } from '@tanstack/react-query'
import { useStoredRows } from '../../../generic/rows/stored-rows.ts'
import { REFERENCES } from '../../../generic/view/references.ts'
import { api } from '../../../lib/api.ts'
import { keys } from '../../../lib/query.ts'
import { kindsOf } from './kinds-of.ts'
import type { TargetKind } from './target-limits.ts'

const pathOf = (name: string) => (REFERENCES[name] as { path: string }).path
const NONE: readonly string[] = []

/** The kinds of targets on which a filter is obeyed; undefined while they are not known. */
export function useKinds(filter: CommandFilter | undefined): TargetKind[] | undefined {
  const assets = useStoredRows(pathOf('asset'), filter?.assets ?? NONE)
  const systemUsers = useStoredRows(pathOf('system_user'), filter?.system_users ?? NONE)
  const applications = useStoredRows(pathOf('application'), filter?.applications ?? NONE)
  const platforms = useQuery({
    queryKey: keys.list(pathOf('platform'), { bases: true }),
    queryFn: ({ signal }) => api.get<Platform[]>(pathOf('platform'), { signal, quiet: true }),
    enabled: assets.named.size > 0,
    staleTime: 60_000,
  })
  const isWaiting = [assets, systemUsers, applications].some(({ waiting }) => waiting) || platforms.isLoading
  if (!filter || isWaiting) return undefined
  return kindsOf({
    isBoundToPeople: filter.users.length + filter.user_groups.length > 0,
    assets: [...assets.named.values()] as unknown as Asset[],
    systemUsers: [...systemUsers.named.values()] as unknown as SystemUser[],
    applications: [...applications.named.values()] as unknown as Application[],
    bases: new Map(platforms.data?.map(({ name, base }) => [name, base])),
  })
}

/** A filter by its id; undefined until it is there. */
export function useFilter(id: string): CommandFilter | undefined {
  const path = commandFilter.path
  return useQuery({
    queryKey: keys.one(path, id),
    queryFn: ({ signal }) => api.get<CommandFilter>(`${path}${encodeURIComponent(id)}/`, { signal, quiet: true }),
    enabled: id !== '',
  }).data
}
