/**
 * Writes the table of docs/tried.md from packages/contract/src/tried.ts:
 * `node_modules/.bin/node scripts/tried-page.mjs`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { APPLICATION_TYPE_LABELS } from '../packages/contract/src/resources/applications/application-types.ts'
import { DEVICES } from '../packages/contract/src/resources/assets/platform.ts'
import { PROTOCOL_CHOICES } from '../packages/contract/src/resources/assets/protocols.ts'
import { SECRET_SOURCE_KINDS } from '../packages/contract/src/resources/assets/secret-source.ts'
import { CLOUD_LABELS } from '../packages/contract/src/resources/cloud/cloud-providers.ts'
import { REPLAY_STORAGE_LABELS } from '../packages/contract/src/resources/terminal/replay-storage-types.ts'
import { TRIED } from '../packages/contract/src/tried.ts'

export const PAGE = new URL('../docs/tried.md', import.meta.url)
const [BEGIN, END] = ['<!-- tried: made by scripts/tried-page.mjs -->', '<!-- end of tried -->']

const SERVICES = {
  ldap: 'LDAP',
  radius: 'RADIUS',
  cas: 'CAS',
  saml2: 'SAML 2',
  oidc: 'OpenID Connect',
  wecom: 'WeCom',
  dingtalk: 'DingTalk',
  feishu: 'FeiShu',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  alibaba: 'SMS of Alibaba Cloud',
  tencent: 'SMS of Tencent Cloud',
}
const WORKLOADS = { github: 'GitHub Actions', gitlab: 'GitLab', kubernetes: 'Kubernetes' }
const PROXIES = { nginx: 'nginx', caddy: 'Caddy', apache: 'Apache', haproxy: 'HAProxy', traefik: 'Traefik' }
const AREAS = {
  machines: ['Machines', PROTOCOL_CHOICES],
  devices: ['Network equipment', DEVICES],
  applications: ['Databases, clusters and remote apps', APPLICATION_TYPE_LABELS],
  clouds: ['Clouds', CLOUD_LABELS],
  recordings: ['Storages of recordings', REPLAY_STORAGE_LABELS],
  commands: ['Storages of commands', { es: 'Elasticsearch' }],
  services: ['Sign-in and messages', SERVICES],
  workloads: ['Tokens of workloads', WORKLOADS],
  secrets: ['Stores of secrets', SECRET_SOURCE_KINDS],
  proxies: ['Proxies before the console', PROXIES],
}

/** The page with its tables as they must be; everything around them stays. */
export function triedPage(page) {
  const tables = Object.entries(AREAS).map(([area, [title, labels]]) => {
    const rows = Object.entries(TRIED[area]).map(([name, { tried, on }]) => `| ${labels[name]} | ${tried} | ${on} |`)
    return [`## ${title}`, '', '| | tried | on |', '|---|---|---|', ...rows].join('\n')
  })
  return page.replace(
    page.slice(page.indexOf(BEGIN), page.indexOf(END)),
    () => `${BEGIN}\n\n${tables.join('\n\n')}\n\n`,
  )
}

if (import.meta.main) writeFileSync(PAGE, triedPage(readFileSync(PAGE, 'utf8')))
