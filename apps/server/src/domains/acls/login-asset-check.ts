import { spoken } from '@sallyport/contract/names.ts'
import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { displayName } from '../../kernel/access/call.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { assetsListedAsset } from '../assets/index.ts'
import { assetsListedSystemUser } from '../system-users/index.ts'
import { type ConfirmationState, openConfirmation } from '../tickets/index.ts'
import { usersAccount } from '../users/index.ts'
import { type FollowedConfirmation, followAddresses, registerConfirmationStatus } from './confirmation-status.ts'
import { type TargetLogin, targetReviewers } from './target-review.ts'

const TYPE = 'login_asset_confirm'

const CONFIRMATIONS: FollowedConfirmation = {
  type: TYPE,
  url: '/api/v1/acls/login-asset-confirm/:ticket_id/status/',
  summaries: {
    GET: 'How far the confirmation of a connection is',
    DELETE: 'Give up waiting for the confirmation of a connection',
  },
}

const body = z.object({
  user_id: z.string().max(64),
  asset_id: z.string().max(64),
  system_user_id: z.string().max(64),
  system_user_username: z.string().max(128).optional(),
})

interface Applicant {
  id: string
  name: string
  username: string
}

/** Asks the reviewers of the rule that applies; undefined when nobody needs to be asked. */
export async function askForTarget(
  kernel: Kernel,
  applicant: Applicant,
  login: TargetLogin,
): Promise<ConfirmationState | undefined> {
  const assignees = await targetReviewers(kernel.db, login)
  if (!assignees.length) return undefined
  const { target, systemUser } = login
  const display = displayName(applicant)
  const asset = target.address ? `${target.name}(${target.address})` : target.name
  return openConfirmation(kernel, {
    type: TYPE,
    title: `Login asset confirm ${target.name}`,
    orgId: target.org_id,
    applicant: { id: applicant.id, display },
    meta: {
      apply_login_user: display,
      apply_login_asset: asset,
      apply_login_system_user: `${systemUser.name}(${systemUser.username})`.slice(0, 64),
    },
    assignees,
    waiting: (say) => [
      say('{{applicant}} wants to connect to {{asset}} and is waiting for your confirmation.', {
        applicant: spoken(display),
        asset: spoken(asset),
      }),
    ],
  })
}

/** What components ask before they connect somebody (docs/rules/acls.md#asset_login_review). */
export function registerLoginAssetCheck(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/acls/login-asset/check/',
    config: { access: ['component'], summary: 'Whether connecting to an asset must be confirmed; asks the reviewers' },
    handler: async (request) => {
      const read = body.parse(request.body ?? {})
      const { applicant, login } = await findLogin(kernel, read)
      const ticket = await askForTarget(kernel, applicant, login)
      if (!ticket) return { need_confirm: false }
      return { need_confirm: true, ...followAddresses(kernel, CONFIRMATIONS, ticket), ticket_id: ticket.id }
    },
  })
  registerConfirmationStatus(kernel, CONFIRMATIONS)
}

/**
 * The person, asset and system user of a login. Throws 400 with a message at the field of each
 * unknown id.
 */
async function findLogin(
  { db }: Kernel,
  { user_id, asset_id, system_user_id, system_user_username }: z.infer<typeof body>,
): Promise<{ applicant: Applicant; login: TargetLogin }> {
  const [applicant] = isUuid(user_id) ? await db.select().from(usersAccount).where(eq(usersAccount.id, user_id)) : []
  if (!applicant) throw invalid({ user_id: 'Not found.' })
  const [asset] = isUuid(asset_id)
    ? await db.select().from(assetsListedAsset).where(eq(assetsListedAsset.id, asset_id))
    : []
  if (!asset) throw invalid({ asset_id: 'Not found.' })
  const [systemUser] = isUuid(system_user_id)
    ? await db
        .select()
        .from(assetsListedSystemUser)
        .where(and(eq(assetsListedSystemUser.id, system_user_id), eq(assetsListedSystemUser.org_id, asset.org_id)))
    : []
  if (!systemUser) throw invalid({ system_user_id: 'Not found.' })
  const isTyped = systemUser.login_mode === 'manual' && !systemUser.username
  if (isTyped && system_user_username === '') throw invalid({ system_user_username: 'This field is required.' })
  const username = systemUser.username_same_with_user
    ? applicant.username
    : isTyped
      ? (system_user_username ?? '')
      : (systemUser.username ?? '')
  const { id, name } = applicant
  return {
    applicant: { id, name, username: applicant.username },
    login: {
      username: applicant.username,
      target: { family: 'asset', id: asset.id, org_id: asset.org_id, name: asset.hostname, address: asset.ip },
      systemUser: { name: systemUser.name, protocol: systemUser.protocol, username },
    },
  }
}
