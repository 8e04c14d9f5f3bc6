/** A pipeline and a monitor that call by themselves. */
import type { ReadContext } from '../kernel/resource/mount.ts'
import { ensure, idsBy } from './rows.ts'

/** Needs people. */
export async function seedServiceIdentities(context: ReadContext): Promise<void> {
  const people = await idsBy(context, 'user', 'username')
  const owner = people.get('admin')
  const pipeline = await ensure(context, 'service_identity', 'username', {
    name: 'Deploy pipeline 发布流水线',
    username: 'svc.deploy',
    owner,
    purpose: 'Brings releases of the shop to its machines 把商城的新版本发布到机器',
    reads: ['assets'],
    writes: ['connect', 'tickets'],
  })
  await ensure(context, 'trust_rule', 'name', {
    identity: pipeline,
    name: 'Main branch of the shop 商城主分支',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: 'https://bastion.harbour-bicycles.example',
    claims: [
      { claim: 'repository', value: 'harbour-bicycles/shop' },
      { claim: 'ref', value: 'refs/heads/main' },
    ],
  })
  await ensure(context, 'service_identity', 'username', {
    name: 'Inventory 资产盘点',
    username: 'svc.inventory',
    owner,
    purpose: 'Compares the list of assets each night 每晚核对资产清单',
    reads: ['assets', 'users'],
    writes: [],
    ip_group: ['10.20.0.0/16'],
  })
}
