import type { Application } from '@sallyport/contract/resources/applications/application.ts'
import type { Asset } from '@sallyport/contract/resources/assets/asset.ts'
import type { SystemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { TARGET_KINDS, type TargetKind } from './target-limits.ts'

/** The targets of a filter, as far as their kind is known. */
export interface BoundTargets {
  /** People, whose targets may be of any kind. */
  isBoundToPeople: boolean
  assets: readonly Pick<Asset, 'platform'>[]
  systemUsers: readonly Pick<SystemUser, 'protocol'>[]
  applications: readonly Pick<Application, 'type'>[]
  /** Base of each platform, by its name. */
  bases: ReadonlyMap<string, string>
}

/** The kinds of targets that a filter may be obeyed on; all of them where nothing narrows it. */
export function kindsOf({ isBoundToPeople, assets, systemUsers, applications, bases }: BoundTargets): TargetKind[] {
  if (isBoundToPeople) return TARGET_KINDS
  const found = new Set<TargetKind>([
    ...assets.map(({ platform }): TargetKind => (bases.get(String(platform)) === 'Other' ? 'network' : 'shell')),
    ...systemUsers.flatMap(({ protocol }) => kindsOfProtocol(protocol)),
    ...applications.flatMap(({ type }) => kindsOfProtocol(type)),
  ])
  return found.size ? TARGET_KINDS.filter((kind) => found.has(kind)) : TARGET_KINDS
}

/** A protocol of system users, or a type of applications. */
function kindsOfProtocol(name: string): TargetKind[] {
  if (name === 'ssh' || name === 'telnet') return ['shell', 'network']
  if (name === 'k8s') return ['shell']
  return [name === 'redis' ? 'redis' : 'database']
}
