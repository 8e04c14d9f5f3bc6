import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { displayName } from '../../kernel/access/call.ts'
import { invalid, notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { assetsListedAsset, assetsListedSystemUser } from '../assets/index.ts'
import { settingsOf } from '../settings/index.ts'
import { type ConfirmationState, confirmationState, openConfirmation, withdrawConfirmation } from '../tickets/index.ts'
import { usersAccount } from '../users/index.ts'
import { type TargetLogin, targetReviewers } from './target-review.ts'

const TYPE = 'login_asset_confirm'
const STATUS_URL = '/api/v1/acls/login-asset-confirm/:ticket_id/status/'

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
  return openConfirmation(kernel, {
    type: TYPE,
    title: `Login asset confirm ${target.name}`,
    orgId: target.org_id,
    applicant,
    meta: {
      apply_login_user: displayName(applicant),
      apply_login_asset: target.address ? `${target.name}(${target.address})` : target.name,
      apply_login_system_user: `${systemUser.name}(${systemUser.username})`.slice(0, 64),
    },
    assignees,
  })
}

/** What components ask before they connect somebody (contract/acls.yaml "reviewed asset login"). */
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
      const url = STATUS_URL.replace(':ticket_id', ticket.id)
      return {
        need_confirm: true,
        check_confirm_status: { method: 'GET', url },
        close_confirm: { method: 'DELETE', url },
        ticket_detail_url: `${settingsOf(kernel).get('SITE_URL')}/ui/tickets/tickets/${ticket.id}?type=${TYPE}`,
        reviewers: ticket.reviewers,
        ticket_id: ticket.id,
      }
    },
  })
  kernel.app.route({
    method: 'GET',
    url: STATUS_URL,
    config: { access: ['component'], summary: 'How far the confirmation of a connection is' },
    handler: (request) => statusOf(kernel, (request.params as { ticket_id: string }).ticket_id),
  })
  kernel.app.route({
    method: 'DELETE',
    url: STATUS_URL,
    config: { access: ['component'], summary: 'Give up waiting for the confirmation of a connection' },
    handler: async (request) => {
      const { ticket_id } = request.params as { ticket_id: string }
      await statusOf(kernel, ticket_id)
      await withdrawConfirmation(kernel, TYPE, ticket_id)
      return statusOf(kernel, ticket_id)
    },
  })
}

async function statusOf({ db }: Kernel, id: string): Promise<{ status: string; action: string; processor: string }> {
  const ticket = isUuid(id) ? await confirmationState(db, TYPE, id) : undefined
  if (!ticket) throw notFound()
  const { state, processor } = ticket
  return {
    status: state === 'open' ? 'await' : state === 'approved' ? 'approved' : 'rejected',
    action: state,
    processor,
  }
}

/** Who wants to connect to what. Throws 400 with a message at the field of each unknown id. */
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
