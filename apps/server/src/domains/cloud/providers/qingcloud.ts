import { timeInSeconds } from '../../../kernel/signatures/digests.ts'
import { signQingCloud } from '../../../kernel/signatures/qingcloud.ts'
import { at, type Json, jsonOf, listAt, textAt } from './answers.ts'
import { type CloudInstance, checkedRegion, type OpenCloud, pagesFrom, textOf } from './cloud.ts'
import { CloudError, refusalOf } from './cloud-error.ts'

const PATH = '/iaas/'
const PAGE = 100
/** All but those that are gone. */
const STATES = ['pending', 'running', 'stopped', 'suspended']
/** Codes by which it refuses a signature, a time or a right, and by which it is busy. */
const DENIED = new Set(['1200', '1300', '1400'])
const BUSY = new Set(['5000', '5100'])

/** A private QingCloud (IaaS API: DescribeZones, DescribeInstances). */
export const openQingCloud: OpenCloud = (attrs, transport) => {
  const endpoint = new URL(textOf(attrs, 'api_endpoint'))
  // The requested path is signed.
  const path = endpoint.pathname === '/' ? PATH : `${endpoint.pathname.replace(/\/$/, '')}/`
  const ask = (action: string, parameters: Record<string, string> = {}) =>
    transport.ask(
      () => {
        const query = signQingCloud(
          path,
          {
            ...parameters,
            action,
            version: '1',
            access_key_id: textOf(attrs, 'access_key_id'),
            signature_method: 'HmacSHA256',
            signature_version: '1',
            time_stamp: timeInSeconds(new Date()),
          },
          textOf(attrs, 'access_key_secret'),
        )
        return { method: 'GET', url: `${endpoint.origin}${path}?${query}` }
      },
      (answer) => {
        const found = jsonOf(answer)
        const code = textAt(found, 'ret_code')
        if (answer.status !== 200) throw refusalOf(answer.status, code)
        if (code === '0') return found
        throw new CloudError(DENIED.has(code) ? 'denied' : BUSY.has(code) ? 'busy' : 'refused', code.slice(0, 8))
      },
    )
  return {
    async regions() {
      const zones = listAt(await ask('DescribeZones'), 'zone_set')
      return zones.map((one) => ({ id: textAt(one, 'zone_id'), name: textAt(one, 'zone_id') }))
    },
    instances: (region) =>
      pagesFrom(async (offset) => {
        const states = Object.fromEntries(STATES.map((state, at) => [`status.${at + 1}`, state]))
        const zone = checkedRegion(region)
        const found = await ask('DescribeInstances', { ...states, zone, offset: String(offset), limit: String(PAGE) })
        const items = listAt(found, 'instance_set').map(instanceOf)
        return { items, total: Number(at(found, 'total_count') ?? 0) }
      }),
  }
}

function instanceOf(one: Json): CloudInstance {
  const publicAddress = textAt(one, 'eip', 'eip_addr')
  return {
    id: textAt(one, 'instance_id'),
    name: textAt(one, 'instance_name'),
    addresses: [...listAt(one, 'vxnets').map((net) => textAt(net, 'private_ip')), publicAddress],
    publicAddress,
    isWindows: /windows/i.test(textAt(one, 'image', 'platform') || textAt(one, 'image', 'os_family')),
  }
}
