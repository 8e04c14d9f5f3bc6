import { application } from '@sallyport/contract/resources/applications/application.ts'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { rowInOrg } from '../../kernel/resource/row-in-org.ts'
import { type Destination, type Destinations, destinationsIn, isConfirmed } from '../assets/index.ts'
import { mountDestinations } from '../assets/networks/index.ts'
import { applicationsApplication } from './tables.ts'

/** Where an application's stored secrets would be sent now, as an array in JSON. */
const PRESENT = sql<
  Destination[]
>`applications_destinations(${applicationsApplication.type}, ${applicationsApplication.attrs}, ${applicationsApplication.domain})`

const present = (db: Database, id: string) =>
  db
    .select({ now: PRESENT, confirmed_destinations: applicationsApplication.confirmed_destinations })
    .from(applicationsApplication)
    .where(eq(applicationsApplication.id, id))

/** An application that is moved asks again, as an asset does (assets/destination.ts). */
async function destinationsOf(db: Database, id: string): Promise<Destinations> {
  const [row] = await present(db, id)
  return destinationsIn(row)
}

/** Its former address is confirmed no longer. */
async function confirm(db: Database, id: string, destinations: readonly Destination[]): Promise<void> {
  const [row] = await present(db, id).for('update')
  if (!row) return
  const confirmed_destinations = [...row.confirmed_destinations, ...destinations]
  const kept = row.now.filter((one) => isConfirmed({ confirmed_destinations }, one))
  await db
    .update(applicationsApplication)
    .set({ confirmed_destinations: kept })
    .where(eq(applicationsApplication.id, id))
}

/** System administrators confirm where a moved application is, naming what they have seen. */
export function registerApplicationDestinations(kernel: Kernel): void {
  mountDestinations(kernel, {
    path: `${application.path}:id/`,
    summaries: {
      list: 'Where stored secrets of an application are sent, and where not yet',
      confirm: 'Confirm where a moved application is',
    },
    resourceType: 'Application destination',
    hasMoved: 'The application has moved meanwhile',
    async find({ call, params }) {
      const row = await rowInOrg(kernel.db, call, applicationsApplication, (params as { id: string }).id)
      return { id: row.id, name: row.name, orgId: row.org_id }
    },
    destinationsOf,
    confirm,
  })
}
