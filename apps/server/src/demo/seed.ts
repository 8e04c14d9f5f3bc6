import { randomBytes } from 'node:crypto'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { and, eq, sql } from 'drizzle-orm'
import { assetsListedAsset, assetsListedNode } from '../domains/assets/index.ts'
import { recordLogin } from '../domains/audits/index.ts'
import { appendCommands, createSession, finishSession, terminalListedSession } from '../domains/terminal/index.ts'
import { findUser } from '../domains/users/index.ts'
import { issueLicense, licenseOf, signingKeyIn } from '../domains/xpack/index.ts'
import type { Call } from '../kernel/access/call.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { columnOf, type ReadContext } from '../kernel/resource/mount.ts'
import { resourcesOf } from '../kernel/resource/registry.ts'
import { createRow } from '../kernel/resource/write.ts'
import {
  ADMINISTRATORS,
  DOMAINS,
  GRANTS,
  GROUPS,
  MACHINES,
  NODES,
  PAST_COMMANDS,
  SECOND_ORG,
  SYSTEM_USERS,
  THIS_MACHINE,
} from './company.ts'

const DAYS_BACK = 21
const SESSIONS_PER_DAY = 6

/**
 * Fills the installation with a believable company (`npm start -- --demo`). Every row is looked up
 * first, so that a second run adds nothing. Rows go through the engine like anybody's, with the
 * same rules, references and operate log. People and machines get random secrets that nobody knows.
 */
export async function seedDemo(kernel: Kernel): Promise<void> {
  const admin = await findUser(kernel.db, { username: 'admin' })
  if (!admin) throw new Error('the demo needs the first administrator')
  const contextIn = (org: { id: string; name: string }): ReadContext => ({
    kernel,
    db: kernel.db,
    call: {
      user: { id: admin.id, name: admin.name, username: admin.username, role: 'Admin' },
      via: undefined,
      sessionId: undefined,
      org,
      orgRoles: ['Admin'],
      language: 'en',
      timeZone: 'UTC',
      remoteAddress: '127.0.0.1',
    } satisfies Call,
    parameters: {},
    query: {},
  })
  const home = contextIn({ id: DEFAULT_ORG_ID, name: 'Default' })
  const people = await seedPeople(home)
  await seedMachines(home)
  await seedGrants(home)
  await seedSecondOrg(contextIn({ id: ROOT_ORG_ID, name: 'GLOBAL' }), contextIn)
  await seedPast(kernel, people)
  await seedLicense(home)
}

/**
 * Installs a valid licence where there is none and this service can sign one (spec notes on A4.06).
 */
async function seedLicense({ kernel, call }: ReadContext): Promise<void> {
  const { dataDirectory, licensePublicKey } = kernel.config
  if (licensePublicKey || licenseOf(kernel).current()) return
  const document = issueLicense(signingKeyIn(dataDirectory), { corporation: 'Harbour Bicycles', days: 365 })
  await licenseOf(kernel).install(document, call)
}

/** The id of the row with this value, made from the draft if there is none. */
async function ensure(
  context: ReadContext,
  name: string,
  key: string | readonly string[],
  draft: Record<string, unknown>,
): Promise<string> {
  const resource = resourcesOf(context.kernel).find(name)
  if (!resource) throw new Error(`no resource ${name}`)
  const { definition, mount } = resource
  const inOrg = definition.scope === 'org' ? eq(columnOf(mount.table, 'org_id'), context.call.org.id) : undefined
  const [found] = await context.db
    .select({ id: columnOf(mount.table, 'id') })
    .from(mount.table)
    .where(and(...[key].flat().map((one) => eq(columnOf(mount.table, one), draft[one])), inOrg))
    .limit(1)
  return String(found?.id ?? (await createRow(resource, draft, context)).id)
}

const unknownSecret = () => `Demo-${randomBytes(18).toString('base64url')}`

async function seedPeople(context: ReadContext): Promise<{ id: string; name: string; username: string }[]> {
  const person = (username: string, name: string, org_roles: readonly string[]) =>
    ensure(context, 'user', 'username', {
      username,
      name,
      email: `${username}@bicycles.example`,
      org_roles,
      password_strategy: 'custom',
      password: unknownSecret(),
    })
  const people: { id: string; name: string; username: string }[] = []
  for (const [group, members] of Object.entries(GROUPS)) {
    const users: string[] = []
    for (const [username, name] of members) {
      const id = await person(username, name, ['User'])
      users.push(id)
      people.push({ id, name, username })
    }
    await ensure(context, 'user_group', 'name', { name: group, users })
  }
  for (const [username, name, role] of ADMINISTRATORS) await person(username, name, [role])
  return people
}

async function seedMachines(context: ReadContext): Promise<void> {
  const nodes = await seedNodes(context)
  const domains: Record<string, string> = {}
  for (const { name, gateway } of DOMAINS) {
    domains[name] = await ensure(context, 'domain', 'name', { name })
    await ensure(context, 'gateway', 'name', {
      ...gateway,
      username: 'jump',
      password: unknownSecret(),
      domain: domains[name],
    })
  }
  const labels: Record<string, string> = {}
  for (const label of new Set(MACHINES.map((kind) => kind.label))) {
    const [name = '', value = ''] = label.split(':')
    labels[label] = await ensure(context, 'label', ['name', 'value'], { name, value })
  }
  for (const kind of MACHINES) {
    const [a, b, c, last] = kind.ip.split('.').map(Number)
    for (let n = 0; n < kind.count; n++) {
      const { os, cpu, memory, domain } = kind
      await ensure(context, 'asset', 'hostname', {
        hostname: kind.hostname.replace('{n}', String(n + 1).padStart(2, '0')),
        ip: `${a}.${b}.${c}.${Number(last) + n}`,
        platform: kind.platform,
        protocols: kind.protocols,
        nodes: [nodes.get(kind.node)],
        labels: [labels[kind.label]],
        ...(domain ? { domain: domains[domain] } : {}),
        ...(os ? { os, cpu_count: 1, cpu_cores: cpu, cpu_vcpus: cpu, memory, disk_total: '200 GB' } : {}),
        is_active: !(kind.platform === 'Windows' && n === kind.count - 1),
      })
    }
  }
  const { node, ...machine } = THIS_MACHINE
  await ensure(context, 'asset', 'hostname', {
    ...machine,
    nodes: [nodes.get(node)],
    comment: 'The machine that Sallyport runs on',
  })
  for (const identity of SYSTEM_USERS) {
    const password = identity.login_mode === 'auto' ? { password: unknownSecret() } : {}
    await ensure(context, 'system_user', 'name', { ...identity, ...password, auto_push: false })
  }
}

/** Ids of nodes by their path below the root. */
async function seedNodes(context: ReadContext): Promise<Map<string, string>> {
  const { rows } = await context.db.execute<{ id: string; full_value: string }>(
    sql`SELECT id, full_value FROM ${assetsListedNode} WHERE org_id = ${context.call.org.id}::uuid`,
  )
  const byPath = new Map(rows.map(({ id, full_value }) => [full_value.replace(/^\/[^/]+/, ''), id]))
  const node = resourcesOf(context.kernel).find('node')
  if (!node) throw new Error('no resource node')
  for (const path of NODES)
    if (!byPath.has(path)) byPath.set(path, String((await createRow(node, { full_value: path }, context)).id))
  return byPath
}

async function seedGrants(context: ReadContext): Promise<void> {
  const nodes = await seedNodes(context)
  for (const { name, groups, nodes: paths, systemUsers, actions, days } of GRANTS) {
    const user_groups = await Promise.all(groups.map((group) => ensure(context, 'user_group', 'name', { name: group })))
    const system_users = await Promise.all(
      systemUsers.map((identity) => ensure(context, 'system_user', 'name', { name: identity })),
    )
    await ensure(context, 'asset_permission', 'name', {
      name,
      user_groups,
      system_users,
      nodes: paths.map((path) => nodes.get(path)),
      ...(actions ? { actions } : {}),
      ...(days ? { date_expired: new Date(Date.now() + days * 86_400_000).toISOString() } : {}),
    })
  }
}

async function seedSecondOrg(
  root: ReadContext,
  contextIn: (org: { id: string; name: string }) => ReadContext,
): Promise<void> {
  const { name, people, machines } = SECOND_ORG
  const there = contextIn({ id: await ensure(root, 'organization', 'name', { name }), name })
  for (const [username, fullName, role] of people) {
    await ensure(there, 'user', 'username', {
      username,
      name: fullName,
      email: `${username}@trading.example`,
      org_roles: [role],
      password_strategy: 'custom',
      password: unknownSecret(),
    })
  }
  for (const [index, hostname] of machines.entries())
    await ensure(there, 'asset', 'hostname', {
      hostname,
      ip: `10.80.0.${11 + index}`,
      platform: 'Linux',
      protocols: ['ssh/22'],
    })
}

/**
 * Sessions, commands and sign-ins of the last weeks, made once: a start page without a past shows
 * nothing.
 */
async function seedPast(
  kernel: Kernel,
  people: readonly { id: string; name: string; username: string }[],
): Promise<void> {
  const { db } = kernel
  const [existing] = await db.select({ id: terminalListedSession.id }).from(terminalListedSession).limit(1)
  if (existing) return
  const { rows: machines } = await db.execute<{ id: string; hostname: string; ip: string }>(
    sql`SELECT id, hostname, ip FROM ${assetsListedAsset} WHERE org_id = ${DEFAULT_ORG_ID}::uuid AND 'ssh/22' = ANY(protocols) ORDER BY hostname LIMIT 40`,
  )
  for (let day = DAYS_BACK; day >= 0; day--) {
    for (let n = 0; n < SESSIONS_PER_DAY - (day % 3); n++) {
      const person = people[(day * 7 + n * 3) % people.length]
      const machine = machines[(day * 5 + n * 11) % machines.length]
      if (!person || !machine) continue
      const start = new Date(Date.now() - day * 86_400_000 - (n + 1) * 3_900_000)
      const minutes = 4 + ((day + n * 13) % 50)
      const names = {
        user: `${person.name}(${person.username})`,
        asset: `${machine.hostname}(${machine.ip})`,
        system_user: 'deploy(deploy)',
      }
      const remote_addr = `10.50.1.${20 + ((day + n) % 40)}`
      const session = await createSession(db, {
        ...names,
        org_id: DEFAULT_ORG_ID,
        user_id: person.id,
        asset_id: machine.id,
        remote_addr,
        login_from: 'WT',
        protocol: 'ssh',
        is_success: true,
        date_start: start,
      })
      await finishSession(db, session, { dateEnd: new Date(start.getTime() + minutes * 60_000) })
      const typed = PAST_COMMANDS.filter((_, index) => (index + day + n) % 3 !== 0)
      await appendCommands(
        db,
        typed.map(([input, output], index) => ({
          ...names,
          input,
          output,
          session,
          org_id: DEFAULT_ORG_ID,
          risk_level: 0,
          timestamp: Math.floor(start.getTime() / 1000) + 20 * (index + 1),
        })),
      )
      await recordLogin(db, {
        username: person.username,
        type: 'W',
        ip: remote_addr,
        userAgent: 'Mozilla/5.0',
        mfa: false,
        backend: 'Password',
        success: true,
        at: start,
      })
    }
  }
}
