import { secondsOf, signTc3, TC3_CONTENT_TYPE } from '../../../kernel/signatures/tc3.ts'
import { at, type Json, jsonOf, listAt, textAt, textsAt } from './answers.ts'
import { type CloudInstance, checkedRegion, type OpenCloud, pagesFrom, textOf } from './cloud.ts'
import { refusalOf } from './cloud-error.ts'

const HOST = 'cvm.tencentcloudapi.com'
const VERSION = '2017-03-12'
const PAGE = 100

/** Cloud Virtual Machine of Tencent Cloud (CVM API 3.0: DescribeRegions, DescribeInstances). */
export const openTencent: OpenCloud = (attrs, transport) => {
  const ask = (action: string, parameters: object, region?: string) =>
    transport.ask(
      () => {
        const date = new Date()
        const body = JSON.stringify(parameters)
        const headers = {
          'content-type': TC3_CONTENT_TYPE,
          'x-tc-action': action,
          'x-tc-version': VERSION,
          'x-tc-timestamp': String(secondsOf(date)),
          ...(region ? { 'x-tc-region': checkedRegion(region) } : {}),
          authorization: signTc3({
            host: HOST,
            service: 'cvm',
            body,
            secretId: textOf(attrs, 'access_key_id'),
            secretKey: textOf(attrs, 'access_key_secret'),
            date,
          }),
        }
        return { method: 'POST', url: `https://${HOST}/`, headers, body }
      },
      (answer) => {
        const found = jsonOf(answer)
        const code = at(found, 'Response', 'Error', 'Code')
        if (answer.status !== 200 || code !== undefined) throw refusalOf(answer.status, code)
        return found.Response
      },
    )
  return {
    async regions() {
      const found = await ask('DescribeRegions', {})
      return listAt(found, 'RegionSet')
        .filter((one) => textAt(one, 'RegionState') !== 'UNAVAILABLE')
        .map((one) => ({ id: textAt(one, 'Region'), name: textAt(one, 'RegionName') || textAt(one, 'Region') }))
    },
    instances: (region) =>
      pagesFrom(async (offset) => {
        const found = await ask('DescribeInstances', { Offset: offset, Limit: PAGE }, region)
        const items = listAt(found, 'InstanceSet').map(instanceOf)
        return { items, total: Number(at(found, 'TotalCount') ?? 0) }
      }),
  }
}

function instanceOf(one: Json): CloudInstance {
  const outside = textsAt(one, 'PublicIpAddresses')
  return {
    id: textAt(one, 'InstanceId'),
    name: textAt(one, 'InstanceName'),
    addresses: [...textsAt(one, 'PrivateIpAddresses'), ...outside],
    publicAddress: outside[0] ?? '',
    isWindows: /windows/i.test(textAt(one, 'OsName')),
  }
}
