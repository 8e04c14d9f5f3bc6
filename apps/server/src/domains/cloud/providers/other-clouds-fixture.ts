/** Further clouds as `cloud-server-fixture.ts` plays them: how each is signed or signed in to is checked, by its documentation. */
import { createHash, createHmac, generateKeyPairSync, verify } from 'node:crypto'
import { type Answer, type Asked, type FakeCloud, json, page } from './cloud-server-fixture.ts'
import { KEYS } from './public-clouds-fixture.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
const PROJECT = '77b6a44cba5143ab91d13ab9a8ff44fd'
const inside = (one: { addresses: readonly string[]; publicAddress: string }) =>
  one.addresses.filter((address) => address !== one.publicAddress)

/** SDK-HMAC-SHA256 (Huawei Cloud, "API Request Signing Guide"). */
export const huawei: FakeCloud = (asked, machines) => {
  const refuse = (code: string, status = 401) => json({ error_code: code, error_msg: 'no' }, status)
  const [, id, names = '', signature] =
    /^SDK-HMAC-SHA256 Access=([^,]+), SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
      asked.headers.authorization ?? '',
    ) ?? []
  if (id !== KEYS.access_key_id) return refuse('APIGW.0301')
  const lines = names.split(';').map((name) => `${name}:${String(asked.headers[name]).trim()}\n`)
  const search = asked.search ? asked.search.split('&').sort().join('&') : ''
  const canonical = `${asked.method}\n${asked.path.replace(/\/?$/, '/')}\n${search}\n${lines.join('')}\n${names}\n${sha256(asked.body)}`
  const text = `SDK-HMAC-SHA256\n${asked.headers['x-sdk-date']}\n${sha256(canonical)}`
  if (hmac(KEYS.access_key_secret, text).toString('hex') !== signature) return refuse('APIGW.0301')
  if (!names.split(';').includes('host')) return refuse('APIGW.0301')
  if (asked.host === 'iam.myhuaweicloud.com')
    return json({ projects: machines.regions.map((one) => ({ id: PROJECT, name: one.id, enabled: true })) })
  const [, region = ''] = /^ecs\.([\w-]+)\.myhuaweicloud\.com$/.exec(asked.host) ?? []
  if (asked.path !== `/v1/${PROJECT}/cloudservers/detail` || asked.headers['x-project-id'] !== PROJECT)
    return refuse('Ecs.0005', 404)
  const limit = Number(asked.query.get('limit'))
  const all = machines.of(region)
  return json({
    count: all.length,
    servers: page(all, (Number(asked.query.get('offset')) - 1) * limit, limit).items.map(openStackServer),
  })
}

const openStackServer = (one: ReturnType<Parameters<FakeCloud>[1]['of']>[number]) => ({
  id: one.id,
  name: one.name,
  status: 'ACTIVE',
  metadata: { os_type: one.isWindows ? 'Windows' : 'Linux' },
  addresses: {
    net: [
      ...inside(one).map((addr) => ({ addr, version: 4, 'OS-EXT-IPS:type': 'fixed' })),
      ...(one.publicAddress ? [{ addr: one.publicAddress, version: 4, 'OS-EXT-IPS:type': 'floating' }] : []),
    ],
  },
})

/** HmacSHA256, version 1 (QingCloud, "Signature"). */
export const qingcloud: FakeCloud = (asked, machines) => {
  const refuse = (ret_code: number) => json({ ret_code, message: 'no' })
  const [query = '', signature = ''] = asked.search.split('&signature=')
  const signed = hmac(KEYS.access_key_secret, `${asked.method}\n${asked.path}\n${query}`).toString('base64')
  const names = query.split('&').map((pair) => pair.split('=')[0] ?? '')
  if (asked.path !== '/iaas/' || names.join() !== names.toSorted().join()) return refuse(1100)
  if (asked.query.get('access_key_id') !== KEYS.access_key_id || decodeURIComponent(signature) !== signed)
    return refuse(1200)
  if (Math.abs(Date.parse(asked.query.get('time_stamp') ?? '') - Date.now()) > 60_000) return refuse(1300)
  if (asked.query.get('action') === 'DescribeZones')
    return json({ ret_code: 0, zone_set: machines.regions.map((one) => ({ zone_id: one.id, status: 'active' })) })
  const all = machines.of(asked.query.get('zone') ?? '')
  const { items } = page(all, Number(asked.query.get('offset')), Number(asked.query.get('limit')))
  return json({
    ret_code: 0,
    total_count: all.length,
    instance_set: items.map((one) => ({
      instance_id: one.id,
      instance_name: one.name,
      status: 'running',
      image: { platform: one.isWindows ? 'windows' : 'linux' },
      vxnets: inside(one).map((private_ip) => ({ private_ip })),
      eip: one.publicAddress ? { eip_addr: one.publicAddress } : {},
    })),
  })
}

export const APPLICATION = {
  client_id: 'application',
  client_secret: 'of the application',
  tenant_id: 'tenant',
  subscription_id: 'subscription',
}

/** Client credentials, and Azure Resource Manager with its links to next pages. */
export const azure: FakeCloud = (asked, machines) => {
  const china = /chinacloudapi\.cn$/.test(asked.host)
  const manager = china ? 'management.chinacloudapi.cn' : 'management.azure.com'
  if (asked.host.startsWith('login.')) {
    const form = new URLSearchParams(asked.body)
    const isGood =
      asked.path === '/tenant/oauth2/v2.0/token' &&
      form.get('grant_type') === 'client_credentials' &&
      form.get('scope') === `https://${manager}/.default` &&
      form.get('client_id') === APPLICATION.client_id &&
      form.get('client_secret') === APPLICATION.client_secret
    return isGood ? json({ access_token: 'azure-token', expires_in: 3599 }) : json({ error: 'invalid_client' }, 401)
  }
  if (asked.headers.authorization !== 'Bearer azure-token')
    return json({ error: { code: 'AuthenticationFailed' } }, 401)
  const [, path = ''] = /^\/subscriptions\/subscription(\/.*)$/.exec(asked.path) ?? []
  const paged = <T>(all: readonly T[], of: (one: T) => object): Answer => {
    const { items, next } = page(all, Number(asked.query.get('skip') ?? 0), 400)
    const nextLink =
      next && `https://${manager}${asked.path}?api-version=${asked.query.get('api-version')}&skip=${next}`
    return json({ value: items.map(of), ...(nextLink ? { nextLink } : {}) })
  }
  const [first] = machines.regions
  const location = first?.id ?? ''
  const all = machines.of(location)
  if (path === '/locations') return paged(machines.regions, (one) => ({ name: one.id, displayName: one.name }))
  if (path.endsWith('/publicIPAddresses'))
    return paged(all, (one) => ({ id: `/IP/${one.id}`, location, properties: { ipAddress: one.publicAddress } }))
  if (path.endsWith('/networkInterfaces'))
    return paged(all, (one) => ({
      id: `/nic/${one.id}`,
      location,
      properties: {
        ipConfigurations: inside(one).map((privateIPAddress) => ({
          properties: { privateIPAddress, publicIPAddress: { id: `/ip/${one.id}` } },
        })),
      },
    }))
  if (path !== `/providers/Microsoft.Compute/locations/${location}/virtualMachines`)
    return json({ error: { code: 'NotFound' } }, 404)
  return paged(all, (one) => ({
    id: `/vm/${one.name}`,
    name: one.name,
    location,
    properties: {
      vmId: one.id,
      storageProfile: { osDisk: { osType: one.isWindows ? 'Windows' : 'Linux' } },
      networkProfile: { networkInterfaces: [{ id: `/NIC/${one.id}` }] },
    },
  }))
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = (key: typeof privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
export const SERVICE_ACCOUNT = {
  type: 'service_account',
  project_id: 'harbour',
  private_key_id: 'kid',
  private_key: pem(privateKey),
  client_email: 'reader@harbour.iam.gserviceaccount.com',
  // Where a false key would have the assertion sent.
  token_uri: 'http://169.254.169.254/token',
}
/** The same with a key that Google does not know. */
export const OTHER_ACCOUNT = {
  ...SERVICE_ACCOUNT,
  private_key: pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
}

/** A JWT by RS256 for a token, and two zones in each region. */
export const google: FakeCloud = (asked, machines) => {
  if (asked.host === 'oauth2.googleapis.com') {
    const form = new URLSearchParams(asked.body)
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const assertion = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}')
    const isGood =
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
      JSON.parse(Buffer.from(head, 'base64url').toString()).alg === 'RS256' &&
      verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')) &&
      assertion.iss === SERVICE_ACCOUNT.client_email &&
      assertion.aud === 'https://oauth2.googleapis.com/token' &&
      assertion.exp - assertion.iat <= 3600 &&
      Math.abs(assertion.iat * 1000 - Date.now()) < 300_000
    return isGood ? json({ access_token: 'google-token', expires_in: 3599 }) : json({ error: 'invalid_grant' }, 400)
  }
  if (asked.headers.authorization !== 'Bearer google-token') return json({ error: { status: 'UNAUTHENTICATED' } }, 401)
  const [, path = ''] = /^\/compute\/v1\/projects\/harbour\/(.+)$/.exec(asked.path) ?? []
  const [, region] = /^regions\/([\w-]+)$/.exec(path) ?? []
  if (region)
    return json({
      name: region,
      zones: ['a', 'b'].map((end) => `https://compute.googleapis.com/zones/${region}-${end}`),
    })
  if (path === 'regions') return json({ items: machines.regions.map((one) => ({ name: one.id })) })
  const [, of = '', zone] = /^zones\/(.+)-([ab])\/instances$/.exec(path) ?? []
  const half = Math.ceil(machines.of(of).length / 2)
  const all = zone === 'a' ? machines.of(of).slice(0, half) : machines.of(of).slice(half)
  const { items, next } = page(all, Number(asked.query.get('pageToken') ?? 0), 200)
  return json({
    items: items.map((one) => ({
      id: one.id,
      name: one.name,
      networkInterfaces: inside(one).map((networkIP) => ({
        networkIP,
        accessConfigs: one.publicAddress ? [{ natIP: one.publicAddress }] : [],
      })),
      disks: [{ boot: true, guestOsFeatures: [{ type: one.isWindows ? 'WINDOWS' : 'UEFI_COMPATIBLE' }] }],
    })),
    ...(next ? { nextPageToken: String(next) } : {}),
  })
}

export const PERSON = { username: 'reader', password: 'of the reader' }

/** Keystone: a password for an unscoped token, that for one of a project, which names Nova. */
export const openstack: FakeCloud = (asked, machines) => {
  const refuse = (title: string, code = 401) => json({ error: { code, title, message: 'no' } }, code)
  if (asked.path === '/v3/auth/tokens') {
    const { identity, scope } = JSON.parse(asked.body).auth
    if (identity.token) {
      if (identity.token.id !== 'of-user') return refuse('Unauthorized')
      const endpoints = [
        { interface: 'internal', url: 'http://127.0.0.9:1/' },
        { interface: 'public', url: `https://${asked.host}/compute/${scope.project.id}` },
      ]
      return json({ token: { catalog: [{ type: 'compute', endpoints }] } }, 201, { 'x-subject-token': 'of-project' })
    }
    const { name, password, domain } = identity.password.user
    if (name !== PERSON.username || password !== PERSON.password || domain.name !== 'Default')
      return refuse('Unauthorized')
    return json({ token: {} }, 201, { 'x-subject-token': 'of-user' })
  }
  const token = asked.headers['x-auth-token']
  if (asked.path === '/v3/auth/projects')
    return token === 'of-user'
      ? json({ projects: machines.regions.map(({ id, name }) => ({ id, name })) })
      : refuse('Unauthorized')
  const [, project = ''] = /^\/compute\/([\w-]+)\/servers\/detail$/.exec(asked.path) ?? []
  if (token !== 'of-project') return refuse('Unauthorized')
  const all = machines.of(project)
  const first = all.findIndex(({ id }) => id === asked.query.get('marker')) + 1
  const { items, next } = page(all, first, Number(asked.query.get('limit')))
  return json({
    servers: items.map(openStackServer),
    ...(next ? { servers_links: [{ rel: 'next', href: 'http://elsewhere.example.com/' }] } : {}),
  })
}

export const OPERATOR = { oc_username: 'reader', oc_password: 'of the reader' }

/** ManageOne's operation centre: a token, regions, and machines by a condition, with their number. */
export const manageone: FakeCloud = (asked, machines) => {
  const refuse = (exceptionId: string, status = 401) => json({ exceptionId, exceptionType: 'ROA_EXFRAME' }, status)
  if (asked.path === '/rest/plat/smapp/v1/oauth/token') {
    const { grantType, userName, value } = JSON.parse(asked.body)
    const isGood = asked.method === 'PUT' && grantType === 'password' && userName === OPERATOR.oc_username
    return isGood && value === OPERATOR.oc_password
      ? json({ accessSession: 'x-of-operator', roaRand: 'r', expires: 1800 })
      : refuse('user.login.user_or_value_invalid')
  }
  if (asked.headers['x-auth-token'] !== 'x-of-operator') return refuse('bad.session')
  const [number, pageSize] = [Number(asked.query.get('pageNo')), Number(asked.query.get('pageSize'))]
  const paged = (all: readonly object[]) => {
    const { items } = page(all, (number - 1) * pageSize, pageSize)
    return json({ objList: items, totalNum: all.length, pageSize, currentPage: number })
  }
  if (asked.path === '/rest/cmdb/v1/instances/SYS_BusinessRegion')
    return paged(machines.regions.map(({ id, name }) => ({ id, resId: id, nativeId: `native-${id}`, name })))
  if (asked.path !== '/rest/tenant-resource/v1/instances/CLOUD_VM') return refuse('not.found', 404)
  const [{ simple }] = JSON.parse(asked.query.get('condition') ?? '').constraint
  if (simple.name !== 'bizRegionId' || simple.operator !== 'equal') return refuse('bad.condition', 400)
  return paged(
    machines.of(simple.value).map((one) => ({
      id: `ci-${one.id}`,
      nativeId: one.id,
      bizRegionId: simple.value,
      name: one.name,
      status: 'active',
      privateIps: `@${[...inside(one), '0.0.0.0'].join('@')}@`,
      floatingIp: one.publicAddress && `@${one.publicAddress}@`,
      osVersion: one.isWindows ? 'Windows Server 2019 64bit' : 'EulerOS 2.5 64bit',
    })),
  )
}

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

/** Prism Central. */
export const nutanix: FakeCloud = (asked, machines) => {
  if (asked.headers.authorization !== basic(KEYS.access_key_id, KEYS.access_key_secret))
    return json({ state: 'ERROR' }, 401)
  const { kind, offset, length } = JSON.parse(asked.body)
  if (asked.path !== `/api/nutanix/v3/${kind}s/list`) return json({}, 404)
  const cluster = machines.regions[0]?.id ?? ''
  const all =
    kind === 'cluster'
      ? machines.regions.map(({ id, name }) => ({ metadata: { uuid: id }, status: { name } }))
      : machines.of(cluster).map((one) => ({
          metadata: { uuid: one.id },
          status: {
            name: one.name,
            cluster_reference: { uuid: cluster },
            resources: {
              nic_list: [{ ip_endpoint_list: one.addresses.map((ip) => ({ ip })) }],
              guest_tools: { nutanix_guest_tools: { guest_os_version: one.isWindows ? 'windows:10' : 'linux:64' } },
            },
          },
        }))
  return json({ metadata: { total_matches: all.length }, entities: page(all, offset, length).items })
}

/** vCenter: a session, two hosts, and what the tools in each machine say. */
export const vmware: FakeCloud = (asked, machines) => {
  const error = (error_type: string, status: number) => json({ error_type, messages: [] }, status)
  if (asked.path === '/api/session' && asked.method === 'POST')
    return asked.headers.authorization === basic(PERSON.username, PERSON.password)
      ? json('session-1', 201)
      : error('UNAUTHENTICATED', 401)
  if (asked.headers['vmware-api-session-id'] !== 'session-1') return error('UNAUTHENTICATED', 401)
  if (asked.path === '/api/session') return { status: 204, body: '' }
  if (asked.path === '/api/vcenter/datacenter')
    return json(machines.regions.map(({ id, name }) => ({ datacenter: id, name })))
  const center = machines.regions[0]?.id ?? ''
  const all = machines.of(center)
  if (asked.path === '/api/vcenter/host')
    return asked.query.get('datacenters') === center ? json([{ host: 'host-1' }, { host: 'host-2' }]) : json([])
  const half = Math.ceil(all.length / 2)
  if (asked.path === '/api/vcenter/vm')
    return json(
      (asked.query.get('hosts') === 'host-1' ? all.slice(0, half) : all.slice(half)).map((one) => ({
        vm: one.id,
        name: one.name,
        power_state: 'POWERED_ON',
      })),
    )
  const [, id] = /^\/api\/vcenter\/vm\/([\w-]+)\/guest\/identity$/.exec(asked.path) ?? []
  const one = all.find((machine) => machine.id === id)
  if (!one) return error('NOT_FOUND', 404)
  return json({ family: one.isWindows ? 'WINDOWS' : 'LINUX', ip_address: one.addresses[0] })
}

/** These clouds by the names of their hosts. */
export function otherCloud(host: string): FakeCloud | undefined {
  if (host.endsWith('.myhuaweicloud.com')) return huawei
  if (/(microsoftonline|azure)\.com$|chinacloudapi\.cn$/.test(host)) return azure
  if (host.endsWith('.googleapis.com')) return google
  const own: Record<string, FakeCloud> = { qingcloud, manageone, openstack, nutanix, vmware }
  return own[host.split('.')[0] ?? '']
}

/** What of a machine these say: no address from outside, or only one. */
export const plainer = <T extends { publicAddress: string; addresses: readonly string[] }>(
  machines: readonly T[],
  only?: 'first',
): T[] =>
  machines.map((one) => ({ ...one, publicAddress: '', addresses: only ? one.addresses.slice(0, 1) : one.addresses }))

export type { Asked }
