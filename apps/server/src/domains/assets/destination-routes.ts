import { z } from 'zod'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { getAsset } from './asset-routes.ts'
import { confirmDestination, destinationsOf, isConfirmed } from './destination.ts'
import { forgetOtherHostKeys } from './host-key.ts'
import type { Destination } from './tables.ts'

/** As they are answered. */
export const DESTINATIONS = { fields: plainFields({ unconfirmed: 'object', confirmed: 'object' }) }

/** What was seen to be unconfirmed, and is confirmed. */
export const confirmation = z.object({
  destinations: z
    .array(
      z.object({
        protocol: z.string().max(64),
        address: z.string().max(128),
        domain: z.guid().nullable(),
        gateway: z.string().max(255).nullable(),
      }),
    )
    .min(1)
    .max(1000),
})

/** As logs name a destination. */
export const destinationText = ({ protocol, address, gateway }: Destination): string =>
  `${protocol} ${address}${gateway === null ? '' : ` (${gateway})`}`

/**
 * Where an asset's stored secrets may be sent. Whoever may move an asset must not confirm that
 * themselves: system administrators do, naming what they have seen.
 */
export function registerDestinationRoutes(kernel: Kernel): void {
  const { app, db } = kernel
  const base = '/api/v1/assets/assets/:id/destinations/'
  app.route({
    method: 'GET',
    url: base,
    config: {
      access: ['org_admin'],
      summary: 'Where stored secrets of an asset are sent, and where not yet',
      rows: DESTINATIONS,
    },
    handler: async (request) => {
      const asset = await getAsset(kernel, request, (request.params as { id: string }).id)
      return destinationsOf(db, asset.id)
    },
  })
  app.route({
    method: 'POST',
    url: `${base}confirm/`,
    config: { access: ['super_admin'], summary: 'Confirm where a moved asset is', takes: confirmation },
    handler: async (request) => {
      const asset = await getAsset(kernel, request, (request.params as { id: string }).id)
      const { destinations } = confirmation.parse(request.body)
      return db.transaction(async (tx) => {
        const { unconfirmed } = await destinationsOf(tx, asset.id)
        const isKnown = (wanted: Destination) => isConfirmed({ confirmed_destinations: unconfirmed }, wanted)
        if (!destinations.every(isKnown)) throw invalid({ destinations: 'The asset has moved meanwhile' })
        for (const destination of destinations) {
          await confirmDestination(tx, asset.id, destination)
          const [protocol, port] = destination.protocol.split('/')
          if (protocol === 'ssh') await forgetOtherHostKeys(tx, asset.id, destination.address, Number(port))
        }
        await kernel.audit.record(
          tx,
          request.call,
          destinations.map((destination) => ({
            action: 'update',
            resourceType: 'Asset destination',
            resource: `${asset.hostname} ${destinationText(destination)}`,
            orgId: asset.org_id,
          })),
        )
        return destinationsOf(tx, asset.id)
      })
    },
  })
}
