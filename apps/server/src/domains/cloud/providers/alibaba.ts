import { randomUUID } from 'node:crypto'
import { signAcs3 } from '../../../kernel/signatures/acs3.ts'
import { type Json, jsonOf, listAt, textAt, textsAt } from './answers.ts'
import { type CloudInstance, checkedRegion, type OpenCloud, pagesBy, textOf } from './cloud.ts'
import { refusalOf } from './cloud-error.ts'

const VERSION = '2014-05-26'
const HOME = 'cn-hangzhou'
const PAGE = '100'

/** Elastic Compute Service of Alibaba Cloud (ECS API: DescribeRegions, DescribeInstances). */
export const openAlibaba: OpenCloud = (attrs, transport) => {
  const ask = (region: string, action: string, query: Record<string, string>) =>
    transport.ask(
      () => {
        const host = `ecs.${checkedRegion(region)}.aliyuncs.com`
        const { search, headers } = signAcs3({
          host,
          action,
          version: VERSION,
          query,
          keyId: textOf(attrs, 'access_key_id'),
          keySecret: textOf(attrs, 'access_key_secret'),
          nonce: randomUUID(),
          date: new Date(),
        })
        return { method: 'POST', url: `https://${host}/?${search}`, headers }
      },
      (answer) => {
        const found = jsonOf(answer)
        if (answer.status !== 200) throw refusalOf(answer.status, found.Code)
        return found
      },
    )
  return {
    async regions() {
      const found = await ask(HOME, 'DescribeRegions', { AcceptLanguage: 'zh-CN' })
      return listAt(found, 'Regions', 'Region').map((one) => ({
        id: textAt(one, 'RegionId'),
        name: textAt(one, 'LocalName') || textAt(one, 'RegionId'),
      }))
    },
    instances: (region) =>
      pagesBy(async (mark) => {
        const found = await ask(region, 'DescribeInstances', {
          RegionId: region,
          MaxResults: PAGE,
          ...(mark ? { NextToken: mark } : {}),
        })
        return { items: listAt(found, 'Instances', 'Instance').map(instanceOf), next: textAt(found, 'NextToken') }
      }),
  }
}

function instanceOf(one: Json): CloudInstance {
  const publicAddress =
    textAt(one, 'EipAddress', 'IpAddress') || (textsAt(one, 'PublicIpAddress', 'IpAddress')[0] ?? '')
  return {
    id: textAt(one, 'InstanceId'),
    name: textAt(one, 'InstanceName'),
    addresses: [
      ...textsAt(one, 'VpcAttributes', 'PrivateIpAddress', 'IpAddress'),
      ...textsAt(one, 'InnerIpAddress', 'IpAddress'),
      publicAddress,
    ],
    publicAddress,
    isWindows: textAt(one, 'OSType').toLowerCase() === 'windows',
  }
}
