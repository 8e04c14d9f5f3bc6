import { application } from '@sallyport/contract/resources/applications/application.ts'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { rowInOrg } from '../../kernel/resource/row-in-org.ts'
import { confirmation, DESTINATIONS, type Destination, destinationText, isConfirmed } from '../assets/index.ts'
import { applicationsApplication } from './tables.ts'

/** Where an application's stored secrets would be sent now, as an array in JSON. */
const PRESENT = sql<
  Destination[]
>`applications_destinations(${applicationsApplication.type}, ${applicationsApplication.attrs}, ${applicationsApplication.domain})`

/**
 * The present destinations of an application that nobody has confirmed, and those that are
 * confirmed. An application that is moved asks again, as an asset does (assets/destination.ts).
 */
async function destinationsOf(
  db: Database,
  id: string,
): Promise<{ now: Destination[]; unconfirmed: Destination[]; confirmed: Destination[] }> {
  const [row] = await db
    .select({ now: PRESENT, confirmed_destinations: applicationsApplication.confirmed_destinations })
    .from(applicationsApplication)
    .where(eq(applicationsApplication.id, id))
    .for('update')
  return {
    now: row?.now ?? [],
    unconfirmed: row?.now.filter((one) => !isConfirmed(row, one)) ?? [],
    confirmed: row?.confirmed_destinations ?? [],
  }
}

/** System administrators confirm where a moved application is, naming what they have seen. */
export function registerApplicationDestinations(kernel: Kernel): void {
  const { app, db } = kernel
  const base = `${application.path}:id/destinations/`
  app.route({
    method: 'GET',
    url: base,
    config: {
      access: ['org_admin'],
      summary: 'Where stored secrets of an application are sent, and where not yet',
      rows: DESTINATIONS,
    },
    handler: async (request) => {
      const { id } = await rowInOrg(db, request.call, applicationsApplication, idOf(request.params))
      const { unconfirmed, confirmed } = await destinationsOf(db, id)
      return { unconfirmed, confirmed }
    },
  })
  app.route({
    method: 'POST',
    url: `${base}confirm/`,
    config: { access: ['super_admin'], summary: 'Confirm where a moved application is', takes: confirmation },
    handler: async (request) => {
      const row = await rowInOrg(db, request.call, applicationsApplication, idOf(request.params))
      const { destinations } = confirmation.parse(request.body)
      return db.transaction(async (tx) => {
        const { now, unconfirmed, confirmed } = await destinationsOf(tx, row.id)
        const isAmong = (all: Destination[], one: Destination) => isConfirmed({ confirmed_destinations: all }, one)
        if (!destinations.every((one) => isAmong(unconfirmed, one)))
          throw invalid({ destinations: 'The application has moved meanwhile' })
        // Where it was before is confirmed no longer.
        const kept = now.filter((one) => isAmong([...confirmed, ...destinations], one))
        await tx
          .update(applicationsApplication)
          .set({ confirmed_destinations: kept })
          .where(eq(applicationsApplication.id, row.id))
        await kernel.audit.record(
          tx,
          request.call,
          destinations.map((destination) => ({
            action: 'update',
            resourceType: 'Application destination',
            resource: `${row.name} ${destinationText(destination)}`,
            orgId: row.org_id,
          })),
        )
        return { unconfirmed: now.filter((one) => !isAmong(kept, one)), confirmed: kept }
      })
    },
  })
}

const idOf = (parameters: unknown): string => (parameters as { id: string }).id
