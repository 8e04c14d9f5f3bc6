import { sql } from 'drizzle-orm'
import { assetsListedNode } from '../domains/assets/index.ts'
import { columnOf, type ReadContext } from '../kernel/resource/mount.ts'
import { createRow, updateRow } from '../kernel/resource/write.ts'
import { DOMAINS, MACHINES, NODES, SYSTEM_USERS, THIS_MACHINE, UNREACHABLE } from './company.ts'
import { LOOPBACK } from './network.ts'
import type { Machine } from './past.ts'
import { ensure, ensureAll, idsBy, namesIn, resourceNamed, unknownSecret } from './rows.ts'

interface PlannedMachine {
  hostname: string
  ip: string
  kind: (typeof MACHINES)[number]
  /** Among those of its kind. */
  isLast: boolean
}

function plannedMachines(): PlannedMachine[] {
  return MACHINES.flatMap((kind) => {
    const [a, b, c, last] = kind.ip.split('.').map(Number)
    return Array.from({ length: kind.count }, (_, n) => ({
      hostname: kind.hostname.replace('{n}', String(n + 1).padStart(2, '0')),
      ip: `${a}.${b}.${c}.${Number(last) + n}`,
      kind,
      isLast: n === kind.count - 1,
    }))
  })
}

/** Host names by address of the machines that the demo's network is to have. */
export function reachableMachines(): Map<string, string> {
  const own = new Set(DOMAINS.filter(({ gateway }) => !gateway.ip).map(({ name }) => name))
  return new Map(
    plannedMachines()
      .filter(({ hostname, kind }) => own.has(kind.domain ?? '') && !UNREACHABLE.includes(hostname))
      .map(({ ip, hostname }) => [ip, hostname]),
  )
}

/** The port at which the demo's gateway was last; undefined at the first start. */
export async function lastGatewayPort(context: ReadContext): Promise<number | undefined> {
  const { table } = resourceNamed(context, 'gateway').mount
  const [row] = await context.db
    .select({ port: columnOf(table, 'port') })
    .from(table)
    .where(sql`${columnOf(table, 'ip')} = ${LOOPBACK} AND ${columnOf(table, 'org_id')} = ${context.call.org.id}`)
    .limit(1)
  return row && Number(row.port)
}

/** Nodes, networks, machines and system users. `port`: where the demo's gateway listens. */
export async function seedMachines(context: ReadContext, port: number): Promise<Machine[]> {
  const nodes = await seedNodes(context)
  const systemUsers = await ensureAll(
    context,
    'system_user',
    'name',
    SYSTEM_USERS.map((one) => ({
      ...one,
      ...(one.login_mode === 'auto' ? { password: unknownSecret() } : {}),
      auto_push: false,
    })),
  )
  const domains = await seedDomains(context, port)
  const labels = new Map<string, string>()
  for (const label of new Set(MACHINES.map((kind) => kind.label))) {
    const [name = '', value = ''] = label.split(':')
    labels.set(label, await ensure(context, 'label', ['name', 'value'], { name, value }))
  }
  const planned = plannedMachines()
  const { node, ...here } = THIS_MACHINE
  const ids = await ensureAll(context, 'asset', 'hostname', [
    ...planned.map(({ hostname, ip, kind, isLast }) => ({
      hostname,
      ip,
      platform: kind.platform,
      protocols: kind.protocols,
      nodes: namesIn(nodes)([kind.node]),
      labels: namesIn(labels)([kind.label]),
      ...(kind.domain ? { domain: domains.get(kind.domain) } : {}),
      ...(kind.admin_user ? { admin_user: systemUsers.get(kind.admin_user) } : {}),
      ...hardwareOf(kind),
      is_active: !(kind.platform === 'Windows' && isLast),
    })),
    { ...here, nodes: namesIn(nodes)([node]), comment: 'The machine that Sallyport runs on' },
  ])
  return planned.map(({ hostname, ip }) => ({ id: ids.get(hostname) ?? '', hostname, ip }))
}

const hardwareOf = ({ os, cpu, memory }: PlannedMachine['kind']) =>
  os ? { os, cpu_count: 1, cpu_cores: cpu, cpu_vcpus: cpu, memory, disk_total: '200 GB' } : {}

/** Ids of nodes by their path below the root. */
export async function seedNodes(context: ReadContext): Promise<Map<string, string>> {
  const { rows } = await context.db.execute<{ id: string; full_value: string }>(
    sql`SELECT id, full_value FROM ${assetsListedNode} WHERE org_id = ${context.call.org.id}::uuid`,
  )
  const byPath = new Map(rows.map(({ id, full_value }) => [full_value.replace(/^\/[^/]+/, ''), id]))
  const node = resourceNamed(context, 'node')
  for (const path of NODES)
    if (!byPath.has(path)) byPath.set(path, String((await createRow(node, { full_value: path }, context)).id))
  return byPath
}

/** Ids of domains by name; gateways of the demo's own network follow it to its port. */
async function seedDomains(context: ReadContext, port: number): Promise<Map<string, string>> {
  const domains = await ensureAll(
    context,
    'domain',
    'name',
    DOMAINS.map(({ name }) => ({ name })),
  )
  const known = await idsBy(context, 'gateway', 'name')
  const gateways = resourceNamed(context, 'gateway')
  for (const { name, gateway } of DOMAINS) {
    const { ip = LOOPBACK } = gateway
    const place = { ip, port: gateway.ip ? 22 : port, username: 'jump', password: unknownSecret() }
    const id = known.get(gateway.name)
    if (!id) await createRow(gateways, { ...gateway, ...place, domain: domains.get(name) }, context)
    else if (!gateway.ip) await updateRow(gateways, id, 'patch', place, context)
  }
  return domains
}
