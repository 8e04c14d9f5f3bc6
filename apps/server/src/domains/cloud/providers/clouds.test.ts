import { createHash } from 'node:crypto'
import { CLOUD_PROVIDERS, type CloudProvider } from '@sallyport/contract/resources/cloud/cloud-providers.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signAws } from '../../../kernel/signatures/aws4.ts'
import { canonicalHuawei } from '../../../kernel/signatures/huawei.ts'
import { signQingCloud } from '../../../kernel/signatures/qingcloud.ts'
import { type Cloud, type CloudAttrs, pagesBy, pagesFrom } from './cloud.ts'
import { type CloudServer, machinesFrom, startClouds } from './cloud-server-fixture.ts'
import { CLOUDS } from './clouds.ts'
import {
  APPLICATION,
  OPERATOR,
  OTHER_ACCOUNT,
  otherCloud,
  PERSON,
  plainer,
  SERVICE_ACCOUNT,
} from './other-clouds-fixture.ts'
import { KEYS, publicCloud } from './public-clouds-fixture.ts'
import { checkReachable } from './reachable.ts'
import { CloudTransport } from './transport.ts'

let server: CloudServer
const transports: CloudTransport[] = []
beforeAll(async () => {
  server = await startClouds((host) => publicCloud(host) ?? otherCloud(host))
})
afterAll(async () => {
  for (const one of transports) await one.close()
  await server?.close()
})
afterEach(() => {
  server.next.length = 0
  server.asked.length = 0
  server.machines.clear()
})

interface Known {
  attrs: CloudAttrs
  /** With a secret that is another. */
  wrong?: CloudAttrs
  region: string
  /** How machines look there, where it says less of them. */
  seen?: typeof machinesFrom
  /** Calls before the first one of a list. */
  signIns?: number
}
/** The attributes of an account of each cloud, and a region there. */
const ACCOUNTS: Record<CloudProvider, Known> = {
  aws_international: { attrs: KEYS, region: 'eu-central-1' },
  aws_china: { attrs: KEYS, region: 'cn-north-1' },
  aliyun: { attrs: KEYS, region: 'cn-hangzhou' },
  qcloud: { attrs: KEYS, region: 'ap-shanghai' },
  huaweicloud: { attrs: KEYS, region: 'cn-north-4' },
  azure: { attrs: APPLICATION, region: 'chinaeast2' },
  azure_international: { attrs: APPLICATION, region: 'westeurope' },
  gcp: {
    attrs: { service_account_key: JSON.stringify(SERVICE_ACCOUNT) },
    wrong: { service_account_key: JSON.stringify(OTHER_ACCOUNT) },
    region: 'europe-west3',
  },
  qingcloud_private: { attrs: { ...KEYS, api_endpoint: 'https://qingcloud.example.com' }, region: 'pek3' },
  openstack: {
    attrs: { ...PERSON, auth_url: 'https://openstack.example.com/v3/', user_domain_name: 'Default' },
    region: 'project-1',
  },
  huaweicloud_private: {
    attrs: { ...OPERATOR, api_endpoint: 'https://manageone.example.com:26335/' },
    region: 'EDC784392480303A8C1FD1A188E377D0',
  },
  nutanix: {
    attrs: { ...KEYS, api_endpoint: 'https://nutanix.example.com:9440/' },
    region: '0005-cluster',
    seen: (...counts) => plainer(machinesFrom(...counts)),
  },
  vmware: {
    attrs: { ...PERSON, host: 'vmware.example.com', port: 443 },
    region: 'datacenter-3',
    seen: (...counts) => plainer(machinesFrom(...counts), 'first'),
  },
}
const known = Object.entries(ACCOUNTS) as [CloudProvider, Known][]

function open(provider: CloudProvider, attrs: CloudAttrs): Cloud {
  const transport = new CloudTransport({ relay: server.url, firstPauseMs: 1 })
  transports.push(transport)
  return CLOUDS[provider](attrs, transport)
}

test('[A2.58] every cloud that is offered is read here, and no other', () => {
  const offered = Object.keys(CLOUD_PROVIDERS)
  expect(Object.keys(CLOUDS).sort()).toEqual(offered.sort())
  expect(known.map(([name]) => name).sort()).toEqual(offered.sort())
})

test('signatures of QingCloud and Huawei Cloud are those of the examples that they publish', () => {
  const example = {
    count: '1',
    'vxnets.1': 'vxnet-0',
    zone: 'pek1',
    instance_type: 'small_b',
    signature_version: '1',
    signature_method: 'HmacSHA256',
    instance_name: 'demo',
    image_id: 'centos64x86a',
    login_mode: 'passwd',
    login_passwd: 'QingCloud20130712',
    version: '1',
    access_key_id: 'QYACCESSKEYIDEXAMPLE',
    action: 'RunInstances',
    time_stamp: '2013-08-27T14:30:10Z',
  }
  expect(signQingCloud('/iaas/', example, 'SECRETACCESSKEY')).toMatch(
    /&signature=32bseYy39DOlatuewpeuW5vpmW51sD1A%2FJdGynqSpP8%3D$/,
  )
  // Huawei does not publish the key of the example, but the hash of the signed text.
  const canonical = canonicalHuawei(
    {
      url: new URL(
        'https://service.region.example.com/v1/77b6a44cba5143ab91d13ab9a8ff44fd/vpcs?limit=2&marker=13551d6b-755d-4757-b956-536f674975c0',
      ),
    },
    { 'content-type': 'application/json', host: 'service.region.example.com', 'x-sdk-date': '20191115T033655Z' },
  )
  expect(createHash('sha256').update(canonical).digest('hex')).toBe(
    'b25362e603ee30f4f25e7858e8a7160fd36e803bb2dfe206278659d71a9bcd7a',
  )
})

test('signatures of AWS are those of the test suite that it publishes', () => {
  // aws-sig-v4-test-suite: get-vanilla, and post-x-www-form-urlencoded.
  const call = {
    host: 'example.amazonaws.com',
    service: 'service',
    region: 'us-east-1',
    keyId: 'AKIDEXAMPLE',
    keySecret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    date: new Date('2015-08-30T12:36:00Z'),
  }
  expect(signAws({ ...call, method: 'GET', headers: {}, body: '' }).authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  )
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  expect(signAws({ ...call, headers, body: 'Param1=value1' }).authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  )
})

describe.each(known)('%s', (provider, { attrs, wrong: other, region, seen = machinesFrom }) => {
  beforeEach(() => {
    server.regions = [{ id: region, name: 'Somewhere' }]
  })
  const all = async () => (await Array.fromAsync(open(provider, attrs).instances(region))).flat()

  test('lists its regions, and all machines of one over several pages', async () => {
    const machines = machinesFrom(1203)
    server.machines.set(region, machines)
    expect((await open(provider, attrs).regions()).map(({ id }) => id)).toEqual([region])
    const found = await all()
    expect(found).toEqual(seen(1203))
    expect(server.asked.length).toBeGreaterThan(3)
  })

  test('takes wrong keys for what they are, and shows nothing of them', async () => {
    const wrong =
      other ??
      Object.fromEntries(
        Object.entries(attrs).map(([name, value]) => [name, /secret|password/.test(name) ? 'other' : value]),
      )
    const error = await open(provider, wrong)
      .regions()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'CloudError', fault: 'denied' })
    expect(String(error)).not.toContain('other')
    expect(server.asked).toHaveLength(1)
  })

  test('asks again where the cloud is busy, breaks off or answers by half, and has every machine once', async () => {
    server.machines.set(region, machinesFrom(7))
    server.next.push({ status: 503, body: 'slow down' }, 'drop', 'half', { status: 429, body: '{}' })
    expect(await all()).toEqual(seen(7))
  })

  test('gives up on a cloud that stays busy, and on a proxy’s page at once', async () => {
    server.next.push(...Array.from({ length: 9 }, () => ({ status: 503, body: '' })))
    await expect(all()).rejects.toMatchObject({ fault: 'busy' })
    expect(server.asked).toHaveLength(5)
    server.next.length = 0
    server.next.push({ status: 200, body: '<html><b>Please sign in</b></html>' })
    await expect(all()).rejects.toMatchObject({ fault: 'unreadable' })
    expect(server.asked).toHaveLength(6)
  })
})

test('pages that repeat themselves or stop before the end are an error, not a short list', async () => {
  const same = pagesBy(async () => ({ items: [1], next: 'again' }))
  await expect(Array.fromAsync(same)).rejects.toMatchObject({ fault: 'unreadable' })
  const short = pagesFrom(async (offset) => ({ items: offset ? [] : [1], total: 2 }))
  await expect(Array.fromAsync(short)).rejects.toMatchObject({ fault: 'unreadable' })
})

test.each([
  '127.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[2002:7f00:1::1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[::ffff:0:7f00:1]',
  '168.63.129.16',
  '192.0.0.192',
  '0.0.0.0',
  '169.254.169.254',
  '100.100.100.200',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '224.0.0.1',
])('%s is no place of a cloud', (address) => {
  expect(() => checkReachable(address)).toThrow(expect.objectContaining({ fault: 'forbidden' }))
})

test('private networks are places of clouds; a name that leads to this machine is not', async () => {
  for (const address of [
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '[fd12::1]',
    '[64:ff9b::a00:1]',
    '203.0.113.7',
    'cloud.example.com',
  ])
    expect(() => checkReachable(address)).not.toThrow()
  const transport = new CloudTransport({ tries: 1 })
  transports.push(transport)
  const { port } = new URL(server.url)
  for (const url of [
    server.url,
    `http://localhost:${port}`,
    `http://0x7f.1:${port}`,
    `http://[64:ff9b::7f00:1]:${port}`,
  ])
    await expect(
      transport.ask(
        () => ({ method: 'GET', url }),
        () => 0,
      ),
    ).rejects.toMatchObject({ fault: 'forbidden' })
  expect(server.asked).toHaveLength(0)
})
