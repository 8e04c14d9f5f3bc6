import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type Credentials, openLogin } from '../../../kernel/secrets/login.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { isConfirmed, unconfirmedDestination } from '../destination.ts'
import type { TargetAsset } from '../machine.ts'
import { assetsAsset, assetsDomain, assetsGateway, type Destination } from '../tables.ts'

export interface TargetGateway extends Credentials {
  id: string
  orgId: string
  name: string
  host: string
  port: number
}

/** Where an asset is, for a login that the caller brings, over SSH by `throughGateways` alone. Undefined when it is gone. */
export async function loadAssetPlace(
  { db }: Pick<Kernel, 'db'>,
  assetId: string,
  open: Opener,
): Promise<{ asset: TargetAsset; gateways: TargetGateway[] } | undefined> {
  const [asset] = await db.select().from(assetsAsset).where(eq(assetsAsset.id, assetId))
  return asset && { asset, gateways: await waysTo(db, asset, { protocol: 'ssh', checksHostKey: true }, open) }
}

/**
 * The gateways by which an asset's secrets may be sent to it by a protocol, in the order to try them;
 * empty when it is reached directly. `checksHostKey`: see `loadAssetTarget`. Throws 400 when there is
 * no such way.
 */
export async function waysTo(
  db: Database,
  asset: Pick<typeof assetsAsset.$inferSelect, 'ip' | 'domain' | 'protocols' | 'confirmed_destinations'>,
  { protocol: protocolName, checksHostKey }: { protocol: string; checksHostKey: boolean },
  open: Opener,
): Promise<TargetGateway[]> {
  const { ip: address, domain, confirmed_destinations } = asset
  const protocol = asset.protocols.find((entry) => entry.startsWith(`${protocolName}/`))
  if (protocolName !== 'ssh') return confirmedWays(db, { protocol, address, domain, confirmed_destinations }, open)
  if (!checksHostKey && !isConfirmed(asset, { protocol, address, domain, gateway: null }))
    throw unconfirmedDestination()
  return gatewaysInto(db, domain, open)
}

/** Where something is, and where its secrets may be sent. */
export interface Place {
  protocol: string | undefined
  address: string
  domain: string | null
  confirmed_destinations: Destination[]
}

/**
 * The gateways of a network by which secrets may be sent to a machine that proves nothing by a host
 * key: the owner of the gateway reads along, so each is confirmed by itself. Throws 400 when there
 * is no such way.
 */
export async function confirmedWays(
  db: Database,
  { protocol, address, domain, confirmed_destinations }: Place,
  open: Opener,
): Promise<TargetGateway[]> {
  const gateways = await gatewaysOf(db, domain)
  const mayPass = (gateway: string | null) =>
    isConfirmed({ confirmed_destinations }, { protocol, address, domain, gateway })
  const ways = gateways.filter(({ ip, port }) => mayPass(`${ip}:${port}`))
  if (!(gateways.length ? ways.length : mayPass(null))) throw unconfirmedDestination()
  return ways.map((gateway) => toTargetGateway(gateway, open))
}

type Gateway = typeof assetsGateway.$inferSelect

/**
 * Active SSH gateways of a domain in random order, with those marked unreachable last
 * (docs/rules/assets.md#domain).
 */
async function gatewaysOf(db: Database, domainId: string | null): Promise<Gateway[]> {
  if (!domainId) return []
  const rows = await db
    .select({ gateway: assetsGateway })
    .from(assetsGateway)
    .innerJoin(assetsDomain, eq(assetsDomain.id, assetsGateway.domain))
    .where(
      and(eq(assetsGateway.domain, domainId), eq(assetsGateway.is_active, true), eq(assetsGateway.protocol, 'ssh')),
    )
    .orderBy(sql`coalesce(${assetsGateway.unreachable_until} > now(), false)`, sql`random()`)
  return rows.map(({ gateway }) => gateway)
}

/** The gateways of a domain in the order to try them, their secrets opened; none without a domain. */
export async function gatewaysInto(db: Database, domainId: string | null, open: Opener): Promise<TargetGateway[]> {
  return (await gatewaysOf(db, domainId)).map((gateway) => toTargetGateway(gateway, open))
}

/** A gateway with its secrets opened. */
export function toTargetGateway(gateway: Gateway, open: Opener): TargetGateway {
  return {
    id: gateway.id,
    orgId: gateway.org_id,
    name: gateway.name,
    host: gateway.ip,
    port: gateway.port,
    username: gateway.username,
    ...openLogin(gateway, open),
  }
}

/** For how long a gateway that failed is tried last; doubled by each further failure. */
const SILENT_SECONDS = 300
const MAX_SILENT_SECONDS = 86_400

/**
 * Stores whether a gateway could be reached: one that failed is tried last for a while, one that
 * worked counts as reachable at once.
 */
export async function noteGatewayHealth(
  { db }: Pick<Kernel, 'db'>,
  gatewayId: string,
  reachable: boolean,
): Promise<void> {
  const next = sql`least(CASE WHEN ${assetsGateway.silent_seconds} = 0 THEN ${SILENT_SECONDS} ELSE ${assetsGateway.silent_seconds} * 2 END, ${MAX_SILENT_SECONDS})`
  await db
    .update(assetsGateway)
    .set(
      reachable
        ? { unreachable_until: null, silent_seconds: 0, date_updated: sql`date_updated` }
        : {
            unreachable_until: sql`now() + make_interval(secs => ${next})`,
            silent_seconds: next,
            date_updated: sql`date_updated`,
          },
    )
    .where(and(eq(assetsGateway.id, gatewayId), reachable ? isNotNull(assetsGateway.unreachable_until) : undefined))
}
