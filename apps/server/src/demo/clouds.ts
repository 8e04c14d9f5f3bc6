/** A private cloud of the company, so that its pages have something to show. */
import { licenseOf } from '../domains/xpack/index.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import { seedNodes } from './machines.ts'
import { ensure, idsBy, namesIn, unknownSecret } from './rows.ts'

/** A name that never resolves (RFC 2606): nothing is sent anywhere, and a run says so. */
const HOST = 'vcenter.harbour-bicycles.example'
const NODE = '/Production 生产/Databases 数据库/PostgreSQL'

/** Needs machines and system users. */
export async function seedClouds(context: ReadContext): Promise<void> {
  if (!licenseOf(context.kernel).isValid()) return
  const nodes = namesIn(await seedNodes(context))
  const systemUsers = await idsBy(context, 'system_user', 'name')
  const account = await ensure(context, 'cloud_account', 'name', {
    name: 'vCenter of the data centre 机房',
    provider: 'vmware',
    attrs: { host: HOST, port: 443, username: 'sallyport@vsphere.local', password: unknownSecret() },
    comment: 'Only an example: there is no such server',
  })
  await ensure(context, 'sync_instance_task', 'name', {
    name: 'Database machines of the vCenter',
    account,
    regions: ['Rotterdam'],
    node: nodes([NODE])[0],
    unix_admin_user: systemUsers.get('maintenance'),
    ip_network_segment_group: ['10.10.5.0/24'],
    is_periodic: false,
  })
}
