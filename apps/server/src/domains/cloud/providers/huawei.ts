import { signHuawei } from '../../../kernel/signatures/huawei.ts'
import { at, type Json, jsonOf, listAt, textAt } from './answers.ts'
import { type CloudInstance, isRegion, type OpenCloud, pagesFrom, textOf } from './cloud.ts'
import { CloudError, refusalOf } from './cloud-error.ts'
import { addressesOf } from './openstack-addresses.ts'

const IAM = 'https://iam.myhuaweicloud.com'
const PAGE = 100

/**
 * Elastic Cloud Server of Huawei Cloud (IAM API: list of accessible projects; ECS API: details of
 * servers). A project is a region, or a part of one: `cn-north-4`, `cn-north-4_shop`.
 */
export const openHuawei: OpenCloud = (attrs, transport) => {
  const ask = (address: string, headers: Record<string, string> = {}) =>
    transport.ask(
      () => {
        const url = new URL(address)
        const [keyId, keySecret] = [textOf(attrs, 'access_key_id'), textOf(attrs, 'access_key_secret')]
        return {
          method: 'GET',
          url: address,
          headers: signHuawei({ url, headers, keyId, keySecret, date: new Date() }),
        }
      },
      (answer) => {
        const found = jsonOf(answer)
        if (answer.status !== 200)
          throw refusalOf(answer.status, textAt(found, 'error_code') || textAt(found, 'error', 'code'))
        return found
      },
    )
  const projects = async () =>
    listAt(await ask(`${IAM}/v3/auth/projects`), 'projects')
      .map((one) => ({ id: textAt(one, 'id'), name: textAt(one, 'name') }))
      // One is for files of all regions.
      .filter(({ name }) => isRegion(name) && name !== 'MOS')
  return {
    regions: async () => (await projects()).map(({ name }) => ({ id: name, name })),
    async *instances(region) {
      const project = (await projects()).find(({ name }) => name === region)
      if (!project) throw new CloudError('refused', 'no such region')
      const host = `https://ecs.${region.split('_')[0]}.myhuaweicloud.com`
      yield* pagesFrom(async (offset) => {
        // Pages are counted from 1.
        const query = `limit=${PAGE}&offset=${Math.floor(offset / PAGE) + 1}`
        const found = await ask(`${host}/v1/${encodeURIComponent(project.id)}/cloudservers/detail?${query}`, {
          'x-project-id': project.id,
        })
        const servers = listAt(found, 'servers')
        const items = servers.filter((one) => textAt(one, 'status') !== 'DELETED').map(instanceOf)
        return { items, read: servers.length, total: Number(at(found, 'count') ?? 0) }
      })
    },
  }
}

const instanceOf = (one: Json): CloudInstance => ({
  id: textAt(one, 'id'),
  name: textAt(one, 'name'),
  ...addressesOf(one),
  isWindows: textAt(one, 'metadata', 'os_type').toLowerCase() === 'windows',
})
