import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig, readConfigFile } from './config.ts'
import { SETTINGS } from './config-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

const RECORDINGS = { SALLYPORT_RECORDINGS_ACCESS_KEY: 'access', SALLYPORT_RECORDINGS_SECRET_KEY: 'secret' }

test('without any setting everything has its default', () => {
  expect(loadConfig({}, {}, '/srv')).toEqual({
    host: '127.0.0.1',
    httpPort: 8080,
    httpStallSeconds: 60,
    sshPort: 2222,
    nodeName: undefined,
    linkHost: undefined,
    linkPort: 0,
    linkAddress: undefined,
    dataDirectory: '/srv/data',
    databaseUrl: undefined,
    adminPassword: undefined,
    secretKey: undefined,
    nextSecretKey: undefined,
    bootstrapToken: undefined,
    communityLicense: true,
    language: 'cn',
    roles: ['api', 'gateway', 'worker'],
    drainSeconds: 0,
    keepAtLeastDays: 30,
    logLevel: 'info',
    trustedProxies: [],
    https: 'auto',
    httpsPort: undefined,
    tlsCertificate: undefined,
    tlsKey: undefined,
    acmeDomains: [],
    acmeMail: undefined,
    acmeDirectory: 'https://acme-v02.api.letsencrypt.org/directory',
    closedTargets: [],
    requestsOfPerson: 30_000,
    requestsOfAddress: 30_000,
    httpUnauthenticated: 2000,
    httpUnauthenticatedOfAddress: 100,
    sshConnections: 2000,
    sshConnectionsOfPerson: 200,
    sshUnauthenticated: 200,
    sshUnauthenticatedOfAddress: 20,
    postgresqlPort: 0,
    mysqlPort: 0,
    redisPort: 0,
    kubernetesPort: 0,
    vncPort: 0,
    rdpPort: 0,
    databaseConnections: 2000,
    databaseConnectionsOfPerson: 200,
    databaseUnauthenticated: 200,
    databaseUnauthenticatedOfAddress: 50,
    sftpShowHidden: false,
    zipMaxSize: 1024 ** 3,
    recordingsRegion: 'us-east-1',
    smsAlibabaUrl: 'https://dysmsapi.aliyuncs.com',
    smsTencentUrl: 'https://sms.tencentcloudapi.com',
    backupAt: '30 2 * * *',
    backupKeep: 14,
    settings: {},
    given: {},
  })
})

test('every setting can be set, and is read as what it is', () => {
  const config = loadConfig({
    SALLYPORT_HOST: '::',
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_HTTPS: 'on',
    SALLYPORT_HTTPS_PORT: '8443',
    SALLYPORT_TLS_CERTIFICATE: '/etc/sallyport/door.crt',
    SALLYPORT_TLS_KEY: '/etc/sallyport/door.key',
    SALLYPORT_ACME_DOMAINS: 'door.example.com, Tür.example.com,door.example.com',
    SALLYPORT_ACME_MAIL: 'door@example.com',
    SALLYPORT_ACME_DIRECTORY: 'https://ca.internal/acme/directory',
    SALLYPORT_SSH_PORT: '22',
    SALLYPORT_NODE_NAME: 'node-1',
    SALLYPORT_LINK_HOST: '10.0.0.1',
    SALLYPORT_LINK_PORT: '2223',
    SALLYPORT_LINK_ADDRESS: 'node-1.internal',
    SALLYPORT_DATA_DIR: '/var/lib/sallyport',
    DATABASE_URL: 'postgres://a:b@db/sallyport',
    SALLYPORT_POSTGRES_BIN: 'distribution',
    SALLYPORT_ADMIN_PASSWORD: 'long enough',
    SALLYPORT_SECRET_KEY: 'k'.repeat(32),
    SALLYPORT_SECRET_KEY_NEXT: 'n'.repeat(32),
    SALLYPORT_BOOTSTRAP_TOKEN: 't'.repeat(16),
    SALLYPORT_METRICS_TOKEN: 'm'.repeat(16),
    SALLYPORT_LANGUAGE: 'browser',
    SALLYPORT_ROLES: 'api, worker',
    SALLYPORT_DRAIN_SECONDS: '5',
    SALLYPORT_KEEP_AT_LEAST_DAYS: '90',
    SALLYPORT_LOG_LEVEL: 'warn',
    SALLYPORT_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16,fd00::/8',
    SALLYPORT_CLOSED_TARGETS: '127.0.0.0/8, ::1',
    SALLYPORT_REQUESTS_PER_PERSON: '600',
    SALLYPORT_REQUESTS_PER_ADDRESS: '1200',
    SALLYPORT_SSH_CONNECTIONS: '100',
    SALLYPORT_SSH_UNAUTHENTICATED: '50',
    SALLYPORT_SSH_UNAUTHENTICATED_PER_ADDRESS: '5',
    SALLYPORT_SSH_CONNECTIONS_PER_PERSON: '20',
    SALLYPORT_POSTGRESQL_PORT: '5432',
    SALLYPORT_MYSQL_PORT: '3306',
    SALLYPORT_REDIS_PORT: '6379',
    SALLYPORT_KUBERNETES_PORT: '6443',
    SALLYPORT_VNC_PORT: '5900',
    SALLYPORT_RDP_PORT: '3389',
    SALLYPORT_DATABASE_CERTIFICATE: '/etc/sallyport/site.crt',
    SALLYPORT_DATABASE_KEY: '/etc/sallyport/site.key',
    SALLYPORT_DATABASE_CONNECTIONS: '100',
    SALLYPORT_DATABASE_UNAUTHENTICATED: '50',
    SALLYPORT_DATABASE_UNAUTHENTICATED_PER_ADDRESS: '5',
    SALLYPORT_DATABASE_CONNECTIONS_PER_PERSON: '20',
    SALLYPORT_SFTP_SHOW_HIDDEN_FILE: 'true',
    SALLYPORT_ZIP_MAX_SIZE: '2g',
    SALLYPORT_LICENSE_PUBLIC_KEY: 'key',
    SALLYPORT_LICENSE: 'license',
    SALLYPORT_COMMUNITY_LICENSE: 'false',
    SALLYPORT_RECORDINGS: 's3://recordings/of/sallyport/',
    SALLYPORT_RECORDINGS_ENDPOINT: 'http://127.0.0.1:9000/',
    SALLYPORT_RECORDINGS_REGION: 'eu-1',
    SALLYPORT_RECORDINGS_ACCESS_KEY: 'access',
    SALLYPORT_RECORDINGS_SECRET_KEY: 'secret',
    SALLYPORT_BACKUP: 's3://backups/of/sallyport',
    SALLYPORT_BACKUP_AT: '0 4 * * 7',
    SALLYPORT_BACKUP_KEEP: '30',
    SALLYPORT_BACKUP_PASSPHRASE: 'p'.repeat(12),
    SALLYPORT_BACKUP_ENDPOINT: 'http://127.0.0.1:9000',
    SALLYPORT_BACKUP_REGION: 'eu-1',
    SALLYPORT_BACKUP_ACCESS_KEY: 'access',
    SALLYPORT_BACKUP_SECRET_KEY: 'secret',
    SALLYPORT_CLOUD_RELAY: 'http://relay.example.com:8443',
  })
  expect(config).toMatchObject({
    host: '::',
    httpPort: 0,
    sshPort: 22,
    nodeName: 'node-1',
    linkHost: '10.0.0.1',
    linkPort: 2223,
    linkAddress: 'node-1.internal',
    dataDirectory: '/var/lib/sallyport',
    drainSeconds: 5,
    keepAtLeastDays: 90,
    logLevel: 'warn',
  })
  expect(config.roles).toEqual(['api', 'worker'])
  expect(config.acmeDomains).toEqual(['door.example.com', 'xn--tr-xka.example.com'])
  expect(config.closedTargets).toEqual(['127.0.0.0/8', '::1'])
  expect(config.trustedProxies).toEqual(['10.0.0.1', '10.1.0.0/16', 'fd00::/8'])
  expect(config.recordings).toEqual({ bucket: 'recordings', prefix: 'of/sallyport' })
  expect(loadConfig({ ...RECORDINGS, SALLYPORT_RECORDINGS: 's3://bucket' }).recordings).toEqual({
    bucket: 'bucket',
    prefix: '',
  })
  expect(config.recordingsEndpoint).toBe('http://127.0.0.1:9000')
  expect(config.sftpShowHidden).toBe(true)
  expect([
    config.zipMaxSize,
    loadConfig({}).zipMaxSize,
    loadConfig({ SALLYPORT_ZIP_MAX_SIZE: '700' }).zipMaxSize,
  ]).toEqual([2 * 1024 ** 3, 1024 ** 3, 700])
  expect(Object.values(config)).not.toContain(undefined)
  // For people who look at it; what may be a secret is only named.
  expect(config.given).toMatchObject({ SALLYPORT_HTTP_PORT: '0', SALLYPORT_ROLES: 'api, worker', DATABASE_URL: null })
  const shown = JSON.stringify(config.given)
  for (const secret of ['long enough', 'kkkk', 'nnnn', 'tttt', 'mmmm', 'pppp', 'a:b', 'secret"'])
    expect(shown).not.toContain(secret)
})

test.each([
  ['SALLYPORT_BACKUP', 's3://B/x'],
  ['SALLYPORT_BACKUP_AT', 'at night'],
  ['SALLYPORT_BACKUP_PASSPHRASE', 'too short'],
  ['SALLYPORT_HTTP_PORT', '80800'],
  ['SALLYPORT_HTTP_PORT', 'http'],
  ['SALLYPORT_SSH_PORT', '-1'],
  ['SALLYPORT_HOST', 'two words'],
  ['SALLYPORT_HTTPS', 'yes'],
  ['SALLYPORT_HTTPS_PORT', '70000'],
  ['SALLYPORT_ACME_DOMAINS', '*.example.com'],
  ['SALLYPORT_ACME_DOMAINS', 'https://door.example.com'],
  ['SALLYPORT_ACME_DOMAINS', 'door.example.com,192.0.2.1'],
  ['SALLYPORT_ACME_DOMAINS', 'two words'],
  ['SALLYPORT_ACME_MAIL', 'door'],
  ['SALLYPORT_ACME_DIRECTORY', 'http://ca.internal/directory'],
  ['SALLYPORT_NODE_NAME', 'node 1'],
  ['SALLYPORT_LINK_PORT', '65536'],
  ['SALLYPORT_LINK_HOST', 'two words'],
  ['SALLYPORT_LINK_ADDRESS', 'https://node'],
  ['DATABASE_URL', 'mysql://db/sallyport'],
  ['DATABASE_URL', 'db'],
  ['SALLYPORT_ADMIN_PASSWORD', 'short'],
  ['SALLYPORT_SECRET_KEY', 'short'],
  ['SALLYPORT_BOOTSTRAP_TOKEN', 'short'],
  ['SALLYPORT_METRICS_TOKEN', 'short'],
  ['SALLYPORT_LANGUAGE', 'fr'],
  ['SALLYPORT_ROLES', 'api,cook'],
  ['SALLYPORT_ROLES', ','],
  ['SALLYPORT_DRAIN_SECONDS', '-1'],
  ['SALLYPORT_KEEP_AT_LEAST_DAYS', '0'],
  ['SALLYPORT_DRAIN_SECONDS', '3601'],
  ['SALLYPORT_LOG_LEVEL', 'loud'],
  ['SALLYPORT_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['SALLYPORT_CLOSED_TARGETS', 'localhost'],
  ['SALLYPORT_SFTP_SHOW_HIDDEN_FILE', 'maybe'],
  ['SALLYPORT_ZIP_MAX_SIZE', 'much'],
  ['SALLYPORT_ZIP_MAX_SIZE', '0M'],
  ['SALLYPORT_ZIP_MAX_SIZE', '9999999999T'],
  ['SALLYPORT_TRUSTED_PROXIES', 'proxy.example'],
  ['SALLYPORT_RECORDINGS', 'https://bucket'],
  ['SALLYPORT_RECORDINGS', 's3://bucket/../other'],
  ['SALLYPORT_RECORDINGS_ENDPOINT', 's3.example.com'],
  ['SALLYPORT_RECORDINGS_REGION', 'eu central'],
])('%s=%s stops the start and is told what it should be, without the value', (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(`${name} must be ${SETTINGS[name]?.shape}`)
})

test('a bucket without its keys stops the start', () => {
  expect(() => loadConfig({ SALLYPORT_RECORDINGS: 's3://bucket', SALLYPORT_RECORDINGS_ACCESS_KEY: 'a' })).toThrow(
    'SALLYPORT_RECORDINGS needs SALLYPORT_RECORDINGS_ACCESS_KEY and SALLYPORT_RECORDINGS_SECRET_KEY',
  )
})

test('a certificate without its key stops the start, and so does a key alone', () => {
  for (const name of ['SALLYPORT_TLS_CERTIFICATE', 'SALLYPORT_TLS_KEY'])
    expect(() => loadConfig({ [name]: 'door.pem' })).toThrow(
      'SALLYPORT_TLS_CERTIFICATE and SALLYPORT_TLS_KEY need each other',
    )
})

test('links in messages lead to the name of the certificate, where HTTPS is at its standard port', () => {
  const site = (more: Record<string, string>) =>
    loadConfig({ SALLYPORT_ACME_DOMAINS: 'door.example.com', ...more }).settings.SITE_URL
  expect([site({ SALLYPORT_HTTP_PORT: '80' }), site({ SALLYPORT_HTTPS_PORT: '443' })]).toEqual(
    Array(2).fill('https://door.example.com'),
  )
  expect(site({})).toBeUndefined()
  expect(site({ SALLYPORT_HTTP_PORT: '80', SALLYPORT_SETTING_SITE_URL: 'https://other.example' })).toBe(
    'https://other.example',
  )
})

test('an unknown SALLYPORT_ variable stops the start; other variables are none of our business', () => {
  expect(() => loadConfig({ SALLYPORT_HTTPPORT: '80' })).toThrow('SALLYPORT_HTTPPORT is not a setting')
  expect(() => loadConfig({}, { httpPort: 80 })).toThrow('httpPort is not a setting')
  expect(loadConfig({ HTTP_PORT: '80', SALLYPORT_CONFIG_FILE: 'x.json' }).httpPort).toBe(8080)
})

test('what Kubernetes writes about services called sallyport, sallyport-ssh or sallyport-http is no setting', () => {
  const link = (name: string, port: string) => ({
    [`${name}_SERVICE_HOST`]: '10.96.0.7',
    [`${name}_SERVICE_PORT`]: port,
    [`${name}_SERVICE_PORT_HTTP`]: port,
    [`${name}_PORT`]: `tcp://10.96.0.7:${port}`,
    [`${name}_PORT_${port}_TCP`]: `tcp://10.96.0.7:${port}`,
    [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_${port}_TCP_PORT`]: port,
    [`${name}_PORT_${port}_TCP_ADDR`]: '10.96.0.7',
  })
  const links = {
    ...link('SALLYPORT', '80'),
    ...link('SALLYPORT_SSH', '2222'),
    ...link('SALLYPORT_HTTP', '80'),
    ...link('SALLYPORT_SETTING', '80'),
    SALLYPORT_LINK_PORT: 'udp://[fd00::7]:7443',
  }
  expect(loadConfig(links, { SALLYPORT_HTTP_PORT: 9000 }, '/srv')).toEqual(
    loadConfig({}, { SALLYPORT_HTTP_PORT: 9000 }, '/srv'),
  )
  expect(() => loadConfig({ SALLYPORT_PORT: '8080' })).toThrow('SALLYPORT_PORT is not a setting')
  expect(() => loadConfig({ SALLYPORT_SSH_PORT: 'http://10.0.0.1' })).toThrow('SALLYPORT_SSH_PORT must be')
})

test('all problems are said at once', () => {
  expect(() => loadConfig({ SALLYPORT_HTTP_PORT: 'x', SALLYPORT_LOG_LEVEL: 'x' })).toThrow(
    /SALLYPORT_HTTP_PORT.*\n.*SALLYPORT_LOG_LEVEL/,
  )
})

test('the environment goes before the file, an empty variable does not', () => {
  const file = { SALLYPORT_HTTP_PORT: 9000, SALLYPORT_SSH_PORT: 9022, SALLYPORT_ROLES: ['api'] }
  const config = loadConfig({ SALLYPORT_HTTP_PORT: '7000', SALLYPORT_SSH_PORT: '' }, file)
  expect(config).toMatchObject({ httpPort: 7000, sshPort: 9022, roles: ['api'] })
})

test('the settings file may be absent, unless it was named; anything but an object is refused', () => {
  expect(readConfigFile({}, folder)).toEqual({})
  expect(() => readConfigFile({ SALLYPORT_CONFIG_FILE: 'none.json' }, folder)).toThrow('none.json cannot be read')
  writeFileSync(join(folder, 'sallyport.json'), '{"SALLYPORT_HTTP_PORT": 9000}')
  expect(readConfigFile({}, folder)).toEqual({ SALLYPORT_HTTP_PORT: 9000 })
  writeFileSync(join(folder, 'bad.json'), '[1]')
  expect(() => readConfigFile({ SALLYPORT_CONFIG_FILE: 'bad.json' }, folder)).toThrow('must be a JSON object')
})

test('settings of the console can be brought along, by environment before file, and a wrong one stops the start', () => {
  const { settings } = loadConfig(
    {
      SALLYPORT_SETTING_SITE_URL: 'https://door.example.com/',
      SALLYPORT_SETTING_SECURITY_MFA_AUTH: '1',
      SALLYPORT_SETTING_SECURITY_LOGIN_IP_WHITE_LIST: '10.0.0.1, 10.1.0.0/16',
      SALLYPORT_SETTING_AUTH_LDAP_USER_ATTR_MAP: '{"username": "uid", "name": "cn", "email": "mail"}',
      SALLYPORT_SETTING_EMAIL_HOST_PASSWORD: '',
    },
    { SALLYPORT_SETTING_SITE_URL: 'https://file.example.com', SALLYPORT_SETTING_TICKETS_ENABLED: false },
  )
  expect(settings).toEqual({
    SITE_URL: 'https://door.example.com',
    SECURITY_MFA_AUTH: 1,
    SECURITY_LOGIN_IP_WHITE_LIST: ['10.0.0.1', '10.1.0.0/16'],
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    TICKETS_ENABLED: false,
  })
  expect(() => loadConfig({ SALLYPORT_SETTING_NONE: '1' })).toThrow('SALLYPORT_SETTING_NONE is not a setting')
  expect(() => loadConfig({ SALLYPORT_SETTING_SECURITY_MAX_IDLE_TIME: '0' })).toThrow(
    'SALLYPORT_SETTING_SECURITY_MAX_IDLE_TIME: Ensure',
  )
  expect(() => loadConfig({ SALLYPORT_SETTING_SECURITY_LOGIN_IP_BLACK_LIST: '10.0.0.300' })).toThrow('"10.0.0.300"')
})
