import { isInIpGroup } from '../../acls/index.ts'
import type { MachineDraft } from '../../assets/index.ts'
import type { CloudInstance } from '../providers/cloud.ts'
import type { cloudSyncTask } from '../tables.ts'

type Task = typeof cloudSyncTask.$inferSelect

const MAX_NAME = 128

/** The asset that a task wants of a machine; undefined where none of its addresses is wanted. */
export function draftOf(instance: CloudInstance, task: Task): MachineDraft | undefined {
  const ip = addressIn(instance, task.ip_network_segment_group)
  if (!ip) return undefined
  const { isWindows, publicAddress } = instance
  const admin = isWindows ? task.windows_admin_user : task.unix_admin_user
  const usual = isWindows ? ['rdp/3389'] : ['ssh/22']
  return {
    hostname: hostnameOf(instance, ip, task.hostname_strategy),
    ip,
    public_ip: publicAddress || null,
    platform: isWindows ? 'Windows' : 'Linux',
    protocols: task.protocols.length ? task.protocols : usual,
    ...(task.node ? { nodes: [task.node] } : {}),
    ...(admin ? { admin_user: admin } : {}),
  }
}

/** The first that is in one of the networks. */
export function addressIn({ addresses }: Pick<CloudInstance, 'addresses'>, networks: readonly string[]): string {
  return addresses.find((address) => address && isInIpGroup(address, networks)) ?? ''
}

/**
 * The hostname of a machine here: that at the cloud, without characters that no name may have, and
 * its id there where it has no name (docs/rules/xpack.md#sync_instance_task).
 */
export function hostnameOf(
  { id, name }: Pick<CloudInstance, 'id' | 'name'>,
  ip: string,
  strategy: Task['hostname_strategy'],
): string {
  const own = name.replace(/\p{Cc}+/gu, ' ').trim() || id
  const end = strategy === 'instance_name_partial_ip' ? `-${partOf(ip)}` : ''
  // Cut by characters: half an emoji is none.
  return [...own].slice(0, MAX_NAME - end.length).join('') + end
}

/** The last two parts. */
const partOf = (ip: string): string => {
  const mark = ip.includes(':') ? ':' : '.'
  return ip.split(mark).slice(-2).join(mark)
}
