import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { confirmDestination, type Destinations, destinationsOf, isConfirmed } from '../destination.ts'
import { getAsset } from '../get-asset.ts'
import type { Destination } from '../tables.ts'
import { forgetOtherHostKeys } from './host-key.ts'

/** As they are answered. */
const DESTINATIONS = { fields: plainFields({ unconfirmed: 'list', confirmed: 'list' }) }

/** The unconfirmed destination that was seen, and is confirmed. */
const confirmation = z.object({
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
const destinationText = ({ protocol, address, gateway }: Destination): string =>
  `${protocol} ${address}${gateway === null ? '' : ` (${gateway})`}`

/** Targets that can be moved, and what is called how about them. */
export interface MovableTargets {
  /** Path of one of them, such as `/api/v1/assets/assets/:id/`. */
  path: string
  summaries: { list: string; confirm: string }
  /** As the operate log names them. */
  resourceType: string
  /** The message when none of what was seen is so any more. */
  hasMoved: string
  /** Throws 404 when the caller can't see it. */
  find(request: FastifyRequest): Promise<{ id: string; name: string; orgId: string }>
  destinationsOf(db: Database, id: string): Promise<Destinations>
  confirm(db: Database, id: string, destinations: readonly Destination[]): Promise<void>
}

/**
 * Destinations of stored secrets. People who may move a target must not confirm that themselves:
 * system administrators do, naming what they have seen.
 */
export function mountDestinations(kernel: Kernel, targets: MovableTargets): void {
  const { app, db } = kernel
  const { path, summaries, resourceType, hasMoved, find, destinationsOf, confirm } = targets
  app.route({
    method: 'GET',
    url: `${path}destinations/`,
    config: { access: ['org_admin'], summary: summaries.list, rows: DESTINATIONS, answers: 'row' },
    handler: async (request) => destinationsOf(db, (await find(request)).id),
  })
  app.route({
    method: 'POST',
    url: `${path}destinations/confirm/`,
    config: { access: ['super_admin'], summary: summaries.confirm, takes: confirmation },
    handler: async (request) => {
      const { id, name, orgId } = await find(request)
      const { destinations } = confirmation.parse(request.body)
      return db.transaction(async (tx) => {
        const { unconfirmed } = await destinationsOf(tx, id)
        const isKnown = (wanted: Destination) => isConfirmed({ confirmed_destinations: unconfirmed }, wanted)
        if (!destinations.every(isKnown)) throw invalid({ destinations: hasMoved })
        await confirm(tx, id, destinations)
        await kernel.audit.record(
          tx,
          request.call,
          destinations.map((destination) => ({
            action: 'update',
            resourceType,
            resource: `${name} ${destinationText(destination)}`,
            orgId,
          })),
        )
        return destinationsOf(tx, id)
      })
    },
  })
}

/** For an asset whose new place is confirmed, no host key that it showed elsewhere counts. */
export function registerDestinationRoutes(kernel: Kernel): void {
  mountDestinations(kernel, {
    path: '/api/v1/assets/assets/:id/',
    summaries: {
      list: 'Where stored secrets of an asset are sent, and where not yet',
      confirm: 'Confirm where a moved asset is',
    },
    resourceType: 'Asset destination',
    hasMoved: 'The asset has moved meanwhile',
    async find(request) {
      const { id, hostname, org_id } = await getAsset(kernel, request, (request.params as { id: string }).id)
      return { id, name: hostname, orgId: org_id }
    },
    destinationsOf,
    async confirm(db, id, destinations) {
      for (const destination of destinations) {
        await confirmDestination(db, id, destination)
        const [protocol, port] = destination.protocol.split('/')
        if (protocol === 'ssh') await forgetOtherHostKeys(db, id, destination.address, Number(port))
      }
    },
  })
}
