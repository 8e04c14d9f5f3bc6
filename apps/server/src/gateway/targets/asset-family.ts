import type { Target } from '@sallyport/contract/target.ts'
import { deviceOf } from '../../domains/assets/index.ts'
import { findGrantedAssets } from '../../domains/perms/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { loadAssetTarget } from '../../domains/system-users/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import type { ConnectionTarget } from './connection-target.ts'
import type { GrantedList } from './granted-list.ts'

const FAMILY = 'asset'
/** Bases of platforms. */
const UNIX: ReadonlySet<string> = new Set(['Linux', 'Unix', 'MacOS', 'BSD'])

/** An asset as a target. */
export const assetTarget = (id: string): Target => ({ family: FAMILY, id })

/** Machines, reached through their domain's gateways when they have some. */
export const assetFamily = { family: FAMILY, load, lists: { host: hosts() } } as const

async function load(
  kernel: Kernel,
  { id, ...question }: { id: string; systemUserId: string; userId: string | undefined; username: string },
  open: Opener,
): Promise<ConnectionTarget | undefined> {
  const found = await loadAssetTarget(kernel, { assetId: id, ...question, checksHostKey: true }, open)
  if (!found) return undefined
  const { asset, platform, ...rest } = found
  const device = deviceOf(platform)
  return {
    target: assetTarget(id),
    orgId: asset.org_id,
    domain: asset.domain,
    name: asset.hostname,
    address: asset.ip,
    protocols: asset.protocols ?? [],
    platform: platform.name,
    ...(device ? { device } : {}),
    charset: platform.charset,
    rdp: {
      security: String(platform.meta?.security ?? ''),
      isAdmin: String(platform.meta?.console) === 'true',
      isUnix: UNIX.has(platform.base),
    },
    ...rest,
  }
}

function hosts(): GrantedList {
  return {
    columns: ['Hostname', 'IP'],
    isOffered: (kind = 'terminal') => kind === 'terminal' || kind === 'desktop',
    async find(kernel, question) {
      const { total, assets } = await findGrantedAssets(kernel.db, { ...question, sort: sortOf(kernel) })
      return {
        total,
        targets: assets.map(({ id, hostname, ip, comment, is_active }) => ({
          target: assetTarget(id),
          name: hostname,
          isActive: is_active,
          cells: [hostname, ip],
          comment,
        })),
      }
    },
  }
}

const sortOf = (kernel: Kernel): 'hostname' | 'ip' =>
  settingsOf(kernel).get('TERMINAL_ASSET_LIST_SORT_BY') === 'ip' ? 'ip' : 'hostname'
