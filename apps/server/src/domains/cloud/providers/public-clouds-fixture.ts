/** AWS, Alibaba and Tencent as `cloud-server-fixture.ts` plays them. */
import { createHash, createHmac } from 'node:crypto'
import { type Answer, type Asked, type FakeCloud, json, page } from './cloud-server-fixture.ts'

export const KEYS = { access_key_id: 'AKIDFIXTURE', access_key_secret: 'secret/of+the=fixture' }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
const linesOf = ({ headers }: Asked, names: readonly string[]) =>
  names.map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`).join('')
const xmlText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const isOnTime = (moment: number) => Math.abs(moment - Date.now()) < 15 * 60_000

/** EC2: AWS Signature Version 4 for a POST to `/` (docs.aws.amazon.com, "Create a signed AWS API request"). */
export const aws: FakeCloud = (asked, machines) => {
  const refuse = (Code: string, status = 401): Answer => ({
    status,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>${Code}</Code><Message>no</Message></Error></Errors><RequestID>1</RequestID></Response>`,
  })
  const [, region = ''] = /^ec2\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(asked.host) ?? []
  const [, id, day = '', scope, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/ec2\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/.exec(
      String(asked.headers.authorization),
    ) ?? []
  if (id !== KEYS.access_key_id) return refuse('AuthFailure')
  const signed = names.split(';')
  const moment = String(asked.headers['x-amz-date'])
  const [, y, m, d, h, min, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(moment) ?? []
  if (!isOnTime(Date.parse(`${y}-${m}-${d}T${h}:${min}:${s}Z`)) || !moment.startsWith(day))
    return refuse('RequestExpired', 400)
  if (scope !== region || !['content-type', 'host', 'x-amz-date'].every((name) => signed.includes(name)))
    return refuse('IncompleteSignature', 400)
  const canonical = `POST\n/\n\n${linesOf(asked, signed)}\n${names}\n${sha256(asked.body)}`
  const text = `AWS4-HMAC-SHA256\n${moment}\n${day}/${region}/ec2/aws4_request\n${sha256(canonical)}`
  const key = hmac(hmac(hmac(hmac(`AWS4${KEYS.access_key_secret}`, day), region), 'ec2'), 'aws4_request')
  if (hmac(key, text).toString('hex') !== signature) return refuse('SignatureDoesNotMatch', 403)
  const form = new URLSearchParams(asked.body)
  if (form.get('Version') !== '2016-11-15') return refuse('InvalidParameterValue', 400)
  const answer = (name: string, inside: string): Answer => ({
    status: 200,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">\n<requestId>1</requestId>${inside}</${name}>`,
  })
  if (form.get('Action') === 'DescribeRegions')
    return answer(
      'DescribeRegionsResponse',
      `<regionInfo>${machines.regions.map((one) => `<item><regionName>${one.id}</regionName><regionEndpoint>ec2.${one.id}.amazonaws.com</regionEndpoint></item>`).join('')}</regionInfo>`,
    )
  const { items, next } = page(machines.of(region), Number(form.get('NextToken') ?? 0), Number(form.get('MaxResults')))
  // Two in each reservation, and one that is terminated.
  const item = (one: (typeof items)[number], state = 'running') =>
    `<item><instanceId>${one.id}</instanceId><instanceState><code>16</code><name>${state}</name></instanceState>` +
    `<privateIpAddress>${one.addresses[0]}</privateIpAddress><ipAddress>${one.publicAddress}</ipAddress>` +
    `${one.isWindows ? '<platform>windows</platform>' : ''}<tagSet><item><key>Owner</key><value>x</value></item>` +
    `<item><key>Name</key><value>${xmlText(one.name)}</value></item></tagSet></item>`
  const sets = Array.from({ length: Math.ceil(items.length / 2) }, (_, at) => items.slice(at * 2, at * 2 + 2))
  const gone = { id: 'i-gone', name: 'gone', addresses: ['10.9.9.9'], publicAddress: '', isWindows: false }
  return answer(
    'DescribeInstancesResponse',
    `<reservationSet>${[...sets.map((set) => set.map((one) => item(one)).join('')), item(gone, 'terminated')]
      .map((set) => `<item><instancesSet>${set}</instancesSet></item>`)
      .join('')}</reservationSet>${next === undefined ? '' : `<nextToken>${next}</nextToken>`}`,
  )
}

const nonces = new Set<string>()

/** ECS: ACS3-HMAC-SHA256 (Alibaba Cloud, "Request syntax and signature method V3"). */
export const alibaba: FakeCloud = (asked, machines) => {
  const refuse = (Code: string, status = 400) => json({ Code, Message: 'no', RequestId: '1' }, status)
  const { headers } = asked
  const [, id, names = '', signature] =
    /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=(\w+)$/.exec(headers.authorization ?? '') ??
    []
  if (id !== KEYS.access_key_id) return refuse('InvalidAccessKeyId.NotFound', 404)
  const mustSign = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-acs-'))].sort()
  if (names !== mustSign.join(';') || headers['x-acs-content-sha256'] !== sha256(asked.body))
    return refuse('IncompleteSignature')
  const search = asked.search.split('&').sort().join('&')
  const canonical = `POST\n${asked.path}\n${search}\n${linesOf(asked, mustSign)}\n${names}\n${sha256(asked.body)}`
  if (hmac(KEYS.access_key_secret, `ACS3-HMAC-SHA256\n${sha256(canonical)}`).toString('hex') !== signature)
    return refuse('SignatureDoesNotMatch')
  const nonce = String(headers['x-acs-signature-nonce'])
  if (nonces.has(nonce)) return refuse('SignatureNonceUsed')
  nonces.add(nonce)
  if (!isOnTime(Date.parse(String(headers['x-acs-date'])))) return refuse('InvalidTimeStamp.Expired')
  if (headers['x-acs-version'] !== '2014-05-26') return refuse('InvalidVersion')
  if (headers['x-acs-action'] === 'DescribeRegions')
    return json({ Regions: { Region: machines.regions.map((one) => ({ RegionId: one.id, LocalName: one.name })) } })
  const region = asked.query.get('RegionId') ?? ''
  if (asked.host !== `ecs.${region}.aliyuncs.com`) return refuse('InvalidRegionId.NotFound', 404)
  const { items, next } = page(
    machines.of(region),
    Number(asked.query.get('NextToken') ?? 0),
    Number(asked.query.get('MaxResults')),
  )
  return json({
    Instances: {
      Instance: items.map((one) => ({
        InstanceId: one.id,
        InstanceName: one.name,
        OSType: one.isWindows ? 'windows' : 'linux',
        Status: 'Running',
        VpcAttributes: { PrivateIpAddress: { IpAddress: [one.addresses[0]] } },
        InnerIpAddress: { IpAddress: [] },
        PublicIpAddress: { IpAddress: one.publicAddress ? [one.publicAddress] : [] },
        EipAddress: { IpAddress: '' },
      })),
    },
    NextToken: next === undefined ? '' : String(next),
    TotalCount: machines.of(region).length,
  })
}

/** CVM: TC3-HMAC-SHA256 (Tencent Cloud API 3.0, "Signature v3"). */
export const tencent: FakeCloud = (asked, machines) => {
  const refuse = (Code: string) => json({ Response: { Error: { Code, Message: 'no' }, RequestId: '1' } })
  const { headers } = asked
  const [, id, day = '', names = '', signature] =
    /^TC3-HMAC-SHA256 Credential=([^/]+)\/([\d-]+)\/cvm\/tc3_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (id !== KEYS.access_key_id) return refuse('AuthFailure.SecretIdNotFound')
  const seconds = Number(headers['x-tc-timestamp'])
  const text = `${asked.method}\n/\n\n${linesOf(asked, names.split(';'))}\n${names}\n${sha256(asked.body)}`
  const key = hmac(hmac(hmac(`TC3${KEYS.access_key_secret}`, day), 'cvm'), 'tc3_request')
  const signed = `TC3-HMAC-SHA256\n${seconds}\n${day}/cvm/tc3_request\n${sha256(text)}`
  if (hmac(key, signed).toString('hex') !== signature) return refuse('AuthFailure.SignatureFailure')
  if (Math.abs(seconds * 1000 - Date.now()) > 300_000 || new Date(seconds * 1000).toISOString().slice(0, 10) !== day)
    return refuse('AuthFailure.SignatureExpire')
  if (headers['x-tc-version'] !== '2017-03-12') return refuse('NoSuchVersion')
  if (headers['x-tc-action'] === 'DescribeRegions')
    return json({
      Response: {
        TotalCount: machines.regions.length,
        RegionSet: machines.regions.map((one) => ({ Region: one.id, RegionName: one.name, RegionState: 'AVAILABLE' })),
      },
    })
  const all = machines.of(String(headers['x-tc-region']))
  const { Offset, Limit } = JSON.parse(asked.body)
  if (Limit > 100) return refuse('InvalidParameterValue.Limit')
  return json({
    Response: {
      TotalCount: all.length,
      InstanceSet: page(all, Offset, Limit).items.map((one) => ({
        InstanceId: one.id,
        InstanceName: one.name,
        PrivateIpAddresses: one.addresses.filter((address) => address !== one.publicAddress),
        PublicIpAddresses: one.publicAddress ? [one.publicAddress] : null,
        OsName: one.isWindows ? 'Windows Server 2022' : 'Ubuntu 24.04',
      })),
    },
  })
}

/** The public clouds by the names of their hosts. */
export function publicCloud(host: string): FakeCloud | undefined {
  if (/\.amazonaws\.com(\.cn)?$/.test(host)) return aws
  if (host.endsWith('.aliyuncs.com')) return alibaba
  if (host.endsWith('.tencentcloudapi.com')) return tencent
  return undefined
}
