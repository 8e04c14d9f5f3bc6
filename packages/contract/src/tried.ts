/**
 * Whether each part that speaks to somebody else's product was tried with that product, or only with
 * a stand-in of it. The forms of the console and docs/tried.md say it from here.
 */
import type { ApplicationType } from './resources/applications/application-types.ts'
import type { Device } from './resources/assets/platform.ts'
import type { ASSET_PROTOCOLS } from './resources/assets/protocols.ts'
import type { SecretSourceKind } from './resources/assets/secret-source.ts'
import type { CloudProvider } from './resources/cloud/cloud-providers.ts'
import type { ReplayStorageType } from './resources/terminal/replay-storage-types.ts'
import type { SettingCategory } from './settings/index.ts'

export interface Trial {
  tried: 'real' | 'stand-in' | 'no'
  /** The product with its version, or the stand-in, or what was looked at. In English, for the page of the docs. */
  on: string
}

const real = (on: string): Trial => ({ tried: 'real', on })
const standIn = (on: string): Trial => ({ tried: 'stand-in', on })

const bySignature = standIn('a server that checks the published signature')
const bySignIn = standIn('a server that checks the documented sign-in')
const s3 = standIn('another server of the S3 interface')
const windows = standIn('xrdp, which shows its desktop behind the program; no Windows')

const machines: Record<(typeof ASSET_PROTOCOLS)[number], Trial> = {
  ssh: real('OpenSSH 9.2'),
  telnet: real('telnetd of Debian 12'),
  rdp: standIn('xrdp 0.9; no Windows'),
  vnc: real('TigerVNC 1.12'),
}

const applications: Record<ApplicationType, Trial> = {
  mysql: standIn('MariaDB 10.11, and a server of the ways to sign in of MySQL 8'),
  mariadb: real('MariaDB 10.11'),
  postgresql: real('PostgreSQL 15 and 18'),
  redis: real('Redis 7.0'),
  sqlserver: standIn('a server of the published protocol ([MS-TDS] 7.4)'),
  oracle: standIn('a server written after the driver'),
  k8s: standIn('an API server of the tests, by kubectl 1.32 and 1.33'),
  chrome: windows,
  mysql_workbench: windows,
  vmware_client: windows,
  custom: windows,
}

const devices: Record<Device, Trial> = {
  cisco: standIn('a server that behaves as documented'),
  huawei: standIn('a server that behaves as documented'),
  h3c: standIn('a server that behaves as documented'),
}

const clouds: Record<CloudProvider, Trial> = {
  aliyun: bySignature,
  qcloud: bySignature,
  huaweicloud: bySignature,
  aws_china: bySignature,
  aws_international: bySignature,
  azure: bySignIn,
  azure_international: bySignIn,
  gcp: bySignIn,
  vmware: bySignIn,
  qingcloud_private: bySignature,
  huaweicloud_private: standIn('a server after its other clients; no public manual'),
  openstack: bySignIn,
  nutanix: bySignIn,
}

const recordings: Record<Exclude<ReplayStorageType, 'null' | 'server'>, Trial> = {
  s3,
  ceph: s3,
  swift: s3,
  oss: s3,
  obs: s3,
  azure: standIn('the emulator of its maker'),
}

const commands: Record<'es', Trial> = {
  es: standIn('a server with the answers of versions 6.8 to 8.15'),
}

/** By the category of their settings. */
const services = {
  ldap: real('OpenLDAP 2.5; for Active Directory a domain of Samba 4.17, none of Windows'),
  radius: real('FreeRADIUS 3.2'),
  cas: standIn('a server of the published protocol'),
  saml2: standIn('an identity provider of the tests'),
  oidc: standIn('a provider of the tests'),
  wecom: standIn('a server that answers as documented, of departments too'),
  dingtalk: standIn('a server that answers as documented, of departments too'),
  feishu: standIn('a server that answers as documented, of departments too'),
  slack: standIn('a server that answers as documented'),
  teams: standIn('a server that answers as documented'),
  alibaba: bySignature,
  tencent: bySignature,
} satisfies Partial<Record<SettingCategory, Trial>>

const byToken = standIn('an issuer of the tests, by HTTPS, with claims as documented')
/** Providers whose tokens of workloads are exchanged (docs/workload-tokens.md). */
const workloads = { github: byToken, gitlab: byToken, kubernetes: byToken } satisfies Record<string, Trial>

/** Stores that accounts take their secret from (docs/secret-sources.md). */
const secrets: Record<SecretSourceKind, Trial> = {
  vault: standIn('a server that answers as documented'),
  http: standIn('a server of the tests'),
}

/** Programs with a file in deploy/proxies/. */
const proxies = {
  nginx: real('nginx 1.22'),
  caddy: real('Caddy 2.6'),
  apache: real('Apache 2.4'),
  haproxy: real('HAProxy 2.6'),
  traefik: { tried: 'no', on: 'its file is read as YAML, and no more' },
} satisfies Record<string, Trial>

export const TRIED = {
  machines,
  applications,
  devices,
  clouds,
  recordings,
  commands,
  services,
  workloads,
  secrets,
  proxies,
}
