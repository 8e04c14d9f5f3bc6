import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import { assetsAsset, type Destination } from './tables.ts'

/**
 * Stored secrets are sent to confirmed destinations alone. A new asset's are confirmed as it is
 * made; those of an asset that is moved (address, port, protocol, gateway) when the machine there
 * shows a host key that is trusted for the asset (host-key.ts), or when a system administrator
 * confirms them. A person who may only move an asset therefore learns no secret by it.
 */
type Confirmed = Pick<typeof assetsAsset.$inferSelect, 'confirmed_destinations'>

/** Without a protocol: whether any leads there. */
export function isConfirmed(
  { confirmed_destinations }: Confirmed,
  { protocol, address, domain, gateway }: Omit<Destination, 'protocol'> & { protocol: string | undefined },
): boolean {
  return confirmed_destinations.some(
    (one) =>
      (protocol === undefined || one.protocol === protocol) &&
      one.address === address &&
      one.domain === domain &&
      one.gateway === gateway,
  )
}

/** Why an asset's stored secrets are not used. */
export const unconfirmedDestination = () =>
  refused(
    'destination_unconfirmed',
    'This asset was moved: a system administrator must confirm its new address before stored passwords and keys are sent there',
  )

/**
 * Confirms one destination of an asset. Those that it had before by the same protocol, elsewhere,
 * are confirmed no longer.
 */
export async function confirmDestination(db: Database, assetId: string, destination: Destination): Promise<void> {
  const [asset] = await db
    .select({ confirmed_destinations: assetsAsset.confirmed_destinations })
    .from(assetsAsset)
    .where(eq(assetsAsset.id, assetId))
    .for('update')
  if (!asset || isConfirmed(asset, destination)) return
  const { protocol, address, domain } = destination
  const kept = asset.confirmed_destinations.filter(
    (one) =>
      nameOf(one) !== nameOf(destination) ||
      (one.protocol === protocol && one.address === address && one.domain === domain),
  )
  await db
    .update(assetsAsset)
    .set({ confirmed_destinations: [...kept, destination] })
    .where(eq(assetsAsset.id, assetId))
}

const nameOf = ({ protocol }: Destination): string => protocol.split('/')[0] ?? ''

/** Where an asset's stored secrets would be sent now, as an array in JSON. */
export const PRESENT_DESTINATIONS = sql<
  Destination[]
>`assets_destinations(${assetsAsset.protocols}, ${assetsAsset.ip}, ${assetsAsset.domain})`

/** The present destinations of a target that are not confirmed, and those that are (also former ones). */
export interface Destinations {
  unconfirmed: Destination[]
  confirmed: Destination[]
}

/** `now`: where stored secrets would be sent; without a row there are none. */
export function destinationsIn(row: (Confirmed & { now: Destination[] }) | undefined): Destinations {
  return {
    unconfirmed: row?.now.filter((one) => !isConfirmed(row, one)) ?? [],
    confirmed: row?.confirmed_destinations ?? [],
  }
}

export async function destinationsOf(db: Database, assetId: string): Promise<Destinations> {
  const [row] = await db
    .select({ now: PRESENT_DESTINATIONS, confirmed_destinations: assetsAsset.confirmed_destinations })
    .from(assetsAsset)
    .where(eq(assetsAsset.id, assetId))
  return destinationsIn(row)
}
