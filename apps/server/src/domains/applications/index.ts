import { application } from '@sallyport/contract/resources/applications/application.ts'
import { inArray, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { rowInOrg } from '../../kernel/resource/row-in-org.ts'
import { domainApplications } from '../assets/index.ts'
import { addBoundTargets } from '../command-filters/index.ts'
import { organizationsHold } from '../orgs/index.ts'
import { registerTargetSecrets, systemUserApplications } from '../system-users/index.ts'
import { registerApplicationTree } from './application-tree.ts'
import { registerConnectionInfo } from './connection-info.ts'
import { registerApplicationDestinations } from './destination.ts'
import { applicationsAccount, applicationsApplication } from './tables.ts'
import { loadApplicationTarget } from './target.ts'

export { makeApplicationAccounts } from './account-links.ts'
export { branchesOf, branchWords, type TreeApplication } from './application-tree.ts'
export {
  accountsOfApplications,
  applicationAccountRow,
  changingAccountOf,
  inheritedApplicationLogin,
  isApplicationLoginOutside,
  keepChangedApplicationSecret,
} from './changing-account.ts'
export { type StoredAttrs, shownAttrs } from './shown-attrs.ts'
export { type ApplicationTarget, loadApplicationTarget } from './target.ts'
export { applicationsListedApplication } from './views.ts'

/** An application of the caller's organization. Throws 404. */
export const applicationInOrg = (db: Database, call: Call, id: string) =>
  rowInOrg(db, call, applicationsApplication, id)

/** Databases, remote apps and Kubernetes clusters. */
export function registerApplications(kernel: Kernel): void {
  const applications = mountedResource(kernel, application, applicationsApplication)
  registerApplicationTree(kernel, applications)
  registerApplicationDestinations(kernel)
  registerConnectionInfo(kernel)
  registerTargetSecrets(kernel, {
    family: 'application',
    load: async (db, { id, ...whose }, open) =>
      (await loadApplicationTarget({ db }, { applicationId: id, ...whose }, open))?.credentials,
  })
  addBoundTargets('application', sql`applications_listed_application`)
  domainApplications.provide((db, ids) =>
    amounts(db, applicationsApplication, applicationsApplication.domain, sql`*`, ids),
  )
  systemUserApplications.provide((db, ids) =>
    amounts(db, applicationsAccount, applicationsAccount.systemuser, sql`DISTINCT ${applicationsAccount.app}`, ids),
  )
  organizationsHold({ field: 'applications_amount', label: 'Application', from: applicationsApplication })
}

/** How many rows of a table name each of these, by its id. */
async function amounts(
  db: Database,
  table: PgTable,
  by: PgColumn,
  counted: SQL,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (!ids.length) return new Map()
  const rows = await db
    .select({ id: sql<string>`${by}`, amount: sql<number>`count(${counted})::int` })
    .from(table)
    .where(inArray(by, [...ids]))
    .groupBy(by)
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}

export type { RemoteProgram } from './remote-program.ts'
