import { signAws } from '../../../kernel/signatures/aws4.ts'
import { type Json, listAt, textAt, xmlOf } from './answers.ts'
import { AWS_REGION_NAMES } from './aws-regions.ts'
import { type CloudInstance, checkedRegion, type OpenCloud, pagesBy, textOf } from './cloud.ts'
import { refusalOf } from './cloud-error.ts'

const VERSION = '2016-11-15'
const PAGE = '500'
const FORM = 'application/x-www-form-urlencoded; charset=utf-8'

/** The two worlds of AWS, which know nothing of each other: the host's end, and where regions are asked. */
const WORLDS = {
  aws_international: { suffix: 'amazonaws.com', home: 'us-east-1' },
  aws_china: { suffix: 'amazonaws.com.cn', home: 'cn-north-1' },
} as const

/** Amazon EC2 by its Query API (Amazon EC2 API Reference: DescribeRegions, DescribeInstances). */
export const openAws =
  (world: keyof typeof WORLDS): OpenCloud =>
  (attrs, transport) => {
    const { suffix, home } = WORLDS[world]
    const ask = (region: string, action: string, parameters: Record<string, string> = {}) =>
      transport.ask(
        () => {
          const host = `ec2.${checkedRegion(region)}.${suffix}`
          const body = new URLSearchParams({ Action: action, Version: VERSION, ...parameters }).toString()
          const headers = signAws({
            host,
            service: 'ec2',
            region,
            headers: { 'content-type': FORM },
            body,
            keyId: textOf(attrs, 'access_key_id'),
            keySecret: textOf(attrs, 'access_key_secret'),
            date: new Date(),
          })
          return { method: 'POST', url: `https://${host}/`, headers, body }
        },
        (answer) => {
          const found = xmlOf(answer, `${action}Response`)
          if (answer.status !== 200) throw refusalOf(answer.status, textAt(errorIn(found), 'Code'))
          return found
        },
      )
    return {
      async regions() {
        const found = await ask(home, 'DescribeRegions')
        return listAt(found, 'regionInfo', 'item').map((item) => {
          const id = textAt(item, 'regionName')
          return { id, name: AWS_REGION_NAMES[id] ?? id }
        })
      },
      instances: (region) =>
        pagesBy(async (mark) => {
          const found = await ask(region, 'DescribeInstances', {
            MaxResults: PAGE,
            ...(mark ? { NextToken: mark } : {}),
          })
          const reservations = listAt(found, 'reservationSet', 'item')
          const items = reservations.flatMap((one) => listAt(one, 'instancesSet', 'item'))
          return { items: items.filter(isThere).map(instanceOf), next: textAt(found, 'nextToken') }
        }),
    }
  }

const errorIn = ({ Errors }: Json) => (Errors as Json | undefined)?.Error

/** Terminated ones are listed for an hour more. */
const isThere = (item: Json) => !['terminated', 'shutting-down'].includes(textAt(item, 'instanceState', 'name'))

function instanceOf(item: Json): CloudInstance {
  const publicAddress = textAt(item, 'ipAddress')
  const own = listAt(item, 'networkInterfaceSet', 'item').flatMap((network) =>
    listAt(network, 'privateIpAddressesSet', 'item').map((one) => textAt(one, 'privateIpAddress')),
  )
  const tags = listAt(item, 'tagSet', 'item')
  return {
    id: textAt(item, 'instanceId'),
    name: textAt(
      tags.find((tag) => textAt(tag, 'key') === 'Name'),
      'value',
    ),
    addresses: [textAt(item, 'privateIpAddress'), ...own, publicAddress],
    publicAddress,
    isWindows: textAt(item, 'platform').toLowerCase() === 'windows',
  }
}
