/** One row of every organization-scoped resource that has a create call, made through the API. */
import { randomUUID } from 'node:crypto'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import type { Caller, TestServer } from '../server.ts'
import { signed } from '../signed.ts'

export type Row = Record<string, unknown>
/** Rows by the name of their resource. */
export type OneOfEach = Record<string, Row>

/**
 * The values that a row needs besides the required ones, in the order in which rows are made:
 * references are to those made before.
 */
const DRAFTS: Record<string, () => Row> = {
  user_group: () => ({ name: 'group' }),
  label: () => ({ name: 'env', value: 'prod' }),
  domain: () => ({ name: 'network' }),
  gateway: () => ({ name: 'door', ip: '127.0.0.1', username: 'root', password: 'secret-of-door' }),
  secret_source: () => ({ name: 'store', address: 'https://127.0.0.1:8200', token: 'secret-of-store' }),
  host_authority: () => ({
    name: 'authority',
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVt',
  }),
  system_user: () => ({
    name: 'identity',
    username: 'root',
    protocol: 'ssh',
    login_mode: 'auto',
    password: 'secret-of-identity',
    auto_push: false,
  }),
  admin_user: () => ({ name: 'privileged', username: 'root', password: 'secret-of-admin' }),
  node: () => ({ value: 'folder' }),
  asset: () => ({ hostname: 'machine', ip: '10.0.0.1', platform: 'Linux' }),
  application: () => ({ name: 'database' }),
  asset_account: () => ({ username: 'account', password: 'secret-of-asset-account' }),
  application_account: () => ({ username: 'account', password: 'secret-of-application-account' }),
  change_auth_plan: () => ({ name: 'plan', username: 'deploy', password: 'secret-of-change-auth-plan' }),
  app_change_auth_plan: () => ({ name: 'plan', category: 'db', type: 'mysql', password: 'secret-of-app-plan' }),
  command_filter: () => ({ name: 'filter' }),
  runbook: () => ({ name: 'runbook', steps: [{ name: 'first', command: 'id' }] }),
  asset_permission: () => ({ name: 'grant' }),
  application_permission: () => ({ name: 'grant' }),
  cloud_account: () => ({ name: 'cloud' }),
  sync_instance_task: () => ({ name: 'sync', regions: ['cn-hangzhou'] }),
  login_asset_acl: () => ({ name: 'review', users: {}, system_users: {}, assets: {} }),
  // No two of the installation have the same user name.
  service_identity: () => ({ username: `svc.${randomUUID()}` }),
  trust_rule: () => ({
    issuer: 'https://issuer.example.com',
    claims: [{ claim: 'repository', value: 'octo/app' }],
  }),
  ftp_log: () => ({ user: 'a(a)', asset: 'b', system_user: 'c', operate: 'Upload', filename: '/tmp/f' }),
  session: () => ({ user: 'a(a)', asset: 'b(b)', system_user: 'c(c)', protocol: 'ssh' }),
}

export const essentialsOf = (name: string): Row => DRAFTS[name]?.() ?? {}

/** Whether people write its rows: evidence is written by components alone. */
export const isWrittenByPeople = ({ permission }: ResourceDefinition) =>
  permission.write.some((word) => word !== 'component')

/** The resources that an organization's own administrator, or a component, creates. */
export const ofOrganizations = resources.filter(
  ({ scope, operations, path, permission }) =>
    scope === 'org' &&
    operations.includes('create') &&
    !path.includes(':') &&
    (permission.create ?? permission.write).some((word) => word !== 'super_admin'),
)

/**
 * A body that creates a row of the resource; what it must refer to is among `rows`, people are the
 * caller.
 */
export function draftOf({ name, fields }: ResourceDefinition, rows: OneOfEach, caller: Caller): Row {
  const references = Object.entries(fields as Record<string, Field>).flatMap(
    ([field, { required, readOnly, to, by, type }]): [string, unknown][] => {
      if (!required || readOnly || !to || by === 'name') return []
      const target = to === 'user' ? caller.id : rows[to]?.id
      return [[field, type === 'refs' ? [target] : target]]
    },
  )
  return { ...requiredOf(fields), ...DRAFTS[name]?.(), ...Object.fromEntries(references) }
}

/** Something for each field that must be sent and refers to nothing. */
function requiredOf(fields: ResourceDefinition['fields']): Row {
  const required = Object.entries(fields).filter(([, { required, readOnly, to }]) => required && !readOnly && !to)
  return Object.fromEntries(required.map(([name, field]) => [name, exampleOf(name, field)]))
}

export function exampleOf(name: string, { type, choices = {}, min = 1, shapes }: Field): unknown {
  switch (type) {
    case 'integer':
    case 'float':
      return min
    case 'boolean':
      return true
    case 'choice':
      return Object.keys(choices)[0]
    case 'multichoice':
      return Object.keys(choices).slice(0, 1)
    case 'email':
      return `${name}@example.com`
    case 'url':
      return `http://${name}.example.com`
    case 'datetime':
      return '2030/01/01 00:00:00 +0000'
    case 'object':
      return requiredOf(Object.values(shapes ?? {})[0] ?? {})
    case 'list':
    case 'strings':
    case 'refs':
      return []
    default:
      return name
  }
}

/** Those with a draft first, in its order: the others refer to them. Throws when one is refused. */
export async function makeOneOfEach(
  server: TestServer,
  caller: Caller,
  org: string = DEFAULT_ORG_ID,
): Promise<OneOfEach> {
  const rows: OneOfEach = {}
  const component = await aComponent(server, org)
  const order = [...Object.keys(DRAFTS), ...ofOrganizations.map(({ name }) => name).filter((name) => !(name in DRAFTS))]
  for (const name of order) {
    const definition = resources.find((one) => one.name === name) as ResourceDefinition
    const author = isWrittenByPeople(definition) ? caller : component
    const answer = await author.post(definition.path, draftOf(definition, rows, caller))
    if (answer.status !== 201) throw new Error(`${name} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    rows[name] = answer.body
  }
  return rows
}

/** A gateway that has registered, which says itself where its rows belong. */
async function aComponent(server: TestServer, org: string): Promise<Pick<Caller, 'post'>> {
  const { status, body } = await server.call('POST', '/api/v1/terminal/terminal-registrations/', {
    body: { name: `gateway of ${org}`, type: 'koko' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`)
  const key = body.service_account.access_key
  return {
    post: (path, row) =>
      server.call('POST', path, { body: { ...(row as Row), org_id: org }, headers: signed(path, key, 'post') }),
  }
}
