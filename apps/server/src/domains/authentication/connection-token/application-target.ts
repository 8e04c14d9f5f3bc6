import { eq } from 'drizzle-orm'
import { applicationsListedApplication, loadApplicationTarget } from '../../applications/index.ts'
import { gatewayOf } from './asset-target.ts'
import type { TargetKind } from './target-kind.ts'

const FAMILY = 'application'

/** Databases, clusters and remote apps; of the last, components get how to start them. */
export const applicationTarget: TargetKind = {
  family: FAMILY,
  async find(db, id) {
    const [found] = await db
      .select({
        id: applicationsListedApplication.id,
        name: applicationsListedApplication.name,
        orgId: applicationsListedApplication.org_id,
      })
      .from(applicationsListedApplication)
      .where(eq(applicationsListedApplication.id, id))
    return found && { family: FAMILY, ...found, isActive: true }
  },
  wire: ({ id, name }) => ({ application: id, application_name: name }),
  async secrets(kernel, { id, ...whose }, open) {
    const target = await loadApplicationTarget(kernel, { applicationId: id, ...whose }, open)
    if (!target) return undefined
    const { application, credentials, gateways, remoteApp } = target
    const [gateway] = gateways
    const { name, category, type } = application
    return {
      systemUser: {
        username: credentials.username,
        password: credentials.password,
        private_key: credentials.privateKey,
      },
      parts: {
        application: { id, name, category, type },
        ...(remoteApp ? { remote_app: remoteApp } : {}),
        ...(gateway ? { gateway: gatewayOf(gateway) } : {}),
      },
    }
  },
}
