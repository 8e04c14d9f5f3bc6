import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { registerLegacyMembership } from './legacy-membership.ts'
import { orgsOrganization } from './tables.ts'

export { organizationsHold } from './contents.ts'
export { givenFromOutside, refuseGiven, sourceName } from './given.ts'
export { type GivenMembership, giveMemberships, takeMemberships } from './given-memberships.ts'
export { type Invited, type InviteResult, invite } from './invitations/invite.ts'
export { notifyInvited } from './invitations/notices.ts'
export {
  addMemberships,
  announceLoss,
  lossesOfLeaving,
  MEMBERSHIP_LOST,
  type MemberRole,
  onMembershipEnded,
  ownOrganization,
  removeMembers,
  roleChange,
  setRoles,
} from './membership.ts'
export { onOrganizationSaved } from './organization.resource.ts'
export { comingsAndGoings } from './undo-membership.ts'
export { orgsListedOrganization, orgsMembership } from './views.ts'

/** An organization as menus list it. */
export interface OrgSummary {
  id: string
  name: string
  is_default: boolean
  is_root: boolean
}

export function orgSummary(id: string, name: string): OrgSummary {
  return { id, name, is_default: id === DEFAULT_ORG_ID, is_root: id === ROOT_ORG_ID }
}

/** Organizations and memberships; sets `kernel.orgNames`. */
export function registerOrgs(kernel: Kernel, rootOrgName: () => string): void {
  kernel.orgNames = async () => {
    const rows = await kernel.db.select({ id: orgsOrganization.id, name: orgsOrganization.name }).from(orgsOrganization)
    return new Map([[ROOT_ORG_ID, rootOrgName()], ...rows.map(({ id, name }) => [id, name] as const)])
  }
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/orgs/orgs/current/',
    config: {
      access: ['org_member'],
      summary: 'The organization this call runs in',
      answers: {
        fields: plainFields({
          id: 'uuid',
          name: 'string',
          is_default: 'boolean',
          is_root: 'boolean',
          comment: 'string',
        }),
      },
    },
    handler: async ({ call: { org } }) => ({ ...orgSummary(org.id, org.name), comment: '' }),
  })
  registerLegacyMembership(kernel)
  registerSingularPaths(kernel.app, 'orgs', ['org'])
}
